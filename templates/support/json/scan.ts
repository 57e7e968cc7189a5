/*
 * One look over a text that the engine has already accepted: how many colons stand outside strings, and whether
 * anything may have to be kept. Both forms give `2 * colons + flag`, so that nothing is allocated. The flag is set by
 * - a member name that starts with a digit or a backslash: it may be an array index, whose place the engine changes;
 * - a number that may be spelled otherwise than the engine would: one with an exponent, with more than 15 digits, with
 *   a final zero in its fraction, or starting with `0.0`. All others are canonical, since decimals of at most 15
 *   digits and doubles map one to one.
 */

const LINE_FEED = 10;
const SPACE = 32;
const QUOTE = 34;
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
const JUMP_AFTER = 48;

/**
 * Scans UTF-8 bytes up to `end`. Give the text when all of it is ASCII: offsets are the same then, and the engine
 * searches text faster than bytes. The text must be a container, so that no number or string reaches its end.
 */
export function scanBytes(bytes: Uint8Array, end: number, asciiText: string | null): number {
  let colons = 0;
  let flag = 0;
  let nameStart = 0;
  let at = 0;
  while (at < end) {
    const byte = bytes[at++] as number;
    if (byte === QUOTE) {
      nameStart = at;
      let jumpAt = at + JUMP_AFTER;
      for (;;) {
        const inner = bytes[at++] as number;
        if (inner === QUOTE) break;
        if (inner === BACKSLASH) {
          at += 1;
          jumpAt = at + JUMP_AFTER;
        } else if (at > jumpAt) {
          at = asciiText === null ? jumpInBytes(bytes, at, end) : jumpInText(asciiText, at);
          if (bytes[at - 1] === QUOTE || at >= end) break;
          jumpAt = at + JUMP_AFTER;
        }
      }
    } else if (byte === COLON) {
      colons += 1;
      const first = bytes[nameStart] as number;
      if (first === BACKSLASH || (first <= DIGIT_9 && first >= DIGIT_0)) flag = 1;
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
          if (last === DIGIT_0 || (first === DIGIT_0 && second === DIGIT_0)) flag = 1;
        }
        // The point counts as a digit too many, which only makes the flag more careful.
        if (at - digitsStart > SAFE_DIGITS) flag = 1;
        if ((next | TO_LOWER_CASE) === LETTER_E) {
          flag = 1;
          at += 2;
        }
      } else if (byte === LINE_FEED) {
        while (bytes[at] === SPACE) at += 1;
      }
    }
  }
  return colons * 2 + flag;
}

/** Scans a string; see `scanBytes`. */
export function scanText(text: string): number {
  const end = text.length;
  let colons = 0;
  let flag = 0;
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
      if (first === BACKSLASH || (first <= DIGIT_9 && first >= DIGIT_0)) flag = 1;
    } else if (unit <= DIGIT_9 && (unit >= DIGIT_0 || unit === MINUS)) {
      const numberEnd = canonicalEnd(text, at - 1);
      if (numberEnd < 0) flag = 1;
      at = numberEnd < 0 ? -numberEnd : numberEnd;
    }
  }
  return colons * 2 + flag;
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
      at += 1;
      jumpAt = at + JUMP_AFTER;
    } else if (at > jumpAt) {
      at = jumpInText(text, at);
      if (text.charCodeAt(at - 1) === QUOTE) return at;
      jumpAt = at + JUMP_AFTER;
    }
  }
  return end;
}

/**
 * Jumps on inside a string, from an offset that is not behind an open escape: to behind the closing quote, or, when an
 * escaped quote comes first, to the quote itself, before which reading unit by unit must go on.
 */
function jumpInText(text: string, from: number): number {
  const quote = text.indexOf('"', from);
  if (quote === -1) return text.length;
  let before = quote;
  while (before > from && text.charCodeAt(before - 1) === BACKSLASH) before -= 1;
  return (quote - before) % 2 === 0 ? quote + 1 : quote - 1;
}

/** The same for bytes. */
function jumpInBytes(bytes: Uint8Array, from: number, end: number): number {
  const quote = bytes.indexOf(QUOTE, from);
  if (quote === -1) return end;
  let before = quote;
  while (before > from && bytes[before - 1] === BACKSLASH) before -= 1;
  return (quote - before) % 2 === 0 ? quote + 1 : quote - 1;
}
