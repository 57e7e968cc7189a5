import { describe, expect, test, vi } from 'vitest';
import type { ContentItem } from '../../generated/index.js';
import { encode } from '../../generated/json/index.js';
import { readSelection } from '../../runtime/elicitation/bodies.js';
import { validateElicitationExchange } from '../../runtime/elicitation/index.js';
import { isDeepFrozen } from '../support/frozen.js';
import {
  bodies,
  bodyItem,
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

function exchange({ request, result, principal = PRINCIPAL, bodies: given = bodies(), signal }: Case) {
  return validateElicitationExchange({
    request: requestEnvelope(request),
    result: resultEnvelope(result),
    resolveBody: given.resolveBody,
    principal: principal as string,
    ...(signal === undefined ? {} : { signal }),
  });
}

/** The code of the refusal, after showing that no body was asked for. */
async function earlyCode(given: Case): Promise<string> {
  const own = bodies();
  const code = await codeOf(() => exchange({ ...given, bodies: own }));
  expect(own.asked).toEqual([]);
  return code;
}

const LATER = { id: 'e-9', parentEventId: 'e-8' };

describe('§2 step 1, the principal', () => {
  test.each([
    ['absent', undefined],
    ['empty', ''],
    ['blank', ' \t\n'],
    ['a number', 7],
    ['an object', { id: 'me' }],
  ])('that is %s rejects before anything else', async (_name, principal) => {
    expect(await earlyCode({ principal: principal ?? null, result: { event: LATER } })).toBe('principal');
  });

  test('with one visible character is taken as it is given', async () => {
    const outcome = await exchange({ principal: ' a ' });
    expect(outcome.provenance).toEqual({ kind: 'mcp', authenticatedSource: ' a ' });
  });

  test('never comes from the payload', async () => {
    const outcome = await exchange({
      request: { elicitation: { server: 'evil' } },
      result: { elicitation: { server: 'evil' } },
    });
    expect(outcome.provenance.authenticatedSource).toBe(PRINCIPAL);
  });
});

describe('§2 step 2, the envelopes', () => {
  test.each<[string, Case]>([
    ['a request without time', { request: { event: { time: undefined } } }],
    ['a time that is none', { request: { event: { time: '2026-02-30T00:00:00Z' } } }],
    ['a result without an action', { result: { elicitation: { action: undefined } } }],
    ['a grant that the boundary does not know', { result: { capabilities: { effects: ['deny'] } } }],
    ['a notification', { request: { envelope: { method: 'hooks/observe' } } }],
    [
      'a body of another media type',
      { result: { elicitation: { result: { ...bodyItem('res'), mediaType: 'text/plain' } } } },
    ],
  ])('%s is not canonical', async (_name, given) => {
    expect(await earlyCode(given)).toBe('not-canonical');
  });

  test('the refusal tells where and why, and quotes nothing', async () => {
    const error = await failureOf(() => exchange({ result: { event: { time: 'yesterday-secret' } } }));
    expect(error).toMatchObject({
      name: 'ElicitationError',
      code: 'not-canonical',
      place: '/result/params/event/time',
    });
    expect(error.issues[0]).toMatchObject({ code: 'format', pointer: '/params/event/time' });
    expect(error.message).toBe('Envelope: expected a canonical interception request, got one that is invalid');
    expect(JSON.stringify(error.issues)).not.toContain('secret');
  });

  test.each([
    ['request', 'e-x'],
    ['request', 1],
    ['result', 'e-x'],
    ['result', 2],
  ] as const)('a JSON-RPC id of the %s that is not its event id (%s) rejects, text to text', async (side, id) => {
    expect(await earlyCode({ [side]: { envelope: { id } } })).toBe('id-mismatch');
  });

  test('swapped boundaries reject', async () => {
    const own = bodies();
    const code = await codeOf(() =>
      validateElicitationExchange({
        request: resultEnvelope(),
        result: requestEnvelope(),
        resolveBody: own.resolveBody,
        principal: PRINCIPAL,
      }),
    );
    expect([code, own.asked]).toEqual(['wrong-boundary', []]);
    const twice = {
      request: requestEnvelope(),
      result: requestEnvelope(),
      resolveBody: own.resolveBody,
      principal: PRINCIPAL,
    };
    expect(await codeOf(() => validateElicitationExchange(twice))).toBe('wrong-boundary');
  });

  test('data that is no JSON is not canonical, and no error of the runtime escapes', async () => {
    const request = { ...requestEnvelope(), extra: new Date() };
    const given = { request, result: resultEnvelope(), ...bodies(), principal: PRINCIPAL };
    expect(await codeOf(() => validateElicitationExchange(given))).toBe('not-canonical');
  });
});

describe('§2 step 3, correlation', () => {
  test.each<[string, Case]>([
    ['another parent', { result: { event: { parentEventId: 'e-0' } } }],
    ['no parent', { result: { event: { parentEventId: undefined } } }],
    ['its own parent', { result: { envelope: { id: 'e-1' }, event: { id: 'e-1' } } }],
    ['another source', { result: { event: { source: 'urn:example:other' } } }],
    ['another session', { result: { event: { session: { id: 's-2' } } } }],
    ['a session on the request only', { result: { event: { session: undefined } } }],
    ['a session on the result only', { request: { event: { session: undefined } } }],
  ])('%s rejects, and no body is resolved', async (_name, given) => {
    expect(await earlyCode(given)).toBe('correlation');
    const views = { elicitation: { result: viewItem('res', 'metadata') } };
    expect(await earlyCode({ ...given, result: { ...given.result, ...views } })).toBe('correlation');
  });

  test('no session on both is fine, and so are other members of the session', async () => {
    const none = { event: { session: undefined } };
    await expect(exchange({ request: none, result: none })).resolves.toHaveProperty('result');
    const other = { event: { session: { id: 's-1', cwd: '/elsewhere' } } };
    await expect(exchange({ result: other })).resolves.toHaveProperty('result');
  });
});

test.each([
  ['server', 'erp'],
  ['mode', 'url'],
])('§2 step 4, another %s rejects before a body is resolved', async (member, value) => {
  expect(await earlyCode({ result: { elicitation: { [member]: value } } })).toBe('metadata-mismatch');
});

describe('§2 step 5, bodies', () => {
  test.each([
    ['metadata', 'metadata'],
    ['omit', 'omit'],
    ['absent', 'omit'],
  ] as const)('a view of both that is %s is not selected: nothing is resolved', async (view, selection) => {
    const own = bodies();
    const item = view === 'absent' ? undefined : viewItem('i', view);
    const outcome = await exchange({
      request: { elicitation: { request: item } },
      result: { elicitation: { result: item } },
      bodies: own,
    });
    expect(outcome).toEqual({
      selection: { request: selection, result: selection },
      bodyValidation: 'not-selected',
      provenance: { kind: 'mcp', authenticatedSource: PRINCIPAL },
      externalCompletion: false,
    });
    expect(own.asked).toEqual([]);
    expect(isDeepFrozen(outcome)).toBe(true);
  });

  test('one selected body is resolved and checked, but not returned', async () => {
    const onlyRequest = { result: { elicitation: { result: viewItem('res', 'metadata') } } };
    const onlyResult = { request: { elicitation: { request: viewItem('req', 'omit') } } };
    const own = bodies();
    expect(await exchange({ ...onlyRequest, bodies: own })).toMatchObject({
      selection: { request: 'body', result: 'metadata' },
      bodyValidation: 'not-selected',
    });
    expect(own.asked).toEqual(['ref-req']);
    expect(await codeOf(() => exchange({ ...onlyRequest, bodies: bodies('{') }))).toBe('body-not-json');
    expect(await codeOf(() => exchange({ ...onlyRequest, bodies: bodies(URL_REQUEST) }))).toBe('mode-mismatch');
    expect(await codeOf(() => exchange({ ...onlyResult, bodies: bodies(null, { action: 'decline' }) }))).toBe(
      'action-mismatch',
    );
    // Without the request's body there is no form to check the answer by.
    expect(
      await exchange({ ...onlyResult, bodies: bodies(null, { action: 'accept', content: { branch: 'x' } }) }),
    ).toMatchObject({
      selection: { request: 'omit', result: 'body' },
    });
  });

  test.each<[string, Case]>([
    ['a gap of the request', { request: { elicitation: { request: gapItem('req') } } }],
    ['a gap of the result', { result: { elicitation: { result: gapItem('res') } } }],
    [
      'a gap beside a metadata view',
      {
        request: { elicitation: { request: viewItem('r', 'metadata') } },
        result: { elicitation: { result: gapItem('res') } },
      },
    ],
  ])('%s is a missing body, told before any body is resolved', async (_name, given) => {
    expect(await earlyCode(given)).toBe('missing-body');
  });

  test('a selected body is JSON by its media type', () => {
    const item = { ...bodyItem('x'), mediaType: 'text/plain' } as unknown as ContentItem;
    expect(() => readSelection(item, '/place')).toThrowError(
      expect.objectContaining({ code: 'media-type', place: '/place/mediaType' }),
    );
  });

  test('a resolver that answers null or no bytes is a missing body', async () => {
    expect(await codeOf(() => exchange({ bodies: bodies(null) }))).toBe('missing-body');
    expect(await codeOf(() => exchange({ bodies: bodies(FORM, null) }))).toBe('missing-body');
    const text = { ...bodies(), resolveBody: (async () => '{}') as never };
    expect(await codeOf(() => exchange({ bodies: text }))).toBe('missing-body');
  });

  test('a resolver that rejects or throws is a missing body that keeps the error', async () => {
    const cause = new Error('no such object');
    for (const resolveBody of [
      async () => Promise.reject(cause),
      () => {
        throw cause;
      },
    ]) {
      const error = await failureOf(() => exchange({ bodies: { ...bodies(), resolveBody } }));
      expect(error).toMatchObject({ code: 'missing-body', place: '/request/params/event/elicitation/request', cause });
      expect(error.message).not.toContain('no such object');
    }
  });

  test.each([
    ['no JSON', '{'],
    ['nothing', ''],
    ['a byte-order mark', '\ufeff{"action":"accept"}'],
    ['bytes that are no UTF-8', new Uint8Array([0x22, 0xc3, 0x28, 0x22])],
    ['the same answer twice, spelt two ways', '{"action":"accept","content":{"branch":"main","br\\u0061nch":"dev"}}'],
    ['trailing text', '{"action":"accept"} {}'],
  ])('a body of %s is no strict JSON', async (_name, body) => {
    expect(await codeOf(() => exchange({ bodies: bodies(FORM, body) }))).toBe('body-not-json');
  });

  test.each<[string, unknown, unknown]>([
    ['a request of another shape', { message: 'm' }, undefined],
    [
      'a nested form',
      { message: 'm', requestedSchema: { type: 'object', properties: { a: { type: 'object' } } } },
      undefined,
    ],
    [
      'a form with an $id',
      { message: 'm', requestedSchema: { $id: 'https://x.example/form', type: 'object', properties: {} } },
      undefined,
    ],
    ['a URL request without id', { mode: 'url', message: 'm', url: 'https://a.example/' }, undefined],
    ['a mode of its own', { mode: 'voice', message: 'm' }, undefined],
    ['an action of its own', undefined, { action: 'submit' }],
    ['a nested answer', undefined, { action: 'accept', content: { branch: { name: 'main' } } }],
    ['a null answer', undefined, { action: 'accept', content: { branch: null } }],
    ['a number beyond doubles', undefined, '{"action":"accept","content":{"branch":"main","retries":1e400}}'],
    ['a list', undefined, []],
  ])('%s is not what MCP defines', async (_name, request, result) => {
    expect(await codeOf(() => exchange({ bodies: bodies(request ?? FORM, result ?? { action: 'accept' }) }))).toBe(
      'body-not-mcp',
    );
  });

  test('the request is resolved first, and the result only once it holds', async () => {
    const own = bodies();
    await exchange({ bodies: own });
    expect(own.asked).toEqual(['ref-req', 'ref-res']);
    const broken = bodies('{');
    await codeOf(() => exchange({ bodies: broken }));
    expect(broken.asked).toEqual(['ref-req']);
  });

  test('the resolver is told the item and a signal', async () => {
    const resolveBody = vi.fn(bodies().resolveBody);
    const { signal } = new AbortController();
    await exchange({ bodies: { ...bodies(), resolveBody }, signal });
    expect(resolveBody).toHaveBeenCalledWith({ ref: 'ref-req' }, { item: bodyItem('req'), signal });
  });
});

describe('§2 step 6, cross-checks', () => {
  const url: Case = { request: { elicitation: { mode: 'url' } }, result: { elicitation: { mode: 'url' } } };

  test('the mode of the metadata is the mode of the body, and an absent one is the form', async () => {
    expect(await codeOf(() => exchange({ bodies: bodies(URL_REQUEST, { action: 'accept' }) }))).toBe('mode-mismatch');
    expect(await codeOf(() => exchange({ ...url, bodies: bodies(FORM, { action: 'accept' }) }))).toBe('mode-mismatch');
    const outcome = await exchange({});
    // Interpreted, never written.
    expect('request' in outcome && outcome.request).toEqual(FORM);
    await expect(exchange({ bodies: bodies({ ...FORM, mode: 'form' }) })).resolves.toHaveProperty(
      'request.mode',
      'form',
    );
  });

  test('the action of the metadata is the action of the body', async () => {
    expect(await codeOf(() => exchange({ bodies: bodies(FORM, { action: 'cancel' }) }))).toBe('action-mismatch');
  });

  test.each(['decline', 'cancel'])('content beside %s is unexpected', async (action) => {
    const given = { result: { elicitation: { action } }, bodies: bodies(FORM, { action, content: {} }) };
    expect(await codeOf(() => exchange(given))).toBe('unexpected-content');
    await expect(exchange({ ...given, bodies: bodies(FORM, { action }) })).resolves.toHaveProperty('result', {
      action,
    });
  });

  test('an accepted URL has no content, and is consent rather than completion', async () => {
    const withContent = bodies(URL_REQUEST, { action: 'accept', content: {} });
    expect(await codeOf(() => exchange({ ...url, bodies: withContent }))).toBe('unexpected-content');
    const outcome = await exchange({ ...url, bodies: bodies(URL_REQUEST, { action: 'accept' }) });
    expect(outcome).toEqual({
      request: URL_REQUEST,
      result: { action: 'accept' },
      provenance: { kind: 'mcp', authenticatedSource: PRINCIPAL },
      externalCompletion: false,
    });
  });

  test('accepted answers satisfy the form; what is wrong is told by place and rule, without the answer', async () => {
    const secret = 'hunter2-secret';
    const error = await failureOf(() =>
      exchange({ bodies: bodies(FORM, { action: 'accept', content: { retries: 9, notify: secret } }) }),
    );
    expect(error.code).toBe('answer-invalid');
    expect(error.issues.map(({ pointer, code }) => [pointer, code]).sort()).toEqual([
      ['', 'required'],
      ['/notify', 'type'],
      ['/retries', 'maximum'],
    ]);
    expect(JSON.stringify([error.message, error.issues])).not.toContain(secret);
  });

  test('absent content counts as no answers, and is never written', async () => {
    expect(await codeOf(() => exchange({ bodies: bodies(FORM, { action: 'accept' }) }))).toBe('answer-invalid');
    const optional = { message: 'm', requestedSchema: { type: 'object', properties: { a: { type: 'string' } } } };
    await expect(exchange({ bodies: bodies(optional, { action: 'accept' }) })).resolves.toHaveProperty('result', {
      action: 'accept',
    });
  });

  test('an unusable form rejects only when an accepted answer is checked by it', async () => {
    const unusable = {
      message: 'm',
      requestedSchema: { type: 'object', properties: { a: { type: 'string', minLength: -1 } } },
    };
    expect(await codeOf(() => exchange({ bodies: bodies(unusable, { action: 'accept' }) }))).toBe('schema-unusable');
    const declined = {
      result: { elicitation: { action: 'decline' } },
      bodies: bodies(unusable, { action: 'decline' }),
    };
    await expect(exchange(declined)).resolves.toHaveProperty('request', unusable);
    const unseen = { result: { elicitation: { result: viewItem('r', 'omit') } }, bodies: bodies(unusable) };
    await expect(exchange(unseen)).resolves.toHaveProperty('bodyValidation');
  });
});

describe('§2, the outcome', () => {
  test('is frozen, shares nothing mutable with the inputs and leaves them as they were', async () => {
    const request = structuredClone(requestEnvelope());
    const result = structuredClone(resultEnvelope());
    const before = encode({ request, result });
    const outcome = await validateElicitationExchange({
      request,
      result,
      resolveBody: bodies().resolveBody,
      principal: PRINCIPAL,
    });
    expect(isDeepFrozen(outcome)).toBe(true);
    expect(encode({ request, result })).toBe(before);
    expect(Object.isFrozen(request.params)).toBe(false);
  });

  test('is judged by the envelopes as they were given, whatever happens to them meanwhile', async () => {
    const request = structuredClone(requestEnvelope()) as { params: { event: { elicitation: { mode: string } } } };
    const { resolveBody } = bodies();
    const call = validateElicitationExchange({
      request: request as never,
      result: resultEnvelope(),
      resolveBody: async (reference, context) => {
        request.params.event.elicitation.mode = 'url';
        return resolveBody(reference, context);
      },
      principal: PRINCIPAL,
    });
    await expect(call).resolves.toHaveProperty('result');
  });

  test('keeps the spelling of numbers and members that we do not know', async () => {
    const text =
      '{"action":"accept","content":{"branch":"main","retries":1.0},"_meta":{"big":12345678901234567890},"later":[1e2]}';
    const outcome = await exchange({ bodies: bodies(FORM, text) });
    expect('result' in outcome && encode(outcome.result)).toBe(text);
  });
});

describe('§2, cancellation', () => {
  test('an aborted signal rejects at once', async () => {
    const own = bodies();
    const error = await failureOf(() => exchange({ bodies: own, signal: AbortSignal.abort('stop') }));
    expect(error).toMatchObject({ code: 'aborted', place: '/signal', cause: 'stop' });
    expect(own.asked).toEqual([]);
    const views = { request: { elicitation: { request: undefined } }, result: { elicitation: { result: undefined } } };
    expect(await codeOf(() => exchange({ ...views, signal: AbortSignal.abort() }))).toBe('aborted');
  });

  test('an abort ends a resolution that never settles, and nothing is resolved after it', async () => {
    const controller = new AbortController();
    const asked: string[] = [];
    const resolveBody = ({ ref }: { readonly ref: string }): Promise<never> => {
      asked.push(ref);
      controller.abort(new Error('stop'));
      return new Promise(() => undefined);
    };
    const error = await failureOf(() => exchange({ bodies: { ...bodies(), resolveBody }, signal: controller.signal }));
    expect(error).toMatchObject({ code: 'aborted', cause: new Error('stop') });
    expect(asked).toEqual(['ref-req']);
  });

  test('an abort beats a resolver that answers or fails afterwards', async () => {
    for (const answer of [async () => new Uint8Array(), async () => Promise.reject(new Error('late'))]) {
      const controller = new AbortController();
      const resolveBody = async (): Promise<Uint8Array> => {
        controller.abort();
        return answer();
      };
      expect(await codeOf(() => exchange({ bodies: { ...bodies(), resolveBody }, signal: controller.signal }))).toBe(
        'aborted',
      );
    }
  });
});
