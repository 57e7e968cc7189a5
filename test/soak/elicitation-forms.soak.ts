import { expect, it } from 'vitest';
import { checkAnswers, compiledFormCount } from '../../runtime/elicitation/answer-check.js';

const FORMS = 100_000;
const MIB = 1_048_576;

it(`§2 memory stays flat over ${FORMS} different requested schemas`, { timeout: 1_800_000 }, () => {
  const runForms = (from: number, to: number): void => {
    for (let index = from; index < to; index += 1) {
      const name = `field${index}`;
      const form = {
        type: 'object' as const,
        properties: { [name]: { type: 'string' as const, minLength: 1 } },
        required: [name],
      };
      if (!checkAnswers(form, { [name]: 'x' }).ok || checkAnswers(form, {}).ok) expect.fail(`form ${index} misjudged`);
    }
  };
  const heapUsed = (): number => {
    globalThis.gc?.();
    return process.memoryUsage().heapUsed;
  };
  runForms(0, 5_000);
  const before = heapUsed();
  runForms(5_000, FORMS);
  const after = heapUsed();
  console.log(`${FORMS} forms: heap ${(before / MIB).toFixed(1)} MiB before, ${(after / MIB).toFixed(1)} MiB after`);
  expect(compiledFormCount()).toBe(128);
  expect(after - before).toBeLessThan(32 * MIB);
});
