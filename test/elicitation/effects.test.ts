import { describe, expect, test } from 'vitest';
import { encode, JsonNumber, parse } from '../../generated/json/index.js';
import { applyElicitationEffects, type StagedElicitation } from '../../runtime/elicitation/index.js';
import { deepFreeze, isDeepFrozen } from '../support/frozen.js';
import {
  bodies,
  codeOf,
  FORM,
  failureOf,
  gapItem,
  PRINCIPAL,
  requestEnvelope,
  resultEnvelope,
  URL_REQUEST,
  type Variation,
  viewItem,
} from './support.js';

interface Case {
  readonly request?: Variation;
  readonly result?: Variation;
  readonly principal?: unknown;
  readonly bodies?: ReturnType<typeof bodies>;
  readonly signal?: AbortSignal;
}

function atRequest(effects: unknown, given: Case = {}): Promise<StagedElicitation> {
  const { request, principal = PRINCIPAL, bodies: own = bodies(), signal } = given;
  return applyElicitationEffects({
    request: requestEnvelope(request),
    effects: effects as [],
    resolveBody: own.resolveBody,
    principal: principal as string,
    signal,
  });
}

function atResult(effects: unknown, given: Case = {}): Promise<StagedElicitation> {
  const { request, result, principal = PRINCIPAL, bodies: own = bodies(), signal } = given;
  return applyElicitationEffects({
    request: requestEnvelope(request),
    result: resultEnvelope(result),
    effects: effects as [],
    resolveBody: own.resolveBody,
    principal: principal as string,
    signal,
  });
}

/** The code of the refusal, after showing that no body was asked for. */
async function earlyCode(stage: typeof atRequest, effects: unknown, given: Case = {}): Promise<string> {
  const own = bodies();
  const code = await codeOf(() => stage(effects, { ...given, bodies: own }));
  expect(own.asked).toEqual([]);
  return code;
}

const ACCEPT = { type: 'return', value: { action: 'accept', content: { branch: 'dev' } } };
const DECLINE = { type: 'return', value: { action: 'decline' } };
const DENY = { type: 'deny', reason: 'not now' };
const MESSAGE = { type: 'message', text: 'seen' };
const replace = (value: unknown): object => ({ type: 'modify', target: 'content', operation: 'replace', value });
const merge = (value: unknown): object => ({ type: 'modify', target: 'content', operation: 'merge', value });
const hook = (...effects: string[]): object => ({ kind: 'hook', authenticatedSource: PRINCIPAL, effects });
const MCP = { kind: 'mcp', authenticatedSource: PRINCIPAL };

describe('§2 effects, steps 1 to 4 come first', () => {
  test('the supplier is an authenticated identity', async () => {
    for (const principal of ['', '  ', null, 3])
      expect(await earlyCode(atRequest, [DECLINE], { principal })).toBe('principal');
  });

  test('the envelopes of the boundary hold', async () => {
    const broken = { request: { event: { time: 'now' } } };
    expect(await earlyCode(atRequest, [DECLINE], broken)).toBe('not-canonical');
    expect(await earlyCode(atRequest, [DECLINE], { request: { envelope: { id: 'other' } } })).toBe('id-mismatch');
    expect(await earlyCode(atResult, [MESSAGE], { result: { event: { parentEventId: 'e-0' } } })).toBe('correlation');
    expect(await earlyCode(atResult, [MESSAGE], { result: { event: { source: 'urn:x' } } })).toBe('correlation');
    expect(await earlyCode(atResult, [MESSAGE], { result: { elicitation: { server: 'erp' } } })).toBe(
      'metadata-mismatch',
    );
    const own = bodies();
    const wrong = {
      request: resultEnvelope(),
      effects: [DECLINE] as unknown as [],
      resolveBody: own.resolveBody,
      principal: PRINCIPAL,
    };
    expect(await codeOf(() => applyElicitationEffects(wrong))).toBe('wrong-boundary');
  });

  test('they come before the list', async () => {
    expect(await earlyCode(atRequest, [], { principal: '' })).toBe('principal');
    expect(await earlyCode(atResult, [], { result: { event: { parentEventId: 'e-0' } } })).toBe('correlation');
  });
});

describe('§2 effects, the list', () => {
  test('is not empty', async () => {
    expect(await earlyCode(atRequest, [])).toBe('empty-effects');
    expect(await earlyCode(atResult, [])).toBe('empty-effects');
  });

  test.each<[string, unknown]>([
    ['an unknown type', [DECLINE, { type: 'com.example.summon' }]],
    ['an unknown member', [{ ...DECLINE, note: 'x' }]],
    ['a denial without reason', [{ type: 'deny' }]],
    ['a return without value', [{ type: 'return' }]],
    ['something that is no object', [DECLINE, null]],
    ['something that is no JSON', [{ type: 'return', value: new Date() }]],
    ['a value that is no list', { 0: DECLINE, length: 1 }],
    ['a text', 'deny'],
  ])('with %s is malformed', async (_name, effects) => {
    expect(await earlyCode(atRequest, effects)).toBe('effect-malformed');
  });

  test.each([[['dev']], ['dev'], [null], [new JsonNumber('1e400')]])(
    'an edit by %j, which is no object, is malformed',
    async (value) => {
      expect(await earlyCode(atResult, [replace(value)])).toBe('effect-malformed');
      expect(await earlyCode(atResult, [merge(value)])).toBe('effect-malformed');
    },
  );

  test('holds only what the envelope of its boundary grants', async () => {
    const grant = (...effects: string[]): Case => ({ request: { capabilities: { effects } } });
    expect(await earlyCode(atRequest, [DENY], grant('return', 'message'))).toBe('effect-not-granted');
    expect(await earlyCode(atRequest, [DECLINE], grant('deny', 'message'))).toBe('effect-not-granted');
    expect(await earlyCode(atRequest, [MESSAGE, DECLINE], grant('return'))).toBe('effect-not-granted');
    expect(await earlyCode(atRequest, [replace({ branch: 'dev' })])).toBe('effect-not-granted');
    expect(await earlyCode(atRequest, [{ type: 'allow' }])).toBe('effect-not-granted');
    expect(await earlyCode(atResult, [DECLINE])).toBe('effect-not-granted');
    expect(await earlyCode(atResult, [DENY])).toBe('effect-not-granted');
    expect(await earlyCode(atResult, [{ ...replace({}), target: 'response' }])).toBe('effect-not-granted');
  });

  test.each([
    [{ replace: true, merge: false }, replace, merge],
    [{ replace: false, merge: true }, merge, replace],
  ] as const)('edits by the operations that %j grants, and by no other', async (content, granted, other) => {
    const given = { result: { capabilities: { effects: ['modify'], modify: { content } } } };
    await expect(atResult([granted({ branch: 'dev' })], given)).resolves.toHaveProperty('result.content.branch', 'dev');
    expect(await earlyCode(atResult, [other({ branch: 'dev' })], given)).toBe('effect-not-granted');
    expect(await earlyCode(atResult, [granted({}), MESSAGE], given)).toBe('effect-not-granted');
  });

  test('has at most one terminal effect', async () => {
    for (const list of [
      [DECLINE, DENY],
      [DENY, DENY],
      [DECLINE, ACCEPT],
      [DENY, MESSAGE, DECLINE],
    ]) {
      expect(await earlyCode(atRequest, list)).toBe('effect-conflict');
    }
    const error = await failureOf(() => atRequest([DENY, MESSAGE, DECLINE]));
    expect(error.place).toBe('/effects/2');
  });

  test('is judged malformed first, then ungranted, then in conflict', async () => {
    const grant = { request: { capabilities: { effects: ['return'] } } };
    expect(await earlyCode(atRequest, [DENY, DECLINE, { type: 'deny' }], grant)).toBe('effect-malformed');
    expect(await earlyCode(atRequest, [DECLINE, DECLINE, DENY], grant)).toBe('effect-not-granted');
  });
});

describe('§2 effects, bodies', () => {
  test.each([[DECLINE], [DENY], [MESSAGE]])('the request body is selected, also for %j', async (effect) => {
    for (const request of [viewItem('req', 'metadata'), viewItem('req', 'omit'), undefined]) {
      expect(await earlyCode(atRequest, [effect], { request: { elicitation: { request } } })).toBe('not-selected');
    }
  });

  test('at the result boundary both bodies are selected, also for messages', async () => {
    for (const effects of [[MESSAGE], [replace({ branch: 'dev' })]]) {
      const view = viewItem('i', 'metadata');
      expect(await earlyCode(atResult, effects, { request: { elicitation: { request: view } } })).toBe('not-selected');
      expect(await earlyCode(atResult, effects, { result: { elicitation: { result: view } } })).toBe('not-selected');
    }
  });

  test('a gap is a missing body', async () => {
    expect(await earlyCode(atRequest, [DECLINE], { request: { elicitation: { request: gapItem('r') } } })).toBe(
      'missing-body',
    );
    const either = {
      request: { elicitation: { request: undefined } },
      result: { elicitation: { result: gapItem('r') } },
    };
    expect(await earlyCode(atResult, [MESSAGE], either)).toBe('missing-body');
  });

  test('the list comes before the bodies', async () => {
    expect(
      await earlyCode(atRequest, [{ type: 'deny' }], { request: { elicitation: { request: gapItem('r') } } }),
    ).toBe('effect-malformed');
  });

  test('bodies and cross-checks hold before anything is staged', async () => {
    expect(await codeOf(() => atRequest([DENY], { bodies: bodies(null) }))).toBe('missing-body');
    expect(await codeOf(() => atRequest([DENY], { bodies: bodies('{') }))).toBe('body-not-json');
    expect(await codeOf(() => atRequest([DENY], { bodies: bodies({}) }))).toBe('body-not-mcp');
    expect(await codeOf(() => atRequest([DENY], { bodies: bodies(URL_REQUEST) }))).toBe('mode-mismatch');
    const cancelled = bodies(FORM, { action: 'cancel' });
    expect(await codeOf(() => atResult([MESSAGE], { bodies: cancelled }))).toBe('action-mismatch');
  });

  test('an edit cannot mend a broken answer, nor does a message pass over one', async () => {
    const broken = bodies(FORM, { action: 'accept', content: { branch: 'x' } });
    expect(await codeOf(() => atResult([replace({ branch: 'dev' })], { bodies: broken }))).toBe('answer-invalid');
    expect(await codeOf(() => atResult([MESSAGE], { bodies: broken }))).toBe('answer-invalid');
  });
});

describe('§2 effects, at the request boundary', () => {
  test('a return supplies the whole result, members that we do not know kept, with hook provenance', async () => {
    const value = {
      action: 'accept',
      content: { branch: 'dev', other: ['a'] },
      _meta: { 'vendor.a': 1 },
      later: [null],
    };
    expect(await atRequest([{ type: 'return', value }])).toEqual({
      request: FORM,
      result: value,
      provenance: hook('return'),
      externalCompletion: false,
    });
  });

  test('a denial becomes a decline, and its reason stays out', async () => {
    const staged = await atRequest([DENY]);
    expect(staged).toMatchObject({ result: { action: 'decline' }, provenance: hook('deny') });
    expect(encode(staged)).not.toContain('not now');
  });

  test('messages are texts beside the outcome; alone they supply nothing', async () => {
    const both = await atRequest([MESSAGE, DECLINE, { type: 'message', text: 'two' }]);
    expect(both).toMatchObject({ messages: ['seen', 'two'], provenance: hook('return') });
    const alone = await atRequest([MESSAGE]);
    expect(alone).toEqual({ request: FORM, provenance: MCP, externalCompletion: false, messages: ['seen'] });
    expect(await atRequest([DECLINE])).not.toHaveProperty('messages');
  });

  test('a supplied result is validated like any other', async () => {
    const supply = (value: unknown, given?: Case): Promise<string> =>
      codeOf(() => atRequest([{ type: 'return', value }], given));
    expect(await supply({ action: 'submit' })).toBe('body-not-mcp');
    expect(await supply(null)).toBe('body-not-mcp');
    expect(await supply({ action: 'accept', content: { branch: null } })).toBe('body-not-mcp');
    expect(await supply({ action: 'accept', content: { branch: 'dev', retries: new JsonNumber('1e400') } })).toBe(
      'body-not-mcp',
    );
    expect(await supply({ action: 'decline', content: { branch: 'dev' } })).toBe('unexpected-content');
    expect(await supply({ action: 'accept', content: { branch: 'x' } })).toBe('answer-invalid');
    expect(await supply({ action: 'accept' })).toBe('answer-invalid');
    const unusable = { message: 'm', requestedSchema: { type: 'object', properties: {}, required: ['a', 'a'] } };
    expect(await supply({ action: 'accept' }, { bodies: bodies(unusable) })).toBe('schema-unusable');
    await expect(atRequest([DENY], { bodies: bodies(unusable) })).resolves.toHaveProperty('result.action', 'decline');
  });

  test('a return may accept a URL: hook provenance, no completion, no content', async () => {
    const url = { request: { elicitation: { mode: 'url' } }, bodies: bodies(URL_REQUEST) };
    expect(await atRequest([{ type: 'return', value: { action: 'accept' } }], url)).toEqual({
      request: URL_REQUEST,
      result: { action: 'accept' },
      provenance: hook('return'),
      externalCompletion: false,
    });
    expect(await codeOf(() => atRequest([ACCEPT], url))).toBe('unexpected-content');
  });
});

describe('§2 effects, at the result boundary', () => {
  const answered = bodies(FORM, {
    action: 'accept',
    content: { branch: 'main', retries: 1 },
    _meta: { a: 1 },
    later: 2,
  });

  test('replace puts a new answer in place, merge keeps the answers that it does not name', async () => {
    expect(await atResult([replace({ branch: 'dev' })], { bodies: answered })).toEqual({
      request: FORM,
      result: { action: 'accept', content: { branch: 'dev' }, _meta: { a: 1 }, later: 2 },
      provenance: hook('modify'),
      externalCompletion: false,
    });
    const merged = await atResult([merge({ branch: 'dev', extra: 'e' })], { bodies: answered });
    expect(merged.result?.content).toEqual({ branch: 'dev', retries: 1, extra: 'e' });
    expect(merged.request).toEqual(FORM);
  });

  test('edits chain in order, and only what they come to has to be valid', async () => {
    const chained = await atResult([
      replace({ branch: 'x' }),
      MESSAGE,
      merge({ branch: 'dev' }),
      merge({ retries: 5 }),
    ]);
    expect(chained).toMatchObject({
      result: { content: { branch: 'dev', retries: 5 } },
      provenance: hook('modify', 'modify', 'modify'),
      messages: ['seen'],
    });
    expect(await codeOf(() => atResult([merge({ branch: 'dev' }), merge({ retries: 99 })]))).toBe('answer-invalid');
  });

  test('null is literal, and so never a valid answer', async () => {
    expect(await codeOf(() => atResult([merge({ branch: null })]))).toBe('body-not-mcp');
  });

  test('a merge starts from no answers where the content is absent', async () => {
    const optional = { message: 'm', requestedSchema: { type: 'object', properties: { a: { type: 'string' } } } };
    const given = { bodies: bodies(optional, { action: 'accept' }) };
    expect(await atResult([merge({ a: 'x' })], given)).toMatchObject({
      result: { action: 'accept', content: { a: 'x' } },
    });
    expect((await atResult([MESSAGE], given)).result).toEqual({ action: 'accept' });
  });

  test('edits are for accepted forms alone', async () => {
    const declined = { result: { elicitation: { action: 'decline' } }, bodies: bodies(FORM, { action: 'decline' }) };
    expect(await codeOf(() => atResult([replace({ branch: 'dev' })], declined))).toBe('unexpected-content');
    const url = {
      request: { elicitation: { mode: 'url' } },
      result: { elicitation: { mode: 'url' } },
      bodies: bodies(URL_REQUEST, { action: 'accept' }),
    };
    expect(await codeOf(() => atResult([merge({})], url))).toBe('unexpected-content');
    expect(await atResult([MESSAGE], declined)).toMatchObject({
      result: { action: 'decline' },
      provenance: MCP,
      messages: ['seen'],
    });
  });

  test('members called __proto__ and toString are members', async () => {
    const form = parse(
      '{"message":"m","requestedSchema":{"type":"object","properties":{"__proto__":{"type":"string","minLength":2},"toString":{"type":"string"}},"required":["__proto__"]}}',
    );
    const given = {
      bodies: bodies(form.ok ? form.value : null, '{"action":"accept","content":{"__proto__":"main","toString":"t"}}'),
    };
    const edit = parse('{"__proto__":"dev"}');
    const staged = await atResult([merge(edit.ok ? edit.value : null)], given);
    expect(encode(staged.result ?? null)).toBe('{"action":"accept","content":{"__proto__":"dev","toString":"t"}}');
    const short = parse('{"__proto__":"d"}');
    expect(await codeOf(() => atResult([merge(short.ok ? short.value : null)], given))).toBe('answer-invalid');
    expect(await codeOf(() => atResult([replace({ toString: 't' })], given))).toBe('answer-invalid');
  });

  test('numbers keep their spelling through an edit', async () => {
    const edit = parse('{"branch":"dev","retries":5.0}');
    const staged = await atResult([merge(edit.ok ? edit.value : null)], { bodies: answered });
    expect(encode(staged.result?.content ?? null)).toBe('{"branch":"dev","retries":5.0}');
    const long = new JsonNumber('12345678901234567890');
    const free = { message: 'm', requestedSchema: { type: 'object', properties: {} } };
    const kept = await atResult([replace({ id: long })], { bodies: bodies(free, { action: 'accept' }) });
    expect(encode(kept.result?.content ?? null)).toBe('{"id":12345678901234567890}');
  });
});

describe('§2 effects, what a call leaves behind', () => {
  test('frozen outcomes, inputs as they were, also when a list is refused', async () => {
    const effects = structuredClone([replace({ branch: 'dev' }), MESSAGE]);
    const before = encode(effects as never);
    const staged = await atResult(effects);
    expect(isDeepFrozen(staged)).toBe(true);
    await codeOf(() => atResult([...effects, replace({ branch: 1 })]));
    expect(encode(effects as never)).toBe(before);
    expect(effects.some((effect) => Object.isFrozen(effect))).toBe(false);
    await expect(atResult(deepFreeze(effects))).resolves.toEqual(staged);
  });

  test('a list that is reused while bodies are resolved is staged as it was given', async () => {
    const effects = [replace({ branch: 'dev' })];
    const { resolveBody } = bodies();
    const own = {
      asked: [],
      resolveBody: async (...args: Parameters<typeof resolveBody>) => {
        effects[0] = replace({ branch: 'evil' });
        return resolveBody(...args);
      },
    };
    await expect(atResult(effects, { bodies: own })).resolves.toHaveProperty('result.content.branch', 'dev');
  });

  test('an aborted signal stages nothing', async () => {
    expect(await earlyCode(atRequest, [DENY], { signal: AbortSignal.abort() })).toBe('aborted');
    expect(await earlyCode(atResult, [], { signal: AbortSignal.abort() })).toBe('aborted');
    const controller = new AbortController();
    const abortAndHang = (): Promise<never> => {
      controller.abort();
      return new Promise(() => undefined);
    };
    const own = { asked: [], resolveBody: abortAndHang };
    expect(await codeOf(() => atResult([MESSAGE], { bodies: own, signal: controller.signal }))).toBe('aborted');
  });
});
