/*
 * One look over a text that the engine has already accepted: how many colons stand outside strings, or `FLAGGED` as soon
 * as something may have to be kept:
 * - a member name that starts with a digit or a backslash: it may be an array index, whose place the engine changes;
 * - a number that may be spelled otherwise than the engine would: one with an exponent, with more than 15 digits, with
 *   a final zero in its fraction, or starting with `0.0`. All others are canonical, since decimals of at most 15
 *   digits and doubles map one to one.
 */

/** Instead of a number of colons: something may have to be kept. */
export const FLAGGED = -1;

const LINE_FEED = 10;
const SPACE = 32;
const QUOTE = 34;
const COMMA = 44;
const MINUS = 45;
const DOT = 46;
const DIGIT_0 = 48;
const DIGIT_9 = 57;
const COLON = 58;
const BACKSLASH = 92;
const LETTER_E = 101;
const TO_LOWER_CASE = 32;
const SAFE_DIGITS = 15;
/** Strings that are longer than this are jumped over by the engine's own search. */
const JUMP_AFTER = 64;

/** Four bytes at once, the same one in each place. */
const QUOTES = 0x22222222;
const BACKSLASHES = 0x5c5c5c5c;
const SPACES = 0x20202020;
const ONES = 0x01010101;
const HIGH_BITS = -0x7f7f7f80;

/**
 * Scans UTF-8 bytes up to `end`; `words` is a view of the same bytes. Give the text when all of it is ASCII: offsets
 * are the same then, and the engine searches text faster than bytes. The text must be a container, so that no number
 * or string reaches its end.
 *
 * Inside strings four bytes are looked at in one step. With a quote xor-ed in, a quote is a zero byte, and
 * `(word - ONES) & ~word & HIGH_BITS` marks the lowest zero byte of a word exactly; so for backslashes.
 */
export function scanBytes(bytes: Uint8Array, words: DataView, end: number, asciiText: string | null): number {
  const lastWord = end - 4;
  let colons = 0;
  let nameStart = 0;
  let at = 0;
  while (at < end) {
    const byte = bytes[at++] as number;
    if (byte === QUOTE) {
      nameStart = at;
      let jumpAt = at + JUMP_AFTER;
      for (;;) {
        while (at <= lastWord) {
          const word = words.getInt32(at, true);
          const quotes = word ^ QUOTES;
          const backslashes = word ^ BACKSLASHES;
          const marks = (((quotes - ONES) & ~quotes) | ((backslashes - ONES) & ~backslashes)) & HIGH_BITS;
          if (marks !== 0) {
            at += (31 - Math.clz32(marks & -marks)) >> 3;
            break;
          }
          at += 4;
          if (at > jumpAt) {
            at = asciiText === null ? jumpInBytes(bytes, at, end) : jumpInText(asciiText, at);
            break;
          }
        }
        const inner = bytes[at++] as number;
        if (inner === QUOTE || at >= end) break;
        // Jumps from one escaped quote to the next would cost more than they spare.
        if (inner === BACKSLASH && bytes[at++] === QUOTE) jumpAt = at + JUMP_AFTER;
      }
    } else if (byte === COLON) {
      colons += 1;
      const first = bytes[nameStart] as number;
      if (first === BACKSLASH || (first <= DIGIT_9 && first >= DIGIT_0)) return FLAGGED;
      if (bytes[at] === SPACE) at += 1;
    } else if (byte <= DIGIT_9) {
      if (byte >= DIGIT_0 || byte === MINUS) {
        let first = byte;
        if (byte === MINUS) first = bytes[at++] as number;
        const digitsStart = at - 1;
        let next = bytes[at] as number;
        while (next <= DIGIT_9 && next >= DIGIT_0) next = bytes[++at] as number;
        if (next === DOT) {
          const second = bytes[++at] as number;
          let last = second;
          next = second;
          while (next <= DIGIT_9 && next >= DIGIT_0) {
            last = next;
            next = bytes[++at] as number;
          }
          if (last === DIGIT_0 || (first === DIGIT_0 && second === DIGIT_0)) return FLAGGED;
        }
        // The point counts as a digit too many, which only makes the flag more careful.
        if (at - digitsStart > SAFE_DIGITS || (next | TO_LOWER_CASE) === LETTER_E) return FLAGGED;
      } else if (byte === LINE_FEED || (byte === COMMA && bytes[at] === LINE_FEED)) {
        if (byte === COMMA) at += 1;
        while (at <= lastWord && words.getInt32(at, true) === SPACES) at += 4;
        while (bytes[at] === SPACE) at += 1;
      }
    }
  }
  return colons;
}

/** Scans a string; see `scanBytes`. */
export function scanText(text: string): number {
  const end = text.length;
  let colons = 0;
  let nameStart = 0;
  let at = 0;
  while (at < end) {
    const unit = text.charCodeAt(at++);
    if (unit === QUOTE) {
      nameStart = at;
      at = skipString(text, at);
    } else if (unit === COLON) {
      colons += 1;
      const first = text.charCodeAt(nameStart);
      if (first === BACKSLASH || (first <= DIGIT_9 && first >= DIGIT_0)) return FLAGGED;
    } else if (unit <= DIGIT_9 && (unit >= DIGIT_0 || unit === MINUS)) {
      at = canonicalEnd(text, at - 1);
      if (at < 0) return FLAGGED;
    }
  }
  return colons;
}

/**
 * Gives the offset behind the number that starts at `start`: positive when it is surely spelled as the engine would
 * spell it, negated when it may not be.
 */
export function canonicalEnd(text: string, start: number): number {
  let at = start;
  let first = text.charCodeAt(at++);
  let isSure = true;
  if (first === MINUS) first = text.charCodeAt(at++);
  const digitsStart = at - 1;
  let next = text.charCodeAt(at);
  while (next <= DIGIT_9 && next >= DIGIT_0) next = text.charCodeAt(++at);
  if (next === DOT) {
    const second = text.charCodeAt(++at);
    let last = second;
    next = second;
    while (next <= DIGIT_9 && next >= DIGIT_0) {
      last = next;
      next = text.charCodeAt(++at);
    }
    if (last === DIGIT_0 || (first === DIGIT_0 && second === DIGIT_0)) isSure = false;
  }
  if (at - digitsStart > SAFE_DIGITS) isSure = false;
  if ((next | TO_LOWER_CASE) === LETTER_E) {
    isSure = false;
    at += 2;
    next = text.charCodeAt(at);
    while (next <= DIGIT_9 && next >= DIGIT_0) next = text.charCodeAt(++at);
  }
  return isSure ? at : -at;
}

/** Gives the offset behind the string whose first inner unit is at `from`. */
export function skipString(text: string, from: number): number {
  const end = text.length;
  let at = from;
  let jumpAt = at + JUMP_AFTER;
  while (at < end) {
    const unit = text.charCodeAt(at++);
    if (unit === QUOTE) return at;
    if (unit === BACKSLASH) {
      if (text.charCodeAt(at++) === QUOTE) jumpAt = at + JUMP_AFTER;
    } else if (at > jumpAt) {
      at = jumpInText(text, at);
      jumpAt = at + JUMP_AFTER;
    }
  }
  return end;
}

/**
 * Jumps on inside a string, from an offset that is not behind an open escape: to its closing quote, or, when an escaped
 * quote comes first, to the backslash that escapes it.
 */
function jumpInText(text: string, from: number): number {
  const quote = text.indexOf('"', from);
  if (quote === -1) return text.length;
  let before = quote;
  while (before > from && text.charCodeAt(before - 1) === BACKSLASH) before -= 1;
  return (quote - before) % 2 === 0 ? quote : quote - 1;
}

/** The same for bytes. */
function jumpInBytes(bytes: Uint8Array, from: number, end: number): number {
  const quote = bytes.indexOf(QUOTE, from);
  if (quote === -1) return end;
  let before = quote;
  while (before > from && bytes[before - 1] === BACKSLASH) before -= 1;
  return (quote - before) % 2 === 0 ? quote : quote - 1;
}
