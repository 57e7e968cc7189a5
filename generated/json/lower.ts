/*
 * Hooks for codecs: a place that a schema types as a number holds a plain JavaScript number, even where the text had
 * more digits than a double has. `lowerNumber` puts the double there and leaves the spelling in the container's record,
 * so that `encode` gives the text back. `lowerNumbersAt` does the same to values that others may hold or have frozen,
 * copying only the containers on the way.
 */
import { isIntegerLexeme } from './decimal.js';
import { isJsonNumber } from './json-number.js';
import { attachKept, keptOfList, keptOfObject } from './kept.js';

/** Whether the value is a number of JSON: a finite JavaScript number or a `JsonNumber` of any size. */
export function isJsonNumeric(value: unknown): boolean {
  return typeof value === 'number' ? Number.isFinite(value) : isJsonNumber(value);
}

/** Whether the value is a number of JSON that is within the range of doubles: what a typed number may be. */
export function isTypedNumber(value: unknown): boolean {
  return typeof value === 'number' ? Number.isFinite(value) : isJsonNumber(value) && Number.isFinite(Number(value));
}

/** Whether the value is a number of JSON without fraction, judged by its exact spelling: `1.0`, `1E2` and `1e400` are. */
export function isJsonInteger(value: unknown): boolean {
  return typeof value === 'number' ? Number.isInteger(value) : isJsonNumber(value) && isIntegerLexeme(value.text);
}

/**
 * Replaces the `JsonNumber` at a key by the nearest double, keeping its spelling on the container.
 * Gives whether the place now holds a plain finite number; a `JsonNumber` beyond the range of doubles stays (false).
 * Only for containers that `parse` just made and nobody else has seen: it changes container and record in place.
 */
export function lowerNumber(container: object, key: string | number): boolean {
  const members = container as Record<string | number, unknown>;
  const value = members[key];
  if (!isJsonNumber(value)) return typeof value === 'number';
  const double = Number(value);
  if (!Number.isFinite(double)) return false;
  members[key] = double;
  if (Array.isArray(container)) {
    const kept = keptOfList(container);
    if (kept !== null) kept.spellings[Number(key)] = value.text;
    else {
      const spellings: string[] = [];
      spellings[Number(key)] = value.text;
      attachKept(container, { spellings });
    }
    return true;
  }
  const kept = keptOfObject(container);
  if (kept?.spellings) kept.spellings.set(String(key), value.text);
  else attachKept(container, { spellings: new Map([[String(key), value.text]]), order: kept?.order ?? null });
  return true;
}

/**
 * Gives the value with the `JsonNumber`s at the given places (member names and list indexes from the root) lowered.
 * Nothing that came in is changed: containers on the way to a place are copied once, all others are shared.
 * A root that is itself such a place becomes a bare number, whose spelling has no container to stand on.
 */
export function lowerNumbersAt(root: unknown, places: readonly (readonly (string | number)[])[]): unknown {
  const copies = new Set<object>();
  let top = root;
  for (const place of places) {
    const last = place.at(-1);
    if (last === undefined) {
      if (isJsonNumber(top) && Number.isFinite(Number(top))) top = Number(top);
      continue;
    }
    if (typeof top !== 'object' || top === null) continue;
    top = ownCopy(top, copies);
    let container = top as object;
    for (const key of place.slice(0, -1)) {
      const next = Object.hasOwn(container, key) ? (container as Record<string | number, unknown>)[key] : undefined;
      if (typeof next !== 'object' || next === null) break;
      const copy = ownCopy(next, copies);
      (container as Record<string | number, unknown>)[key] = copy;
      container = copy;
    }
    if (Object.hasOwn(container, last)) lowerNumber(container, last);
  }
  return top;
}

/** Gives a copy of a container with a record of its own; one that is a copy already is given back. */
function ownCopy(container: object, copies: Set<object>): object {
  if (copies.has(container)) return container;
  let copy: object;
  if (Array.isArray(container)) {
    const list: unknown[] = [...(container as unknown[])];
    const kept = keptOfList(container);
    if (kept !== null) attachKept(list, { spellings: kept.spellings.slice() });
    copy = list;
  } else {
    copy = { ...container };
    const kept = keptOfObject(container);
    if (kept !== null) {
      attachKept(copy, { spellings: kept.spellings === null ? null : new Map(kept.spellings), order: kept.order });
    }
  }
  copies.add(copy);
  return copy;
}
