/** Tells whether a value of unknown origin is plain JSON, without trusting it: no accessor is called. */

import { isJsonNumber } from './json/index.js';
import type { ParseIssue } from './results.js';

interface Frame {
  readonly container: object;
  readonly names: readonly string[] | null;
  readonly length: number;
  at: number;
}

/**
 * The first thing that is no JSON, in the order of the members, or null. A member whose value is undefined counts as
 * absent, and keys that are symbols are no members, as in `encode`. Works with a stack of its own, so that depth costs
 * no call stack. What a proxy throws passes through.
 */
export function findNonJson(root: unknown, maxDepth: number): ParseIssue | null {
  const frames: Frame[] = [];
  const ancestors = new Set<object>();
  const issue = (code: ParseIssue['code'], message: string): ParseIssue => ({
    code,
    pointer: pointerOf(frames),
    message,
  });

  const enter = (value: unknown): ParseIssue | null => {
    switch (typeof value) {
      case 'string':
      case 'boolean':
        return null;
      case 'number':
        return Number.isFinite(value)
          ? null
          : issue('invalid-json', 'expected a finite number, got NaN or an infinity');
      case 'object':
        return value === null || isJsonNumber(value) ? null : open(value);
      default:
        return issue(
          'invalid-json',
          `expected a JSON value, got ${typeof value === 'undefined' ? 'undefined' : `a ${typeof value}`}`,
        );
    }
  };

  const open = (value: object): ParseIssue | null => {
    if (ancestors.has(value))
      return issue('invalid-json', 'expected a value without cycles, got a container inside itself');
    if (frames.length >= maxDepth)
      return issue('too-deep', `expected at most ${maxDepth} containers inside each other, got more`);
    const prototype: unknown = Object.getPrototypeOf(value);
    const isList = Array.isArray(value);
    if (isList ? prototype !== Array.prototype : prototype !== Object.prototype && prototype !== null) {
      return issue('invalid-json', 'expected a plain object or list, got an object of another kind');
    }
    const names = isList ? null : Object.keys(value);
    frames.push({
      container: value,
      names,
      length: names === null ? (value as readonly unknown[]).length : names.length,
      at: 0,
    });
    ancestors.add(value);
    return null;
  };

  const first = enter(root);
  if (first !== null) return first;
  for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
    if (frame.at >= frame.length) {
      frames.pop();
      ancestors.delete(frame.container);
      continue;
    }
    const key = frame.names === null ? String(frame.at) : (frame.names[frame.at] ?? '');
    frame.at += 1;
    const descriptor = Object.getOwnPropertyDescriptor(frame.container, key);
    if (descriptor !== undefined && !Object.hasOwn(descriptor, 'value')) {
      return issue('invalid-json', 'expected a member with a value, got one that is computed');
    }
    const value: unknown = descriptor?.value;
    if (value === undefined && frame.names !== null) continue;
    const found = enter(value);
    if (found !== null) return found;
  }
  return null;
}

function pointerOf(frames: readonly Frame[]): string {
  return frames
    .map(({ names, at }) =>
      names === null ? `/${at - 1}` : `/${(names[at - 1] ?? '').replaceAll('~', '~0').replaceAll('/', '~1')}`,
    )
    .join('');
}
