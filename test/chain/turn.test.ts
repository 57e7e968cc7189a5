import { describe, expect, it, onTestFinished } from 'vitest';
import type { KnownEvent } from '../../generated/index.js';
import { type Delivery, runInterceptionChain } from '../../runtime/chain/index.js';
import { barrier, settleTurns } from '../support/barrier.js';
import { FULL_TOOL_CAPABILITIES, minimalEvent } from './events.js';
import { answerOf, boundary, manualClock, runScripted, turnsUntil } from './support.js';

const OUTBOUND = {
  ...boundary('user.message.outbound', { effects: ['modify'], modify: { content: { replace: true, merge: false } } }),
  values: { content: 'old' },
};
const NEW_CONTENT = { type: 'modify', target: 'content', operation: 'replace', value: 'new' };

/** A chain of one, over a delivery that is kept for later. */
function runKept(options: { readonly clock?: ReturnType<typeof manualClock>; readonly signal?: AbortSignal } = {}) {
  const kept: Delivery[] = [];
  const reply = barrier<unknown>();
  const running = runInterceptionChain({
    event: minimalEvent('tool.before'),
    capabilities: FULL_TOOL_CAPABILITIES,
    subscriptions: [{ id: 'a', mode: 'intercept', timeoutMs: 100, failurePolicy: 'fail-open' }],
    deliver: (delivery) => {
      kept.push(delivery);
      return reply.promise;
    },
    ...options,
  });
  return { kept, reply, running };
}

describe('§5 the signal of a delivery', () => {
  it('§5 is aborted with a time-out at the deadline, also when it is read only afterwards', async () => {
    const clock = manualClock();
    const { kept, running } = runKept({ clock });
    await turnsUntil(() => kept.length === 1);
    clock.advance(100);
    await running;
    expect(kept[0]?.signal.aborted).toBe(true);
    expect(kept[0]?.signal.reason).toMatchObject({ name: 'TimeoutError' });
  });

  it.each([true, false])("§5 has an interruption's own reason (read before: %s)", async (readBefore) => {
    const interruption = new AbortController();
    const reason = new Error('stop');
    const { kept, running } = runKept({ signal: interruption.signal });
    await turnsUntil(() => kept.length === 1);
    const early = readBefore ? kept[0]?.signal : undefined;
    expect(early?.aborted ?? false).toBe(false);
    interruption.abort(reason);
    await running;
    expect(kept[0]?.signal.reason).toBe(reason);
    if (early !== undefined) expect(kept[0]?.signal).toBe(early);
  });

  it('§5 stays quiet after an answer, whatever the interruption does then', async () => {
    const interruption = new AbortController();
    const { kept, reply, running } = runKept({ signal: interruption.signal });
    await turnsUntil(() => kept.length === 1);
    const signal = kept[0]?.signal;
    reply.open(answerOf({ id: 'e-1' }, []));
    await running;
    interruption.abort();
    expect(signal?.aborted).toBe(false);
  });

  it('§5 is a member of the delivery like the others, so that copies have it', async () => {
    const { kept, reply, running } = runKept();
    await turnsUntil(() => kept.length === 1);
    expect({ ...kept[0] }.signal).toBe(kept[0]?.signal);
    reply.open(answerOf({ id: 'e-1' }, []));
    await running;
  });
});

describe('§5 interruption beside other endings', () => {
  it('§5 beats the failure of a delivery that ended by it, under fail-closed too', async () => {
    const interruption = new AbortController();
    const { outcome } = await runScripted(
      [
        {
          id: 'a',
          failurePolicy: 'fail-closed',
          reply: () => {
            interruption.abort();
            return Promise.reject(new Error('aborted'));
          },
        },
      ],
      { signal: interruption.signal },
    );
    expect(outcome).toMatchObject({ decision: 'interrupted', failures: [], permission: 'none' });
  });

  it('§5 beats a failure that is found after it, in an answer that was taken before it', async () => {
    const interruption = new AbortController();
    const reply = barrier<unknown>();
    const running = runScripted(
      [
        {
          id: 'a',
          failurePolicy: 'fail-closed',
          reply: () => {
            // Runs right after the chain's own continuation of the answer, and before what that leads to.
            queueMicrotask(() => void reply.promise.then(() => interruption.abort()));
            return reply.promise;
          },
        },
      ],
      { signal: interruption.signal },
    );
    await settleTurns(1);
    reply.open('no JSON');
    const { outcome } = await running;
    expect(outcome).toMatchObject({ decision: 'interrupted', failures: [], permission: 'none' });
  });

  it('§5 leaves a denial that was accepted before as it is', async () => {
    const interruption = new AbortController();
    const { outcome } = await runScripted([{ id: 'a', reply: [{ type: 'deny', reason: 'no' }] }], {
      signal: interruption.signal,
    });
    interruption.abort();
    expect(outcome).toMatchObject({ decision: 'denied', ended: { by: 'a', kind: 'deny' } });
  });

  it('§5 is looked at once more when all that was asynchronous is done', async () => {
    const interruption = new AbortController();
    const { outcome } = await runScripted([{ id: 'a', reply: [NEW_CONTENT] }], {
      ...OUTBOUND,
      signal: interruption.signal,
      materialize: async ({ event }) => {
        await settleTurns(1);
        interruption.abort();
        return event;
      },
    });
    expect(outcome).toMatchObject({ decision: 'interrupted', values: { content: 'old' } });
  });

  it('§5 asks nobody between two retries any more', async () => {
    const interruption = new AbortController();
    let tries = 0;
    const { outcome } = await runScripted(
      [
        {
          id: 'a',
          reply: () => {
            tries += 1;
            interruption.abort();
            return Promise.reject(new Error('down'));
          },
        },
      ],
      { signal: interruption.signal, retries: 3 },
    );
    expect({ tries, decision: outcome.decision }).toEqual({ tries: 1, decision: 'interrupted' });
  });

  it('§5 accepts nothing of an answer that was taken before it and is staged after it', async () => {
    const interruption = new AbortController();
    const reply = barrier<unknown>();
    const running = runScripted(
      [
        {
          id: 'a',
          reply: () => {
            queueMicrotask(() => void reply.promise.then(() => interruption.abort()));
            return reply.promise;
          },
        },
      ],
      { signal: interruption.signal },
    );
    await settleTurns(1);
    reply.open(answerOf({ id: 'e-1' }, [{ type: 'message', text: 'late' }]));
    expect((await running).outcome).toMatchObject({ decision: 'interrupted', messages: [] });
  });

  it('§5 retries nothing when the event loop was held past the deadline', async () => {
    const clock = manualClock();
    let tries = 0;
    const reply = (): Promise<never> => {
      tries += 1;
      clock.advance(100);
      return Promise.reject(new Error('down'));
    };
    const { outcome } = await runScripted([{ id: 'a', failurePolicy: 'fail-open', timeoutMs: 100, reply }], {
      clock: { ...clock, setTimeout: () => 0, clearTimeout: () => undefined },
      retries: 3,
    });
    expect(tries).toBe(1);
    expect(outcome.failures).toMatchObject([{ code: 'connection' }]);
  });

  it('§5 asks nobody when it came between preparation and dispatch', async () => {
    const interruption = new AbortController();
    const view = barrier<KnownEvent>();
    const running = runScripted([{ id: 'a', reply: [] }], {
      signal: interruption.signal,
      prepare: () => {
        queueMicrotask(() => void view.promise.then(() => interruption.abort()));
        return view.promise;
      },
    });
    await settleTurns(1);
    view.open(minimalEvent('tool.before'));
    const { outcome, sent } = await running;
    expect(sent).toEqual([]);
    expect(outcome).toMatchObject({ decision: 'interrupted', called: ['a'] });
  });

  it('§5 leaves no listener on the signal', async () => {
    const interruption = new AbortController();
    let listeners = 0;
    const { signal } = interruption;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = ((...args: Parameters<typeof add>) => {
      listeners += 1;
      add(...args);
    }) as typeof add;
    signal.removeEventListener = ((...args: Parameters<typeof remove>) => {
      listeners -= 1;
      remove(...args);
    }) as typeof remove;
    await runScripted(
      [
        { id: 'a', reply: [NEW_CONTENT] },
        { id: 'b', failurePolicy: 'fail-open', reply: () => Promise.reject(new Error('down')) },
      ],
      { ...OUTBOUND, signal, materialize: ({ event }) => event, prepare: ({ event }) => event },
    );
    expect(listeners).toBe(0);
  });
});

describe('§5 the budget of preparation', () => {
  const failures = (code: string) => [{ subscription: 'a', policy: 'fail-open', code }];
  const hook = { id: 'a', failurePolicy: 'fail-open' as const, timeoutMs: 100, reply: [] };

  it('§5 is its own: 30 seconds unless the host says otherwise, and no part of the time-out', async () => {
    for (const [options, budget] of [
      [{}, 30_000],
      [{ prepareTimeoutMs: 70 }, 70],
    ] as const) {
      const clock = manualClock();
      let told: AbortSignal | undefined;
      const running = runScripted([hook], {
        clock,
        ...options,
        prepare: ({ signal }) => {
          told = signal;
          return new Promise(() => undefined);
        },
      });
      await turnsUntil(() => told !== undefined);
      clock.advance(budget - 1);
      await settleTurns(1);
      expect(told?.aborted).toBe(false);
      clock.advance(1);
      const { outcome, sent } = await running;
      expect(told?.aborted).toBe(true);
      expect(outcome.failures).toEqual(failures('preparation'));
      expect(sent).toEqual([]);
    }
  });

  it('§5 of a retry ends with the original deadline', async () => {
    const clock = manualClock();
    let prepared = 0;
    const running = runScripted([{ ...hook, reply: () => Promise.reject(new Error('down')) }], {
      clock,
      retries: 2,
      prepare: ({ event }) => {
        prepared += 1;
        return prepared === 1 ? event : new Promise(() => undefined);
      },
    });
    await turnsUntil(() => prepared === 2);
    clock.advance(100);
    const { outcome, sent } = await running;
    expect(outcome.failures).toEqual(failures('deadline'));
    expect(sent).toHaveLength(1);
  });

  it('§5 sends nothing when the preparation of a retry held the event loop past the deadline', async () => {
    const clock = manualClock();
    let prepared = 0;
    const { outcome, sent } = await runScripted([{ ...hook, reply: () => Promise.reject(new Error('down')) }], {
      clock: { ...clock, setTimeout: () => 0, clearTimeout: () => undefined },
      retries: 2,
      prepare: ({ event }) => {
        prepared += 1;
        if (prepared === 2) clock.advance(100);
        return event;
      },
    });
    expect(outcome.failures).toEqual(failures('deadline'));
    expect(sent).toHaveLength(1);
  });

  it('§5 fails as preparation when the view is no JSON', async () => {
    const { outcome, sent } = await runScripted([hook], {
      prepare: () => minimalEvent('tool.before', { at: new Map() }),
    });
    expect(outcome.failures).toEqual(failures('preparation'));
    expect(sent).toEqual([]);
  });

  it('§5 gives the effective event, and its view without native, to every preparation', async () => {
    const event = { ...minimalEvent('tool.before'), native: { raw: 1 } } as unknown as KnownEvent;
    const seen: [boolean, boolean, string][] = [];
    await runScripted([hook, { ...hook, id: 'b', includeNative: true }], {
      event,
      prepare: ({ event: view, effective, subscription }) => {
        seen.push(['native' in view, 'native' in effective, subscription.id]);
        return view;
      },
    });
    expect(seen).toEqual([
      [false, true, 'a'],
      [true, true, 'b'],
    ]);
  });
});

describe('§5 the record of failures', () => {
  it('§5 is frozen, and a rejection of onFailure reaches nothing', async () => {
    const unhandled: unknown[] = [];
    const listen = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', listen);
    onTestFinished(() => void process.off('unhandledRejection', listen));
    const { outcome } = await runScripted(
      [{ id: 'a', failurePolicy: 'fail-open', reply: () => Promise.reject(new Error('x')) }],
      {
        onFailure: (failure) => {
          expect(() => Object.assign(failure, { code: 'late' })).toThrow(TypeError);
          return Promise.reject(new Error('record')) as never;
        },
      },
    );
    await settleTurns(2);
    expect(unhandled).toEqual([]);
    expect(outcome.failures).toEqual([{ subscription: 'a', policy: 'fail-open', code: 'connection' }]);
  });
});
