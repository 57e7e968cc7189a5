/* Seeded random JSON texts, small and nasty: colliding names, every kind of spelling, space, escapes, and faults. */

export type Random = () => number;

/** A small seeded generator of numbers in [0, 1). */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

function pick<T>(random: Random, from: readonly [T, ...T[]]): T {
  return from[Math.floor(random() * from.length)] ?? from[0];
}

const NAMES = [
  ...['a', 'b', 'c', 'd', '', ' ', 'e1', '-1', '-0', '01', '1.5', '1e3', '__proto__', 'constructor', 'toString'],
  ...['toJSON', 'length', 'hasOwnProperty', '0', '1', '2', '9', '10', '11', '255', '4294967294', '4294967295'],
  ...['4294967296', '9007199254740991', '9007199254740992', '18446744073709551616', 'é', '\u2028', '🜁', '"', '\\', ':'],
  ...['{"a":1}', '\u0000', '\ud800', '\udfff\ud800'],
] as unknown as readonly [string, ...string[]];

const NUMBERS = [
  ...['0', '1', '-1', '12', '-0', '0.0', '-0.0', '1.0', '1.50', '0.5', '0.05', '0.000001', '0.0000001', '1e2', '1E2'],
  ...['1e+2', '1e-2', '1.0e0', '100e-2', '12345678901234567890', '9007199254740992', '9007199254740993', '1e400'],
  ...['-1e400', '1e-400', '0e0', '0e999', '-0e1', '0.1', '0.10', '0.30000000000000004', '3.141592653589793238'],
  ...['123456789012345', '1234567890123456', '100000000000000000000', '1000000000000000000000', '1e21', '1e+21'],
  ...['1e22', '1e23', '5e-324', '2.5e-324', '4.9e-324', '1.7976931348623157e308', '1.7976931348623159e308', '1e308'],
  ...['123456.789', '999999999999999', '-999999999999999.9', '0.00000000000001', '1152921504606846976'],
] as unknown as readonly [string, ...string[]];

function randomNumber(random: Random): string {
  if (random() < 0.6) return pick(random, NUMBERS);
  const digits = (most: number): string =>
    Array.from({ length: 1 + Math.floor(random() * most) }, () => Math.floor(random() * 10)).join('');
  let text = random() < 0.3 ? '-' : '';
  text += random() < 0.3 ? '0' : String(1 + Math.floor(random() * 9)) + (random() < 0.7 ? digits(18) : '');
  if (random() < 0.5) text += `.${digits(random() < 0.8 ? 4 : 19)}`;
  if (random() < 0.25) text += pick(random, ['e', 'E']) + pick(random, ['', '+', '-']) + digits(random() < 0.8 ? 2 : 3);
  return text;
}

function randomString(random: Random, value: string): string {
  let out = '"';
  for (let index = 0; index < value.length; index += 1) {
    const code = value.charCodeAt(index);
    const mustEscape = code < 32 || code === 34 || code === 92 || (code >= 0xd800 && code <= 0xdfff);
    if (mustEscape || random() < 0.1) {
      const hex = code.toString(16).padStart(4, '0');
      out += `\\u${random() < 0.5 ? hex : hex.toUpperCase()}`;
    } else {
      out += value.charAt(index);
    }
  }
  return `${out}"`;
}

const STRINGS = [
  ...['', 'x', '12', '1.0', 'a:b', '{"a":1,"a":2}', '[1.0]', '\\', '\\"', '"', ':', '\n\t\u0001', 'ü€🜁', '\ud834'],
  ...['a longer text that no scan reads unit by unit to its end, since it is jumped over by a search', '\u007f\u0080'],
  ...[`${'\\'.repeat(70)}"${'x'.repeat(60)}\\`, `${'y'.repeat(49)}\\`, `${'z'.repeat(48)}"`, `${'é'.repeat(30)}\\"`],
] as unknown as readonly [string, ...string[]];

/** A random text; most are JSON, some have duplicates, some faults. */
export function randomText(random: Random): string {
  const isSpaced = random() < 0.3;
  const allowsDuplicates = random() < 0.3;
  const space = (): string => (isSpaced && random() < 0.4 ? pick(random, [' ', '\n', '\r\n', '\t', '  ']) : '');
  const value = (depth: number): string => {
    const dice = random();
    if (depth > 0 && dice < 0.35) {
      const used = new Set<string>();
      const members: string[] = [];
      for (let left = Math.floor(random() * 6); left > 0; left -= 1) {
        const name = pick(random, NAMES);
        if (used.has(name) && !(allowsDuplicates && random() < 0.5)) continue;
        used.add(name);
        const written = space() + randomString(random, name) + space();
        members.push(`${written}:${space()}${value(depth - 1)}${space()}`);
      }
      return `{${members.join(',') || space()}}`;
    }
    if (depth > 0 && dice < 0.55) {
      const items = Array.from({ length: Math.floor(random() * 5) }, () => space() + value(depth - 1) + space());
      return `[${items.join(',') || space()}]`;
    }
    if (dice < 0.8) return randomNumber(random);
    if (dice < 0.9) return randomString(random, pick(random, STRINGS));
    return pick(random, ['true', 'false', 'null']);
  };
  let text = space() + value(1 + Math.floor(random() * 4)) + space();
  if (random() < 0.25) {
    for (let faults = 1 + Math.floor(random() * 2); faults > 0; faults -= 1) text = mutate(random, text);
  }
  return text;
}

const FAULTS = [
  ...['{', '}', '[', ']', ':', ',', '"', '\\', '0', '1', '-', '+', '.', 'e', 'E', 't', 'u', 'n', ' ', '\n', '\u0000'],
  ...['\u00a0', '\ufeff', '\ud800', '\udc00', '/', "'", 'NaN', '\u007f', '"a":', 'null', '1.', '.5', '00', 'Infinity'],
] as unknown as readonly [string, ...string[]];

function mutate(random: Random, text: string): string {
  const at = Math.floor(random() * (text.length + 1));
  const dice = random();
  if (dice < 0.35) return text.slice(0, at) + text.slice(at + 1);
  if (dice < 0.75) return text.slice(0, at) + pick(random, FAULTS) + text.slice(at);
  if (dice < 0.9) return text.slice(0, at) + pick(random, FAULTS) + text.slice(at + 1);
  return text.slice(0, at);
}

/** The bytes of a text, lone surrogates encoded as if they were characters, and sometimes a byte changed. */
export function randomBytes(random: Random, text: string): Uint8Array {
  const out: number[] = [];
  for (let index = 0; index < text.length; index += 1) {
    const code = text.codePointAt(index) ?? 0;
    if (code > 0xffff) {
      index += 1;
      out.push(0xf0 | (code >> 18), 0x80 | ((code >> 12) & 63), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63));
    } else if (code > 0x7ff) out.push(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63));
    else if (code > 0x7f) out.push(0xc0 | (code >> 6), 0x80 | (code & 63));
    else out.push(code);
  }
  if (out.length > 0 && random() < 0.15) {
    const at = Math.floor(random() * out.length);
    const byte = pick(random, [0x80, 0xbf, 0xc0, 0xc1, 0xe0, 0xed, 0xa0, 0xf0, 0xf4, 0xf5, 0xff, 0xef, 0xbb, 0x22]);
    if (random() < 0.5) out[at] = byte;
    else out.splice(at, 0, byte);
  }
  return Uint8Array.from(out);
}
