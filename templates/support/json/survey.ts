/*
 * A look over a value before it is written: when it is plain JSON data of which nothing was kept, the engine's own
 * encoder writes it exactly; anything else is left to the exact encoder, which also finds the place of what is no JSON.
 */
import { KEPT } from './kept.js';

/**
 * Whether `JSON.stringify` writes the container exactly as it should be: nothing kept, no `-0`, nothing that is no
 * JSON, at most `room` containers inside each other.
 */
export function isPlain(container: object, room: number): boolean {
  if (room < 1 || (container as { [KEPT]?: unknown })[KEPT] !== undefined) return false;
  const prototype: unknown = Object.getPrototypeOf(container);
  if (Array.isArray(container)) {
    if (prototype !== Array.prototype) return false;
    const list: readonly unknown[] = container;
    for (let index = 0; index < list.length; index += 1) {
      const element = list[index];
      if (typeof element === 'string') continue;
      if (element === undefined || !isPlainValue(element, room - 1)) return false;
    }
    return true;
  }
  if (prototype !== Object.prototype && prototype !== null) return false;
  const object = container as Readonly<Record<string, unknown>>;
  for (const name in object) {
    const member = object[name];
    if (typeof member === 'string') continue;
    if (!isPlainValue(member, room - 1)) return false;
  }
  return true;
}

function isPlainValue(value: unknown, room: number): boolean {
  switch (typeof value) {
    case 'number':
      // An infinity or NaN less itself is NaN; the inverse of `-0` is the only negative one of a zero.
      return value === 0 ? 1 / value > 0 : value - value === 0;
    case 'object':
      return value === null || isPlain(value, room);
    case 'string':
    case 'boolean':
    case 'undefined':
      return true;
    default:
      return false;
  }
}
