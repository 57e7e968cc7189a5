import { describe, expect, it } from 'vitest';
import { findDifference } from './support/differential.js';
import { randomBytes, randomText, seededRandom } from './support/random-text.js';

const TEXTS = 4_000;

describe('§1 strict JSON agrees with an independent parser', () => {
  it(`on ${TEXTS} random texts, as text and as bytes, encoded as they were and after spreading every object`, () => {
    const random = seededRandom(20_26);
    let accepted = 0;
    for (let count = 0; count < TEXTS; count += 1) {
      const text = randomText(random);
      const bytes = randomBytes(random, text);
      expect(findDifference(text), JSON.stringify(text)).toBeNull();
      expect(findDifference(bytes), `bytes of ${JSON.stringify(text)}`).toBeNull();
      if (count % 10 === 0) accepted += countAccepted(text);
    }
    // The texts must be worth something: both kinds occur often.
    expect(accepted).toBeGreaterThan(TEXTS / 50);
    expect(accepted).toBeLessThan(TEXTS / 11);
  });
});

function countAccepted(text: string): number {
  try {
    JSON.parse(text);
    return 1;
  } catch {
    return 0;
  }
}
