import { describe, expect, it } from 'vitest';
import { type JsonValue, jsonEqual, JsonNumber, lowerNumber, parse } from '../../templates/support/json/index.js';
import { isSameExactValue } from './support/association-parser.js';
import { seededRandom } from './support/random-text.js';

function read(text: string): JsonValue {
  const result = parse(text);
  if (!result.ok) throw new Error(`refused: ${JSON.stringify(result.issues)}`);
  return result.value;
}

describe('§1 jsonEqual compares JSON values', () => {
  const equal: readonly (readonly [unknown, unknown])[] = [
    [1, 1],
    [0, -0],
    [1, new JsonNumber('1.0')],
    [100, new JsonNumber('1E2')],
    [new JsonNumber('0.0001e4'), 1],
    [new JsonNumber('1e400'), new JsonNumber('10.0e399')],
    [new JsonNumber('-0e5'), 0],
    [new JsonNumber('12345678901234567890'), new JsonNumber('1234567890123456789e1')],
    [new JsonNumber('1e1000000000000000000000'), new JsonNumber('10e999999999999999999999')],
    [new JsonNumber('1e-1000000000000000000000'), new JsonNumber('0.1e-999999999999999999999')],
    [read('{"a":1,"b":[1.0,{"c":null}]}'), { b: [1, { c: null }], a: 1 }],
    [{ a: 1, b: undefined }, { a: 1 }],
    [read('{"__proto__":1}'), read('{"__proto__":1.0}')],
    [Object.create(null), {}],
  ];
  for (const [index, [left, right]] of equal.entries()) {
    it(`equal, row ${index}`, () => {
      expect(jsonEqual(left, right)).toBe(true);
      expect(jsonEqual(right, left)).toBe(true);
    });
  }

  const different: readonly (readonly [unknown, unknown])[] = [
    [1, '1'],
    [0, false],
    [0, null],
    [null, undefined],
    [null, {}],
    [[], {}],
    [[1], [1, 1]],
    [{ a: 1 }, { a: 1, b: 1 }],
    [
      { a: undefined, b: 1 },
      { a: 1, b: undefined },
    ],
    [{ a: 1 }, { b: 1 }],
    [{ toString: 1 }, {}],
    [{}, { toString: 1 }],
    [{ x: 1 }, { toString: 1 }],
    [read('{"__proto__":1}'), {}],
    [read('{"__proto__":{}}'), read('{"__proto__":[]}')],
    [1, new JsonNumber('1.0000000000000000000001')],
    [Infinity, new JsonNumber('1e400')],
    [new JsonNumber('1e400'), new JsonNumber('1e401')],
    [new JsonNumber('1e400'), new JsonNumber('-1e400')],
    [new JsonNumber('12345678901234567890'), 12345678901234567000],
    [new JsonNumber('1e1000000000000000000000'), new JsonNumber('10e999999999999999999998')],
    [new JsonNumber('1e400'), {}],
    [new JsonNumber('1.0'), { text: '1.0' }],
    [new Date(0), new Date(0)],
    [new Date(0), {}],
    [new Number(1), 1],
    [() => 1, () => 1],
  ];
  for (const [index, [left, right]] of different.entries()) {
    it(`different, row ${index}`, () => {
      expect(jsonEqual(left, right)).toBe(false);
      expect(jsonEqual(right, left)).toBe(false);
    });
  }

  it('a typed number counts with the value of its spelling', () => {
    const typed = read('{"n":12345678901234567890}') as Record<string, JsonValue>;
    const other = read('{"n":12345678901234567891}') as Record<string, JsonValue>;
    expect(lowerNumber(typed, 'n') && lowerNumber(other, 'n')).toBe(true);
    expect(typed.n).toBe(other.n);
    expect(jsonEqual(typed, other)).toBe(false);
    expect(jsonEqual(typed, read('{"n":12345678901234567890}'))).toBe(true);
    expect(jsonEqual(typed, { n: 12345678901234567000 })).toBe(false);
    expect(jsonEqual(typed, { n: new JsonNumber('1234567890123456789.0e1') })).toBe(true);
  });

  it('goes as deep as need be, and ends on cycles', () => {
    const deep = (): unknown => {
      let value: unknown = 1;
      for (let depth = 0; depth < 100_000; depth += 1) value = [value];
      return value;
    };
    expect(jsonEqual(deep(), deep())).toBe(true);
    const cycle = (): unknown => {
      const list: unknown[] = [];
      list.push(list);
      return list;
    };
    expect(jsonEqual(cycle(), cycle())).toBe(false);
  });

  it('agrees with big integers on random spellings', () => {
    const random = seededRandom(7);
    const digits = (most: number): string =>
      Array.from({ length: 1 + Math.floor(random() * most) }, () =>
        random() < 0.5 ? '0' : Math.floor(random() * 10),
      ).join('');
    const lexeme = (): string =>
      `${random() < 0.5 ? '-' : ''}${random() < 0.5 ? '0' : `1${digits(3)}`}${random() < 0.5 ? `.${digits(4)}` : ''}${
        random() < 0.7 ? `e${random() < 0.5 ? '-' : ''}${digits(2)}` : ''
      }`;
    let same = 0;
    for (let count = 0; count < 20_000; count += 1) {
      const left = lexeme();
      const right = lexeme();
      const expected = isSameExactValue(left, right);
      if (expected) same += 1;
      if (jsonEqual(new JsonNumber(left), new JsonNumber(right)) !== expected) expect.fail(`${left} and ${right}`);
    }
    expect(same).toBeGreaterThan(100);
  });
});
