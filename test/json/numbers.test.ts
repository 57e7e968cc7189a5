import { describe, expect, it } from 'vitest';
import {
  encode,
  isJsonInteger,
  isJsonNumber,
  isJsonNumeric,
  isTypedNumber,
  JsonNumber,
  keptSpelling,
  lowerNumber,
  lowerNumbersAt,
  memberNames,
  parse,
} from '../../templates/support/json/index.js';

type Data = Record<string, unknown>;

function read<T = Data>(text: string): T {
  const result = parse(text);
  if (!result.ok) throw new Error(`refused: ${JSON.stringify(result.issues)}`);
  return result.value as T;
}

describe('§1 JsonNumber', () => {
  it('takes exactly the numbers of JSON', () => {
    for (const text of ['0', '-0', '1.50', '1E+2', '1e-999999', '12345678901234567890', '0.0e0']) {
      expect(new JsonNumber(text).text).toBe(text);
    }
    for (const text of [
      '',
      ' 1',
      '1 ',
      '01',
      '1.',
      '.5',
      '+1',
      '0x1',
      'NaN',
      'Infinity',
      '1e',
      '1_0',
      '--1',
      '١',
      1,
      null,
      undefined,
    ]) {
      expect(() => new JsonNumber(text as string)).toThrow(SyntaxError);
    }
    expect(() => new JsonNumber('hunter2')).toThrow('JsonNumber: expected a number in JSON spelling, got other text');
  });

  it('is frozen, and is a number to arithmetic and to text', () => {
    const number = new JsonNumber('1.50');
    expect(Object.isFrozen(number)).toBe(true);
    expect(Number(number)).toBe(1.5);
    expect(+new JsonNumber('1e400')).toBe(Infinity);
    expect(String(number)).toBe('1.50');
    expect(Reflect.set(number, 'text', '2')).toBe(false);
  });

  it('is told from everything else', () => {
    expect(isJsonNumber(new JsonNumber('1'))).toBe(true);
    for (const other of [1, '1', null, undefined, new Number(1), { text: '1' }, structuredClone(new JsonNumber('1'))]) {
      expect(isJsonNumber(other)).toBe(false);
    }
  });
});

describe('§1 types are JSON Schema’s', () => {
  const far = new JsonNumber('1e400');
  it('a number is any number of JSON, a typed one is within the range of doubles', () => {
    for (const value of [0, -1.5, new JsonNumber('1.50')]) {
      expect([isJsonNumeric(value), isTypedNumber(value)]).toEqual([true, true]);
    }
    expect([isJsonNumeric(far), isTypedNumber(far)]).toEqual([true, false]);
    for (const value of [Number.NaN, Infinity, '1', null, {}, new Number(1), true]) {
      expect([isJsonNumeric(value), isTypedNumber(value)]).toEqual([false, false]);
    }
  });

  it('an integer is a number without fraction, by its exact spelling', () => {
    for (const lexeme of [
      '1.0',
      '1E2',
      '1.5e1',
      '100e-2',
      '0.0',
      '-0e-9',
      '1e400',
      '12345678901234567890',
      `1e${'9'.repeat(50)}`,
    ]) {
      expect(isJsonInteger(new JsonNumber(lexeme)), lexeme).toBe(true);
    }
    for (const lexeme of [
      '1.5',
      '1e-1',
      '15e-2',
      '9007199254740993.5',
      '0.99999999999999999999',
      '1e-400',
      `1e-${'9'.repeat(50)}`,
    ]) {
      expect(isJsonInteger(new JsonNumber(lexeme)), lexeme).toBe(false);
    }
    expect([1, -0, 1e300, 1.5, Number.NaN, Infinity, '1'].map(isJsonInteger)).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
  });
});

describe('§1 a number in a typed place is a plain number with its spelling on the container', () => {
  it('as a member, in place', () => {
    const text = '{"9":1.0,"n":12345678901234567890,"8":0.1000000000000000055511151231257827}';
    const value = read(text);
    expect(lowerNumber(value, 'n')).toBe(true);
    expect(lowerNumber(value, '8')).toBe(true);
    expect(lowerNumber(value, '9')).toBe(true);
    expect([value.n, value[8]]).toEqual([12345678901234567000, 0.1]);
    expect(encode(value)).toBe(text);
    expect(encode({ ...value })).toBe(text);
    expect(keptSpelling(value, 'n')).toBe('12345678901234567890');
    expect(encode({ ...value, n: 5 })).toBe(text.replace('12345678901234567890', '5'));
  });

  it('as a list element, in place, beside others', () => {
    const list = read<unknown[]>('[1.0,12345678901234567890,1e-400]');
    expect([0, 1, 2].map((index) => lowerNumber(list, index))).toEqual([true, true, true]);
    expect([...list]).toEqual([1, 12345678901234567000, 0]);
    expect(encode(list)).toBe('[1.0,12345678901234567890,1e-400]');
    const bare = read<unknown[]>('[[],12345678901234567890]');
    expect(lowerNumber(bare, 1)).toBe(true);
    expect(encode(bare)).toBe('[[],12345678901234567890]');
  });

  it('stays when it is beyond the range of doubles or no number', () => {
    const value = read('{"far":1e400,"s":"1","o":{}}');
    expect(['far', 's', 'o', 'absent'].map((key) => lowerNumber(value, key))).toEqual([false, false, false, false]);
    expect(encode(value)).toBe('{"far":1e400,"s":"1","o":{}}');
  });

  it('under hostile names', () => {
    const text = '{"__proto__":12345678901234567890,"constructor":12345678901234567891}';
    const value = read(text);
    expect(lowerNumber(value, '__proto__') && lowerNumber(value, 'constructor')).toBe(true);
    expect(encode(value)).toBe(text);
  });

  it('in values of others: frozen containers are copied on the way, the rest is shared', () => {
    const text = '{"a":{"9":1.0,"n":12345678901234567890,"8":[1.0,12345678901234567891]},"b":{"c":[1e400]}}';
    const value = read(text);
    const a = value.a as Data;
    for (const container of [value, a, a[8], value.b]) Object.freeze(container);
    const places = [
      ['a', 'n'],
      ['a', '8', 1],
      ['a', '8', 0],
      ['b', 'c', 0],
      ['a', 'absent'],
      ['x', 'y'],
      ['a', 'n', 'z'],
    ];
    const lowered = lowerNumbersAt(value, places) as Data;
    expect(encode(lowered)).toBe(text);
    expect((lowered.a as Data).n).toBe(12345678901234567000);
    expect(((lowered.a as Data)[8] as unknown[])[1]).toBe(12345678901234567000);
    expect(isJsonNumber(((lowered.b as Data).c as unknown[])[0])).toBe(true);
    // What came in is as it was, its record too.
    expect(isJsonNumber(a.n)).toBe(true);
    expect(encode(value)).toBe(text);
    expect(encode({ ...value, a: { ...a, n: 12345678901234567000 } })).toContain('"n":12345678901234567000');
  });

  it('shares what is not on the way, and gives the value itself for no place', () => {
    const value = read('{"a":{"n":12345678901234567890},"b":{"c":1}}');
    const lowered = lowerNumbersAt(value, [['a', 'n']]) as Data;
    expect(lowered.b).toBe(value.b);
    expect(lowerNumbersAt(value, [])).toBe(value);
    expect(lowerNumbersAt(new JsonNumber('1.0'), [[]])).toBe(1);
  });

  it('never reaches through a prototype', () => {
    const before = JSON.stringify(Object.getOwnPropertyNames(Object.prototype));
    const value = lowerNumbersAt({ a: 1 }, [
      ['__proto__', 'x'],
      ['constructor', 'name'],
      ['a', 'b', 'c'],
    ]);
    expect(value).toEqual({ a: 1 });
    expect(JSON.stringify(Object.getOwnPropertyNames(Object.prototype))).toBe(before);
  });
});

describe('§1 looking at what is kept', () => {
  it('gives a spelling only while it is true', () => {
    const value = read('{"a":1.0,"b":2,"c":[1e2],"d":1e400}');
    expect([keptSpelling(value, 'a'), keptSpelling(value, 'b'), keptSpelling(value, 'd')]).toEqual([
      '1.0',
      undefined,
      undefined,
    ]);
    expect(keptSpelling(value.c as object, 0)).toBe('1e2');
    value.a = 3;
    expect(keptSpelling(value, 'a')).toBeUndefined();
  });

  it('gives names in the order of encode', () => {
    expect(memberNames({ ...read('{"10":1,"9":2,"x":3}'), 1: 0 })).toEqual(['10', '9', 'x', '1']);
    expect(memberNames({ b: 1, a: 2 })).toEqual(['b', 'a']);
  });
});
