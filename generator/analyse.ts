/** What can be told of a shape without a value: possible types, tags, required paths, declared names. */

import type { JsonType } from './model.js';
import { isInheritedName } from './text.js';
import { JSON_TYPES, type RawShape, typeOfJson } from './shapes.js';

export type Shapes = ReadonlyMap<string, RawShape>;

/** The string constants that a member may have, and whether it must be there. */
export interface Tag {
  /** Null when the member is declared without constants. */
  readonly values: ReadonlySet<string> | null;
  readonly required: boolean;
}

/** Follows references; null when there is no such definition or the references go round. */
export function resolveShape(shape: RawShape, shapes: Shapes): RawShape | null {
  const seen = new Set<string>();
  let current: RawShape | undefined = shape;
  while (current?.kind === 'reference') {
    if (seen.has(current.key)) return null;
    seen.add(current.key);
    current = shapes.get(current.key);
  }
  return current ?? null;
}

/** JSON types that a value of the shape can have, integers being numbers. */
export function possibleTypes(
  shape: RawShape,
  shapes: Shapes,
  seen: ReadonlySet<string> = new Set(),
): ReadonlySet<JsonType> {
  switch (shape.kind) {
    case 'any':
      return new Set(JSON_TYPES);
    case 'never':
      return new Set();
    case 'reference': {
      const target = shapes.get(shape.key);
      if (target === undefined || seen.has(shape.key)) return new Set(JSON_TYPES);
      return possibleTypes(target, shapes, new Set([...seen, shape.key]));
    }
    case 'types':
      return new Set(shape.types.map((type) => (type === 'integer' ? 'number' : type)));
    case 'constant':
      return new Set([typeOfJson(shape.value)]);
    case 'enum':
      return new Set(shape.values.map(typeOfJson));
    case 'object':
      return new Set<JsonType>(shape.typed ? ['object'] : JSON_TYPES);
    case 'list':
      return new Set<JsonType>(shape.typed ? ['array'] : JSON_TYPES);
    case 'every': {
      const sets = shape.parts.map((part) => possibleTypes(part, shapes, seen));
      return new Set(JSON_TYPES.filter((type) => sets.every((set) => set.has(type))));
    }
    case 'raw-union':
      return new Set(shape.branches.flatMap((branch) => [...possibleTypes(branch, shapes, seen)]));
  }
}

/** Members that every value of the shape declares, with their string constants. */
export function tagsOf(
  shape: RawShape,
  shapes: Shapes,
  seen: ReadonlySet<string> = new Set(),
): ReadonlyMap<string, Tag> {
  switch (shape.kind) {
    case 'reference': {
      const target = shapes.get(shape.key);
      if (target === undefined || seen.has(shape.key)) return new Map();
      return tagsOf(target, shapes, new Set([...seen, shape.key]));
    }
    case 'object':
      return new Map(
        shape.members.map(({ name, required, shape }) => [name, { values: stringConstants(shape, shapes), required }]),
      );
    case 'every': {
      const tags = new Map<string, Tag>();
      for (const part of shape.parts) {
        for (const [name, tag] of tagsOf(part, shapes, seen)) tags.set(name, bothTags(tags.get(name), tag));
      }
      return tags;
    }
    case 'raw-union': {
      const [first, ...others] = shape.branches.map((branch) => tagsOf(branch, shapes, seen));
      const tags = new Map<string, Tag>();
      for (const [name, tag] of first ?? []) {
        const all = [tag, ...others.map((other) => other.get(name))];
        if (all.includes(undefined)) continue;
        const values = all.map((other) => other?.values ?? null);
        const joined = values.includes(null) ? null : new Set(values.flatMap((set) => [...(set ?? [])]));
        tags.set(name, { values: joined, required: all.every((other) => other?.required === true) });
      }
      return tags;
    }
    default:
      return new Map();
  }
}

function bothTags(left: Tag | undefined, right: Tag): Tag {
  if (left === undefined) return right;
  const required = left.required || right.required;
  if (left.values === null || right.values === null) return { values: left.values ?? right.values, required };
  const { values } = right;
  return { values: new Set([...left.values].filter((value) => values.has(value))), required };
}

function stringConstants(shape: RawShape, shapes: Shapes): ReadonlySet<string> | null {
  const target = resolveShape(shape, shapes);
  if (target?.kind === 'constant') return typeof target.value === 'string' ? new Set([target.value]) : null;
  // An enum of one string names a branch as well as a constant does, although other strings are kept under it.
  if (target?.kind === 'enum' && target.values.length === 1) {
    return new Set(target.values.filter((value) => typeof value === 'string'));
  }
  if (target?.kind !== 'every') return null;
  for (const part of target.parts) {
    const constants = stringConstants(part, shapes);
    if (constants !== null) return constants;
  }
  return null;
}

/** Names that the shape declares as members, on whatever level of `allOf` or in whichever branch. */
export function declaredNames(
  shape: RawShape,
  shapes: Shapes,
  seen: ReadonlySet<string> = new Set(),
): ReadonlySet<string> {
  switch (shape.kind) {
    case 'reference': {
      const target = shapes.get(shape.key);
      if (target === undefined || seen.has(shape.key)) return new Set();
      return declaredNames(target, shapes, new Set([...seen, shape.key]));
    }
    case 'object':
      return new Set(shape.members.map(({ name }) => name));
    case 'every':
      return new Set(shape.parts.flatMap((part) => [...declaredNames(part, shapes, seen)]));
    case 'raw-union':
      return new Set(shape.branches.flatMap((branch) => [...declaredNames(branch, shapes, seen)]));
    default:
      return new Set();
  }
}

/** True when the schema forbids members that it does not declare. */
export function isClosed(shape: RawShape, shapes: Shapes): boolean {
  const target = resolveShape(shape, shapes);
  if (target?.kind === 'object') return target.closed;
  return target?.kind === 'every' && target.parts.some((part) => isClosed(part, shapes));
}

/** Member paths, up to two names long, that every value of the shape has. */
export function requiredPaths(shape: RawShape, shapes: Shapes): string[][] {
  const paths: string[][] = [];
  for (const name of requiredNames(shape, shapes)) {
    paths.push([name]);
    const member = isInheritedName(name) ? null : memberOf(shape, name, shapes);
    if (member === null) continue;
    for (const inner of requiredNames(member, shapes)) paths.push([name, inner]);
  }
  return paths.sort((left, right) => left.length - right.length);
}

function requiredNames(shape: RawShape, shapes: Shapes): string[] {
  return [...tagsOf(shape, shapes)].filter(([, tag]) => tag.required).map(([name]) => name);
}

function memberOf(shape: RawShape, name: string, shapes: Shapes): RawShape | null {
  const target = resolveShape(shape, shapes);
  if (target?.kind === 'object') return target.members.find((member) => member.name === name)?.shape ?? null;
  if (target?.kind !== 'every') return null;
  for (const part of target.parts) {
    const member = memberOf(part, name, shapes);
    if (member !== null && member.kind !== 'any') return member;
  }
  return null;
}
