import { describe, expect, it } from 'vitest';
import { compareSeed, type Difference } from '../support/compare-schemas.js';

const SEEDS = 150;

describe('random schemas', () => {
  it(`${SEEDS} sets have the verdicts of an independent validator`, { timeout: 120_000 }, async () => {
    const differ: Difference[] = [];
    let valid = 0;
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const found = await compareSeed(seed, 25);
      differ.push(...found.differ);
      valid += found.valid;
    }
    expect(differ.slice(0, 2)).toEqual([]);
    expect(valid).toBeGreaterThan(SEEDS);
  });
});
