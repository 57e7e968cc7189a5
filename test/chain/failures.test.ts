import { describe, expect, it } from 'vitest';
import { type ChainFailure, runInterceptionChain } from '../../runtime/chain/index.js';
import { TransportError } from '../../runtime/transports/index.js';
import { barrier } from '../support/barrier.js';
import { FULL_TOOL_CAPABILITIES, minimalEvent } from './events.js';
import { answerOf, boundary, manualClock, type Reply, runScripted, turnsUntil } from './support.js';

const DENY = { type: 'deny', reason: 'no' };
const result = (id: unknown, over: object = {}) => ({
  jsonrpc: '2.0',
  id,
  result: { protocolVersion: 'draft', effects: [], ...over },
});
const error = (id: unknown, code: number) => ({ jsonrpc: '2.0', id, error: { code, message: 'peer text' } });
const rejecting =
  (code: string): Reply =>
  () =>
    Promise.reject(new TransportError(code as 'status', 'x'));

const CASES: readonly (readonly [string, string, Reply])[] = [
  ['any rejection', 'connection', () => Promise.reject(new Error('socket'))],
  ['a rejection with nothing', 'connection', () => Promise.reject(undefined)],
  [
    'a throw',
    'connection',
    () => {
      throw new Error('sync');
    },
  ],
  [
    'a rejection of an unknown code',
    'connection',
    () => Promise.reject(Object.assign(new Error('x'), { code: 'late' })),
  ],
  ...['connection', 'process-exit', 'authentication', 'status', 'invalid-utf8', 'invalid-json', 'invalid-message'].map(
    (code) => [`a transport's ${code}`, code, rejecting(code)] as const,
  ),
  ['bytes that are no UTF-8', 'invalid-utf8', () => new Uint8Array([0x22, 0xff, 0x22])],
  ['a text that is no JSON', 'invalid-json', () => '{'],
  ['a repeated member', 'invalid-json', ({ id }) => `{"jsonrpc":"2.0","id":"${id}","id":"${id}"}`],
  ['a batch', 'invalid-message', ({ id }) => [result(id)]],
  ['a request', 'invalid-message', ({ id }) => ({ jsonrpc: '2.0', id, method: 'x', params: {} })],
  ['null', 'invalid-message', () => null],
  ['undefined', 'invalid-message', () => undefined],
  ['a function', 'invalid-message', () => () => 1],
  ['no jsonrpc', 'invalid-message', ({ id }) => ({ id, result: { protocolVersion: 'draft', effects: [] } })],
  [
    'no jsonrpc, and another id',
    'invalid-message',
    () => ({ id: 'other', result: { protocolVersion: 'draft', effects: [] } }),
  ],
  ['too much text', 'invalid-message', () => ' '.repeat(64 * 1024 * 1024 + 1)],
  [
    'an unknown effect beside an error',
    'invalid-message',
    ({ id }) => ({ ...result(id, { effects: [{ type: 'summon' }] }), error: null }),
  ],
  ['no id', 'invalid-message', () => ({ jsonrpc: '2.0', result: { protocolVersion: 'draft', effects: [] } })],
  ['result and error', 'invalid-message', ({ id }) => ({ ...result(id), error: { code: 1, message: 'x' } })],
  ['effects that are no list', 'invalid-message', ({ id }) => result(id, { effects: {} })],
  ['a manifest beside the effects', 'invalid-message', ({ id }) => result(id, { manifest: {} })],
  ['an id of digits as a number', 'wrong-id', () => result(1)],
  ['another id', 'wrong-id', () => result('other')],
  ['a null id', 'wrong-id', () => result(null)],
  ['another id on a broken result', 'wrong-id', () => result('other', { effects: [{ type: 'summon' }] })],
  ["an error that answers another's id", 'wrong-id', () => error('other', -32004)],
  ['an error', 'error-response', ({ id }) => error(id, -32004)],
  ['an error with a null id', 'error-response', () => error(null, -32700)],
  ['an error of unsupported version', 'unsupported-version', ({ id }) => error(id, -32001)],
  ['an error of unsupported event', 'unsupported-event', ({ id }) => error(id, -32002)],
  ['a result of another version', 'unsupported-version', ({ id }) => result(id, { protocolVersion: '2027' })],
  ['an unknown effect', 'effect-unknown', ({ id }) => result(id, { effects: [DENY, { type: 'summon' }] })],
  ['an unknown flow', 'effect-unknown', ({ id }) => result(id, { effects: [{ type: 'flow', operation: 'retry' }] })],
  ['a reverse-DNS effect', 'effect-unknown', ({ id }) => result(id, { effects: [{ type: 'com.example.x' }] })],
  ['an effect that is no object', 'effect-malformed', ({ id }) => result(id, { effects: ['deny'] })],
  [
    'an effect with an extra member',
    'effect-malformed',
    ({ id }) => result(id, { effects: [{ type: 'allow', a: 1 }] }),
  ],
  ['a denial without a reason', 'effect-malformed', ({ id }) => result(id, { effects: [{ type: 'deny' }] })],
];

describe('§5 operational failures', () => {
  it.each(CASES)('§5 %s is %s, under both policies', async (_name, code, reply) => {
    const told: ChainFailure[] = [];
    const { outcome } = await runScripted(
      [
        { id: 'open', failurePolicy: 'fail-open', reply },
        { id: 'closed', failurePolicy: 'fail-closed', reply },
        { id: 'never', reply: [] },
      ],
      { onFailure: (failure) => told.push(failure) },
    );
    const failures = [
      { subscription: 'open', policy: 'fail-open', code },
      { subscription: 'closed', policy: 'fail-closed', code },
    ];
    expect(outcome.failures).toEqual(failures);
    expect(told).toEqual(failures);
    expect(outcome).toMatchObject({ decision: 'denied', permission: 'deny', called: ['open', 'closed'], messages: [] });
    expect(outcome.ended).toEqual({
      by: 'closed',
      kind: 'fail-closed',
      code,
      reason: 'A hook failed and its subscription is fail-closed',
    });
  });

  it('§5 takes an explicit denial for no failure', async () => {
    const { outcome } = await runScripted([{ id: 'a', reply: [DENY] }]);
    expect(outcome.failures).toEqual([]);
    expect(outcome.ended).toStrictEqual({ by: 'a', kind: 'deny', reason: 'no' });
  });

  it('§5 rejects a list with one effect that is not granted', async () => {
    const { outcome } = await runScripted(
      [{ id: 'a', failurePolicy: 'fail-open', reply: [{ type: 'message', text: 'm' }, { type: 'allow' }] }],
      { capabilities: { effects: ['message'] } },
    );
    expect(outcome.failures).toEqual([{ subscription: 'a', policy: 'fail-open', code: 'effect-not-granted' }]);
    expect(outcome.messages).toEqual([]);
  });

  it.each([
    ['merge where only replace is granted', { type: 'modify', target: 'input', operation: 'merge', value: {} }],
    ['another target', { type: 'modify', target: 'output', operation: 'replace', value: 1 }],
    ['another moment', { type: 'inject', target: 'context', operation: 'append', deliverAt: 'next_turn', value: 1 }],
    ['continue where only stop is granted', { type: 'flow', operation: 'continue' }],
  ])('§5 does not take %s for granted', async (_name, effect) => {
    const { outcome } = await runScripted([{ id: 'a', failurePolicy: 'fail-open', reply: [effect] }], {
      capabilities: {
        ...FULL_TOOL_CAPABILITIES,
        modify: { input: { replace: true, merge: false } },
        inject: { context: { append: true, deliverAt: ['now'] } },
      },
    });
    expect(outcome.failures).toMatchObject([{ code: 'effect-not-granted' }]);
  });

  it('§5 lets nothing that onFailure throws reach the decision', async () => {
    const { outcome } = await runScripted(
      [{ id: 'a', failurePolicy: 'fail-open', reply: () => Promise.reject(new Error('x')) }],
      {
        onFailure: () => {
          throw new Error('record');
        },
      },
    );
    expect(outcome.decision).toBe('proceed');
  });

  it('§5 leaves a decoded answer that its owner changes later as it was accepted', async () => {
    const value = { command: 'ls' };
    const { outcome } = await runScripted([
      {
        id: 'a',
        reply: (message) => answerOf(message, [{ type: 'modify', target: 'input', operation: 'replace', value }]),
      },
    ]);
    value.command = 'rm';
    expect(outcome.event).toMatchObject({ tool: { input: { command: 'ls' } } });
    expect(Object.isFrozen(value)).toBe(false);
  });
});

describe('§5 deadlines and retries', () => {
  it('§5 fails at the deadline, tells the delivery by its signal, and takes no late reply', async () => {
    const clock = manualClock();
    const reply = barrier<object>();
    let told: AbortSignal | undefined;
    const running = runScripted(
      [
        {
          id: 'a',
          failurePolicy: 'fail-open',
          timeoutMs: 500,
          reply: (_message, signal) => {
            told = signal;
            return reply.promise;
          },
        },
      ],
      { clock },
    );
    await turnsUntil(() => told !== undefined);
    clock.advance(499);
    expect(told?.aborted).toBe(false);
    clock.advance(1);
    const { outcome } = await running;
    expect(told?.aborted).toBe(true);
    expect(outcome.failures).toMatchObject([{ code: 'deadline' }]);
    reply.open(answerOf({ id: 'e-1' }, [DENY]));
    await reply.promise;
    expect(outcome.decision).toBe('proceed');
    expect(clock.pending).toBe(0);
  });

  it('§5 finds an answer late when the clock is past the deadline, whatever came', async () => {
    const clock = manualClock();
    const { outcome } = await runScripted(
      [
        {
          id: 'a',
          timeoutMs: 100,
          reply: (message) => {
            // The event loop is held: no timer could fire meanwhile.
            clock.advance(100);
            return answerOf(message, [{ type: 'allow' }]);
          },
        },
      ],
      { clock: { ...clock, setTimeout: () => 0, clearTimeout: () => undefined } },
    );
    expect(outcome.failures).toMatchObject([{ code: 'late' }]);
    expect(outcome.permission).toBe('deny');
  });

  it('§5 checks the deadline once more before acceptance', async () => {
    const clock = manualClock();
    const { outcome } = await runScripted(
      [
        {
          id: 'a',
          failurePolicy: 'fail-open',
          timeoutMs: 100,
          reply: [{ type: 'modify', target: 'content', operation: 'replace', value: 'new' }],
        },
      ],
      {
        ...boundary('user.message.outbound', {
          effects: ['modify'],
          modify: { content: { replace: true, merge: false } },
        }),
        values: { content: 'old' },
        clock: { ...clock, setTimeout: () => 0, clearTimeout: () => undefined },
        materialize: ({ event }) => {
          clock.advance(100);
          return event;
        },
      },
    );
    expect(outcome.failures).toMatchObject([{ code: 'late' }]);
    expect(outcome.values).toEqual({ content: 'old' });
  });

  it('§5 ends a materialization that outlives the deadline', async () => {
    const clock = manualClock();
    let signalled: AbortSignal | undefined;
    const running = runScripted(
      [
        {
          id: 'a',
          failurePolicy: 'fail-open',
          timeoutMs: 100,
          reply: [{ type: 'modify', target: 'content', operation: 'replace', value: 'new' }],
        },
      ],
      {
        ...boundary('user.message.outbound', {
          effects: ['modify'],
          modify: { content: { replace: true, merge: false } },
        }),
        values: { content: 'old' },
        clock,
        materialize: ({ signal }) => {
          signalled = signal;
          return new Promise(() => undefined);
        },
      },
    );
    await turnsUntil(() => signalled !== undefined);
    clock.advance(100);
    const { outcome } = await running;
    expect(signalled?.aborted).toBe(true);
    expect(outcome.failures).toMatchObject([{ code: 'late' }]);
  });

  it('§5 gives the delivery its deadline in milliseconds of the clock, counted from the dispatch', async () => {
    const clock = manualClock();
    clock.advance(1_000);
    const deadlines: number[] = [];
    await runInterceptionChain({
      event: minimalEvent('tool.before'),
      capabilities: FULL_TOOL_CAPABILITIES,
      subscriptions: [{ id: 'a', mode: 'intercept', timeoutMs: 250, failurePolicy: 'fail-closed' }],
      clock,
      prepare: ({ event }) => {
        clock.advance(70);
        return event;
      },
      deliver: ({ message, deadline }) => {
        deadlines.push(deadline);
        return answerOf(message, []);
      },
    });
    expect(deadlines).toEqual([1_320]);
  });

  it('§5 does not fire at once for a deadline beyond what a timer holds', async () => {
    const { outcome } = await runScripted([{ id: 'a', timeoutMs: 2_592_000_000, reply: [] }]);
    expect(outcome.failures).toEqual([]);
  });

  it('§5 retries what got no response, inside one deadline, and prepares anew each time', async () => {
    const clock = manualClock();
    let tries = 0;
    let prepared = 0;
    const { outcome } = await runScripted(
      [
        {
          id: 'a',
          timeoutMs: 100,
          reply: (message) => {
            tries += 1;
            clock.advance(30);
            return tries < 3 ? Promise.reject(new Error('down')) : answerOf(message, []);
          },
        },
      ],
      {
        clock,
        retries: 5,
        prepare: ({ event }) => {
          prepared += 1;
          return event;
        },
      },
    );
    expect({ tries, prepared }).toEqual({ tries: 3, prepared: 3 });
    expect(outcome.failures).toEqual([]);
  });

  it('§5 stops retrying at the original deadline and after the given number', async () => {
    const clock = manualClock();
    let tries = 0;
    const down: Reply = () => {
      tries += 1;
      clock.advance(40);
      return Promise.reject(new Error('down'));
    };
    await runScripted([{ id: 'a', timeoutMs: 100, reply: down }], { clock, retries: 9 });
    expect(tries).toBe(3);
    tries = 0;
    await runScripted([{ id: 'a', timeoutMs: 60_000, reply: down }], { clock, retries: 1 });
    expect(tries).toBe(2);
    tries = 0;
    await runScripted([{ id: 'a', timeoutMs: 60_000, reply: down }], { clock });
    expect(tries).toBe(1);
  });

  it.each([
    ['a status', rejecting('status')],
    ['a refused credential', rejecting('authentication')],
    ['an answer that is no JSON', (() => '{') as Reply],
    ['an error', (({ id }) => error(id, -32003)) as Reply],
  ])('§5 never asks again after %s', async (_name, reply) => {
    let tries = 0;
    const counted: Reply = (message, signal) => {
      tries += 1;
      return typeof reply === 'function' ? reply(message, signal) : reply;
    };
    await runScripted([{ id: 'a', reply: counted }], { retries: 3 });
    expect(tries).toBe(1);
  });
});

describe('§5 interruption', () => {
  it('§5 ends a pending decision at once and beats fail-open and accepted approvals', async () => {
    const interruption = new AbortController();
    let told: AbortSignal | undefined;
    const late = barrier<object>();
    const running = runScripted(
      [
        { id: 'a', reply: [{ type: 'allow' }, { type: 'return', value: 1 }, { type: 'message', text: 'kept' }] },
        {
          id: 'b',
          failurePolicy: 'fail-open',
          reply: (_message, signal) => {
            told = signal;
            return late.promise;
          },
        },
        { id: 'c', reply: [] },
      ],
      { signal: interruption.signal },
    );
    await turnsUntil(() => told !== undefined);
    interruption.abort(new Error('stop'));
    const { outcome } = await running;
    expect(told?.aborted).toBe(true);
    expect(outcome).toMatchObject({
      decision: 'interrupted',
      candidate: null,
      permission: 'none',
      flow: 'none',
      messages: ['kept'],
      failures: [],
      called: ['a', 'b'],
      ended: { by: null, kind: 'interrupted' },
    });
    late.open(answerOf({ id: 'e-1' }, [{ type: 'message', text: 'revived' }]));
    await late.promise;
    expect(outcome.messages).toEqual(['kept']);
  });

  it('§5 calls nobody when the signal was aborted before', async () => {
    const { outcome, sent } = await runScripted([{ id: 'a', reply: [] }], { signal: AbortSignal.abort() });
    expect(sent).toEqual([]);
    expect(outcome).toMatchObject({ decision: 'interrupted', called: [] });
  });

  it('§5 is interrupted during preparation and during materialization', async () => {
    for (const place of ['prepare', 'materialize'] as const) {
      const interruption = new AbortController();
      const stop = (): Promise<never> => {
        interruption.abort();
        return new Promise(() => undefined);
      };
      const { outcome } = await runScripted(
        [{ id: 'a', reply: [{ type: 'modify', target: 'content', operation: 'replace', value: 'n' }] }],
        {
          ...boundary('user.message.outbound', {
            effects: ['modify'],
            modify: { content: { replace: true, merge: false } },
          }),
          values: { content: 'o' },
          materialize: ({ event }) => event,
          signal: interruption.signal,
          [place]: stop,
        },
      );
      expect(outcome).toMatchObject({ decision: 'interrupted', values: { content: 'o' }, called: ['a'] });
    }
  });

  it('§5 is interrupted by a signal that came with the very answer', async () => {
    const interruption = new AbortController();
    const { outcome } = await runScripted(
      [
        {
          id: 'a',
          reply: (message) => {
            interruption.abort();
            return answerOf(message, [DENY]);
          },
        },
      ],
      { signal: interruption.signal },
    );
    expect(outcome).toMatchObject({ decision: 'interrupted', permission: 'none' });
  });
});
