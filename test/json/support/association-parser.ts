/*
 * An independent judge of JSON texts: recursive, over an array of UTF-16 units, with objects as association lists. It
 * never calls JSON.parse and shares no code with the module under test. Numbers are judged with big integers.
 */

export type Tree =
  | { readonly kind: 'word'; readonly value: true | false | null }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'number'; readonly lexeme: string }
  | { readonly kind: 'list'; readonly items: readonly Tree[] }
  | { readonly kind: 'object'; readonly members: readonly (readonly [string, Tree])[] };

export type Verdict = { readonly tree: Tree } | { readonly code: string };

class Stop extends Error {
  readonly code: string;
  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

const ESCAPES = new Map([
  ['"', '"'],
  ['\\', '\\'],
  ['/', '/'],
  ['b', '\u0008'],
  ['f', '\u000c'],
  ['n', '\u000a'],
  ['r', '\u000d'],
  ['t', '\u0009'],
]);

/** Judges a text; gives its tree or the code of its first fault. */
export function judgeText(text: string, maxDepth = 256): Verdict {
  const units = text.split('');
  for (let index = 0; index < units.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 0xd800 || code > 0xdfff) continue;
    const next = text.charCodeAt(index + 1);
    if (code > 0xdbff || !(next >= 0xdc00 && next <= 0xdfff)) return { code: 'invalid-utf8' };
    index += 1;
  }
  let at = 0;
  const fail = (): never => {
    throw new Stop('invalid-json');
  };
  const space = (): void => {
    while ([' ', '\n', '\r', '\t'].includes(units[at] ?? 'x')) at += 1;
  };
  const expect = (unit: string): void => {
    if (units[at] !== unit) fail();
    at += 1;
  };
  const isDigit = (): boolean => /^[0-9]$/.test(units[at] ?? '');
  const digits = (): void => {
    if (!isDigit()) fail();
    while (isDigit()) at += 1;
  };
  const string = (): string => {
    expect('"');
    let value = '';
    for (;;) {
      const unit = units[at++];
      if (unit === undefined || unit < ' ') fail();
      if (unit === '"') return value;
      if (unit !== '\\') {
        value += unit;
        continue;
      }
      const kind = units[at++];
      if (kind === 'u') {
        const hex = units.slice(at, at + 4).join('');
        if (!/^[0-9a-f]{4}$/i.test(hex)) fail();
        value += String.fromCharCode(Number.parseInt(hex, 16));
        at += 4;
      } else {
        value += ESCAPES.get(kind ?? '') ?? fail();
      }
    }
  };
  const number = (): Tree => {
    const start = at;
    if (units[at] === '-') at += 1;
    if (units[at] === '0') at += 1;
    else digits();
    if (units[at] === '.') {
      at += 1;
      digits();
    }
    if (units[at] === 'e' || units[at] === 'E') {
      at += 1;
      if (units[at] === '+' || units[at] === '-') at += 1;
      digits();
    }
    return { kind: 'number', lexeme: units.slice(start, at).join('') };
  };
  const word = (letters: string, value: true | false | null): Tree => {
    for (const letter of letters) expect(letter);
    return { kind: 'word', value };
  };
  const any = (depth: number): Tree => {
    switch (units[at]) {
      case '{': {
        if (depth === maxDepth) throw new Stop('too-deep');
        at += 1;
        const members: [string, Tree][] = [];
        space();
        if (units[at] === '}') {
          at += 1;
          return { kind: 'object', members };
        }
        for (;;) {
          space();
          const name = string();
          if (members.some(([other]) => other === name)) throw new Stop('duplicate-member');
          space();
          expect(':');
          space();
          members.push([name, any(depth + 1)]);
          space();
          if (units[at] === '}') break;
          expect(',');
        }
        at += 1;
        return { kind: 'object', members };
      }
      case '[': {
        if (depth === maxDepth) throw new Stop('too-deep');
        at += 1;
        const items: Tree[] = [];
        space();
        if (units[at] === ']') {
          at += 1;
          return { kind: 'list', items };
        }
        for (;;) {
          space();
          items.push(any(depth + 1));
          space();
          if (units[at] === ']') break;
          expect(',');
        }
        at += 1;
        return { kind: 'list', items };
      }
      case '"':
        return { kind: 'string', value: string() };
      case 't':
        return word('true', true);
      case 'f':
        return word('false', false);
      case 'n':
        return word('null', null);
      default:
        return number();
    }
  };
  try {
    space();
    const tree = any(0);
    space();
    if (at < units.length) fail();
    return { tree };
  } catch (error) {
    if (error instanceof Stop) return { code: error.code };
    throw error;
  }
}

/** Judges bytes: they are UTF-8 when a lenient decoder and an encoder give the same bytes back. */
export function judgeBytes(bytes: Uint8Array, maxDepth = 256): Verdict {
  const text = Buffer.from(bytes).toString('utf8');
  if (Buffer.compare(Buffer.from(text, 'utf8'), bytes) !== 0) return { code: 'invalid-utf8' };
  return judgeText(text, maxDepth);
}

/** Writes a tree compactly, numbers as they were spelled, strings with the escapes that encoders usually choose. */
export function writeTree(tree: Tree): string {
  switch (tree.kind) {
    case 'word':
      return String(tree.value);
    case 'number':
      return tree.lexeme;
    case 'string':
      return writeString(tree.value);
    case 'list':
      return `[${tree.items.map(writeTree).join(',')}]`;
    default:
      return `{${tree.members.map(([name, member]) => `${writeString(name)}:${writeTree(member)}`).join(',')}}`;
  }
}

function writeString(value: string): string {
  const short = new Map([...ESCAPES].filter(([letter]) => letter !== '/').map(([letter, unit]) => [unit, letter]));
  let out = '"';
  for (let index = 0; index < value.length; index += 1) {
    const unit = value.charAt(index);
    const code = value.charCodeAt(index);
    const next = value.charCodeAt(index + 1);
    const letter = short.get(unit);
    if (letter !== undefined) out += `\\${letter}`;
    else if (code >= 0xd800 && code <= 0xdbff && next >= 0xdc00 && next <= 0xdfff) out += unit + value.charAt(++index);
    else if (code < 32 || (code >= 0xd800 && code <= 0xdfff)) out += `\\u${code.toString(16).padStart(4, '0')}`;
    else out += unit;
  }
  return `${out}"`;
}

/** The exact value of a spelling as coefficient * 10^exponent, the coefficient not divisible by ten. */
export function exactValue(lexeme: string): { readonly coefficient: bigint; readonly exponent: bigint } {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(lexeme);
  if (match === null) throw new Error('the judge met a spelling that is no number');
  const [, sign = '', whole = '', fraction = '', power = '0'] = match;
  let coefficient = BigInt(whole + fraction);
  let exponent = BigInt(power.replace('+', '')) - BigInt(fraction.length);
  if (coefficient === 0n) return { coefficient, exponent: 0n };
  while (coefficient % 10n === 0n) {
    coefficient /= 10n;
    exponent += 1n;
  }
  return { coefficient: sign === '-' ? -coefficient : coefficient, exponent };
}

/** Whether two spellings have the same exact value. */
export function isSameExactValue(left: string, right: string): boolean {
  const a = exactValue(left);
  const b = exactValue(right);
  return a.coefficient === b.coefficient && a.exponent === b.exponent;
}

/** Whether the double nearest to a spelling prints as a decimal of the same value. */
export function doubleHolds(lexeme: string): boolean {
  const double = Number(lexeme);
  return Number.isFinite(double) && isSameExactValue(lexeme, String(double));
}
