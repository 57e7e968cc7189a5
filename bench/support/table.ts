/*
 * How a benchmark is written down. A file `bench/NAME.bench.ts` exports `tables`, a list of tables or a function that
 * prepares one; `npm run bench -- FILTER` runs the rows whose `file / table / row` contains the filter.
 */

/** One thing that is measured. A promise that it gives is awaited, so that asynchronous work is measured to its end. */
export type Contender = () => unknown;

/** One row: contenders that do the same work, each measured against the row's baseline in the same rounds. */
export interface BenchRow {
  readonly name: string;
  /** By column name, in the order of printing. */
  readonly contenders: Readonly<Record<string, Contender>>;
  /** Column whose time is 1. */
  readonly baseline: string;
  /** Highest ratio to the baseline that a column should have; a miss is marked, and `--strict` makes it fail. */
  readonly atMost?: Readonly<Record<string, number>>;
  /**
   * Least time for which each contender runs before it is measured, in milliseconds; 0 when absent. For contenders of
   * many functions that each run seldom, which the engine therefore compiles late.
   */
  readonly warmUpMs?: number;
}

export interface BenchTable {
  readonly title: string;
  /** What a reader must know to read the figures. */
  readonly note?: string;
  readonly rows: readonly BenchRow[];
}

/** What a benchmark file exports as `tables`. */
export type BenchTables = readonly BenchTable[] | (() => readonly BenchTable[] | Promise<readonly BenchTable[]>);
