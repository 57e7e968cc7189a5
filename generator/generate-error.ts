/** The failure of a run for reasons that lie in the schema set. */

import type { Problem } from './model.js';

/** Carries every problem of the run, each with code, place, rule and what came; nothing was written. */
export class GenerateError extends Error {
  override readonly name = 'GenerateError';
  /** Always this one; the problems have codes of their own. */
  readonly code = 'schema-problems';
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super(
      `the schema set must keep all rules of the generator, got ${problems.length} ${problems.length === 1 ? 'problem' : 'problems'}`,
    );
    this.problems = problems;
  }
}
