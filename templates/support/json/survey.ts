/*
 * A look over a value before it is written. Plain JSON data of which nothing was kept is left to the engine's own
 * encoder, valid data of which something was kept to the kept encoder, and anything else to the exact encoder, which
 * finds the place of what is no JSON.
 */
import { isNumberLexeme } from './decimal.js';
import { isJsonNumber } from './json-number.js';
import { KEPT } from './kept.js';

/** The engine writes the value exactly as it should be. */
export const PLAIN = 0;
/** The value is JSON, but holds a `JsonNumber`, a `-0`, or a container with a record. */
export const KEEPING = 1;
/** The value is no JSON, or deeper than there is room. */
export const OTHER = 2;

export type Finding = typeof PLAIN | typeof KEEPING | typeof OTHER;

/** Surveys a container in which at most `room` containers may stand inside each other. */
export function surveyContainer(container: object, room: number): Finding {
  if (room < 1) return OTHER;
  if (Array.isArray(container)) return surveyList(container, room);
  const prototype: unknown = Object.getPrototypeOf(container);
  if (prototype !== Object.prototype && prototype !== null) {
    return isJsonNumber(container) && isNumberLexeme(container.text) ? KEEPING : OTHER;
  }
  let finding: Finding = (container as { [KEPT]?: unknown })[KEPT] === undefined ? PLAIN : KEEPING;
  const object = container as Readonly<Record<string, unknown>>;
  for (const name in object) {
    const member = object[name];
    if (typeof member === 'string' || member === undefined) continue;
    const isContainer = typeof member === 'object' && member !== null;
    const found = isContainer ? surveyContainer(member, room - 1) : surveyValue(member, room);
    if (found === OTHER) return OTHER;
    if (found === KEEPING) finding = KEEPING;
  }
  return finding;
}

function surveyList(list: readonly unknown[], room: number): Finding {
  if (Object.getPrototypeOf(list) !== Array.prototype) return OTHER;
  let finding: Finding = (list as { [KEPT]?: unknown })[KEPT] === undefined ? PLAIN : KEEPING;
  for (let index = 0; index < list.length; index += 1) {
    const element = list[index];
    if (typeof element === 'string') continue;
    // Inline, since lists of numbers are long: neither a zero, which may be `-0`, nor an infinity or NaN.
    if (typeof element === 'number' && element !== 0 && element - element === 0) continue;
    const found = surveyValue(element, room);
    if (found === OTHER) return OTHER;
    if (found === KEEPING) finding = KEEPING;
  }
  return finding;
}

/** Surveys a value in a container that has `room`. */
function surveyValue(value: unknown, room: number): Finding {
  if (typeof value === 'object') return value === null ? PLAIN : surveyContainer(value, room - 1);
  if (typeof value === 'number') {
    // An infinity or NaN less itself is NaN; the inverse of `-0` is the only negative one of a zero.
    if (value === 0) return 1 / value > 0 ? PLAIN : KEEPING;
    return value - value === 0 ? PLAIN : OTHER;
  }
  return typeof value === 'boolean' || typeof value === 'string' ? PLAIN : OTHER;
}
