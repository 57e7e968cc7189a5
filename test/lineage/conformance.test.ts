import { expect } from 'vitest';
import { LineageError, TaskLineage, type TaskLineageOptions } from '../../runtime/lineage/index.js';
import { conformanceSuite } from '../support/conformance.js';
import { deepFreeze } from '../support/frozen.js';

interface Row {
  readonly name: string;
  readonly options: TaskLineageOptions;
  readonly steps: readonly { readonly message: unknown; readonly expected: 'accept' | 'reject' | 'no event' }[];
}

conformanceSuite<Row>('lineage.json', (row) => {
  const rowText = JSON.stringify(row);
  deepFreeze(row);
  const feeds: ((lineage: TaskLineage, message: unknown) => unknown)[] = [
    (lineage, message) => lineage.acceptWire(JSON.stringify(message)),
    (lineage, message) => lineage.acceptWire(new TextEncoder().encode(JSON.stringify(message))),
    (lineage, message) => lineage.accept(message),
  ];
  for (const feed of feeds) {
    const lineage = new TaskLineage(row.options);
    for (const [index, { message, expected }] of row.steps.entries()) {
      const before = lineage.size;
      expect(
        verdictOf(() => feed(lineage, message)),
        `step ${index}`,
      ).toBe(expected);
      if (expected === 'reject') expect(lineage.size).toBe(before);
    }
  }
  expect(JSON.stringify(row)).toBe(rowText);
});

function verdictOf(step: () => unknown): string {
  try {
    return step() === null ? 'no event' : 'accept';
  } catch (error) {
    expect(error).toBeInstanceOf(LineageError);
    return 'reject';
  }
}
