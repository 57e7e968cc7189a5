import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  codecOf,
  exampleMessages,
  HOSTILE_NAMES,
  insertMembers,
  jsonTexts,
  mutateText,
  ROOTS,
  spreadDeeply,
} from '../codecs/messages.js';
import { jsonTokens } from '../support/json-tokens.js';

const examples = exampleMessages();

it('§1 ten thousand random messages come back as they were, also after every object was spread', () => {
  const { parse, encode } = codecOf('WireMessage');
  const names = fc.oneof(fc.constantFrom(...HOSTILE_NAMES), fc.string({ maxLength: 5 }));
  const extras = fc.uniqueArray(fc.tuple(names, jsonTexts), { maxLength: 4, selector: ([name]) => name });
  const cases = fc.tuple(fc.constantFrom(...examples), extras, fc.nat());
  let kept = 0;
  while (kept < 10_000) {
    for (const [text, members, at] of fc.sample(cases, 500)) {
      const mutant = insertMembers(text, members, at);
      const result = parse(mutant);
      if (!result.ok) continue;
      kept += 1;
      const tokens = jsonTokens(mutant);
      expect(jsonTokens(encode(result.value))).toEqual(tokens);
      expect(jsonTokens(encode(spreadDeeply(result.value)))).toEqual(tokens);
    }
  }
  expect(kept).toBeGreaterThanOrEqual(10_000);
});

it('§1 fifty thousand mutants and random inputs make no codec throw', () => {
  const changes = fc.array(fc.tuple(fc.nat(), fc.nat({ max: 3 }), jsonTexts), { maxLength: 4 });
  const mutants = fc
    .tuple(fc.constantFrom(...examples), changes)
    .map(([text, list]) => list.reduce((mutant, [at, kind, piece]) => mutateText(mutant, at, kind, piece), text));
  const inputs = fc.oneof(mutants, jsonTexts, fc.string({ unit: 'binary' }), fc.uint8Array());
  fc.assert(
    fc.property(fc.constantFrom(...ROOTS), inputs, (root, input) => {
      const { parse, validate } = codecOf(root);
      const result = parse(input);
      expect(result).toHaveProperty('ok');
      if (result.ok) expect(validate(result.value)).toHaveProperty('ok');
    }),
    { numRuns: 50_000 },
  );
});
