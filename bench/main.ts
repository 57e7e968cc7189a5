/*
 * Runs the benchmarks: `npm run bench -- [FILTER] [--strict] [--best] [--rounds=N]`.
 * Times are medians; ratios are medians over rounds in which all contenders of a row ran one after the other.
 * `--best` compares best times instead, for busy machines; `--strict` ends with 1 when a target is missed.
 */
import { readdir } from 'node:fs/promises';
import { type MeasureOptions, measureRow } from './support/measure.js';
import { formatCells, formatTable } from './support/print.js';
import type { BenchRow, BenchTable, BenchTables } from './support/table.js';

interface BenchModule {
  readonly tables?: BenchTables;
}

async function main(args: readonly string[]): Promise<number> {
  const filter = args.find((arg) => !arg.startsWith('--')) ?? '';
  const rounds = Number(args.find((arg) => arg.startsWith('--rounds='))?.slice('--rounds='.length) ?? 21);
  const isStrict = args.includes('--strict');
  const options = { rounds, isBest: args.includes('--best') };
  if (!Number.isInteger(rounds) || rounds < 1) throw new RangeError('--rounds: expected an integer >= 1');
  const files = (await readdir(import.meta.dirname)).filter((name) => name.endsWith('.bench.ts')).sort();
  let missed = 0;
  let ran = 0;
  for (const file of files) {
    const { tables = [] } = (await import(new URL(file, import.meta.url).href)) as BenchModule;
    for (const table of typeof tables === 'function' ? await tables() : tables) {
      const rows = table.rows.filter((row) => `${file} / ${table.title} / ${row.name}`.includes(filter));
      if (rows.length === 0) continue;
      ran += rows.length;
      missed += await runTable(table, rows, options);
    }
  }
  if (ran === 0) console.log(`no benchmark row contains '${filter}'`);
  if (missed > 0) console.log(`${missed} targets missed`);
  return ran === 0 ? 2 : isStrict && missed > 0 ? 1 : 0;
}

/** Runs rows and prints them in groups that have the same contenders; gives how many targets were missed. */
async function runTable(table: BenchTable, rows: readonly BenchRow[], options: MeasureOptions): Promise<number> {
  console.log(`\n${table.title}`);
  if (table.note !== undefined) console.log(table.note);
  const groups = new Map<string, { readonly header: readonly string[]; readonly cells: (readonly string[])[] }>();
  let missed = 0;
  for (const row of rows) {
    const figures = await measureRow(row, options);
    const names = Object.keys(row.contenders);
    const header = ['', ...names.map((name) => (name === row.baseline ? `${name} (= 1)` : name))];
    const group = groups.get(header.join('|')) ?? { header, cells: [] };
    groups.set(header.join('|'), group);
    group.cells.push(formatCells(row, figures));
    missed += figures.filter(({ contender, ratio }) => ratio > (row.atMost?.[contender] ?? Infinity)).length;
  }
  for (const { header, cells } of groups.values()) {
    for (const line of formatTable(header, cells)) console.log(line);
  }
  return missed;
}

process.exitCode = await main(process.argv.slice(2));
