import { describe, expect, it, vi } from 'vitest';
import {
  type CompactionObserver,
  type CompactionOptions,
  type CompactionSnapshot,
  runCompaction,
} from '../../runtime/compaction/index.js';
import { settleTurns } from '../support/barrier.js';
import { isDeepFrozen } from '../support/frozen.js';

function run(options: Partial<CompactionOptions>) {
  return runCompaction({ instructions: 'i', itemId: 'sum', generate: (text) => `summary:${text}`, ...options });
}

function observer(supplier: string, act: (snapshot: CompactionSnapshot) => unknown): CompactionObserver {
  return { supplier, run: act };
}

describe('observers', () => {
  it('§3 observeOnly turns the after hooks into observers, before the others, and applies what they cannot change', async () => {
    const seen: [string, CompactionSnapshot][] = [];
    const look = (name: string) => (snapshot: CompactionSnapshot) => {
      seen.push([name, snapshot]);
      return [{ type: 'modify', target: 'summary', operation: 'replace', value: 'changed' }] as never;
    };
    const outcome = await run({
      observeOnly: true,
      after: [{ supplier: 'a', failurePolicy: 'fail-closed', run: look('a') }],
      observers: [observer('o', look('o'))],
    });
    expect(seen).toEqual([]);
    expect(outcome).toMatchObject({ applied: true, summary: { text: 'summary:i' }, failures: [] });
    await settleTurns();
    expect(seen.map(([name]) => name)).toEqual(['a', 'o']);
    for (const [, snapshot] of seen) {
      expect(snapshot).toEqual({
        boundary: 'after',
        itemId: 'sum',
        instructions: 'i',
        summary: outcome.summary,
        messages: [],
        capabilities: { effects: [] },
      });
      expect(isDeepFrozen(snapshot)).toBe(true);
    }
    expect(seen[0]?.[1]).not.toBe(seen[1]?.[1]);
    expect([...outcome.bodies.values()]).toEqual(['summary:i']);
  });

  it('§3 observers run without observeOnly too, on what the after hooks left', async () => {
    const texts: unknown[] = [];
    await run({
      after: [
        {
          supplier: 'a',
          failurePolicy: 'fail-closed',
          run: () => [
            { type: 'modify', target: 'summary', operation: 'replace', value: 'clean' },
            { type: 'message', text: 'm' },
          ],
        },
      ],
      observers: [observer('o', ({ summary, messages }) => texts.push([summary?.text, messages]))],
    });
    await settleTurns();
    expect(texts).toEqual([['clean', ['m']]]);
  });

  it('§3 after a run that did not apply no observer runs', async () => {
    const ran: string[] = [];
    const observers = [observer('o', () => ran.push('o'))];
    const bad = { supplier: 's', failurePolicy: 'fail-closed' as const, run: () => null as never };
    const deny = { ...bad, run: () => [{ type: 'deny' as const, reason: 'r' }] };
    const after = [{ ...bad, run: () => noted(ran, 'after') }];
    const scheduled: unknown[] = [];
    const schedule = (task: unknown) => scheduled.push(task);
    await run({ before: [deny], after, observers, observeOnly: true, schedule });
    await run({ before: [bad], after, observers, observeOnly: true, schedule });
    await run({ after: [bad], observers, schedule });
    await expect(run({ observers, schedule, generate: () => 7 as never })).rejects.toThrow();
    await settleTurns();
    expect(ran).toEqual([]);
    expect(scheduled).toEqual([]);
  });

  it('§3 applied is settled first: each observer is scheduled as a task of its own, after the outcome', async () => {
    const log: string[] = [];
    const tasks: (() => void)[] = [];
    const outcome = run({
      observers: ['o1', 'o2'].map((name) => observer(name, () => log.push(name))),
      schedule: (task) => {
        log.push('scheduled');
        tasks.push(task);
      },
    });
    await outcome;
    expect(log).toEqual(['scheduled', 'scheduled']);
    tasks[1]?.();
    tasks[0]?.();
    expect(log).toEqual(['scheduled', 'scheduled', 'o2', 'o1']);
  });

  it('§3 even a scheduler that runs at once runs nothing before the outcome has settled', async () => {
    const seen: unknown[] = [];
    let outcome: Promise<unknown> | undefined;
    // A promise that has settled already wins the race against one that settles now.
    const probe = (): void => {
      void Promise.race([outcome, Promise.resolve('not settled')]).then((first) => seen.push(first));
    };
    outcome = run({ observers: [observer('o', probe)], schedule: (task) => task() });
    const settled = await outcome;
    await settleTurns();
    expect(seen).toEqual([settled]);
  });

  it('§3 results, rejections, mutations, throws and never settling reach nothing and delay nobody', async () => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    const ran: string[] = [];
    const outcome = await run({
      observers: [
        observer('throws', () => {
          throw new Error('x');
        }),
        observer('rejects', () => Promise.reject(new Error('x'))),
        observer('never', () => new Promise(() => undefined)),
        observer('thenable', () => ({
          // biome-ignore lint/suspicious/noThenProperty: a thenable that throws is the point.
          get then() {
            throw new Error('x');
          },
        })),
        observer('mutates', (snapshot) => {
          (snapshot as { instructions: string }).instructions = 'x';
        }),
        observer('answers', () => [{ type: 'deny', reason: 'r' }]),
        observer('last', () => ran.push('last')),
      ],
    });
    const before = JSON.stringify(outcome);
    await settleTurns();
    process.off('unhandledRejection', unhandled);
    expect(ran).toEqual(['last']);
    expect(JSON.stringify(outcome)).toBe(before);
    expect(unhandled).not.toHaveBeenCalled();
  });

  it('a scheduler that throws loses that observer alone', async () => {
    const ran: string[] = [];
    let calls = 0;
    const outcome = await run({
      observers: ['o1', 'o2'].map((name) => observer(name, () => ran.push(name))),
      schedule: (task) => {
        calls += 1;
        if (calls === 1) throw new Error('refused');
        setImmediate(task);
      },
    });
    await settleTurns();
    expect(outcome.applied).toBe(true);
    expect(ran).toEqual(['o2']);
  });

  it('§3 a scheduler that rejects later reaches nothing, and one that runs a task twice tells an observer once', async () => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    const ran: string[] = [];
    const outcome = await run({
      observers: ['o1', 'o2'].map((name) => observer(name, () => ran.push(name))),
      schedule: (async (task: () => void) => {
        await null;
        task();
        task();
        throw new Error('refused later');
      }) as (task: () => void) => void,
    });
    await settleTurns();
    process.off('unhandledRejection', unhandled);
    expect(outcome.applied).toBe(true);
    expect(ran).toEqual(['o1', 'o2']);
    expect(unhandled).not.toHaveBeenCalled();
  });
});

/** Pushes a word and answers with no effect. */
function noted(list: string[], word: string): never[] {
  list.push(word);
  return [];
}
