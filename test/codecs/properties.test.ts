import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encode, parse } from '../../generated/json/index.js';
import { jsonTokens } from '../support/json-tokens.js';
import {
  codecOf,
  exampleMessages,
  HOSTILE_NAMES,
  insertMembers,
  jsonTexts,
  mutateText,
  ROOTS,
  spreadDeeply,
} from './messages.js';

const examples = exampleMessages();
const roots = fc.constantFrom(...ROOTS);

const mutants = fc
  .tuple(fc.constantFrom(...examples), fc.array(fc.tuple(fc.nat(), fc.nat({ max: 3 }), jsonTexts), { maxLength: 3 }))
  .map(([text, changes]) => changes.reduce((mutant, [at, kind, piece]) => mutateText(mutant, at, kind, piece), text));

function expectAnswer(call: () => unknown): void {
  expect(call()).toHaveProperty('ok');
}

describe('§1 no input makes a codec throw', () => {
  it('mutated real messages, as every type', () => {
    fc.assert(
      fc.property(mutants, roots, (text, root) => {
        const { parse, validate } = codecOf(root);
        const result = parse(text);
        expect(result).toHaveProperty('ok');
        if (result.ok) expectAnswer(() => validate(result.value));
        expectAnswer(() => codecOf('WireMessage').parse(text));
      }),
      { numRuns: 400 },
    );
  });

  it('random JSON, random texts and random bytes', () => {
    fc.assert(
      fc.property(roots, fc.oneof(jsonTexts, fc.string({ unit: 'binary' }), fc.uint8Array()), (root, input) => {
        expectAnswer(() => codecOf(root).parse(input));
      }),
      { numRuns: 500 },
    );
  });

  it('any value of JavaScript', () => {
    fc.assert(
      fc.property(
        roots,
        fc.anything({
          withBigInt: true,
          withDate: true,
          withMap: true,
          withNullPrototype: true,
          withSparseArray: true,
          withTypedArray: true,
          withBoxedValues: true,
        }),
        (root, value) => {
          const { fromJson, validate } = codecOf(root);
          expectAnswer(() => fromJson(value));
          expectAnswer(() => validate(value));
        },
      ),
      { numRuns: 500 },
    );
  });

  it.each(ROOTS)('deep, wide and large inputs as %s', (root) => {
    const { parse, fromJson } = codecOf(root);
    const deep = `${'{"a":['.repeat(5_000)}1${']}'.repeat(5_000)}`;
    expect(parse(deep)).toMatchObject({ ok: false, issues: [{ code: 'too-deep' }] });
    expectAnswer(() => parse(deep, { maxDepth: Number.POSITIVE_INFINITY }));
    expectAnswer(() => parse(`{"x":"${'y'.repeat(100_000)}","items":[${'{},'.repeat(2_000)}{}]}`));
    const names = HOSTILE_NAMES.map((name) => `${JSON.stringify(name)}:{"__proto__":null}`).join(',');
    expectAnswer(() => parse(`{${names}}`));
    expectAnswer(() => fromJson(JSON.parse(`{${names}}`)));
  });
});

describe('§1 nothing is lost', () => {
  const extras = fc.uniqueArray(
    fc.tuple(fc.oneof(fc.constantFrom(...HOSTILE_NAMES), fc.string({ maxLength: 5 })), jsonTexts),
    {
      maxLength: 4,
      selector: ([name]) => name,
    },
  );
  const cases = fc.tuple(fc.constantFrom(...examples), extras, fc.nat());

  it('numbers, member order and unknown members come back as they were, also after every object was spread', () => {
    const { parse, encode } = codecOf('WireMessage');
    let kept = 0;
    fc.assert(
      fc.property(cases, ([text, members, at]) => {
        const mutant = insertMembers(text, members, at);
        const result = parse(mutant);
        if (!result.ok) return; // A name that stood there already, or a member that the schema types otherwise.
        kept += 1;
        const tokens = jsonTokens(mutant);
        expect(jsonTokens(encode(result.value))).toEqual(tokens);
        expect(jsonTokens(encode(spreadDeeply(result.value)))).toEqual(tokens);
      }),
      { numRuns: 1_000 },
    );
    expect(kept).toBeGreaterThan(300);
  });

  it('what fromJson takes, it gives back whole', () => {
    fc.assert(
      fc.property(fc.constantFrom(...examples), (text) => {
        const decoded = parse(text);
        if (!decoded.ok) throw new Error('expected an example that is JSON');
        const result = codecOf('WireMessage').fromJson(decoded.value);
        expect(result.ok && codecOf('WireMessage').encode(result.value)).toBe(encode(decoded.value));
      }),
      { numRuns: 100 },
    );
  });
});
