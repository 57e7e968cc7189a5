import { describe, expect, it } from 'vitest';
import { catalogue, type Capabilities, type KnownEvent, type Manifest } from '../../generated/index.js';
import { FULL_TOOL_CAPABILITIES, minimalEvent } from './events.js';
import { boundary, runScripted } from './support.js';

const CONTENT_GRANT: Capabilities = {
  effects: ['deny', 'modify', 'message'],
  modify: { content: { replace: true, merge: true } },
};

function manifestWith(entries: Manifest['events']): Manifest {
  return {
    events: entries,
    gaps: [],
    transports: [],
    authentication: [],
    toolPaths: [],
    contentCategories: [],
    limits: {},
    managedPolicy: { scopes: [], disableable: true },
    correlationIdentityFields: [],
  };
}

async function advertised(options: Parameters<typeof runScripted>[1]): Promise<Capabilities | undefined> {
  const { sent } = await runScripted([{ id: 'a', reply: [] }], options);
  return sent[0]?.message.params.capabilities;
}

describe('§5 capabilities of a request', () => {
  it("§5 are the host's when there is no manifest", async () => {
    expect(await advertised({})).toEqual(FULL_TOOL_CAPABILITIES);
  });

  it("§5 are cut down to the manifest's entry", async () => {
    const manifest = manifestWith([
      {
        event: 'tool.before',
        modes: ['intercept'],
        capabilities: {
          effects: ['deny', 'modify', 'inject'],
          modify: { input: { replace: true, merge: false } },
          inject: { context: { append: true, deliverAt: ['next_turn'] } },
        },
      },
    ]);
    expect(await advertised({ manifest })).toEqual({
      effects: ['deny', 'modify', 'inject'],
      modify: { input: { replace: true, merge: false } },
      inject: { context: { append: true, deliverAt: ['next_turn'] } },
    });
  });

  it('§5 grant nothing without an entry', async () => {
    expect(await advertised({ manifest: manifestWith([]) })).toEqual({ effects: [] });
    const observed = manifestWith([{ event: 'tool.before', modes: ['observe'] }]);
    expect(await advertised({ manifest: observed })).toEqual({ effects: [] });
  });

  it('§5 offer no continue when none remains, and no flow when no operation is left', async () => {
    const finish = (operations: readonly ('stop' | 'continue')[]) =>
      boundary('turn.finish.before', {
        effects: ['flow', 'message'],
        flow: { operations, remainingContinuations: 0, continuationCount: 3 },
      });
    expect((await advertised(finish(['stop', 'continue'])))?.flow?.operations).toEqual(['stop']);
    expect(await advertised(finish(['continue']))).toEqual({ effects: ['message'] });
  });

  it('§5 do not offer a content target without a value, nor without materialize', async () => {
    const outbound = boundary('user.message.outbound', CONTENT_GRANT);
    const values = { content: 'x' };
    const materialize = ({ event }: { event: KnownEvent }) => event;
    expect(await advertised({ ...outbound, values, materialize })).toEqual(CONTENT_GRANT);
    for (const half of [{ values }, { materialize }, { materialize, values: {} }, {}]) {
      expect(await advertised({ ...outbound, ...half })).toEqual({ effects: ['deny', 'message'] });
    }
  });

  it('§5 keep members that the protocol does not know', async () => {
    expect(await advertised({ capabilities: { effects: [], later: { a: 1 } } as Capabilities })).toEqual({
      effects: [],
      later: { a: 1 },
    });
  });

  it('§5 offer at the elicitation events only what needs no staging, without that option', async () => {
    const request = boundary('user.elicitation.request', { effects: ['deny', 'return', 'message'] });
    expect(await advertised(request)).toEqual({ effects: ['deny', 'message'] });
    const result = boundary('user.elicitation.result', {
      effects: ['modify', 'message'],
      modify: { content: { replace: true, merge: true } },
    });
    expect(await advertised({ ...result, values: { content: {} }, materialize: ({ event }) => event })).toEqual({
      effects: ['message'],
    });
  });
});

describe('§5 requests', () => {
  it('§5 carry the whole state from the first one on, and no subscription id', async () => {
    const { sent } = await runScripted([
      { id: 'subscription-one', reply: [{ type: 'return', value: 1 }, { type: 'ask' }] },
      {
        id: 'subscription-two',
        reply: [{ type: 'inject', target: 'context', operation: 'append', deliverAt: 'now', value: 'v' }],
      },
      { id: 'subscription-three', reply: [] },
    ]);
    expect(sent.map(({ message }) => message.params.state)).toEqual([
      { candidate: null, permission: 'none', flow: 'none', injections: [], instructions: [] },
      { candidate: { value: 1 }, permission: 'ask', flow: 'none', injections: [], instructions: [] },
      {
        candidate: { value: 1 },
        permission: 'ask',
        flow: 'none',
        injections: [{ deliverAt: 'now', value: 'v' }],
        instructions: [],
      },
    ]);
    expect(JSON.stringify(sent.map(({ message }) => message))).not.toContain('subscription-');
    expect(sent[0]?.message).toMatchObject({ jsonrpc: '2.0', id: 'e-1', method: 'hooks/intercept' });
  });

  it('§7 carry no declared native member unless the subscription includes it, and leave data of that name alone', async () => {
    const event = {
      ...minimalEvent('tool.before', { native: 'data' }),
      native: { raw: 1 },
    } as unknown as KnownEvent;
    const { sent, outcome } = await runScripted(
      [
        { id: 'a', reply: [] },
        { id: 'b', includeNative: true, reply: [] },
      ],
      { event },
    );
    expect(sent[0]?.message.params.event).not.toHaveProperty('native');
    expect(sent[0]?.message.params.event).toMatchObject({ tool: { input: { native: 'data' } } });
    expect(sent[1]?.message.params.event).toMatchObject({ native: { raw: 1 } });
    expect(outcome.event).toMatchObject({ native: { raw: 1 } });
  });

  it('§5 go in registration order, each with what the one before left', async () => {
    const { sent } = await runScripted(
      ['c', 'a', 'b'].map((id) => ({
        id,
        reply: [{ type: 'modify', target: 'input', operation: 'merge', value: { [id]: true } }],
      })),
      { event: minimalEvent('tool.before', {}) },
    );
    expect(
      sent.map(({ id, message }) => [
        id,
        Object.keys((message.params.event as { tool: { input: object } }).tool.input),
      ]),
    ).toEqual([
      ['c', []],
      ['a', ['c']],
      ['b', ['c', 'a']],
    ]);
  });

  it.each(catalogue.interceptableEventNames)('§5 asks about %s', async (type) => {
    const { outcome, sent } = await runScripted([{ id: 'a', reply: [] }], boundary(type, { effects: [] }));
    expect(sent).toHaveLength(1);
    expect(outcome.decision).toBe('proceed');
  });
});

describe('§5 preparation', () => {
  const hook = { id: 'a', failurePolicy: 'fail-open' as const, reply: [] };

  it('§5 gives each receiver its own view, and settles the host event', async () => {
    const { sent, outcome } = await runScripted([hook], {
      prepare: ({ event, purpose }) => ({ ...event, parentEventId: purpose }) as KnownEvent,
    });
    expect(sent[0]?.message.params.event).toMatchObject({ parentEventId: 'intercept' });
    expect(outcome.event).not.toHaveProperty('parentEventId');
  });

  it.each([
    ['rejects', () => Promise.reject(new Error('x'))],
    ['gives another event', ({ event }: { event: KnownEvent }) => ({ ...event, id: 'other' }) as KnownEvent],
    ['gives another source', ({ event }: { event: KnownEvent }) => ({ ...event, source: 'urn:x:y' }) as KnownEvent],
    ['gives what is not canonical', ({ event }: { event: KnownEvent }) => ({ ...event, time: 'now' }) as KnownEvent],
    ['gives no event', () => null as unknown as KnownEvent],
  ])('§5 fails as preparation when it %s', async (_name, prepare) => {
    const { outcome, sent } = await runScripted([hook], { prepare: prepare as () => KnownEvent });
    expect(outcome.failures).toEqual([{ subscription: 'a', policy: 'fail-open', code: 'preparation' }]);
    expect(outcome.called).toEqual(['a']);
    expect(sent).toEqual([]);
  });
});

describe('§5 content targets', () => {
  const outbound = {
    ...boundary('user.message.outbound', CONTENT_GRANT),
    values: { content: 'old' },
  };
  const replace = (value: unknown) => ({ type: 'modify', target: 'content', operation: 'replace', value });
  const withRef = (event: KnownEvent, ref: string): KnownEvent =>
    ({
      ...event,
      message: {
        channel: 'c',
        payload: [{ id: 'i', kind: 'text', mediaType: 'text/plain', selection: 'body', body: { ref } }],
      },
    }) as unknown as KnownEvent;

  it('§5 materializes each changed target once, before the next delivery', async () => {
    const made: unknown[] = [];
    const { outcome, sent } = await runScripted(
      [
        { id: 'a', reply: [replace('one'), replace('two')] },
        { id: 'b', reply: [replace('two')] },
        { id: 'c', reply: [] },
      ],
      {
        ...outbound,
        materialize: ({ event, target, value }) => {
          made.push([target, value]);
          return withRef(event, `new-${made.length}`);
        },
      },
    );
    expect(made).toEqual([['content', 'two']]);
    expect(outcome.values).toEqual({ content: 'two' });
    expect(sent[1]?.message.params.event).toMatchObject({ message: { payload: [{ body: { ref: 'new-1' } }] } });
    expect(outcome.event).toBe(sent[2]?.message.params.event);
  });

  it.each([
    ['rejects', () => Promise.reject(new Error('x')), 'materialization'],
    [
      'gives another event',
      ({ event }: { event: KnownEvent }) => ({ ...event, id: 'x' }) as KnownEvent,
      'materialization',
    ],
    ['gives what is not canonical', ({ event }: { event: KnownEvent }) => withRef(event, ''), 'event-invalid'],
  ])("§5 is the responder's failure when materialize %s", async (_name, materialize, code) => {
    const { outcome } = await runScripted(
      [{ id: 'a', failurePolicy: 'fail-open', reply: [replace('new'), { type: 'message', text: 'gone' }] }],
      { ...outbound, materialize: materialize as () => KnownEvent },
    );
    expect(outcome.failures).toEqual([{ subscription: 'a', policy: 'fail-open', code }]);
    expect(outcome).toMatchObject({ values: { content: 'old' }, messages: [] });
  });
});

describe('§5 observations of a settled chain', () => {
  const observed: { id: string; message: unknown }[] = [];
  const notify = ({ subscription, message }: { subscription: { id: string }; message: unknown }): void => {
    observed.push({ id: subscription.id, message });
  };

  it('§4 §5 tells uncalled interceptors and all observers, after settlement, with accepted content only', async () => {
    observed.length = 0;
    const { outcome } = await runScripted(
      [
        {
          id: 'a',
          reply: [
            { type: 'modify', target: 'input', operation: 'replace', value: { command: 'ls' } },
            { type: 'deny', reason: 'r' },
          ],
        },
        { id: 'b', reply: [] },
      ],
      { observers: ['audit', 'a'], notify },
    );
    expect(observed).toEqual([]);
    expect([...outcome.observed]).toEqual(['b', 'audit', 'a']);
    await outcome.observations?.done;
    expect(observed.map(({ id }) => id)).toEqual(['b', 'audit', 'a']);
    for (const { message } of observed) {
      expect(message).toEqual({
        jsonrpc: '2.0',
        method: 'hooks/observe',
        params: { protocolVersion: 'draft', event: outcome.event },
      });
    }
  });

  it('§5 dispatches nothing without notify', async () => {
    const { outcome } = await runScripted([{ id: 'a', reply: [] }], { observers: ['audit'] });
    expect(outcome).toMatchObject({ observed: [], observations: null });
  });

  it('§5 still observes an interrupted chain, until its own signal cancels that', async () => {
    observed.length = 0;
    const cancel = new AbortController();
    const { outcome } = await runScripted([{ id: 'a', reply: [] }], {
      signal: AbortSignal.abort(),
      observationSignal: cancel.signal,
      observers: ['audit'],
      notify,
    });
    expect([...outcome.observed]).toEqual(['a', 'audit']);
    cancel.abort();
    await outcome.observations?.done;
    expect(observed).toEqual([]);
  });

  it('§4 strips native for observers too, and prepares their views as observations', async () => {
    observed.length = 0;
    const purposes: string[] = [];
    const { outcome } = await runScripted([], {
      event: { ...minimalEvent('tool.before'), native: 1 } as unknown as KnownEvent,
      observers: ['audit'],
      notify,
      prepare: ({ event, purpose }) => {
        purposes.push(purpose);
        return event;
      },
    });
    await outcome.observations?.done;
    expect(purposes).toEqual(['observe']);
    expect(observed[0]?.message).not.toHaveProperty('params.event.native');
  });
});
