import { describe, expect, it } from 'vitest';
import type { InterceptRequest, KnownEvent } from '../../generated/index.js';
import { settleTurns } from '../support/barrier.js';
import { minimalEvent } from './events.js';
import { answerOf, runScripted } from './support.js';

const inputOf = (event: KnownEvent): unknown => (event as unknown as { tool: { input: unknown } }).tool.input;

/** Numbers from 0 to `below`, the same in every run. */
function series(seed: number, below: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
}

describe('§5 latency decides nothing', () => {
  it('§5 whichever hook is slow, each starts from what the one before left, a hundred times', async () => {
    const turns = series(7, 12);
    for (let run = 0; run < 100; run += 1) {
      const shown: Record<string, unknown> = {};
      const rewriting = (id: string, path: string | null, slowness: number) => ({
        id,
        reply: async (message: InterceptRequest) => {
          shown[id] = inputOf(message.params.event as KnownEvent);
          await settleTurns(slowness);
          const edit = { type: 'modify', target: 'input', operation: 'merge', value: { path } };
          return answerOf(message, path === null ? [] : [edit]);
        },
      });
      const { outcome } = await runScripted(
        [
          // On every tenth run the first is by far the slowest one.
          rewriting('A', 'a', run % 10 === 0 ? 40 : turns()),
          rewriting('B', 'b', turns()),
          rewriting('C', null, turns()),
        ],
        { event: minimalEvent('tool.before', { path: 'p' }) },
      );
      expect(shown).toEqual({ A: { path: 'p' }, B: { path: 'a' }, C: { path: 'b' } });
      expect(inputOf(outcome.event)).toEqual({ path: 'b' });
    }
  });

  it('§5 a deadline of 30 days, more than a timer holds, waits for a slow answer', async () => {
    const { outcome } = await runScripted([
      {
        id: 'slow',
        timeoutMs: 2_592_000_000,
        reply: async (message) => {
          await new Promise((resolve) => setTimeout(resolve, 40));
          return answerOf(message, [{ type: 'deny', reason: 'seen' }]);
        },
      },
    ]);
    expect(outcome.ended).toEqual({ by: 'slow', kind: 'deny', reason: 'seen' });
  });
});
