import { expect } from 'vitest';
import {
  type CompactionOptions,
  type CompactionSnapshot,
  runCompaction,
  type SummaryRef,
} from '../../runtime/compaction/index.js';
import { settleTurns } from '../support/barrier.js';
import { conformanceSuite } from '../support/conformance.js';
import { deepFreeze } from '../support/frozen.js';

interface HookRow {
  readonly supplier: string;
  readonly failurePolicy: 'fail-open' | 'fail-closed';
  readonly effects?: unknown;
  readonly throws?: boolean;
}

interface Row {
  readonly name: string;
  readonly instructions: string;
  readonly itemId: string;
  readonly before: readonly HookRow[];
  readonly after: readonly HookRow[];
  readonly observeOnly: boolean;
  readonly expected: Readonly<Record<string, unknown>> & {
    readonly summary: string | null;
    readonly seen: readonly unknown[];
    readonly absent: readonly string[];
    readonly applied: boolean;
  };
}

conformanceSuite<Row>('compaction.json', async (row) => {
  const rowText = JSON.stringify(row);
  const seen: unknown[] = [];
  const refs = new Map<SummaryRef, string>();
  const observed: string[] = [];
  let isSettled = false;
  const look = ({ boundary, instructions, summary }: CompactionSnapshot, supplier: string): void => {
    seen.push([boundary, supplier, instructions, summary?.text ?? null]);
    if (summary !== null) refs.set(summary.ref, summary.text);
  };
  const hook = ({ supplier, failurePolicy, effects, throws }: HookRow) => ({
    supplier,
    failurePolicy,
    run(snapshot: CompactionSnapshot): never {
      if (row.observeOnly && snapshot.boundary === 'after') {
        expect(isSettled).toBe(true);
        observed.push(supplier);
      } else look(snapshot, supplier);
      if (throws === true) throw new Error('thrown by the hook');
      return effects as never;
    },
  });
  const options: CompactionOptions = {
    instructions: row.instructions,
    itemId: row.itemId,
    observeOnly: row.observeOnly,
    before: deepFreeze(row.before).map(hook),
    after: deepFreeze(row.after).map(hook),
    generate: (instructions) => `summary:${instructions}`,
  };
  const outcome = await runCompaction(deepFreeze(options));
  isSettled = true;
  expect(observed).toEqual([]);
  await settleTurns();

  const { applied, generated, denied, instructions, messages, failures, provenance } = outcome;
  const { absent, ...expected } = row.expected;
  expect({
    applied,
    generated,
    denied,
    instructions,
    messages,
    failures,
    provenance,
    summary: outcome.summary?.text ?? null,
    seen,
  }).toEqual(expected);
  const reachable = [...outcome.bodies.values()];
  for (const text of absent) expect(reachable).not.toContain(text);
  for (const [ref, text] of refs) expect(outcome.bodies.get(ref)).toBe(text);
  if (outcome.summary !== null) {
    expect(outcome.summary.id).toBe(row.itemId);
    expect(outcome.bodies.get(outcome.summary.ref)).toBe(outcome.summary.text);
  }
  if (row.observeOnly) expect(observed).toEqual(applied ? row.after.map(({ supplier }) => supplier) : []);
  expect(JSON.stringify(row)).toBe(rowText);
});
