/* What a compaction run adds to a plain loop over the same hooks, and how it grows. */
import { type CompactionBeforeEffect, type CompactionHook, runCompaction } from '../runtime/compaction/index.js';
import type { BenchRow, BenchTable } from './support/table.js';

const hook: CompactionHook<CompactionBeforeEffect> = {
  supplier: 'bench',
  failurePolicy: 'fail-closed',
  run: async () => [],
};

function hooksOf(count: number): CompactionHook<CompactionBeforeEffect>[] {
  return Array.from({ length: count }, () => hook);
}

function runOf(count: number, text: string): () => Promise<unknown> {
  const before = hooksOf(count);
  return () => runCompaction({ instructions: text, before, generate: () => text });
}

function loopOf(count: number): () => Promise<unknown> {
  const before = hooksOf(count);
  return async () => {
    const answers: unknown[] = [];
    for (const one of before) answers.push(await one.run({} as never, {} as never));
    return answers;
  };
}

function growth(name: string, few: () => unknown, many: () => unknown): BenchRow {
  return { name, baseline: 'less', contenders: { more: many, less: few } };
}

const large = 'x'.repeat(5 * 1024 * 1024);

export const tables: readonly BenchTable[] = [
  {
    title: 'Compaction: hooks that change nothing',
    note: 'Growth is linear when ten times the hooks take ten times as long; the size of the text makes no difference.',
    rows: [
      {
        name: '1,000 hooks',
        baseline: 'a plain loop',
        contenders: { run: runOf(1_000, 'i'), 'a plain loop': loopOf(1_000) },
      },
      growth('1,000 to 10,000 hooks', runOf(1_000, 'i'), runOf(10_000, 'i')),
      growth('1,000 hooks, 1 byte to 5 MiB', runOf(1_000, 'i'), runOf(1_000, large)),
    ],
  },
];
