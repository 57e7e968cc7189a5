import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { type CompactionHook, runCompaction } from '../../runtime/compaction/index.js';
import { barrier, settleTurns } from '../support/barrier.js';

type Stage = 'before' | 'generate' | 'after';

/** A run that waits at one stage until its gate opens. */
function blockedRun(stage: Stage, controller: AbortController) {
  const gate = barrier<unknown>();
  const entered = barrier();
  const observed: string[] = [];
  const failures: string[] = [];
  const wait = (at: Stage, otherwise: unknown) => async () => {
    if (at !== stage) return otherwise;
    entered.open();
    return gate.promise;
  };
  const hook = (at: Stage): CompactionHook<never> => ({
    supplier: at,
    failurePolicy: 'fail-open',
    run: wait(at, []) as never,
  });
  const outcome = runCompaction({
    instructions: 'i',
    before: [hook('before')],
    after: [hook('after')],
    observers: [{ supplier: 'o', run: () => observed.push('o') }],
    generate: wait('generate', 'text') as never,
    signal: controller.signal,
  });
  return { outcome, gate, entered, observed, failures };
}

describe('cancellation', () => {
  it.each<Stage>(['before', 'generate', 'after'])(
    '§3 an abort during %s rejects with its reason at once; what comes late revives nothing',
    async (stage) => {
      for (const late of ['open', 'fail'] as const) {
        const controller = new AbortController();
        const reason = { why: 'the user left' };
        const { outcome, gate, entered, observed } = blockedRun(stage, controller);
        await entered.promise;
        controller.abort(reason);
        await expect(outcome).rejects.toBe(reason);
        if (late === 'open') gate.open([]);
        else gate.fail(new Error('late'));
        await settleTurns();
        expect(observed).toEqual([]);
        expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
      }
    },
  );

  it.each<Stage>(['before', 'generate', 'after'])(
    '§3 an abort on the very turn on which %s ends wins',
    async (stage) => {
      for (const value of [[], 'text', new Error('thrown')]) {
        const controller = new AbortController();
        const { outcome, gate, entered, observed } = blockedRun(stage, controller);
        await entered.promise;
        if (value instanceof Error) gate.fail(value);
        else gate.open(value);
        controller.abort('now');
        await expect(outcome).rejects.toBe('now');
        await settleTurns();
        expect(observed).toEqual([]);
      }
    },
  );

  it('§3 a signal that was aborted before rejects before any hook runs; bad configuration comes first', async () => {
    const ran: string[] = [];
    const options = {
      instructions: 'i',
      before: [{ supplier: 's', failurePolicy: 'fail-open' as const, run: () => noted(ran, 'hook') }],
      generate: () => 'x',
      signal: AbortSignal.abort('gone'),
    };
    await expect(runCompaction(options)).rejects.toBe('gone');
    await expect(runCompaction({ ...options, instructions: 1 as never })).rejects.toMatchObject({
      code: 'configuration',
    });
    expect(ran).toEqual([]);
  });

  it('§3 a hook that aborts the run itself is not recorded as a failure under fail-open', async () => {
    const controller = new AbortController();
    const run = () => {
      controller.abort('by the hook');
      throw new Error('after the abort');
    };
    const base = { instructions: 'i', generate: () => 'x', signal: controller.signal };
    await expect(runCompaction({ ...base, before: [{ supplier: 's', failurePolicy: 'fail-open', run }] })).rejects.toBe(
      'by the hook',
    );
  });

  it.each(['before', 'after'] as const)(
    '§3 an abort during one of the %s hooks starts no later hook and no generator',
    async (at) => {
      const controller = new AbortController();
      const ran: string[] = [];
      const hook = (supplier: string, run: () => unknown) => ({ supplier, failurePolicy: 'fail-open', run }) as never;
      const aborting = hook('aborting', () => {
        ran.push('aborting');
        controller.abort('stop');
        return new Promise(() => undefined);
      });
      const later = hook('later', () => [ran.push('later')]);
      const rejected = runCompaction({
        instructions: 'i',
        before: at === 'before' ? [aborting, later] : [],
        after: [aborting, later],
        observers: [{ supplier: 'observer', run: () => ran.push('observer') }],
        generate: () => {
          ran.push('generator');
          return 's';
        },
        signal: controller.signal,
      });
      await expect(rejected).rejects.toBe('stop');
      await settleTurns();
      expect(ran).toEqual(at === 'before' ? ['aborting'] : ['generator', 'aborting']);
    },
  );

  it('§3 an abort at any moment before the outcome has settled publishes nothing', async () => {
    const verdicts: string[] = [];
    for (let ticks = 0; ticks < 40; ticks += 1) {
      const controller = new AbortController();
      let isSettled = false;
      const outcome = runCompaction({
        instructions: 'i',
        before: [{ supplier: 's', failurePolicy: 'fail-open', run: () => [] }],
        observers: [{ supplier: 'o', run: () => undefined }],
        generate: () => 'x',
        schedule: () => {
          isSettled = true;
        },
        signal: controller.signal,
      });
      for (let tick = 0; tick < ticks; tick += 1) await undefined;
      const expected = isSettled ? 'published' : 'now';
      controller.abort('now');
      const verdict = await outcome.then(
        () => 'published',
        (reason: unknown) => reason,
      );
      expect(verdict).toBe(expected);
      verdicts.push(String(verdict));
    }
    expect(new Set(verdicts)).toEqual(new Set(['now', 'published']));
  });

  it('§3 an abort on the turn on which a denial arrives publishes nothing', async () => {
    const controller = new AbortController();
    const outcome = runCompaction({
      instructions: 'i',
      before: [{ supplier: 's', failurePolicy: 'fail-open', run: () => [{ type: 'deny', reason: 'r' }] }],
      generate: () => 'x',
      signal: controller.signal,
    });
    controller.abort('now');
    await expect(outcome).rejects.toBe('now');
  });

  it('hooks, observers and the generator get the signal, and one that never aborts when the host gave none', async () => {
    const controller = new AbortController();
    for (const signal of [controller.signal, undefined]) {
      const seen: AbortSignal[] = [];
      const look = (_snapshot: unknown, context: { signal: AbortSignal }) => {
        seen.push(context.signal);
        return [];
      };
      await runCompaction({
        instructions: 'i',
        before: [{ supplier: 'b', failurePolicy: 'fail-open', run: look }],
        after: [{ supplier: 'a', failurePolicy: 'fail-open', run: look }],
        observers: [{ supplier: 'o', run: look }],
        generate: (text, context) => {
          seen.push(context.signal);
          return text;
        },
        ...(signal === undefined ? {} : { signal }),
      });
      await settleTurns();
      expect(seen).toHaveLength(4);
      expect(new Set(seen).size).toBe(1);
      expect(seen[0]).toBeInstanceOf(AbortSignal);
      expect(seen[0]?.aborted).toBe(false);
      if (signal !== undefined) expect(seen[0]).toBe(signal);
    }
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });
});

/** Pushes a word and answers with no effect. */
function noted(list: string[], word: string): never[] {
  list.push(word);
  return [];
}
