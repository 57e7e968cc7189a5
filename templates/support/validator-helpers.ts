/*
 * What the precompiled validators call. To all of it a `JsonNumber` is a number and no object, and numbers are compared
 * by their exact decimal value (Semantics §1).
 */
import { isJsonInteger, isJsonNumber, isJsonNumeric, type JsonNumber, jsonEqual } from './json/index.js';

export function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isJsonNumber(value);
}

export function isNumber(value: unknown): boolean {
  return isJsonNumeric(value);
}

export function isInteger(value: unknown): boolean {
  return isJsonInteger(value);
}

export function isEqual(left: unknown, right: unknown): boolean {
  return jsonEqual(left, right);
}

/** The object's own member; undefined when there is none or the value is no object. */
export function readMember(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value as object, name) ? (value as Record<string, unknown>)[name] : undefined;
}

export function hasMember(value: unknown, name: string): boolean {
  return readMember(value, name) !== undefined;
}

export function containsScalar(value: unknown, scalar: string | boolean | null): boolean {
  return Array.isArray(value) && value.includes(scalar);
}

/** What a check of a part found, with the place of the part. */
export function prefixFindings<Finding extends { readonly instancePath?: string }>(
  findings: readonly Finding[] | null | undefined,
  path: string,
): Finding[] {
  return (findings ?? []).map((finding) => ({ ...finding, instancePath: path + (finding.instancePath ?? '') }));
}

/** Whether two elements are the same JSON value. Scalars cost no comparison with each other. */
export function hasRepeats(list: readonly unknown[]): boolean {
  const scalars = new Set<unknown>();
  const others: unknown[] = [];
  for (const element of list) {
    // -0 and 0 are one key of a set, as they are one JSON number.
    if (typeof element === 'object' && element !== null) others.push(element);
    else if (scalars.size === scalars.add(element).size) return true;
  }
  for (const [index, element] of others.entries()) {
    for (let earlier = 0; earlier < index; earlier += 1) if (jsonEqual(others[earlier], element)) return true;
    if (!isJsonNumber(element)) continue;
    for (const scalar of scalars) if (typeof scalar === 'number' && jsonEqual(scalar, element)) return true;
  }
  return false;
}

/** Length of a text as JSON Schema counts it: a pair of surrogates is one. */
export function countCodePoints(text: string): number {
  let pairs = 0;
  for (let at = 0; at < text.length; at += 1) {
    if ((text.codePointAt(at) ?? 0) > 0xffff) {
      pairs += 1;
      at += 1;
    }
  }
  return text.length - pairs;
}

export function isBelow(value: number | JsonNumber, limit: number): boolean {
  return typeof value === 'number' ? value < limit : compare(value, limit) < 0;
}

export function isAbove(value: number | JsonNumber, limit: number): boolean {
  return typeof value === 'number' ? value > limit : compare(value, limit) > 0;
}

export function isAtMost(value: number | JsonNumber, limit: number): boolean {
  return typeof value === 'number' ? value <= limit : compare(value, limit) <= 0;
}

export function isAtLeast(value: number | JsonNumber, limit: number): boolean {
  return typeof value === 'number' ? value >= limit : compare(value, limit) >= 0;
}

/** Sign of the difference between the spelled value and the limit. */
function compare(value: JsonNumber, limit: number): number {
  const double = Number(value.text);
  // Rounding keeps the order, so that only a value that rounds to the limit needs a closer look.
  if (double !== limit) return double < limit ? -1 : 1;
  if (jsonEqual(value, limit)) return 0;
  const left = toDecimal(value.text);
  if (limit === 0) return left.negative ? -1 : 1;
  const right = toDecimal(String(limit));
  const larger = left.negative ? -1 : 1;
  const start = (decimal: Decimal): number => decimal.digits.length + decimal.exponent;
  if (start(left) !== start(right)) return start(left) > start(right) ? larger : -larger;
  // Without zeros at the start, digits of the same first place compare as text.
  return left.digits > right.digits ? larger : -larger;
}

/** Whether the value is the divisor times a whole number, exactly: 19.99 is a multiple of 0.01. */
export function isMultipleOf(value: number | JsonNumber, divisor: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return (value as number) % divisor === 0;
  const { digits, exponent } = toDecimal(typeof value === 'number' ? String(value) : value.text);
  if (digits === '') return true;
  const unit = toDecimal(String(divisor));
  const shift = exponent - unit.exponent;
  // The digits end in no zero, so that no further power of ten divides them.
  if (shift < 0) return false;
  let rest = BigInt(unit.digits);
  for (const factor of [2n, 5n]) {
    for (let count = 0; count < shift && rest % factor === 0n; count += 1) rest /= factor;
  }
  let remainder = 0n;
  for (let at = 0; at < digits.length; at += CHUNK_DIGITS) {
    const chunk = digits.slice(at, at + CHUNK_DIGITS);
    remainder = (remainder * 10n ** BigInt(chunk.length) + BigInt(chunk)) % rest;
  }
  return remainder === 0n;
}

const CHUNK_DIGITS = 15;

/** `digits` times ten to the `exponent`; the digits neither start nor end with a zero and are empty for zero. */
interface Decimal {
  readonly negative: boolean;
  readonly digits: string;
  readonly exponent: number;
}

function toDecimal(spelling: string): Decimal {
  const negative = spelling.startsWith('-');
  const mark = spelling.search(/[eE]/);
  const mantissa = spelling.slice(negative ? 1 : 0, mark < 0 ? undefined : mark);
  const dot = mantissa.indexOf('.');
  const all = dot < 0 ? mantissa : mantissa.slice(0, dot) + mantissa.slice(dot + 1);
  let start = 0;
  while (all[start] === '0') start += 1;
  let end = all.length;
  while (end > start && all[end - 1] === '0') end -= 1;
  const fraction = dot < 0 ? 0 : mantissa.length - dot - 1;
  const power = mark < 0 ? 0 : Number(spelling.slice(mark + 1));
  return { negative, digits: all.slice(start, end), exponent: power - fraction + (all.length - end) };
}
