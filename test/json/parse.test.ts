import { describe, expect, it } from 'vitest';
import {
  DEFAULT_MAX_DEPTH,
  DEFAULT_MAX_SIZE,
  encode,
  isJsonNumber,
  type JsonIssue,
  JsonNumber,
  type JsonValue,
  parse,
} from '../../templates/support/json/index.js';

function accept(input: string | Uint8Array, limits?: { maxDepth?: number; maxSize?: number }): JsonValue {
  const result = parse(input, limits);
  if (!result.ok) throw new Error(`refused: ${JSON.stringify(result.issues)}`);
  return result.value;
}

function refuse(input: unknown, limits?: { maxDepth?: number; maxSize?: number }): JsonIssue {
  const result = parse(input as string, limits);
  if (result.ok) throw new Error('accepted');
  expect(result.issues).toHaveLength(1);
  return result.issues[0] as JsonIssue;
}

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('§1 what is no JSON is refused, with place and code', () => {
  const rows: readonly (readonly [string, string, string])[] = [
    ['', '', 'the end of the text'],
    [' ', '', 'the end of the text'],
    ['{"a":1} x', '', 'another character'],
    ['1 2', '', 'another character'],
    ['[1,]', '/1', "']'"],
    ['[,1]', '/0', "','"],
    ['{"a":1,}', '', "'}'"],
    ['{a:1}', '', 'another character'],
    ['{"a" 1}', '/a', 'another character'],
    ['{"a":{"b/c~d":[0,nul]}}', '/a/b~1c~0d/1', 'another character'],
    ['[NaN]', '/0', 'another character'],
    ['[Infinity]', '/0', 'another character'],
    ['[-Infinity]', '/0', 'another character'],
    ['[+1]', '/0', 'another character'],
    ['[.5]', '/0', 'another character'],
    ['[5.]', '/0', 'another character'],
    ['[01]', '', 'another character'],
    ['[-]', '/0', 'another character'],
    ['[1e]', '/0', 'another character'],
    ['[1e+]', '/0', 'another character'],
    ['[0x10]', '', 'another character'],
    ['[1_000]', '', 'another character'],
    ["['a']", '/0', 'another character'],
    ['["\t"]', '/0', 'a control character'],
    ['["\\x41"]', '/0', 'another character'],
    ['["\\u12g4"]', '/0', 'another character'],
    ['["a', '/0', 'the end of the text'],
    ['["a\\', '/0', 'the end of the text'],
    ['[1', '', 'the end of the text'],
    ['[[', '/0/0', 'the end of the text'],
    ['[1}', '', "'}'"],
    ['\u00a0[]', '', 'another character'],
    ['[]\u0000', '', 'a control character'],
    ['// c\n1', '', 'another character'],
    ['TRUE', '', 'another character'],
  ];
  for (const [text, pointer, got] of rows) {
    it(JSON.stringify(text), () => {
      for (const input of [text, utf8(text)]) {
        const issue = refuse(input);
        expect(issue.code).toBe('invalid-json');
        expect(issue.pointer).toBe(pointer);
        expect(issue.message).toMatch(/^expected .*, at line \d+, column \d+ \(offset \d+\)$/);
        expect(issue.message.includes(`got ${got}`), issue.message).toBe(true);
      }
    });
  }

  it('says line, column and offset, and nothing of the text', () => {
    expect(refuse('{\n  "secret": 1,\n  "other": hunter2\n}')).toEqual({
      pointer: '/other',
      code: 'invalid-json',
      message: 'expected a JSON value, got another character, at line 3, column 12 (offset 28)',
    });
  });

  it('refuses a byte-order mark in front, but not inside a string', () => {
    expect(refuse('\ufeff{}')).toEqual({
      pointer: '',
      code: 'invalid-json',
      message: 'the text: expected JSON, got a byte-order mark at offset 0',
    });
    expect(refuse(Uint8Array.of(0xef, 0xbb, 0xbf, 0x31)).code).toBe('invalid-json');
    expect(accept('"\ufeff"')).toBe('\ufeff');
    expect(accept(utf8('["\ufeff"]'))).toEqual(['\ufeff']);
  });
});

describe('§1 duplicate members are refused', () => {
  const rows: readonly (readonly [string, string])[] = [
    ['{"a":1,"a":1}', '/a'],
    ['{"a":1,"\\u0061":2}', '/a'],
    ['{"a":{"b":1,"b":2},"a":3}', '/a/b'],
    ['{"__proto__":1,"__proto__":2}', '/__proto__'],
    ['{"x":[{"":0,"":0}]}', '/x/0/'],
    ['{"1":1,"0":0,"1":2}', '/1'],
    ['{"\\ud800":1,"\\uD800":2}', '/\ud800'],
    ['{"a":[],"b":{"c":{}},"a":{"d":1}}', '/a'],
  ];
  for (const [text, pointer] of rows) {
    it(text, () => {
      for (const input of [text, utf8(text)]) {
        expect(refuse(input)).toMatchObject({ code: 'duplicate-member', pointer });
      }
    });
  }

  it('finds one anywhere in a large text', () => {
    const member = (index: number): string => `"k${index}":{"a:b":"c:d","\\u0065":[${index}]}`;
    const members = Array.from({ length: 6000 }, (_, index) => member(index));
    expect(accept(`{${members.join()}}`)).toHaveProperty('k5999');
    expect(refuse(`{${[...members, '"k17":0'].join()}}`)).toMatchObject({ code: 'duplicate-member', pointer: '/k17' });
  });
});

describe('§1 invalid UTF-8 is refused', () => {
  const rows: readonly (readonly [string, readonly number[], number])[] = [
    ['a lone continuation byte', [0x22, 0x80, 0x22], 1],
    ['an overlong slash', [0x22, 0xc0, 0xaf, 0x22], 1],
    ['an overlong three-byte form', [0x22, 0xe0, 0x80, 0xaf, 0x22], 1],
    ['an overlong four-byte form', [0x22, 0xf0, 0x80, 0x80, 0xaf, 0x22], 1],
    ['an encoded high surrogate', [0x22, 0xed, 0xa0, 0x80, 0x22], 1],
    ['an encoded surrogate pair', [0x22, 0xed, 0xa0, 0xb4, 0xed, 0xb4, 0x9e, 0x22], 1],
    ['beyond U+10FFFF', [0x22, 0xf4, 0x90, 0x80, 0x80, 0x22], 1],
    ['a lead byte that never occurs', [0x22, 0x61, 0xf8, 0x88, 0x22], 2],
    ['a truncated character at the end', [0x22, 0xe2, 0x82], 1],
    ['a truncated character before a quote', [0x22, 0xc3, 0x22], 1],
    ['UTF-16', [0xff, 0xfe, 0x31, 0x00], 0],
  ];
  for (const [name, bytes, offset] of rows) {
    it(name, () => {
      expect(refuse(Uint8Array.from(bytes))).toEqual({
        pointer: '',
        code: 'invalid-utf8',
        message: `expected UTF-8, got other bytes at byte ${offset}`,
      });
    });
  }

  it('a raw lone surrogate in text, while an escaped one is JSON and comes back', () => {
    for (const text of ['"\ud800"', '["\udc00"]', '{"\ud800\ud800\udc00":1}', '\udfff']) {
      expect(refuse(text).code).toBe('invalid-utf8');
    }
    expect(refuse('{"a":[1,"b\ud800"]}')).toEqual({
      pointer: '/a/1',
      code: 'invalid-utf8',
      message: 'expected characters of Unicode, got a lone surrogate, at line 1, column 11 (offset 10)',
    });
    expect(encode(accept('["\\ud800","\\udc00\\ud800"]'))).toBe('["\\ud800","\\udc00\\ud800"]');
    expect(accept('"\ud83d\ude00"')).toBe('\u{1f600}');
  });

  it('names the place of bytes inside a text', () => {
    const bytes = Uint8Array.of(...utf8('{"a":[true,"'), 0xff, ...utf8('"]}'));
    expect(refuse(bytes)).toMatchObject({ code: 'invalid-utf8', pointer: '/a/1' });
  });
});

describe('§1 limits', () => {
  const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
  const nestedObjects = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

  it('has a depth of 256 containers by default', () => {
    expect(DEFAULT_MAX_DEPTH).toBe(256);
    expect(encode(accept(nested(256)))).toBe(nested(256));
    expect(encode(accept(nestedObjects(256)))).toBe(nestedObjects(256));
    expect(refuse(nested(257))).toEqual({
      pointer: '/0'.repeat(256),
      code: 'too-deep',
      message: 'expected at most 256 containers inside each other, got more, at line 1, column 257 (offset 256)',
    });
    expect(refuse(nestedObjects(257))).toMatchObject({ code: 'too-deep', pointer: '/a'.repeat(256) });
  });

  it('counts an empty container, and admits only scalars at zero', () => {
    expect(refuse('[[]]', { maxDepth: 1 })).toMatchObject({ code: 'too-deep', pointer: '/0' });
    expect(refuse('[]', { maxDepth: 0 })).toMatchObject({ code: 'too-deep', pointer: '' });
    expect(accept('"x"', { maxDepth: 0 })).toBe('x');
    expect(accept('[[1],{"a":2}]', { maxDepth: 2 })).toEqual([[1], { a: 2 }]);
  });

  it('refuses a hundred thousand levels without using the call stack, and takes them when allowed', () => {
    const deep = nested(100_000);
    expect(refuse(deep).code).toBe('too-deep');
    const value = accept(deep, { maxDepth: 100_000 });
    expect(encode(value, { maxDepth: Infinity })).toBe(deep);
    expect(refuse('['.repeat(1_000_000), { maxDepth: Infinity })).toMatchObject({ code: 'invalid-json' });
  });

  it('keeps spelling and order at every depth, also beyond its own recursion', () => {
    for (const depth of [255, 998, 999, 1000, 1001, 3000]) {
      const text = `${'[{"9":'.repeat(depth / 2)}[1.0,1e400]${',"8":1e2}]'.repeat(depth / 2)}`;
      expect(encode(accept(text, { maxDepth: 4000 }), { maxDepth: 4000 })).toBe(text);
    }
  });

  it('has a size of 64 MiB by default, in units of text and in bytes', () => {
    expect(DEFAULT_MAX_SIZE).toBe(67_108_864);
    expect(refuse(' '.repeat(67_108_865))).toEqual({
      pointer: '',
      code: 'too-large',
      message: 'the text: expected at most 67108864 UTF-16 units, got 67108865',
    });
    expect(refuse(new Uint8Array(67_108_865))).toMatchObject({ code: 'too-large' });
    expect(accept('"é"', { maxSize: 3 })).toBe('é');
    expect(refuse(utf8('"é"'), { maxSize: 3 }).message).toBe('the text: expected at most 3 bytes, got 4');
    expect(accept(utf8('"é"'), { maxSize: 4 })).toBe('é');
    expect(refuse('', { maxSize: 0 }).code).toBe('invalid-json');
  });

  it('throws only on a limit that is no number >= 0, since a mistyped bound must not become none', () => {
    for (const limit of [Number.NaN, -1, '5', null, {}, 5n]) {
      expect(() => parse('1', { maxDepth: limit as number })).toThrow(RangeError);
      expect(() => parse('1', { maxSize: limit as number })).toThrow(RangeError);
      expect(() => encode(1, { maxDepth: limit as number })).toThrow(RangeError);
    }
    expect(() => parse('1', { maxDepth: Number.NaN })).toThrow('maxDepth: expected a number >= 0, got NaN');
    expect(parse('[1]', { maxDepth: undefined, maxSize: undefined }).ok).toBe(true);
    expect(parse('[1]', undefined).ok).toBe(true);
    expect(parse('[1]', null as never).ok).toBe(true);
    expect(parse('[1]', { maxDepth: 1.5 }).ok).toBe(true);
  });
});

describe('§1 no input makes it throw', () => {
  it('of another type', () => {
    const others = [undefined, null, 42, 1n, Symbol('s'), true, {}, [], new Date(), () => 1, new Map()];
    for (const other of [
      ...others,
      new String('1'),
      new ArrayBuffer(1),
      new Uint16Array(1),
      new DataView(new ArrayBuffer(1)),
    ]) {
      expect(refuse(other)).toMatchObject({ code: 'wrong-type', pointer: '' });
    }
    expect(refuse(null).message).toBe('the input: expected a string or a Uint8Array, got null');
    expect(refuse([]).message).toBe('the input: expected a string or a Uint8Array, got a list');
    expect(refuse(7).message).toBe('the input: expected a string or a Uint8Array, got a number');
  });

  it('of unusual bytes: buffers, parts of buffers, shared memory', () => {
    expect(accept(Buffer.from('[1]'))).toEqual([1]);
    expect(accept(utf8('xx[1.0]yy').subarray(2, 7))).toSatisfy((value) => encode(value) === '[1.0]');
    const shared = new Uint8Array(new SharedArrayBuffer(3));
    shared.set(utf8('[2]'));
    expect(accept(shared)).toEqual([2]);
    const moved = utf8('[3]');
    structuredClone(moved.buffer, { transfer: [moved.buffer as ArrayBuffer] });
    expect(refuse(moved).code).toBe('invalid-json');
  });
});

describe('§1 large texts', () => {
  it('one long string, of one and of more bytes a character, with escapes', () => {
    for (const body of ['x'.repeat(300_000), 'é€🜁'.repeat(60_000), 'a\\"b\\\\'.repeat(60_000), '\\\\'.repeat(99_999)]) {
      const text = `{"a:":"${body}","b":[1.0,"${body}"]}`;
      const value = accept(text) as { 'a:': string };
      expect(value['a:']).toBe(JSON.parse(`"${body}"`));
      expect(encode(value)).toBe(text);
      expect(encode(accept(utf8(text)))).toBe(text);
      expect(refuse(`${text.slice(0, -1)},"b":0}`).code).toBe('duplicate-member');
    }
  });

  it('beyond what is copied to be scanned', () => {
    const text = `{"a":"${'x'.repeat(9_000_000)}","10":1.0,"9":[0.10]}`;
    expect(encode(accept(text)) === text).toBe(true);
  });

  it('numbers of any length stay cheap', () => {
    const digits = '7'.repeat(500_000);
    for (const lexeme of [digits, `0.${digits}`, `1e${digits}`, `1e-${digits}`, `-${digits}.${digits}e+${digits}`]) {
      expect(encode(accept(`[${lexeme},${lexeme}]`)) === `[${lexeme},${lexeme}]`).toBe(true);
      const bare = accept(lexeme);
      expect(isJsonNumber(bare) && bare.text === lexeme).toBe(true);
    }
    const zeros = `0e-${'9'.repeat(500_000)}`;
    expect(accept(`[${zeros}]`)).toSatisfy((value) => (value as number[])[0] === 0);
  });

  it('a long list that is canonical as a whole, and one that is not by its last element', () => {
    const floats = Array.from({ length: 500 }, (_, index) => String(Math.sqrt(index + 2)));
    for (const tail of ['0.1234567890123456', '1.0', '1e400', '-0', '{"2":1,"1":2}', ' 1', '"\\u0041"']) {
      const text = `[${[...floats, tail].join()}]`;
      const expected = tail === ' 1' ? text.replace(' ', '') : text.replace('\\u0041', 'A');
      expect(encode(accept(text))).toBe(expected);
      expect(encode(accept(`{"a":[${text},${text}]}`))).toBe(`{"a":[${expected},${expected}]}`);
    }
  });
});

describe('§1 index-like names that are written with escapes keep their order', () => {
  const members = '"\\u0031\\u0030":"x","\\u0039":"y"';
  // Short as text and as bytes, long in ASCII, and long in other characters: each is scanned in another way.
  for (const padding of ['', 'x'.repeat(70_000), 'é'.repeat(70_000)]) {
    it(`beside ${padding.length} units of ${padding.slice(0, 1) || 'nothing'}`, () => {
      const text = `{${members},"pad":"${padding}"}`;
      for (const input of [text, utf8(text)]) {
        expect(encode(accept(input)) === `{"10":"x","9":"y","pad":"${padding}"}`).toBe(true);
      }
    });
  }
});

describe('§1 hostile names are ordinary members', () => {
  it('never touches a prototype', () => {
    const text = '{"__proto__":{"polluted":true},"constructor":{"prototype":1},"toString":null,"hasOwnProperty":0}';
    const value = accept(text) as Record<string, unknown>;
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor', 'toString', 'hasOwnProperty']);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect(encode(value)).toBe(text);
    expect(encode({ ...value })).toBe(text);
  });

  it('keeps numbers under them', () => {
    const text = '{"__proto__":1.0,"constructor":12345678901234567890,"a":{"__proto__":[1e400,{"__proto__":1e2}]}}';
    expect(encode(accept(text))).toBe(text);
    expect(encode({ ...(accept(text) as object) })).toBe(text);
  });
});

describe('§1 a polluted prototype', () => {
  const withPollution = (target: object, key: string, descriptor: PropertyDescriptor, act: () => void): void => {
    Object.defineProperty(target, key, { configurable: true, ...descriptor });
    try {
      act();
    } finally {
      Reflect.deleteProperty(target, key);
    }
  };
  const text = '{"own name":1,"10":{"evil":1.0},"9":[1e400,{"__proto__":[]}],"x":"y"}';

  it('with something enumerable on Object.prototype changes nothing', () => {
    withPollution(Object.prototype, 'evil', { value: 1, enumerable: true, writable: true }, () => {
      const value = accept(text);
      expect(encode(value) === text).toBe(true);
      expect(refuse('{"a":1,"a":2}').code).toBe('duplicate-member');
      expect(encode({ a: [1, {}] })).toBe('{"a":[1,{}]}');
    });
  });

  it('with a setter for a member name is not run', () => {
    let runs = 0;
    const encodings: string[] = [];
    const setter = { set: () => (runs += 1), get: () => 7 };
    for (const enumerable of [true, false]) {
      // Nothing is expected inside, since the test runner copies objects by enumeration.
      withPollution(Object.prototype, 'own name', { ...setter, enumerable }, () => {
        encodings.push(encode(accept(text)));
      });
    }
    expect(encodings).toEqual([text, text]);
    expect(runs).toBe(0);
  });

  it('with a toJSON method is not asked', () => {
    withPollution(Object.prototype, 'toJSON', { value: () => 'hijacked', enumerable: false }, () => {
      expect(encode(accept(text)) === text).toBe(true);
      expect(encode({ a: [1, 'x'] })).toBe('{"a":[1,"x"]}');
    });
    withPollution(Array.prototype, 'toJSON', { value: () => 'hijacked', enumerable: true }, () => {
      expect(encode({ a: [1, 'x'] })).toBe('{"a":[1,"x"]}');
    });
    withPollution(String.prototype, 'toJSON', { value: () => 'hijacked', enumerable: false }, () => {
      expect(encode({ a: [1, 'x'] })).toBe('{"a":[1,"x"]}');
    });
  });
});

describe('§1 numbers', () => {
  it('come back as they were spelled', () => {
    const numbers = ['1.50', '1E3', '12345678901234567890', '-0', '-0.0', '1e400', '1e-400', '0.10', '1e21', '1e+21'];
    const text = `{"cost":1.50,"limit":1E3,"nonce":12345678901234567890,"zero":-0,"far":1e400,"all":[${numbers.join()}]}`;
    const value = accept(text) as Record<string, unknown>;
    expect(encode(value)).toBe(text);
    expect(value.cost).toBe(1.5);
    expect(value.zero).toBe(-0);
    expect(value.nonce).toBeInstanceOf(JsonNumber);
    expect(Object.isFrozen(value.far)).toBe(true);
    expect(encode({ ...value, limit: 4 })).toBe(text.replace('1E3', '4'));
  });

  it('are plain when the shortest decimal of their double has the same value, else JsonNumber', () => {
    const plain = ['0.1', '1.0', '100e-2', '9007199254740992', '1e23', '100000000000000000000000', '0e999', '5e-324'];
    for (const lexeme of plain)
      expect(accept(`[${lexeme}]`)).toSatisfy(([value]: JsonValue[]) => typeof value === 'number');
    const exact = [
      '9007199254740993',
      '1152921504606846976',
      '1e400',
      '-1e400',
      '1e-400',
      '3.141592653589793238',
      '4.9e-324',
    ];
    for (const lexeme of exact) {
      expect(accept(`[${lexeme}]`)).toSatisfy(([value]: JsonValue[]) => isJsonNumber(value) && value.text === lexeme);
    }
  });

  it('at the root have no container, so that any other spelling than the canonical one is a JsonNumber', () => {
    expect(accept('1')).toBe(1);
    expect(accept(' -0 ')).toBe(-0);
    for (const lexeme of ['1.0', '1e2', '12345678901234567890', '0.0', '-0.0']) {
      const value = accept(` ${lexeme}\n`);
      expect(isJsonNumber(value)).toBe(true);
      expect(encode(value)).toBe(lexeme);
    }
  });
});
