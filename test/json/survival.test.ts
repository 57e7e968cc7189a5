import { deepStrictEqual, notDeepStrictEqual } from 'node:assert/strict';
import { describe, expect, it } from 'vitest';
import { encode, EncodeError, isJsonNumber, jsonEqual, parse } from '../../templates/support/json/index.js';

type Data = Record<string, unknown>;

function read<T = Data>(text: string): T {
  const result = parse(text);
  if (!result.ok) throw new Error(`refused: ${JSON.stringify(result.issues)}`);
  return result.value as T;
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const key of Reflect.ownKeys(value)) deepFreeze((value as Record<PropertyKey, unknown>)[key]);
    Object.freeze(value);
  }
  return value;
}

const TEXT = '{"10":1.0,"a":{"9":1e2,"8":[1.50,12345678901234567890]},"2":-0.0,"b":1e400,"__proto__":[0.0]}';

describe('§1 what survives: everything', () => {
  it('untouched', () => {
    expect(encode(read(TEXT))).toBe(TEXT);
  });

  it('object spread, at the root and inside', () => {
    const value = read(TEXT);
    expect(encode({ ...value })).toBe(TEXT);
    expect(encode({ ...value, a: { ...(value.a as Data) } })).toBe(TEXT);
  });

  it('rest', () => {
    const { b, ...rest } = read(TEXT);
    expect(isJsonNumber(b)).toBe(true);
    expect(encode(rest)).toBe(TEXT.replace(',"b":1e400', ''));
  });

  it('one member changed, in place and in a copy', () => {
    const value = read(TEXT);
    expect(encode({ ...value, 10: 7 })).toBe(TEXT.replace('1.0,', '7,'));
    value.b = false;
    expect(encode(value)).toBe(TEXT.replace('1e400', 'false'));
  });

  it('a changed number that is changed back counts as unchanged, and so does writing the very number', () => {
    const value = read(TEXT);
    value[10] = 2;
    expect(encode(value)).toBe(TEXT.replace('1.0,', '2,'));
    value[10] = 1;
    expect(encode(value)).toBe(TEXT);
    expect(encode({ ...value, 2: 0 })).toBe(TEXT.replace('-0.0', '0'));
  });

  it('a part put into a new parent', () => {
    const value = read(TEXT);
    expect(encode({ part: value.a, list: [value.a] })).toBe(
      '{"part":{"9":1e2,"8":[1.50,12345678901234567890]},"list":[{"9":1e2,"8":[1.50,12345678901234567890]}]}',
    );
  });

  it('deep freeze, also of the record, and spread afterwards', () => {
    const value = deepFreeze(read(TEXT));
    expect(encode(value)).toBe(TEXT);
    expect(encode({ ...value })).toBe(TEXT);
  });

  it('one list element changed in place', () => {
    const list = read<unknown[]>('[1.0,2.0,3.0]');
    list[1] = 9;
    list.push(4);
    expect(encode(list)).toBe('[1.0,9,3.0,4]');
  });
});

describe('§1 what survives: the order beside index-like names', () => {
  const text = '{"10":0,"9":1,"x":2,"1":3}';

  it('a member deleted', () => {
    const value = read(text);
    delete value[9];
    expect(encode(value)).toBe('{"10":0,"x":2,"1":3}');
    const { 10: _, ...rest } = read(text);
    expect(encode(rest)).toBe('{"9":1,"x":2,"1":3}');
  });

  it('members added go last, in their natural order', () => {
    const value = { ...read(text), y: 5, 0: 6, 5: 7 };
    expect(encode(value)).toBe('{"10":0,"9":1,"x":2,"1":3,"0":6,"5":7,"y":5}');
  });

  it('a member deleted and added again takes its old place', () => {
    const value = read(text);
    delete value[9];
    value[9] = 'back';
    expect(encode(value)).toBe('{"10":0,"9":"back","x":2,"1":3}');
  });
});

describe('§1 what survives: JsonNumbers, but no spellings', () => {
  const text = '[1.0,1e400,12345678901234567890,-0]';

  it('copies of lists', () => {
    const list = read<unknown[]>(text);
    for (const copy of [[...list], list.slice(), list.map((element) => element), list.concat(), Array.from(list)]) {
      expect(encode(copy)).toBe('[1,1e400,12345678901234567890,-0]');
    }
    expect(encode(list)).toBe(text);
  });

  it('bare numbers lifted out of their container', () => {
    const [first, far] = read<unknown[]>(text);
    expect(encode({ first, far })).toBe('{"first":1,"far":1e400}');
    expect(encode(first)).toBe('1');
    expect(encode(far)).toBe('1e400');
  });
});

describe('§1 what survives of two spread objects: the later record, JsonNumbers of both', () => {
  it('both with a record', () => {
    const a = read('{"x":1.0,"far":1e400,"9":0,"8":0}');
    const b = read('{"y":2.0,"big":12345678901234567890,"7":0,"6":0}');
    expect(encode({ ...a, ...b })).toBe(
      '{"y":2.0,"big":12345678901234567890,"7":0,"6":0,"8":0,"9":0,"x":1,"far":1e400}',
    );
  });

  it('only one with a record', () => {
    expect(encode({ ...read<Data>('{"x":1.0,"9":0,"8":0}'), ...read<Data>('{"z":3}') })).toBe(
      '{"x":1.0,"9":0,"8":0,"z":3}',
    );
    expect(encode({ ...read<Data>('{"x":1.0}'), ...read<Data>('{"x":2}') })).toBe('{"x":2}');
  });
});

describe('§1 what does not survive', () => {
  it('Object.assign: a member __proto__ would set the prototype, so that it is never used on data', () => {
    const value = read('{"__proto__":{"admin":true},"a":1.0}');
    const copy = Object.assign({}, value);
    expect(Object.keys(copy)).toEqual(['a']);
    expect(Object.getPrototypeOf(copy)).toEqual({ admin: true });
    expect(() => encode(copy)).toThrow(EncodeError);
    expect(encode({ ...value })).toBe('{"__proto__":{"admin":true},"a":1.0}');
  });

  it('structuredClone: spellings are lost, and a JsonNumber becomes what encode refuses', () => {
    expect(encode(structuredClone(read('{"10":1.0,"9":[1e2]}')))).toBe('{"9":[100],"10":1}');
    let thrown: unknown;
    try {
      encode(structuredClone(read('{"a":[1e400]}')));
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(EncodeError);
    expect(thrown).toMatchObject({ code: 'foreign-object', pointer: '/a/0' });
  });

  it('JSON.stringify: canonical spellings, natural order, doubles; what is beyond them becomes null', () => {
    expect(JSON.stringify(read('{"10":1.0,"9":[1e2,12345678901234567890,1e400,-0]}'))).toBe(
      '{"9":[100,12345678901234567000,null,0],"10":1}',
    );
  });

  it('deepStrictEqual sees the record, jsonEqual does not', () => {
    notDeepStrictEqual(read('{"a":1.0}'), { a: 1 });
    deepStrictEqual(read('{"a":1.0}'), read('{"a":1.0}'));
    notDeepStrictEqual(read('[1e400]'), read('[1e401]'));
    expect(jsonEqual(read('{"a":1.0}'), { a: 1 })).toBe(true);
    expect(jsonEqual(read('{"10":1,"9":2}'), { 9: 2, 10: 1 })).toBe(true);
  });
});

describe('§1 what a record costs', () => {
  it('nothing where nothing was kept: no symbol stands on the value', () => {
    const value = read('{"a":[1,0.5,{"b":-0}],"c":"1.0","d":0.05}');
    expect(Reflect.ownKeys(value)).toEqual(['a', 'c', 'd']);
    expect(Object.getOwnPropertySymbols(value.a as object)).toEqual([]);
  });

  it('one enumerable symbol where something was', () => {
    const value = read('{"a":1.0}');
    const [symbol, ...others] = Object.getOwnPropertySymbols(value);
    expect(others).toEqual([]);
    expect(Object.getOwnPropertyDescriptor(value, symbol as symbol)?.enumerable).toBe(true);
    expect(Object.keys(value)).toEqual(['a']);
  });
});
