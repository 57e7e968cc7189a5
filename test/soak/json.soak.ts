import { expect, it } from 'vitest';
import { findDifference } from '../json/support/differential.js';
import { randomBytes, randomText, seededRandom } from '../json/support/random-text.js';

const TEXTS = 250_000;

it(
  `§1 strict JSON agrees with an independent parser on ${TEXTS} random texts, as text and as bytes`,
  { timeout: 900_000 },
  () => {
    const random = seededRandom(4_711);
    for (let count = 0; count < TEXTS; count += 1) {
      const text = randomText(random);
      const bytes = randomBytes(random, text);
      const difference = findDifference(text) ?? findDifference(bytes);
      if (difference !== null) expect.fail(`${difference}: ${JSON.stringify(text)}, bytes ${[...bytes].join(' ')}`);
    }
  },
);
