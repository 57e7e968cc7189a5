import { isSameDecimal } from './decimal.js';
import { isJsonNumber, type JsonNumber } from './json-number.js';
import { keptOfList, keptOfObject, type KeptOfList, type KeptOfObject, keptSpelling } from './kept.js';

/** Deeper than any text within the largest string, so that only cycles come here. */
const CYCLE_DEPTH = 1_000_000;

/**
 * Whether two values are the same JSON value: numbers by their exact value, whatever their spelling (`1`, `1.0` and
 * `new JsonNumber('1e0')` are equal, `-0` and `0` too), objects whatever the order of their members, and members that
 * are undefined counting as absent. A number in a typed place that came from a longer spelling counts with that
 * spelling's value. Values that are no JSON equal only themselves. Never throws; depth costs no call stack.
 */
export function jsonEqual(left: unknown, right: unknown): boolean {
  const lefts: unknown[] = [left];
  const rights: unknown[] = [right];
  const depths: number[] = [0];
  while (depths.length > 0) {
    const a = lefts.pop();
    const b = rights.pop();
    const depth = (depths.pop() ?? 0) + 1;
    if (Object.is(a, b)) continue;
    if (isNumber(a) || isNumber(b)) {
      if (!isNumber(a) || !isNumber(b) || !isSameNumber(a, b)) return false;
      continue;
    }
    if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null || depth > CYCLE_DEPTH) return false;
    if (!isContainer(a) || !isContainer(b) || Array.isArray(a) !== Array.isArray(b)) return false;
    const keys = commonKeys(a, b);
    if (keys === null) return false;
    const hasKept = keptOf(a) !== null || keptOf(b) !== null;
    for (const key of keys) {
      const left = (a as Record<string | number, unknown>)[key];
      const right = (b as Record<string | number, unknown>)[key];
      if (hasKept && isNumber(left) && isNumber(right)) {
        if (!isSameSpelled(lexemeAt(a, key, left), lexemeAt(b, key, right))) return false;
        continue;
      }
      lefts.push(left);
      rights.push(right);
      depths.push(depth);
    }
  }
  return true;
}

/** Gives the keys when both containers have the same ones, else null. */
function commonKeys(a: object, b: object): readonly (string | number)[] | null {
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length ? [...a.keys()] : null;
  const names = definedNames(a);
  if (names.length !== definedNames(b).length) return null;
  return names.every((name) => Object.hasOwn(b, name) && (b as Record<string, unknown>)[name] !== undefined)
    ? names
    : null;
}

function definedNames(object: object): string[] {
  return Object.keys(object).filter((name) => (object as Record<string, unknown>)[name] !== undefined);
}

function isContainer(value: object): boolean {
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function keptOf(container: object): KeptOfObject | KeptOfList | null {
  return Array.isArray(container) ? keptOfList(container) : keptOfObject(container);
}

function isNumber(value: unknown): value is number | JsonNumber {
  return typeof value === 'number' || isJsonNumber(value);
}

function isSameNumber(a: number | JsonNumber, b: number | JsonNumber): boolean {
  if (typeof a === 'number' && typeof b === 'number') return a === b;
  return isSameSpelled(lexemeOf(a), lexemeOf(b));
}

function isSameSpelled(a: string | null, b: string | null): boolean {
  return a !== null && b !== null && isSameDecimal(a, b);
}

/** Gives the spelling of a number, null when JSON has none. */
function lexemeOf(value: number | JsonNumber): string | null {
  if (isJsonNumber(value)) return value.text;
  return Number.isFinite(value) ? String(value) : null;
}

function lexemeAt(container: object, key: string | number, value: number | JsonNumber): string | null {
  return keptSpelling(container, key) ?? lexemeOf(value);
}
