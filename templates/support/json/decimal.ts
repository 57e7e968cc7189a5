/*
 * Exact arithmetic on the spellings of JSON numbers. Everything is linear in the length of the spelling: digits and
 * exponents of any length are compared as text, never as big integers. No regular expression loops over a spelling,
 * since those run out of backtracking room on megabytes of digits.
 */

const DIGIT_0 = 48;
const DIGIT_9 = 57;
const MINUS = 45;
const PLUS = 43;
const DOT = 46;
const LETTER_E = 101;
const TO_LOWER_CASE = 32;

/** Up to this many decimal digits, doubles and decimals in the normal range map one to one. */
const SAFE_DIGITS = 15;

/** Integers below this print without an exponent. */
const PLAIN_BELOW = 1e21;

/** Gives the offset of the first unit at or after `at` that is no decimal digit. */
function skipDigits(text: string, at: number): number {
  let end = at;
  while (end < text.length) {
    const unit = text.charCodeAt(end);
    if (unit < DIGIT_0 || unit > DIGIT_9) break;
    end += 1;
  }
  return end;
}

/** Gives the offset behind the longest JSON number that starts at `at`, or -1 when none does. */
export function endOfNumber(text: string, at: number): number {
  let end = text.charCodeAt(at) === MINUS ? at + 1 : at;
  const wholeStart = end;
  end = skipDigits(text, end);
  if (end === wholeStart) return -1;
  if (text.charCodeAt(wholeStart) === DIGIT_0) end = wholeStart + 1;
  if (text.charCodeAt(end) === DOT) {
    const fractionEnd = skipDigits(text, end + 1);
    if (fractionEnd === end + 1) return -1;
    end = fractionEnd;
  }
  if ((text.charCodeAt(end) | TO_LOWER_CASE) === LETTER_E) {
    const sign = text.charCodeAt(end + 1);
    const digits = sign === PLUS || sign === MINUS ? end + 2 : end + 1;
    const exponentEnd = skipDigits(text, digits);
    if (exponentEnd === digits) return -1;
    end = exponentEnd;
  }
  return end;
}

/** Whether the whole text is one number of the JSON grammar. */
export function isNumberLexeme(text: unknown): text is string {
  return typeof text === 'string' && text.length > 0 && endOfNumber(text, 0) === text.length;
}

/** A decimal as sign * 0.DIGITS * 10^(exponent); `digits` neither starts nor ends with a zero and is empty for zero. */
interface Decimal {
  readonly negative: boolean;
  readonly digits: string;
  /** Decimal integer, canonical: no leading zeros, no `-0`. */
  readonly exponent: string;
}

const ZERO: Decimal = { negative: false, digits: '', exponent: '0' };

function stripLeadingZeros(digits: string): string {
  let start = 0;
  while (start < digits.length && digits.charCodeAt(start) === DIGIT_0) start += 1;
  return start === 0 ? digits : digits.slice(start);
}

function stripTrailingZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits.charCodeAt(end - 1) === DIGIT_0) end -= 1;
  return end === digits.length ? digits : digits.slice(0, end);
}

/** Adds one to, or takes one from, a decimal integer >= 1 that is given as digits. */
function stepDigits(digits: string, up: boolean): string {
  const [turning, turned] = up ? ['9', '0'] : ['0', '9'];
  let at = digits.length - 1;
  while (at >= 0 && digits[at] === turning) at -= 1;
  const tail = turned.repeat(digits.length - 1 - at);
  if (at < 0) return `1${tail}`;
  const stepped = digits.charCodeAt(at) - DIGIT_0 + (up ? 1 : -1);
  return stripLeadingZeros(digits.slice(0, at) + stepped + tail);
}

/** Adds a small integer (below 2^40 in size) to a decimal integer of any length; the result is canonical. */
function addToInteger(negative: boolean, digits: string, summand: number): string {
  const magnitude = stripLeadingZeros(digits);
  if (magnitude.length <= SAFE_DIGITS)
    return String((negative ? -Number(magnitude) : Number(magnitude)) + summand || 0);
  const cut = magnitude.length - SAFE_DIGITS;
  const radix = 1e15;
  // The magnitude is at least 1e15, so the sign cannot turn.
  let low = Number(magnitude.slice(cut)) + (negative ? -summand : summand);
  let high = magnitude.slice(0, cut);
  if (low < 0) {
    low += radix;
    high = stepDigits(high, false);
  } else if (low >= radix) {
    low -= radix;
    high = stepDigits(high, true);
  }
  return (negative ? '-' : '') + stripLeadingZeros(high + String(low).padStart(SAFE_DIGITS, '0'));
}

function toDecimal(lexeme: string): Decimal {
  const negative = lexeme.charCodeAt(0) === MINUS;
  const wholeStart = negative ? 1 : 0;
  const wholeEnd = skipDigits(lexeme, wholeStart);
  let end = wholeEnd;
  let fraction = '';
  if (lexeme.charCodeAt(end) === DOT) {
    end = skipDigits(lexeme, end + 1);
    fraction = lexeme.slice(wholeEnd + 1, end);
  }
  const all = lexeme.slice(wholeStart, wholeEnd) + fraction;
  const significant = stripLeadingZeros(all);
  const digits = stripTrailingZeros(significant);
  if (digits === '') return ZERO;
  let exponentNegative = false;
  let exponentDigits = '';
  if (end < lexeme.length) {
    const sign = lexeme.charCodeAt(end + 1);
    exponentNegative = sign === MINUS;
    exponentDigits = lexeme.slice(exponentNegative || sign === PLUS ? end + 2 : end + 1);
  }
  const pointAt = wholeEnd - wholeStart - (all.length - significant.length);
  return { negative, digits, exponent: addToInteger(exponentNegative, exponentDigits, pointAt) };
}

/** Whether two spellings of JSON numbers have exactly the same value; `-0` and `0` do. */
export function isSameDecimal(left: string, right: string): boolean {
  if (left === right) return true;
  const a = toDecimal(left);
  const b = toDecimal(right);
  return a.digits === b.digits && a.exponent === b.exponent && a.negative === b.negative;
}

/** Whether the spelled number has no fraction: `1.0`, `1E2` and `1e400` have none. */
export function isIntegerLexeme(lexeme: string): boolean {
  const { digits, exponent } = toDecimal(lexeme);
  return digits === '' || (exponent.charCodeAt(0) !== MINUS && Number(exponent) >= digits.length);
}

function isPlainInteger(lexeme: string): boolean {
  return skipDigits(lexeme, lexeme.charCodeAt(0) === MINUS ? 1 : 0) === lexeme.length;
}

function isZero(lexeme: string): boolean {
  let at = lexeme.charCodeAt(0) === MINUS ? 1 : 0;
  while (lexeme.charCodeAt(at) === DIGIT_0 || lexeme.charCodeAt(at) === DOT) at += 1;
  return at === lexeme.length || (lexeme.charCodeAt(at) | TO_LOWER_CASE) === LETTER_E;
}

/**
 * Whether the double that the spelling reads as also stands for the spelled value, that is, whether the shortest
 * decimal of the double (what `String(double)` prints) has exactly that value.
 */
export function isHeldByDouble(lexeme: string, double: number): boolean {
  const size = Math.abs(double);
  if (lexeme.length <= SAFE_DIGITS) {
    // So few digits map one to one, except where doubles are sparse or end.
    if (size > 1e-290 && size < 1e290) return true;
  }
  if (!Number.isFinite(double)) return false;
  if (double === 0) return isZero(lexeme);
  const canonical = String(double);
  // Most long numbers are plain integers; two such spellings of the same value are the same.
  if (size < PLAIN_BELOW && Number.isInteger(double) && isPlainInteger(lexeme)) return lexeme === canonical;
  return isSameDecimal(lexeme, canonical);
}
