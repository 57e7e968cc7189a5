/*
 * The slow and exact parser: one pass over the text with a stack of its own, so that depth costs no call stack.
 * `parse` calls it to find the place and code of an issue, for texts deeper than its own recursion, and whenever the
 * engine's own objects cannot be trusted (something enumerable on `Object.prototype`).
 */
import { endOfNumber, isHeldByDouble } from './decimal.js';
import { JsonNumber } from './json-number.js';
import { attachKept } from './kept.js';
import { toPointer } from './pointer.js';
import type { JsonIssue, JsonIssueCode, JsonParseResult, JsonValue } from './types.js';

const QUOTE = 34;
const BACKSLASH = 92;
const BRACE_OPEN = 123;
const BRACE_CLOSE = 125;
const BRACKET_OPEN = 91;
const BRACKET_CLOSE = 93;
const COLON = 58;
const COMMA = 44;
const LETTER_U = 117;
const FIRST_UNESCAPED = 32;
const SIMPLE_ESCAPES = '"\\/bfnrt';
const HEX = '0123456789abcdefABCDEF';

interface ObjectFrame {
  readonly kind: 'object';
  readonly container: object;
  readonly names: string[];
  readonly spellings: Map<string, string>;
  /** Whether a value is being read or expected: the one of the last name. */
  isAwaiting: boolean;
}

interface ListFrame {
  readonly kind: 'list';
  readonly container: unknown[];
  readonly spellings: (string | undefined)[];
  /** Whether a value is being read or expected: the one behind the last. */
  isAwaiting: boolean;
}

type Frame = ObjectFrame | ListFrame;

class Refusal extends Error {
  readonly issue: JsonIssue;
  constructor(issue: JsonIssue) {
    super(issue.message);
    this.issue = issue;
  }
}

/** Puts a value in its place whatever the name and whatever stands on the prototypes. */
function define(container: object, key: string | number, value: unknown): void {
  Object.defineProperty(container, key, { value, enumerable: true, writable: true, configurable: true });
}

function describeUnit(text: string, at: number): string {
  if (at >= text.length) return 'the end of the text';
  const unit = text.charCodeAt(at);
  if ('{}[]:,"'.includes(text.charAt(at))) return `'${text.charAt(at)}'`;
  if (unit < FIRST_UNESCAPED) return 'a control character';
  return 'another character';
}

/** Gives line and column (both from 1, columns in UTF-16 units) and offset (from 0) of a position, for people. */
export function describePosition(text: string, offset: number): string {
  let line = 1;
  let lineStart = 0;
  for (let end = text.indexOf('\n'); end !== -1 && end < offset; end = text.indexOf('\n', end + 1)) {
    line += 1;
    lineStart = end + 1;
  }
  return `at line ${line}, column ${offset - lineStart + 1} (offset ${offset})`;
}

class ExactParser {
  private readonly text: string;
  private readonly maxDepth: number;
  private readonly frames: Frame[] = [];
  private at = 0;

  constructor(text: string, maxDepth: number) {
    this.text = text;
    this.maxDepth = maxDepth;
  }

  /** Parses the whole text. Throws a `Refusal` with the first issue. */
  parse(): JsonValue {
    this.skipSpace();
    for (;;) {
      // One value starts here; afterwards every container that ends behind it is closed.
      let value: unknown;
      const unit = this.text.charCodeAt(this.at);
      if (unit === BRACE_OPEN || unit === BRACKET_OPEN) {
        value = this.open(unit);
        if (value === undefined) continue;
      } else {
        value = this.scalar(unit);
      }
      for (;;) {
        const frame = this.frames.at(-1);
        if (frame === undefined) {
          this.skipSpace();
          if (this.at < this.text.length) this.refuseHere('expected nothing behind the value');
          return value as JsonValue;
        }
        this.put(frame, value);
        if (!this.closes(frame)) break;
        this.frames.pop();
        this.keep(frame);
        value = frame.container;
      }
    }
  }

  /** Pointer of the value that is being read. */
  pointer(): string {
    const keys: (string | number)[] = [];
    for (const frame of this.frames) {
      if (!frame.isAwaiting) continue;
      if (frame.kind === 'list') keys.push(frame.container.length);
      else keys.push(...frame.names.slice(-1));
    }
    return toPointer(keys);
  }

  private refuse(code: JsonIssueCode, rule: string, at: number): never {
    throw new Refusal({ pointer: this.pointer(), code, message: `${rule}, ${describePosition(this.text, at)}` });
  }

  private refuseHere(rule: string): never {
    this.refuse('invalid-json', `${rule}, got ${describeUnit(this.text, this.at)}`, this.at);
  }

  private skipSpace(): void {
    for (;;) {
      const unit = this.text.charCodeAt(this.at);
      if (unit !== 32 && unit !== 10 && unit !== 13 && unit !== 9) return;
      this.at += 1;
    }
  }

  /** Opens a container. Gives it when it is empty; otherwise undefined, standing before its first value. */
  private open(unit: number): object | undefined {
    if (this.frames.length >= this.maxDepth) {
      this.refuse('too-deep', `expected at most ${this.maxDepth} containers inside each other, got more`, this.at);
    }
    this.at += 1;
    this.skipSpace();
    if (unit === BRACKET_OPEN) {
      const list: unknown[] = [];
      if (this.take(BRACKET_CLOSE)) return list;
      this.frames.push({ kind: 'list', container: list, spellings: [], isAwaiting: true });
      return undefined;
    }
    const object = {};
    if (this.take(BRACE_CLOSE)) return object;
    const frame: ObjectFrame = {
      kind: 'object',
      container: object,
      names: [],
      spellings: new Map(),
      isAwaiting: false,
    };
    this.frames.push(frame);
    this.memberName(frame);
    return undefined;
  }

  private take(unit: number): boolean {
    if (this.text.charCodeAt(this.at) !== unit) return false;
    this.at += 1;
    return true;
  }

  /** Reads a name and its colon, and stands before the value. */
  private memberName(frame: ObjectFrame): void {
    if (this.text.charCodeAt(this.at) !== QUOTE) this.refuseHere('expected a member name in quotes');
    const start = this.at;
    const name = this.string();
    const isDuplicate = Object.hasOwn(frame.container, name);
    frame.names.push(name);
    frame.isAwaiting = true;
    if (isDuplicate) this.refuse('duplicate-member', 'expected member names to be unique, got one twice', start);
    this.skipSpace();
    if (!this.take(COLON)) this.refuseHere("expected ':' behind a member name");
    this.skipSpace();
  }

  private put(frame: Frame, value: unknown): void {
    const isKept = value instanceof JsonNumber && isHeldByDouble(value.text, Number(value));
    frame.isAwaiting = false;
    const plain = isKept ? Number(value) : value;
    if (frame.kind === 'list') {
      if (isKept) define(frame.spellings, frame.container.length, value.text);
      define(frame.container, frame.container.length, plain);
    } else {
      const name = frame.names.at(-1) ?? '';
      if (isKept) frame.spellings.set(name, value.text);
      define(frame.container, name, plain);
    }
  }

  /** Whether the container ends here; if not, stands before its next value. */
  private closes(frame: Frame): boolean {
    this.skipSpace();
    if (this.take(frame.kind === 'list' ? BRACKET_CLOSE : BRACE_CLOSE)) return true;
    if (!this.take(COMMA)) this.refuseHere(`expected ',' or '${frame.kind === 'list' ? ']' : '}'}'`);
    this.skipSpace();
    if (frame.kind === 'object') this.memberName(frame);
    else frame.isAwaiting = true;
    return false;
  }

  /** Attaches what the finished container cannot hold by itself. */
  private keep(frame: Frame): void {
    if (frame.kind === 'list') {
      if (frame.spellings.length > 0) attachKept(frame.container, { spellings: frame.spellings });
      return;
    }
    const natural = Object.keys(frame.container);
    const isNatural = frame.names.every((name, index) => name === natural[index]);
    if (isNatural && frame.spellings.size === 0) return;
    attachKept(frame.container, {
      spellings: frame.spellings.size === 0 ? null : frame.spellings,
      order: isNatural ? null : frame.names,
    });
  }

  private scalar(unit: number): unknown {
    if (unit === QUOTE) return this.string();
    for (const [word, value] of [
      ['true', true],
      ['false', false],
      ['null', null],
    ] as const) {
      if (this.text.startsWith(word, this.at)) {
        this.at += word.length;
        return value;
      }
    }
    const end = endOfNumber(this.text, this.at);
    if (end === -1) this.refuseHere('expected a JSON value');
    const lexeme = this.text.slice(this.at, end);
    this.at = end;
    const double = Number(lexeme);
    const isCanonical = String(double) === lexeme || lexeme === '-0';
    return isCanonical ? double : new JsonNumber(lexeme);
  }

  private string(): string {
    const start = this.at;
    this.at += 1;
    for (;;) {
      const unit = this.text.charCodeAt(this.at);
      if (unit === QUOTE) break;
      if (unit === BACKSLASH) {
        this.escape();
      } else if (unit >= FIRST_UNESCAPED) {
        this.at += 1;
      } else {
        this.refuseHere("expected characters of a string or '\"'");
      }
    }
    this.at += 1;
    // The engine decodes what has just been found to be one well-formed string.
    return JSON.parse(this.text.slice(start, this.at)) as string;
  }

  private escape(): void {
    this.at += 1;
    const unit = this.text.charAt(this.at);
    if (this.text.charCodeAt(this.at) === LETTER_U) {
      for (let count = 0; count < 4; count += 1) {
        this.at += 1;
        if (this.at >= this.text.length || !HEX.includes(this.text.charAt(this.at))) {
          this.refuseHere('expected four hexadecimal digits');
        }
      }
    } else if (unit === '' || !SIMPLE_ESCAPES.includes(unit)) {
      this.refuseHere('expected an escape sequence');
    }
    this.at += 1;
  }
}

/** Parses a text that is known to hold no byte-order mark and no lone surrogate. Never throws. */
export function parseExact(text: string, maxDepth: number): JsonParseResult {
  const parser = new ExactParser(text, maxDepth);
  try {
    return { ok: true, value: parser.parse() };
  } catch (error) {
    if (error instanceof Refusal) return { ok: false, issues: [error.issue] };
    return refuseText('', 'invalid-json', 'expected a text within the bounds of the engine, got a larger one');
  }
}

/** Gives the pointer of the value in which an offset of the text stands, as far as the text before it is JSON. */
export function pointerAt(text: string, offset: number): string {
  const result = parseExact(text.slice(0, offset), Infinity);
  return result.ok ? '' : (result.issues[0]?.pointer ?? '');
}

/** Gives a result of one issue. */
export function refuseText(pointer: string, code: JsonIssueCode, message: string): JsonParseResult {
  return { ok: false, issues: [{ pointer, code, message }] };
}
