import { describe, expect, it } from 'vitest';
import { copyContainer, freezeDeep, isKnownFrozen, snapshot } from '../../runtime/wire/freeze.js';
import { JsonNumber, encode, parse } from '../../templates/support/json/index.js';
import { deepFreeze, isDeepFrozen } from '../support/frozen.js';

function parsed(text: string): unknown {
  const result = parse(text);
  if (!result.ok) throw new Error('the test text is no JSON');
  return result.value;
}

describe('freezeDeep', () => {
  it('freezes in place, all the way down, and gives the value back', () => {
    const value = { a: [{ b: 1 }], c: null, d: 'x' };
    expect(freezeDeep(value)).toBe(value);
    expect(isDeepFrozen(value)).toBe(true);
    expect(freezeDeep(7)).toBe(7);
  });

  it('does not walk a subtree again that it froze before', () => {
    const part = freezeDeep({ deep: { deeper: {} } });
    let reads = 0;
    const parent = Object.defineProperty({ part }, 'part', {
      enumerable: true,
      get() {
        reads += 1;
        return part;
      },
    });
    const spied = new Proxy(part, {
      ownKeys() {
        throw new Error('walked again');
      },
    });
    freezeDeep(parent);
    expect(reads).toBe(1);
    // A proxy is another object, so this is what walking would look like.
    expect(() => freezeDeep({ spied })).toThrow('walked again');
    expect(isKnownFrozen(part)).toBe(true);
    expect(isKnownFrozen({})).toBe(false);
    expect(isKnownFrozen('text')).toBe(true);
    expect(isKnownFrozen(Object.freeze({ open: {} }))).toBe(false);
  });

  it('refuses a value that contains itself, and one that nests too deep', () => {
    const loop: { self?: unknown } = {};
    loop.self = loop;
    expect(() => freezeDeep(loop)).toThrow(TypeError);
    expect(() => freezeDeep(nested(1_001))).toThrow('1000');
    expect(isDeepFrozen(freezeDeep(nested(1_000)))).toBe(true);
  });
});

describe('snapshot', () => {
  it('copies what is mutable and leaves the input as it was', () => {
    const input = { a: [{ b: 1 }], c: 'x' };
    const copy = snapshot(input);
    expect(copy).toEqual(input);
    expect(copy).not.toBe(input);
    expect(isDeepFrozen(copy)).toBe(true);
    expect(Object.isFrozen(input)).toBe(false);
    expect(Object.isFrozen(input.a)).toBe(false);
    input.a[0] = { b: 2 };
    expect(copy.a).toEqual([{ b: 1 }]);
  });

  it('shares what is frozen all the way down, and only that', () => {
    const frozen = deepFreeze({ list: [{ a: 1 }], none: null });
    expect(snapshot(frozen)).toBe(frozen);
    const half = Object.freeze({ frozen, open: { a: 1 } });
    const copy = snapshot(half);
    expect(copy).not.toBe(half);
    expect(copy.frozen).toBe(frozen);
    expect(isDeepFrozen(copy)).toBe(true);
    expect(Object.isFrozen(half.open)).toBe(false);
    expect(snapshot(copy)).toBe(copy);
  });

  it('keeps a member called __proto__ as a member', () => {
    const value = parsed('{"__proto__":{"role":"owner"},"constructor":1,"list":[{"__proto__":2}]}');
    const copy = snapshot(value);
    expect(encode(copy)).toBe('{"__proto__":{"role":"owner"},"constructor":1,"list":[{"__proto__":2}]}');
    expect(Reflect.get(Object(copy), 'role')).toBeUndefined();
  });

  it('keeps numbers that a double cannot hold, spellings, and the order of index-like names', () => {
    const text = '{"b":[1.50,1E2,{"10":1.0,"9":2}],"far":1e400,"nonce":12345678901234567890,"zero":-0}';
    const value = parsed(text);
    expect(encode(snapshot(value))).toBe(text);
    expect(encode(freezeDeep(snapshot(value)))).toBe(text);
    expect(encode(freezeDeep(parsed(text)))).toBe(text);
    expect(snapshot(new JsonNumber('1e400')).text).toBe('1e400');
  });

  it('refuses what is no JSON value', () => {
    expect(() => snapshot({ at: new Date(0) })).toThrow(TypeError);
    expect(() => snapshot(new Map())).toThrow(TypeError);
    expect(() =>
      snapshot(
        Object.freeze(
          new (class Holder {
            inner = {};
          })(),
        ),
      ),
    ).toThrow(TypeError);
    expect(() => snapshot(Object.freeze(new Map([[1, 1]])))).toThrow(TypeError);
    expect(() => snapshot({ boxed: new Number(1) })).toThrow(TypeError);
    const loop: unknown[] = [];
    loop.push(loop);
    expect(() => snapshot(loop)).toThrow(TypeError);
    expect(() => snapshot(nested(1_001))).toThrow(TypeError);
    expect(snapshot(nested(1_000))).toEqual(nested(1_000));
  });

  it('reads what stands behind an accessor once, also of a frozen container', () => {
    for (const settle of [Object.freeze, <T>(value: T): T => value]) {
      let reads = 0;
      const members = {
        get text() {
          reads += 1;
          return `read ${reads}`;
        },
      };
      const copy = snapshot(settle({ inner: settle(members), list: settle([1]) }));
      expect([copy.inner.text, copy.inner.text, reads]).toEqual(['read 1', 'read 1', 1]);
      expect(isDeepFrozen(copy)).toBe(true);
    }
    const list: unknown[] = [];
    let reads = 0;
    Object.defineProperty(list, 0, { enumerable: true, get: () => (reads += 1) });
    const copy = snapshot(Object.freeze(list));
    expect([copy[0], copy[0]]).toEqual([1, 1]);
  });

  it('leaves behind what others keep under symbols, and never touches it', () => {
    const mark = Symbol('a tracer keeps its span here');
    const span = { open: true };
    for (const settle of [Object.freeze, <T>(value: T): T => value]) {
      const value = settle({ a: 1, [mark]: span, list: settle(Object.assign([1], { [mark]: span })) });
      const copy = snapshot(value);
      expect(Object.getOwnPropertySymbols(copy)).toEqual([]);
      expect(Object.getOwnPropertySymbols(copy.list)).toEqual([]);
      expect(copy).toEqual({ a: 1, list: [1] });
      expect(Object.isFrozen(span)).toBe(false);
    }
    freezeDeep({ [mark]: span });
    expect(Object.isFrozen(span)).toBe(false);
  });

  it('refuses boxed numbers and lists of a class of their own, frozen or not', () => {
    expect(() => snapshot({ boxed: Object.freeze(new Number(1)) })).toThrow(TypeError);
    class List extends Array<number> {}
    expect(() => snapshot({ list: List.from([1]) })).toThrow(TypeError);
    expect(() => snapshot(Object.freeze(List.from([1])))).toThrow(TypeError);
  });

  it('takes objects without a prototype', () => {
    const bare = Object.assign(Object.create(null) as Record<string, unknown>, { a: { b: 1 } });
    expect(snapshot(bare)).toEqual({ a: { b: 1 } });
    expect(Object.getPrototypeOf(snapshot(bare))).toBe(Object.prototype);
  });
});

describe('copyContainer', () => {
  it('gives a mutable copy of one level, spellings of lists included', () => {
    const list = freezeDeep(parsed('[1.50,{"a":1}]')) as unknown[];
    const copy = copyContainer(list);
    expect(encode(copy)).toBe('[1.50,{"a":1}]');
    expect(copy[1]).toBe(list[1]);
    copy.push(2);
    copy[0] = 3;
    expect(encode(copy)).toBe('[3,{"a":1},2]');
    expect(encode(list)).toBe('[1.50,{"a":1}]');
  });
});

function nested(levels: number): unknown {
  let value: unknown = 'end';
  for (let level = 0; level < levels; level += 1) value = { value };
  return value;
}
