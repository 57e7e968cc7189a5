import { describe, expect, it } from 'vitest';
import { encode, EncodeError, isJsonNumber, JsonNumber, parse } from '../../templates/support/json/index.js';

function catchError(act: () => unknown): EncodeError {
  try {
    act();
  } catch (error) {
    if (error instanceof EncodeError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

const sparse: unknown[] = [1];
sparse[2] = 3;
class Box {
  value = 1;
}
class List extends Array<number> {}

describe('§1 encode throws on what is no JSON', () => {
  const rows: readonly (readonly [string, unknown, string, string])[] = [
    ['undefined at the root', undefined, 'undefined-value', ''],
    ['undefined in a list', { a: [1, undefined] }, 'undefined-value', '/a/1'],
    ['a hole', { 'b/~': sparse }, 'undefined-value', '/b~1~0/1'],
    ['a function', { f: () => 1 }, 'function', '/f'],
    ['a function at the root', () => 1, 'function', ''],
    ['a function called toJSON', { toJSON: () => 1 }, 'function', '/toJSON'],
    ['a symbol', [Symbol('s')], 'symbol', '/0'],
    ['a bigint', [[1n]], 'bigint', '/0/0'],
    ['NaN', [Number.NaN], 'non-finite-number', '/0'],
    ['an infinity', { a: Infinity }, 'non-finite-number', '/a'],
    ['the other infinity at the root', -Infinity, 'non-finite-number', ''],
    ['a Date', { d: new Date(0) }, 'foreign-object', '/d'],
    ['a Map', new Map([[1, 2]]), 'foreign-object', ''],
    ['a class instance', [new Box()], 'foreign-object', '/0'],
    ['a subclass of Array', { l: List.from([1]) }, 'foreign-object', '/l'],
    ['bytes', new Uint8Array(2), 'foreign-object', ''],
    ['a number object', [new Number(1)], 'foreign-object', '/0'],
    ['a string object', [new String('x')], 'foreign-object', '/0'],
    ['a boolean object', [new Boolean(false)], 'foreign-object', '/0'],
    ['an error', [new Error('x')], 'foreign-object', '/0'],
    ['an object on an object', Object.create({ inherited: 1 }), 'foreign-object', ''],
    ['a list without the prototype of lists', Object.setPrototypeOf([1], null), 'foreign-object', ''],
    ['an object with the prototype of lists', Object.create(Array.prototype), 'foreign-object', ''],
    ['the clone of a JsonNumber', structuredClone([new JsonNumber('1e400')]), 'foreign-object', '/0'],
    [
      'an object made to look like a JsonNumber',
      [Object.create(JsonNumber.prototype, { text: { value: '1,2' } })],
      'foreign-object',
      '/0',
    ],
  ];
  for (const [name, value, code, pointer] of rows) {
    it(name, () => {
      const error = catchError(() => encode(value));
      expect(error).toMatchObject({ code, pointer, name: 'EncodeError' });
      expect(error.message).toMatch(/^(the value|\/[^:]*): expected .*, got .*$/);
      // Also when something beside it was kept, so that another encoder is at work.
      const beside = catchError(() => encode([new JsonNumber('1e400'), -0, { deep: value ?? [undefined] }]));
      expect(beside.code).toBe(code);
    });
  }

  it('a cycle', () => {
    const object: Record<string, unknown> = { a: {} };
    (object.a as Record<string, unknown>).b = [object];
    expect(catchError(() => encode(object))).toMatchObject({ code: 'cycle', pointer: '/a/b/0' });
    const list: unknown[] = [1];
    list.push(list);
    expect(catchError(() => encode(list, { maxDepth: Infinity }))).toMatchObject({ code: 'cycle', pointer: '/1' });
  });

  it('shares are no cycles', () => {
    const shared = { x: [1] };
    expect(encode([shared, shared, { shared }])).toBe('[{"x":[1]},{"x":[1]},{"shared":{"x":[1]}}]');
  });

  it('too deep: 256 by default', () => {
    let value: unknown = 1;
    for (let depth = 0; depth < 256; depth += 1) value = depth % 2 === 0 ? [value] : { a: value };
    expect(encode(value)).toHaveLength(128 * 2 + 128 * 6 + 1);
    const error = catchError(() => encode([value]));
    expect(error).toMatchObject({ code: 'too-deep' });
    expect(error.pointer).toBe(`/0${'/a/0'.repeat(127)}/a`);
    expect(error.message).toMatch(/expected at most 256 containers inside each other, got more$/);
    expect(catchError(() => encode([[]], { maxDepth: 1 }))).toMatchObject({ code: 'too-deep', pointer: '/0' });
    expect(encode('x', { maxDepth: 0 })).toBe('"x"');
    expect(encode([new JsonNumber('1e400'), -0], { maxDepth: 1 })).toBe('[1e400,-0]');
  });

  it('never says a value in its message', () => {
    const error = catchError(() =>
      encode({ token: new Box(), password: Object.assign(() => 1, { secret: 'hunter2' }) }),
    );
    expect(error.message).toBe(
      '/token: expected a plain object, a list or a JsonNumber, got an object of another kind',
    );
  });
});

describe('§1 encode writes', () => {
  it('scalars at the root', () => {
    for (const [value, text] of [
      [null, 'null'],
      [true, 'true'],
      [-0, '-0'],
      [1e21, '1e+21'],
      ['\ud800"\n', '"\\ud800\\"\\n"'],
    ]) {
      expect(encode(value)).toBe(text);
    }
    expect(encode(new JsonNumber('1.50'))).toBe('1.50');
  });

  it('objects without a prototype, and leaves symbols out', () => {
    const bare = Object.create(null) as Record<string | symbol, unknown>;
    bare.a = 1;
    bare[Symbol('s')] = () => 1;
    expect(encode(bare)).toBe('{"a":1}');
    expect(encode([bare, -0])).toBe('[{"a":1},-0]');
  });

  it('members that are undefined as absent, wherever they stand', () => {
    expect(encode({ a: undefined, b: 1, c: undefined })).toBe('{"b":1}');
    expect(encode({ a: undefined })).toBe('{}');
    expect(encode({ a: undefined, b: -0, c: { d: undefined }, e: undefined, f: 2 })).toBe('{"b":-0,"c":{},"f":2}');
  });

  it('strings that need escapes beside what was kept', () => {
    const strings = [
      '"',
      '\\',
      '\u0000',
      '\u007f',
      '\u2028',
      '\ud800',
      '\udc00x',
      '🜁',
      'plain',
      'é',
      'x'.repeat(40),
      '"'.repeat(40),
    ];
    const value = { '"\\\u0001\ud800': -0, strings };
    expect(encode(value)).toBe(JSON.stringify(value).replace(':0,', ':-0,'));
  });

  it('a record that does not fit, or was made by others, only where it is true', () => {
    const result = parse('{"a":1.0,"b":[2.0,3.0]}');
    if (!result.ok) throw new Error('refused');
    const value = result.value as { a: number; b: number[] };
    const key = Object.getOwnPropertySymbols(value)[0] as symbol;
    const forged = (kept: unknown): string => encode({ a: 1, b: 2, [key]: kept });
    expect(forged(null)).toBe('{"a":1,"b":2}');
    expect(forged(7)).toBe('{"a":1,"b":2}');
    expect(forged({ spellings: 'no', order: null })).toBe('{"a":1,"b":2}');
    expect(forged({ spellings: new Map([['a', '1 ']]), order: null })).toBe('{"a":1,"b":2}');
    expect(forged({ spellings: new Map([['a', '0x1']]), order: ['zz', 'b', 'b'] })).toBe('{"b":2,"a":1}');
    expect(encode({ ...value.b })).toBe('{"0":2,"1":3}');
    value.b.pop();
    value.b[0] = 4;
    value.b[1] = 3;
    expect(encode(value)).toBe('{"a":1.0,"b":[4,3.0]}');
  });
});

describe('values that throw while they are read', () => {
  const revoked = (): object => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy;
  };
  const throwing = {
    get member(): unknown {
      throw new TypeError('accessor');
    },
  };
  const trapped = new Proxy(
    {},
    {
      ownKeys() {
        throw new Error('trap');
      },
    },
  );

  it.each([
    ['a revoked proxy', revoked()],
    ['a revoked proxy in a list', [revoked()]],
    ['a throwing accessor', throwing],
    ['a throwing accessor below', { a: [{ b: throwing }] }],
    ['a trap that throws', { a: trapped }],
  ])('%s is an EncodeError with its cause', (_name, value) => {
    try {
      encode(value);
      expect.unreachable('encode must throw');
    } catch (error) {
      expect(error).toBeInstanceOf(EncodeError);
      expect(error).toMatchObject({ code: 'foreign-object' });
    }
  });

  it('no look at such a value throws', () => {
    expect(isJsonNumber(revoked())).toBe(false);
    expect(parse(revoked() as never)).toMatchObject({ ok: false, issues: [{ code: 'wrong-type' }] });
  });

  it('an object that merely has the prototype of a JsonNumber is none', () => {
    const forged = Object.create(JsonNumber.prototype, { text: { value: '1,"x":2' } }) as unknown;
    expect(isJsonNumber(Object.create(JsonNumber.prototype))).toBe(false);
    expect(isJsonNumber(forged)).toBe(false);
    expect(() => encode(forged)).toThrow(EncodeError);
    expect(() => encode({ a: forged })).toThrow(EncodeError);
  });
});
