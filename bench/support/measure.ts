/*
 * Interleaved measuring: in every round each contender runs one sample, in turning order, and only ratios within one
 * round are compared. Whatever else the machine does then falls on all of them alike.
 */
import type { BenchRow, Contender } from './table.js';

/** Figures of one contender. */
export interface Figure {
  readonly contender: string;
  /** Median (or best) time of one call, in milliseconds. */
  readonly callMs: number;
  /** Median over the rounds of its time divided by the baseline's time of the same round (or best by best). */
  readonly ratio: number;
}

export interface MeasureOptions {
  /** Rounds that count; 21 when absent. */
  readonly rounds?: number;
  /** Compare best times instead of medians: for machines that are busy with other work. */
  readonly isBest?: boolean;
  /** Time that one sample should take, in milliseconds; 6 when absent. */
  readonly sampleMs?: number;
}

/** Keeps results alive, so that the engine cannot leave the work out. */
let sink: unknown;

/** Measures a row and gives one figure per contender, in their order. */
export async function measureRow(row: BenchRow, options: MeasureOptions = {}): Promise<readonly Figure[]> {
  const { rounds = 21, sampleMs = 6, isBest = false } = options;
  const names = Object.keys(row.contenders);
  const calls = new Map<string, number>();
  for (const name of names) calls.set(name, await countCalls(contenderOf(row, name), sampleMs, row.warmUpMs ?? 0));
  const times = new Map<string, number[]>(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (let turn = 0; turn < names.length; turn += 1) {
      const name = names[(turn + round) % names.length] ?? '';
      const count = calls.get(name) ?? 1;
      const totalMs = await sample(contenderOf(row, name), count);
      times.get(name)?.push(totalMs / count);
    }
  }
  const base = times.get(row.baseline) ?? [];
  return names.map((contender) => {
    const own = times.get(contender) ?? [];
    if (isBest) return { contender, callMs: Math.min(...own), ratio: Math.min(...own) / Math.min(...base) };
    const ratios = own.map((time, round) => time / (base[round] ?? Number.NaN));
    return { contender, callMs: median(own), ratio: median(ratios) };
  });
}

/** Gives the middle value; NaN for none. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}

function contenderOf(row: BenchRow, name: string): Contender {
  const contender = Object.hasOwn(row.contenders, name) ? row.contenders[name] : undefined;
  if (contender === undefined)
    throw new Error(`bench row ${row.name}: expected a contender for its baseline, got none`);
  return contender;
}

/** Warms a contender up, for 40 samples and at least the given time, and finds how many calls fill one sample. */
async function countCalls(contender: Contender, sampleMs: number, warmUpMs: number): Promise<number> {
  const start = performance.now();
  let count = 1;
  for (let warmUp = 0; warmUp < 40 || performance.now() - start < warmUpMs; warmUp += 1) {
    const totalMs = await sample(contender, count);
    if (totalMs > 8 * sampleMs && count === 1) return 1;
    const wanted = Math.max(1, Math.round((count * sampleMs) / Math.max(totalMs, 0.001)));
    count = Math.min(wanted, count * 8);
  }
  return count;
}

async function sample(contender: Contender, count: number): Promise<number> {
  const start = performance.now();
  for (let call = 0; call < count; call += 1) {
    const result = contender();
    sink = result instanceof Promise ? await result : result;
  }
  return performance.now() - start;
}

/** What the last call gave; only there to be seen. */
export function lastResult(): unknown {
  return sink;
}
