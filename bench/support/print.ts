import type { Figure } from './measure.js';
import type { BenchRow } from './table.js';

/** Gives a time with three digits and its unit. */
export function formatMs(ms: number): string {
  if (ms >= 1000) return `${(ms / 1000).toPrecision(3)} s`;
  if (ms >= 1) return `${ms.toPrecision(3)} ms`;
  if (ms >= 0.001) return `${(ms * 1000).toPrecision(3)} us`;
  return `${(ms * 1e6).toPrecision(3)} ns`;
}

/** Gives the cells of one row: its name, then time and ratio of each contender, with the target where there is one. */
export function formatCells(row: BenchRow, figures: readonly Figure[]): readonly string[] {
  const cells = figures.map(({ contender, callMs, ratio }) => {
    const atMost = row.atMost?.[contender];
    const target = atMost === undefined ? '' : ratio <= atMost ? ` (<= ${atMost})` : ` (MISSED <= ${atMost})`;
    return `${formatMs(callMs)}  x${ratio.toFixed(2)}${target}`;
  });
  return [row.name, ...cells];
}

/** Gives lines of a table with aligned columns. */
export function formatTable(header: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const widths = header.map((cell, column) => Math.max(cell.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  | ')
      .trimEnd();
  return [line(header), widths.map((width) => '-'.repeat(width)).join('--+-'), ...rows.map(line)];
}
