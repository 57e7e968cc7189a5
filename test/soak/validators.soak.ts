import { describe, expect, it } from 'vitest';
import { compareSeed, type Difference } from '../support/compare-schemas.js';

const SEEDS = Number(process.env.AHP_SEEDS ?? 2_000);
const FIRST = 10_000;

describe('random schemas, many', () => {
  it(`${SEEDS} sets have the verdicts of an independent validator`, { timeout: 3_600_000 }, async () => {
    const differ: Difference[] = [];
    for (let seed = FIRST; seed < FIRST + SEEDS; seed += 1) differ.push(...(await compareSeed(seed, 25)).differ);
    expect(differ.slice(0, 3)).toEqual([]);
  });
});
