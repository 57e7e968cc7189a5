/**
 * What a type says, between the schema and its text: the schema's conjunctions are worked out, so that members beside
 * unions, bases with overlays and keywords beside `$ref` have become plain objects and unions of them.
 */

import type { Json, JsonObject } from '../model.js';
import { isList } from '../text.js';

export type TypeShape =
  | AnyType
  | NeverType
  | PrimitiveType
  | ValuesType
  | ListType
  | ObjectType
  | NamedType
  | UnionType
  | UnknownVariantType
  | PrefixedType;

/** Any JSON value. */
export interface AnyType {
  readonly kind: 'any';
}

/** No value; as a member: one that must be absent. */
export interface NeverType {
  readonly kind: 'never';
}

export interface PrimitiveType {
  readonly kind: 'primitive';
  readonly name: 'string' | 'number' | 'boolean' | 'null';
}

/** One of these values. A lone value is exact; among several, strings leave room for other strings. */
export interface ValuesType {
  readonly kind: 'values';
  readonly values: readonly Json[];
}

export interface ListType {
  readonly kind: 'list';
  readonly prefix: readonly TypeShape[];
  /** How many elements of the prefix are sure to be there. */
  readonly minItems: number;
  /** Elements after the prefix; null when there are none. */
  readonly rest: TypeShape | null;
}

export interface ObjectType {
  readonly kind: 'object';
  /** False for keywords that speak of objects without demanding one: they add nothing to another JSON type. */
  readonly isTyped: boolean;
  readonly members: ReadonlyMap<string, MemberType>;
  readonly extras: Extras;
  /** The named object that it was made from, if it adds to one. */
  readonly base?: string;
}

/** Members without a name of their own: of any kind, none, or of a type. */
export type Extras = 'open' | 'closed' | TypeShape;

export interface MemberType {
  readonly shape: TypeShape;
  readonly isRequired: boolean;
  /** Lines of the doc comment. */
  readonly doc: readonly string[];
}

/** Another definition, by its type name. */
export interface NamedType {
  readonly kind: 'named';
  readonly name: string;
}

export interface UnionType {
  readonly kind: 'union';
  readonly arms: readonly TypeShape[];
}

/** What a codec keeps whole when the tag is not among the known ones. */
export interface UnknownVariantType {
  readonly kind: 'unknown-variant';
  readonly tag: string;
  /** True beside open objects alone: an index signature beside closed ones would end the checks of their literals. */
  readonly isOpen: boolean;
}

/** Strings that begin so: the tag of a declared open branch. */
export interface PrefixedType {
  readonly kind: 'prefixed';
  readonly prefix: string;
}

export const ANY: AnyType = { kind: 'any' };
export const NEVER: NeverType = { kind: 'never' };
export const STRING: PrimitiveType = { kind: 'primitive', name: 'string' };

/** A conjunction of two unions has an arm for each pair; above this many it is no type that anybody could read. */
const MAX_PAIRS = 4_096;

/** What is known about named types. */
export interface Names {
  /** What the name stands for. */
  resolve(name: string): TypeShape;
  /** True when the first is made from the second by adding to it (`allOf`, keywords beside `$ref`). */
  derives(name: string, from: string): boolean;
}

/** The shape of values that both shapes take. */
export function intersect(left: TypeShape, right: TypeShape, names: Names): TypeShape {
  if (left.kind === 'any') return right;
  if (right.kind === 'any') return left;
  if (left.kind === 'never' || right.kind === 'never') return NEVER;
  if (left.kind === 'named' && right.kind === 'named') {
    if (left.name === right.name || names.derives(left.name, right.name)) return left;
    if (names.derives(right.name, left.name)) return right;
  }
  if (left.kind === 'named') return keepName(left, intersect(names.resolve(left.name), right, names), names);
  if (right.kind === 'named') return keepName(right, intersect(left, names.resolve(right.name), names), names);
  if (left.kind === 'union' && right.kind === 'union') requireFewPairs(left.arms.length * right.arms.length);
  if (left.kind === 'union') return unite(left.arms.map((arm) => intersect(arm, right, names)));
  if (right.kind === 'union') return unite(right.arms.map((arm) => intersect(left, arm, names)));
  // An unknown variant is kept whole, whatever else the schema says of its members.
  if (left.kind === 'unknown-variant' || right.kind === 'unknown-variant') return intersectUnknown(left, right);
  if (left.kind === 'object' && right.kind === 'object') return intersectObjects(left, right, names);
  if (left.kind === 'object' && !left.isTyped) return right;
  if (right.kind === 'object' && !right.isTyped) return left;
  if (left.kind === 'list' && right.kind === 'list') return intersectLists(left, right, names);
  if (left.kind === 'values') return intersectValues(left, right);
  if (right.kind === 'values') return intersectValues(right, left);
  if (left.kind === 'prefixed' && isStringLike(right)) return left;
  if (right.kind === 'prefixed' && isStringLike(left)) return right;
  if (left.kind === 'primitive' && right.kind === 'primitive' && left.name === right.name) return left;
  return NEVER;
}

function requireFewPairs(pairs: number): void {
  if (pairs > MAX_PAIRS) throw new RangeError(`expected at most ${MAX_PAIRS} pairs of branches, got ${pairs}`);
}

/** A union without arms that take nothing, without nested unions and without repeats. */
export function unite(arms: readonly TypeShape[]): TypeShape {
  const flat: TypeShape[] = [];
  const seen = new Set<string>();
  for (const arm of arms.flatMap((one) => (one.kind === 'union' ? one.arms : [one]))) {
    if (arm.kind === 'never') continue;
    if (arm.kind === 'any') return ANY;
    const identity = identify(arm);
    if (seen.has(identity)) continue;
    seen.add(identity);
    flat.push(arm);
  }
  const kept = flat.filter(
    (arm, index) =>
      !flat.some(
        (other, place) =>
          place !== index && includesValues(other, arm) && (place < index || !includesValues(arm, other)),
      ),
  );
  const [only] = kept;
  if (only === undefined) return NEVER;
  return kept.length === 1 ? only : { kind: 'union', arms: kept };
}

/** The same shape with no members beside the named ones (`unevaluatedProperties: false`) or only such of a type. */
export function restrictExtras(shape: TypeShape, extras: Extras, names: Names): TypeShape {
  if (shape.kind === 'named') return restrictExtras(names.resolve(shape.name), extras, names);
  if (shape.kind === 'union') return unite(shape.arms.map((arm) => restrictExtras(arm, extras, names)));
  if (shape.kind !== 'object') return shape;
  return { ...shape, extras: intersectExtras(shape.extras, extras, names) };
}

/** Remembers the first named object among the parts of a conjunction, which the result extends. */
export function withBase(shape: TypeShape, parts: readonly TypeShape[], names: Names): TypeShape {
  if (shape.kind !== 'object') return shape;
  for (const part of parts) {
    if (part.kind === 'named' && names.resolve(part.name).kind === 'object') return { ...shape, base: part.name };
  }
  return shape;
}

/** True for objects that take unknown members, through names. */
export function isOpenObject(shape: TypeShape, names: Names): boolean {
  return armsOf(shape, names).every((arm) => {
    const target = arm.kind === 'named' ? names.resolve(arm.name) : arm;
    return target.kind === 'object' && target.extras === 'open';
  });
}

/** Arms of a shape, through names where it has any. */
export function armsOf(shape: TypeShape, names: Names): readonly TypeShape[] {
  if (shape.kind === 'union') return shape.arms;
  if (shape.kind !== 'named') return [shape];
  const target = names.resolve(shape.name);
  return target.kind === 'union' || target.kind === 'named' ? armsOf(target, names) : [shape];
}

/** A name survives a conjunction that adds nothing, such as `type: object` beside a `$ref` to an object. */
function keepName(named: NamedType, result: TypeShape, names: Names): TypeShape {
  return identify(result) === identify(names.resolve(named.name)) ? named : result;
}

function intersectUnknown(left: TypeShape, right: TypeShape): TypeShape {
  const [unknown, other] = left.kind === 'unknown-variant' ? [left, right] : [right, left];
  if (other.kind === 'unknown-variant') return unknown;
  if (unknown.kind !== 'unknown-variant' || other.kind !== 'object') return NEVER;
  // A tag that has to be a certain constant is a known one.
  return other.members.get(unknown.tag)?.shape.kind === 'values' ? NEVER : unknown;
}

function intersectObjects(left: ObjectType, right: ObjectType, names: Names): TypeShape {
  const members = new Map<string, MemberType>();
  for (const name of new Set([...left.members.keys(), ...right.members.keys()])) {
    const member = intersectMembers(memberOf(left, name), memberOf(right, name), names);
    if (member === null) continue;
    // A member that must be there and cannot: nothing fits.
    if (member.shape.kind === 'never' && member.isRequired) return NEVER;
    members.set(name, member);
  }
  return {
    kind: 'object',
    isTyped: left.isTyped || right.isTyped,
    members,
    extras: intersectExtras(left.extras, right.extras, names),
  };
}

/** What an object says of a member: its own words, those for all other members, nothing, or (null) that it is forbidden. */
function memberOf(object: ObjectType, name: string): MemberType | TypeShape | 'open' | null {
  return object.members.get(name) ?? (object.extras === 'closed' ? null : object.extras);
}

type Said = ReturnType<typeof memberOf>;

function intersectMembers(left: Said, right: Said, names: Names): MemberType | null {
  if (left === 'open') return isMember(right) ? right : null;
  if (right === 'open') return isMember(left) ? left : null;
  if (left === null || right === null) {
    const member = left ?? right;
    // Forbidden by one side; where the other demands it, the schema contradicts itself, which is not the types' business.
    return isMember(member) && member.isRequired ? member : null;
  }
  const [first, second] = [left, right].map((said) =>
    isMember(said) ? said : { shape: said, isRequired: false, doc: [] },
  );
  if (first === undefined || second === undefined) return null;
  return {
    shape: intersect(first.shape, second.shape, names),
    isRequired: first.isRequired || second.isRequired,
    // The overlay, which stands later, describes the member more closely.
    doc: second.doc.length > 0 ? second.doc : first.doc,
  };
}

function isMember(said: Said): said is MemberType {
  return said !== null && typeof said === 'object' && 'isRequired' in said;
}

function intersectExtras(left: Extras, right: Extras, names: Names): Extras {
  if (left === 'closed' || right === 'closed') return 'closed';
  if (left === 'open') return right;
  if (right === 'open') return left;
  return intersect(left, right, names);
}

function intersectLists(left: ListType, right: ListType, names: Names): ListType {
  const length = Math.max(left.prefix.length, right.prefix.length);
  const prefix: TypeShape[] = [];
  for (let index = 0; index < length; index += 1) {
    const first = left.prefix[index] ?? left.rest ?? NEVER;
    const second = right.prefix[index] ?? right.rest ?? NEVER;
    prefix.push(intersect(first, second, names));
  }
  const rest = left.rest === null || right.rest === null ? null : intersect(left.rest, right.rest, names);
  return { kind: 'list', prefix, rest, minItems: Math.max(left.minItems, right.minItems) };
}

function intersectValues(left: ValuesType, right: TypeShape): TypeShape {
  const values = left.values.filter((value) => takes(right, value));
  return values.length === 0 ? NEVER : { kind: 'values', values };
}

/** True when an open enum has all the values of another shape. */
function includesValues(larger: TypeShape, smaller: TypeShape): boolean {
  if (larger.kind !== 'values' || smaller.kind !== 'values' || larger.values.length < 2) return false;
  return smaller.values.every((value) => takes(larger, value));
}

function takes(shape: TypeShape, value: Json): boolean {
  switch (shape.kind) {
    case 'values':
      return shape.values.some((other) => jsonIdentity(other) === jsonIdentity(value));
    case 'primitive':
      return shape.name === 'null' ? value === null : typeof value === shape.name;
    case 'prefixed':
      return typeof value === 'string' && value.startsWith(shape.prefix);
    case 'list':
      return isList(value);
    case 'object':
      return typeof value === 'object' && value !== null && !isList(value);
    default:
      return false;
  }
}

function isStringLike(shape: TypeShape): boolean {
  return shape.kind === 'prefixed' || (shape.kind === 'primitive' && shape.name === 'string');
}

/** Equal for shapes that print alike; doc comments do not count. */
function identify(shape: TypeShape): string {
  return JSON.stringify(shape, (_name, value: unknown) =>
    value instanceof Map
      ? [...(value as ReadonlyMap<string, MemberType>)].map(([name, { shape, isRequired }]) => [
          name,
          isRequired,
          shape,
        ])
      : value,
  );
}

function jsonIdentity(value: Json): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (isList(value)) return `[${value.map(jsonIdentity).join(',')}]`;
  const object: JsonObject = value;
  const names = Object.keys(object).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${jsonIdentity(object[name] ?? null)}`).join(',')}}`;
}
