/**
 * Places in JSON values: JSON Pointers (RFC 6901), and patterns of them in which `*` stands for every list element.
 * Writing shares structure: only the containers on the way are new. Member names are data, `__proto__` among them.
 */
import { copyContainer } from './freeze.js';

/** One concrete place of a pattern and what stands there. */
export interface Place {
  /** JSON Pointer from the root. */
  readonly pointer: string;
  readonly value: unknown;
}

/** The names on the way, unescaped; `[]` for the root. Throws a TypeError for text that is no JSON Pointer. */
export function pointerNames(pointer: string): string[] {
  if (pointer === '') return [];
  if (!pointer.startsWith('/') || /~(?![01])/.test(pointer)) {
    throw new TypeError('JSON Pointer: expected "" or "/"-separated names with ~0 and ~1 escapes, got other text');
  }
  return pointer
    .slice(1)
    .split('/')
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** One name as a segment of a JSON Pointer, with its slash in front. */
export function pointerSegment(name: string | number): string {
  return `/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** What stands at `pointer`, or undefined when nothing does (JSON itself has no undefined). Own members only. */
export function getAt(root: unknown, pointer: string): unknown {
  let value = root;
  for (const name of pointerNames(pointer)) {
    if (!isStep(value, name)) return undefined;
    value = Reflect.get(value, name);
  }
  return value;
}

/**
 * A copy of `root` with `value` at `pointer`; everything beside the way is shared with `root`, which stays unchanged.
 * The last name may be new in an object; every other place must exist.
 * Throws a TypeError when the way leads through something that is not there.
 */
export function setAt<T>(root: T, pointer: string, value: unknown): T {
  return setLevel(root, pointerNames(pointer), 0, value) as T;
}

/** All concrete places of a pattern such as `/items/*` in `root`, in document order. Absent places are left out. */
export function placesOf(root: unknown, pattern: string): Place[] {
  const found: Place[] = [];
  collect(root, pointerNames(pattern), 0, '', found);
  return found;
}

/** A copy of `root` without the members at `pattern`; `root` itself when there is none. Structure is shared. */
export function removeAt<T>(root: T, pattern: string): T {
  const names = pointerNames(pattern);
  if (names.length === 0) throw new TypeError('JSON Pointer: expected a member to remove, got the root');
  return removeLevel(root, names, 0) as T;
}

function setLevel(container: unknown, names: readonly string[], index: number, value: unknown): unknown {
  const name = names[index];
  if (name === undefined) return value;
  const last = index === names.length - 1;
  if (!isStep(container, name) && !(last && isPlainObject(container))) {
    throw new TypeError('JSON Pointer: expected a place that exists, got one that does not');
  }
  return withMember(container, name, setLevel(Reflect.get(container, name), names, index + 1, value));
}

function collect(value: unknown, names: readonly string[], index: number, at: string, found: Place[]): void {
  const name = names[index];
  if (name === undefined) {
    found.push({ pointer: at, value });
  } else if (name === '*' && Array.isArray(value)) {
    value.forEach((element: unknown, position) => {
      collect(element, names, index + 1, at + pointerSegment(position), found);
    });
  } else if (isPlainObject(value) && Object.hasOwn(value, name)) {
    collect(Reflect.get(value, name), names, index + 1, at + pointerSegment(name), found);
  }
}

function removeLevel(value: unknown, names: readonly string[], index: number): unknown {
  const name = names[index];
  if (name === undefined) return value;
  if (name === '*' && Array.isArray(value)) {
    let list: unknown[] = value;
    value.forEach((element: unknown, position) => {
      const kept = removeLevel(element, names, index + 1);
      if (kept === element) return;
      if (list === value) list = copyContainer(list);
      list[position] = kept;
    });
    return list;
  }
  if (!isPlainObject(value) || !Object.hasOwn(value, name)) return value;
  if (index === names.length - 1) {
    const { [name]: _removed, ...rest } = value;
    return rest;
  }
  const member: unknown = value[name];
  const kept = removeLevel(member, names, index + 1);
  return kept === member ? value : withMember(value, name, kept);
}

function withMember(container: object, name: string, member: unknown): object {
  const copy = copyContainer(container);
  Object.defineProperty(copy, name, { value: member, writable: true, enumerable: true, configurable: true });
  return copy;
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether `name` leads from `value` to something: an own member of an object, or a present element of a list. */
function isStep(value: unknown, name: string): value is object {
  if (Array.isArray(value)) return /^(?:0|[1-9][0-9]*)$/.test(name) && Number(name) < value.length;
  return isPlainObject(value) && Object.hasOwn(value, name);
}
