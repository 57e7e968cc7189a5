/*
 * How many members a value has. A text has no duplicate member exactly when its colons outside strings are as many as
 * the members of the value that the engine made of it: every member has one colon, every distinct name leaves one own
 * enumerable key, and a duplicate loses at least one.
 */

/**
 * Counts the members of a container and of all containers in it.
 * Gives NaN, which equals no count, when more than `room` containers stand inside each other.
 * Only while `arePrototypesPolluted()` is false: the loop over names reaches whatever is enumerable there.
 */
export function countMembers(container: object, room: number): number {
  if (room < 1) return Number.NaN;
  let count = 0;
  if (Array.isArray(container)) {
    const list: readonly unknown[] = container;
    for (let index = 0; index < list.length; index += 1) {
      const element = list[index];
      if (typeof element === 'object' && element !== null) count += countMembers(element, room - 1);
    }
    return count;
  }
  // The engine keeps the names of each shape of objects at hand for this loop, so that nothing is allocated.
  const object = container as Readonly<Record<string, unknown>>;
  for (const name in object) {
    count += 1;
    const member = object[name];
    if (typeof member === 'object' && member !== null) count += countMembers(member, room - 1);
  }
  return count;
}

const EMPTY_LIST: readonly never[] = [];

/**
 * Whether something enumerable stands on `Object.prototype` or `Array.prototype`, so that enumerating a plain
 * container gives more than its own members.
 */
export function arePrototypesPolluted(): boolean {
  for (const _ in EMPTY_LIST) return true;
  return false;
}
