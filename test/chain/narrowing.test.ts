import { describe, expect, it } from 'vitest';
import { type Capabilities, catalogue, type KnownEvent, type Manifest } from '../../generated/index.js';
import { minimalEvent } from './events.js';
import { boundary, runScripted } from './support.js';

type Entry = Manifest['events'][number];

function manifestOf(...events: readonly Entry[]): Manifest {
  return {
    events,
    gaps: [],
    transports: [],
    authentication: [],
    toolPaths: [],
    contentCategories: [],
    limits: {},
    managedPolicy: { scopes: [], disableable: true },
    correlationIdentityFields: [],
  } as unknown as Manifest;
}

async function advertised(
  type: string,
  host: object,
  entry?: object,
  options: Parameters<typeof runScripted>[1] = {},
): Promise<unknown> {
  const { sent } = await runScripted([{ id: 'a', reply: [] }], {
    ...boundary(type, host as Capabilities),
    ...(entry === undefined
      ? {}
      : { manifest: manifestOf({ event: type, modes: ['intercept'], capabilities: entry } as unknown as Entry) }),
    ...options,
  });
  return sent[0]?.message.params.capabilities;
}

const INPUT = (replace: boolean, merge: boolean) => ({ effects: ['modify'], modify: { input: { replace, merge } } });
const INJECT = (...deliverAt: string[]) => ({ effects: ['inject'], inject: { context: { append: true, deliverAt } } });
const FLOW = (operations: string[], rest: object = {}) => ({ effects: ['flow'], flow: { operations, ...rest } });
const COUNTS = { remainingContinuations: 2, continuationCount: 1, maxContinuations: 3 };
const NONE = { effects: [] };

describe('§5 capabilities of the host, cut down to an entry of the manifest', () => {
  it.each<[string, string, object, object, object]>([
    [
      'effects that both name',
      'tool.before',
      { effects: ['deny', 'ask'] },
      { effects: ['allow', 'ask'] },
      { effects: ['ask'] },
    ],
    [
      'in the order of the host',
      'tool.before',
      { effects: ['deny', 'ask'] },
      { effects: ['ask', 'deny'] },
      { effects: ['deny', 'ask'] },
    ],
    ['operations that both grant', 'tool.before', INPUT(true, true), INPUT(false, true), INPUT(false, true)],
    ['no target without a common operation', 'tool.before', INPUT(true, false), INPUT(false, true), NONE],
    [
      'no target that the entry does not name',
      'tool.before',
      INPUT(true, true),
      { effects: ['modify'], modify: {} },
      NONE,
    ],
    [
      'no modify where the entry has none',
      'tool.before',
      INPUT(true, true),
      { effects: [], ...{ modify: INPUT(true, true).modify } },
      NONE,
    ],
    ['moments that both name', 'tool.before', INJECT('now', 'next_turn'), INJECT('next_turn'), INJECT('next_turn')],
    ['no inject without a common moment', 'tool.before', INJECT('now'), INJECT('next_turn'), NONE],
    ['no inject where the entry has none', 'tool.before', INJECT('now'), { effects: ['inject'] }, NONE],
    [
      'no inject where the entry does not list it',
      'tool.before',
      INJECT('now'),
      { ...INJECT('now'), effects: [] },
      NONE,
    ],
    [
      'flow operations that both name',
      'turn.finish.before',
      FLOW(['stop', 'continue'], COUNTS),
      FLOW(['stop']),
      FLOW(['stop'], COUNTS),
    ],
    [
      "the host's count",
      'turn.finish.before',
      FLOW(['continue'], COUNTS),
      FLOW(['continue'], { ...COUNTS, remainingContinuations: 9 }),
      FLOW(['continue'], COUNTS),
    ],
    ['no flow without a common operation', 'turn.finish.before', FLOW(['stop']), FLOW(['continue'], COUNTS), NONE],
    ['no flow where the entry has none', 'turn.finish.before', FLOW(['stop']), { effects: ['flow'] }, NONE],
    [
      'no flow where the entry does not list it',
      'turn.finish.before',
      FLOW(['stop']),
      { ...FLOW(['stop']), effects: [] },
      NONE,
    ],
    [
      'modes that both support',
      'user.elicitation.request',
      { ...NONE, elicitation: { form: {}, url: {} } },
      { ...NONE, elicitation: { url: {} } },
      { ...NONE, elicitation: { url: {} } },
    ],
    [
      'the other mode too',
      'user.elicitation.request',
      { ...NONE, elicitation: { form: { a: 1 }, url: {} } },
      { ...NONE, elicitation: { form: {} } },
      { ...NONE, elicitation: { form: { a: 1 } } },
    ],
    [
      'no mode that the host lacks',
      'user.elicitation.request',
      { ...NONE, elicitation: {} },
      { ...NONE, elicitation: { form: {}, url: {} } },
      { ...NONE, elicitation: {} },
    ],
    [
      'no mode where the entry has none',
      'user.elicitation.request',
      { ...NONE, elicitation: { form: {}, later: 1 } },
      NONE,
      { ...NONE, elicitation: { later: 1 } },
    ],
    [
      'nothing that only the entry grants',
      'user.elicitation.request',
      NONE,
      { ...NONE, elicitation: { form: {} } },
      NONE,
    ],
  ])('§5 %s', async (_name, type, host, entry, expected) => {
    expect(await advertised(type, host, entry)).toStrictEqual(expected);
  });

  it('§5 leaves a host without a manifest its modes and members as they are', async () => {
    const host = {
      effects: ['flow', 'inject', 'modify'],
      flow: { operations: ['stop'], later: 1 },
      inject: { context: { append: true, deliverAt: ['now'], later: 2 }, later: 3 },
      modify: { input: { replace: true, merge: false } },
      elicitation: { form: { later: 4 }, url: {} },
    };
    expect(await advertised('tool.before', host)).toStrictEqual(host);
  });

  it('§5 looks for the entry of the event by its name', async () => {
    const host = { effects: ['deny', 'ask'] } as Capabilities;
    const entries = [
      { event: 'tool.after', modes: ['intercept'], capabilities: { effects: ['deny', 'ask'] } },
      { event: 'tool.before', modes: ['observe', 'intercept'], capabilities: { effects: ['ask'] } },
    ] as unknown as Entry[];
    expect(await advertised('tool.before', host, undefined, { manifest: manifestOf(...entries) })).toEqual({
      effects: ['ask'],
    });
    expect(await advertised('tool.before', host, undefined, { manifest: manifestOf(...entries.slice(0, 1)) })).toEqual(
      NONE,
    );
    const observed = [{ ...entries[1], modes: ['observe'] }] as Entry[];
    expect(await advertised('tool.before', host, undefined, { manifest: manifestOf(...observed) })).toEqual(NONE);
  });

  it('§5 refuses what the narrowed grant no longer has', async () => {
    const { outcome } = await runScripted(
      [{ id: 'a', failurePolicy: 'fail-open', reply: [{ type: 'deny', reason: 'no' }] }],
      { manifest: manifestOf({ event: 'tool.before', modes: ['intercept'], capabilities: NONE } as unknown as Entry) },
    );
    expect(outcome.failures).toMatchObject([{ code: 'effect-not-granted' }]);
  });
});

describe('§5 what an allowance has left', () => {
  it.each([
    [0, NONE],
    [1, FLOW(['continue'], { ...COUNTS, remainingContinuations: 1 })],
  ])('§5 of %i decides whether continue is offered', async (remainingContinuations, expected) => {
    expect(await advertised('turn.finish.before', FLOW(['continue'], { ...COUNTS, remainingContinuations }))).toEqual(
      expected,
    );
  });

  it('§5 of nothing leaves stop, and rejects a response that continues', async () => {
    const { outcome, sent } = await runScripted(
      [{ id: 'a', failurePolicy: 'fail-open', reply: [{ type: 'flow', operation: 'continue', instruction: 'more' }] }],
      boundary(
        'turn.finish.before',
        FLOW(['stop', 'continue'], { ...COUNTS, remainingContinuations: 0 }) as unknown as Capabilities,
      ),
    );
    expect(sent[0]?.message.params.capabilities.flow?.operations).toEqual(['stop']);
    expect(outcome).toMatchObject({ flow: 'none', instructions: [], failures: [{ code: 'effect-not-granted' }] });
  });
});

/** Every target of the capability table, with an edit of it. */
const TARGETS = catalogue.interceptableEventNames.flatMap((type) =>
  Object.entries<{ place: string; content?: boolean }>(catalogue.events[type].targets).map(
    ([target, { place, content = false }]) => ({ type, target, place, content }),
  ),
);

describe('§5 every target of the capability table', () => {
  it('§5 lives in the event for input and workspace, and behind descriptors otherwise', () => {
    expect(TARGETS.length).toBeGreaterThan(10);
    for (const { target, content } of TARGETS) expect(content).toBe(target !== 'input' && target !== 'workspace');
  });

  it.each(TARGETS)('§5 $target of $type', async ({ type, target, place, content }) => {
    // The answer of an elicitation is staged by section 2, which has tests of its own.
    if (type === 'user.elicitation.result') return;
    const grant = { effects: ['modify'], modify: { [target]: { replace: true, merge: false } } };
    const value = target === 'workspace' ? { cwd: '/changed' } : { changed: true };
    const made: unknown[] = [];
    const { outcome } = await runScripted(
      [{ id: 'a', reply: [{ type: 'modify', target, operation: 'replace', value }] }],
      {
        ...boundary(type, grant as unknown as Capabilities),
        values: { [target]: 'now' },
        materialize: ({ event, target: changed, value: next }) => {
          made.push([changed, next]);
          return event;
        },
      },
    );
    expect(outcome.failures).toEqual([]);
    expect(made).toEqual(content ? [[target, value]] : []);
    expect(outcome.values).toEqual({ [target]: content ? value : 'now' });
    const standing = place
      .split('/')
      .slice(1)
      .reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], outcome.event);
    if (content) expect(outcome.event).toEqual(minimalEvent(type));
    else expect(standing).toEqual(value);
  });

  it('§5 gets a frozen value and the frozen event before the change', async () => {
    let isFrozen = false;
    const before: KnownEvent[] = [];
    await runScripted(
      [{ id: 'a', reply: [{ type: 'modify', target: 'content', operation: 'replace', value: { a: [1] } }] }],
      {
        ...boundary('user.message.outbound', {
          effects: ['modify'],
          modify: { content: { replace: true, merge: false } },
        }),
        values: { content: 'old' },
        materialize: ({ event, value }) => {
          before.push(event);
          isFrozen = [event, value, (value as { a: object }).a].every(Object.isFrozen);
          return event;
        },
      },
    );
    expect(isFrozen).toBe(true);
    expect(before).toEqual([minimalEvent('user.message.outbound')]);
  });
});
