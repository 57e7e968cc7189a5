/**
 * Immutable JSON values: frozen once, shared ever after.
 *
 * Objects that are known to be frozen all the way down are remembered, so a value that goes through a hundred hooks is
 * walked once, and an event that was changed in one place costs only its new containers.
 */
import { isJsonNumber } from '../../generated/json/index.js';

/** What a decoder keeps of a container's spelling. Keys that are other symbols are no members of JSON. */
const KEPT = Symbol.for('ahp-toolkit.json.kept');

/** Bound on nesting, which is also what stops a value that contains itself. */
const MAX_DEPTH = 1_000;

const deeplyFrozen = new WeakSet<object>();

/** Tells whether `value` is a primitive or is already known to be frozen all the way down. Walks nothing. */
export function isKnownFrozen(value: unknown): boolean {
  return !isObject(value) || deeplyFrozen.has(value);
}

/**
 * Freezes `value` in place, all the way down, and returns it. Only for values that the caller owns: a parsed message, a
 * container that was just built. Subtrees that are known to be frozen are not walked again.
 * Throws a TypeError when a value nests deeper than 1,000 levels or contains itself.
 */
export function freezeDeep<T>(value: T): T {
  if (isObject(value)) freezeLevel(value, 0);
  return value;
}

/**
 * An immutable snapshot of a JSON value that somebody else owns. The input is never frozen and never changed: what is
 * mutable is copied once by own members, what is frozen all the way down is shared, number spellings are kept. What
 * stands behind an accessor is read once; members under symbols of others are left behind.
 * Throws a TypeError for objects of foreign prototypes, such as dates and maps, for values that nest deeper than 1,000
 * levels, and for values that contain themselves.
 */
export function snapshot<T>(value: T): T {
  return isObject(value) ? (copyLevel(value, 0) as T) : value;
}

/**
 * A mutable copy of one container, members and number spellings included (a plain array copy would lose those).
 * An object comes back with the ordinary prototype, a member called `__proto__` stays a member.
 */
export function copyContainer<T extends object>(container: T): T {
  if (!Array.isArray(container)) return { ...container };
  const copy: unknown[] = container.slice();
  const kept = Reflect.get(container, KEPT);
  if (kept !== undefined) {
    Object.defineProperty(copy, KEPT, { value: kept, enumerable: true, writable: true, configurable: true });
  }
  return copy as T;
}

type Key = string | number | symbol;
type Members = Record<Key, unknown>;

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Calls `visit` for each member of a container: elements of a list by number, then what a decoder keeps of it. */
function eachMember(container: object, visit: (member: unknown, key: Key) => void): void {
  if (Array.isArray(container)) {
    for (let index = 0; index < container.length; index += 1) visit(container[index], index);
  } else {
    for (const name of Object.keys(container)) visit((container as Members)[name], name);
  }
  const kept = (container as Members)[KEPT];
  if (kept !== undefined) visit(kept, KEPT);
}

function freezeLevel(container: object, depth: number): void {
  if (deeplyFrozen.has(container)) return;
  if (depth >= MAX_DEPTH) throw tooDeep();
  eachMember(container, (member) => {
    if (isObject(member)) freezeLevel(member, depth + 1);
  });
  Object.freeze(container);
  deeplyFrozen.add(container);
}

function copyLevel(value: object, depth: number): object {
  if (deeplyFrozen.has(value)) return value;
  if (depth >= MAX_DEPTH) throw tooDeep();
  if (!isContainer(value)) return shareLeaf(value);
  const copy = copyContainer(value);
  dropForeignSymbols(copy);
  let isShareable = Object.isFrozen(value) && isPlainData(value);
  eachMember(copy, (member, key) => {
    if (!isObject(member)) return;
    // What a decoder keeps under a symbol never changes after decoding, so it is shared.
    const settled = typeof key === 'symbol' ? freezeDeep(member) : copyLevel(member, depth + 1);
    if (settled === member) return;
    isShareable = false;
    // The copy has this member as its own already, so that even __proto__ is an ordinary one here.
    (copy as Members)[key] = settled;
  });
  const settled = isShareable ? value : Object.freeze(copy);
  deeplyFrozen.add(settled);
  return settled;
}

/** What hosts and libraries keep under symbols of their own is theirs: no event, and nothing to freeze. */
function dropForeignSymbols(copy: object): void {
  for (const key of Object.getOwnPropertySymbols(copy)) if (key !== KEPT) Reflect.deleteProperty(copy, key);
}

/** Whether a frozen container can be shared: an accessor gives another value whenever it likes, frozen or not. */
function isPlainData(frozen: object): boolean {
  return Reflect.ownKeys(frozen).every((key) => {
    if (typeof key === 'symbol') return key === KEPT;
    return Object.hasOwn(Object.getOwnPropertyDescriptor(frozen, key) ?? {}, 'value');
  });
}

/** Shares a number that keeps its text: the one object of a class of its own that is a JSON value. */
function shareLeaf(value: object): object {
  if (!isJsonNumber(value) || !Object.isFrozen(value)) {
    throw new TypeError('Snapshot: expected JSON values only, got an object of a foreign prototype');
  }
  deeplyFrozen.add(value);
  return value;
}

function isContainer(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return Array.isArray(value) ? prototype === Array.prototype : prototype === Object.prototype || prototype === null;
}

function tooDeep(): TypeError {
  return new TypeError(
    `Snapshot: expected at most ${MAX_DEPTH} nested levels, got more, or a value that contains itself`,
  );
}
