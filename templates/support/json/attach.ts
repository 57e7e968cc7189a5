/*
 * A walk over text and value side by side, for texts in which something may have to be kept. The text is known to be
 * JSON, and the value to be what the engine made of it. The walk follows the tokens of the text alone and ends with
 * `LOST` where both disagree. That proves that there is no duplicate member: every object that stands in no object with
 * duplicates is met together with its own value, and one with duplicates has fewer names there than members in the text.
 */
import { countMembers } from './count.js';
import { isHeldByDouble } from './decimal.js';
import { JsonNumber } from './json-number.js';
import { attachKept } from './kept.js';
import { canonicalEnd, skipString } from './scan.js';

const QUOTE = 34;
const COMMA = 44;
const MINUS = 45;
const DIGIT_0 = 48;
const DIGIT_9 = 57;
const COLON = 58;
const BRACKET_OPEN = 91;
const BACKSLASH = 92;
const LETTER_F = 102;
const BRACE_OPEN = 123;
const BRACE_CLOSE = 125;
const BRACKET_CLOSE = 93;
const SPACE = 32;

/** Strings from this length on may be views of the text that they were cut from, and would keep all of it in memory. */
const VIEW_LENGTH = 13;

/** Lists from this length on are worth a try whether they are canonical as a whole. */
const LONG_LIST = 32;

/** No double prints with more digits that matter. */
const MOST_DIGITS = 17;

/** Instead of an offset: text and value disagree, or more containers stand inside each other than there is room for. */
const LOST = -1;

/** Whether no such try has failed in this text yet, so that their cost stays bounded. */
let isCompactLikely = true;

/**
 * Attaches spellings and order to a container; the text may have space around it. Gives whether nothing was lost: no
 * duplicate member, and no more than `room` containers inside each other. Else the value is of no use any more.
 */
export function attachAll(text: string, container: object, room: number): boolean {
  isCompactLikely = true;
  const start = skipSpace(text, 0);
  return walkOther(text, start, text.charCodeAt(start), container, room) !== LOST;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) <= SPACE) at += 1;
  return at;
}

/** Walks a value that is no number, in a container that has `room`; gives the offset behind it, or `LOST`. */
function walkOther(text: string, at: number, unit: number, value: unknown, room: number): number {
  if (unit === QUOTE) return skipString(text, at + 1);
  if (unit !== BRACE_OPEN && unit !== BRACKET_OPEN) return at + (unit === LETTER_F ? 5 : 4);
  if (typeof value !== 'object' || value === null || room < 1) return LOST;
  if (Array.isArray(value)) return unit === BRACKET_OPEN ? attachToList(text, at + 1, value, room - 1) : LOST;
  return unit === BRACE_OPEN ? attachToObject(text, at + 1, value as Record<string, unknown>, room - 1) : LOST;
}

function isNumberStart(unit: number): boolean {
  return unit <= DIGIT_9 && (unit >= DIGIT_0 || unit === MINUS);
}

/** Cuts a part out of the text. */
function cut(text: string, start: number, end: number): string {
  const length = end - start;
  if (length < VIEW_LENGTH) return text.slice(start, end);
  // Two parts that are too short for views cost less than a copy of the whole.
  const middle = start + VIEW_LENGTH - 1;
  if (length < 2 * VIEW_LENGTH - 1) return text.slice(start, middle) + text.slice(middle, end);
  return ` ${text.slice(start, end)}`.slice(1);
}

/** Whether a number has more digits, from its first to its last that is no zero, than any double prints. */
function hasTooManyDigits(text: string, start: number, end: number): boolean {
  let digits = 0;
  let significant = 0;
  for (let at = start; at < end; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit > DIGIT_0 && unit <= DIGIT_9) {
      digits += 1;
      significant = digits;
    } else if (unit === DIGIT_0) {
      if (digits > 0) digits += 1;
    } else if (unit > DIGIT_9) {
      break;
    }
  }
  return significant > MOST_DIGITS;
}

/** Whether a plain number stands for the spelled value; see `isHeldByDouble`. */
function isHeld(lexeme: string, double: number): boolean {
  if (lexeme.length > MOST_DIGITS && hasTooManyDigits(lexeme, 0, lexeme.length)) return false;
  return isHeldByDouble(lexeme, double);
}

/** Gives the spelling that has to be kept for a number, or null when the engine spells it the same way. */
function spellingToKeep(text: string, start: number, end: number, double: number): string | null {
  if (end - start > MOST_DIGITS && hasTooManyDigits(text, start, end)) return cut(text, start, end);
  const canonical = String(double);
  if (canonical.length === end - start && text.startsWith(canonical, start)) return null;
  const lexeme = cut(text, start, end);
  return lexeme === '-0' ? null : lexeme;
}

/**
 * Gives the offset behind a long list when the engine writes all of it exactly as it stands in the text, else 0.
 * Long floats are canonical more often than not, and printing them one by one costs most of all.
 */
function endIfCanonical(text: string, start: number, list: readonly unknown[], room: number): number {
  if (list.length < LONG_LIST || !isCompactLikely) return 0;
  const canonical = JSON.stringify(list);
  isCompactLikely = text.startsWith(canonical, start - 1);
  if (!isCompactLikely) return 0;
  const isTooDeep = Number.isNaN(countMembers(list, room + 1));
  return isTooDeep ? LOST : start - 1 + canonical.length;
}

function attachToList(text: string, start: number, list: unknown[], room: number): number {
  let at = skipSpace(text, start);
  if (text.charCodeAt(at) === BRACKET_CLOSE) return list.length === 0 ? at + 1 : LOST;
  let spellings: (string | undefined)[] | null = null;
  let index = 0;
  for (; ; index += 1) {
    const unit = text.charCodeAt(at);
    if (isNumberStart(unit)) {
      const end = canonicalEnd(text, at);
      if (end > 0) at = end;
      else {
        const double = list[index];
        if (typeof double !== 'number') return LOST;
        const lexeme = spellingToKeep(text, at, -end, double);
        if (lexeme !== null) {
          if (isHeld(lexeme, double)) {
            spellings ??= [];
            spellings[index] = lexeme;
          } else {
            list[index] = new JsonNumber(lexeme, double);
          }
        } else if (index === 0) {
          const listEnd = endIfCanonical(text, start, list, room);
          if (listEnd !== 0) return listEnd;
        }
        at = -end;
      }
    } else {
      at = walkOther(text, at, unit, list[index], room);
      if (at === LOST) return LOST;
    }
    if (text.charCodeAt(at) !== COMMA) {
      at = skipSpace(text, at);
      if (text.charCodeAt(at) !== COMMA) break;
    }
    at += 1;
    if (text.charCodeAt(at) <= SPACE) at = skipSpace(text, at);
  }
  if (index + 1 !== list.length) return LOST;
  if (spellings !== null) attachKept(list, { spellings });
  return at + 1;
}

function attachToObject(text: string, start: number, object: Record<string, unknown>, room: number): number {
  let at = skipSpace(text, start);
  const names = Object.keys(object);
  if (text.charCodeAt(at) === BRACE_CLOSE) return names.length === 0 ? at + 1 : LOST;
  if (names.length === 0) return LOST;
  // Names that are array indexes come first, so that one look tells whether there are any.
  const firstUnit = (names[0] as string).charCodeAt(0);
  const hasIndexes = firstUnit <= DIGIT_9 && firstUnit >= DIGIT_0;
  /** Names in the order of the text, from the first on that the object has elsewhere. */
  let order: string[] | null = null;
  let spellings: Map<string, string> | null = null;
  let index = 0;
  for (; ; index += 1) {
    if (index === names.length) return LOST;
    let name = names[index] as string;
    if (!hasIndexes) {
      at = skipString(text, at + 1);
    } else if (order === null && isPlainName(text, at + 1, name)) {
      at += name.length + 2;
    } else {
      const digitsEnd = endOfDigits(text, at + 1);
      const isAllDigits = text.charCodeAt(digitsEnd) === QUOTE;
      const end = isAllDigits ? digitsEnd + 1 : skipString(text, digitsEnd);
      const written = isAllDigits ? cut(text, at + 1, digitsEnd) : nameAt(text, at, end);
      // A copy of all names, each overwritten in its turn: cheaper than a list that grows.
      if (order === null && written !== name) order = names.slice();
      if (order !== null) order[index] = written;
      name = written;
      at = end;
    }
    if (text.charCodeAt(at) !== COLON) at = skipSpace(text, at);
    let unit = text.charCodeAt(++at);
    if (unit <= SPACE) {
      at = skipSpace(text, at);
      unit = text.charCodeAt(at);
    }
    if (isNumberStart(unit)) {
      const end = canonicalEnd(text, at);
      if (end > 0) at = end;
      else {
        const double = object[name];
        if (typeof double !== 'number') return LOST;
        const lexeme = spellingToKeep(text, at, -end, double);
        at = -end;
        if (lexeme !== null) {
          if (isHeld(lexeme, double)) {
            spellings ??= new Map();
            spellings.set(name, lexeme);
          } else {
            object[name] = new JsonNumber(lexeme, double);
          }
        }
      }
    } else {
      at = walkOther(text, at, unit, unit === BRACE_OPEN || unit === BRACKET_OPEN ? object[name] : null, room);
      if (at === LOST) return LOST;
    }
    if (text.charCodeAt(at) !== COMMA) {
      at = skipSpace(text, at);
      if (text.charCodeAt(at) !== COMMA) break;
    }
    at += 1;
    if (text.charCodeAt(at) <= SPACE) at = skipSpace(text, at);
  }
  if (index + 1 !== names.length) return LOST;
  if (spellings !== null || order !== null) attachKept(object, { spellings, order });
  return at + 1;
}

function endOfDigits(text: string, from: number): number {
  let at = from;
  let unit = text.charCodeAt(at);
  while (unit <= DIGIT_9 && unit >= DIGIT_0) unit = text.charCodeAt(++at);
  return at;
}

/** Whether exactly this name stands there, all digits, so that nothing in it is escaped, and closed by its quote. */
function isPlainName(text: string, start: number, name: string): boolean {
  const length = name.length;
  for (let index = 0; index < length; index += 1) {
    const unit = text.charCodeAt(start + index);
    if (unit > DIGIT_9 || unit < DIGIT_0 || unit !== name.charCodeAt(index)) return false;
  }
  return text.charCodeAt(start + length) === QUOTE;
}

/** Gives the decoded name whose quotes stand at `start` and before `end`. */
function nameAt(text: string, start: number, end: number): string {
  for (let at = start + 1; at < end; at += 1) {
    if (text.charCodeAt(at) === BACKSLASH) return JSON.parse(text.slice(start, end)) as string;
  }
  return cut(text, start + 1, end - 1);
}
