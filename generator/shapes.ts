/**
 * First half of lowering: schemas as shapes whose unions have no choice yet, and what can be read off them. Works on sets
 * with problems too, since the discriminator rule of the check phase looks at shapes.
 */

import { isJsonObject, own, pointerStep } from './keywords.js';
import type { Json, JsonObject, JsonType, LinkedSet, MemberShape, Place, Shape } from './model.js';
import { isList } from './text.js';

/** A union as it is found: its branches, what holds beside it, and the discriminator that the schema declares. */
export interface RawUnion {
  readonly kind: 'raw-union';
  readonly place: Place;
  readonly branches: readonly RawShape[];
  readonly context: RawShape[];
  readonly discriminator: string | null;
}

/** A shape in which unions have no choice yet. */
export type RawShape =
  | Exclude<Shape, { readonly kind: 'object' | 'list' | 'every' | 'union' }>
  | RawObject
  | {
      readonly kind: 'list';
      readonly typed: boolean;
      readonly prefix: readonly RawShape[];
      readonly rest: RawShape | null;
    }
  | { readonly kind: 'every'; readonly parts: readonly RawShape[] }
  | RawUnion;

export interface RawObject {
  readonly kind: 'object';
  readonly typed: boolean;
  readonly members: readonly RawMember[];
  readonly patterns: readonly { readonly pattern: string; readonly shape: RawShape }[];
  readonly extras: RawShape | null;
  readonly closed: boolean;
}

export type RawMember = Omit<MemberShape, 'shape'> & { readonly shape: RawShape };

export const ANY: RawShape = { kind: 'any' };
const NEVER: RawShape = { kind: 'never' };

export const JSON_TYPES: readonly JsonType[] = ['array', 'boolean', 'null', 'number', 'object', 'string'];

/** The raw shapes of all definitions, by key. */
export function shapeDefinitions(set: LinkedSet): Map<string, RawShape> {
  return new Map(set.definitions.map(({ key, place, schema }) => [key, toShape(schema, place)]));
}

/** Shape of a schema that stands at a place. */
export function toShape(schema: Json, place: Place): RawShape {
  if (schema === false) return NEVER;
  if (!isJsonObject(schema)) return ANY;
  const parts = mergeObjects(partsOf(schema, place).filter((part) => part.kind !== 'any'));
  const [only] = parts;
  if (only === undefined) return ANY;
  if (parts.some((part) => part.kind === 'never')) return NEVER;
  for (const part of parts) {
    if (part.kind === 'raw-union') part.context.push(...parts.filter((other) => other !== part));
  }
  return parts.length === 1 ? only : { kind: 'every', parts };
}

/** What a schema demands, each part by itself; the parts of `allOf` stand among them. */
function partsOf(schema: JsonObject, place: Place): RawShape[] {
  const parts: RawShape[] = [];
  const reference = own(schema, '$ref');
  if (typeof reference === 'string') parts.push({ kind: 'reference', key: reference });
  const allOf = own(schema, 'allOf');
  if (isList(allOf)) {
    for (const [index, part] of allOf.entries()) {
      if (part === false) parts.push(NEVER);
      if (isJsonObject(part)) parts.push(...partsOf(part, below(place, 'allOf', index)));
    }
  }
  parts.push(...ownParts(schema, place));
  for (const keyword of ['oneOf', 'anyOf'] as const) {
    const branches = own(schema, keyword);
    if (!isList(branches) || branches.length === 0) continue;
    const shapes = branches.map((branch, index) => toShape(branch, below(place, keyword, index)));
    const declared = own(schema, 'x-sdk-discriminator');
    const discriminator = typeof declared === 'string' ? declared : null;
    parts.push({ kind: 'raw-union', place: below(place, keyword), branches: shapes, context: [], discriminator });
  }
  return parts;
}

function ownParts(schema: JsonObject, place: Place): RawShape[] {
  const constant = own(schema, 'const');
  if (constant !== undefined) return [{ kind: 'constant', value: constant }];
  const types = typesOfKeyword(own(schema, 'type'));
  const values = own(schema, 'enum');
  if (isList(values)) {
    const fitting = types === null ? values : values.filter((value) => types.some((type) => fits(value, type)));
    return [fitting.length === 0 ? NEVER : { kind: 'enum', values: fitting }];
  }
  const isOnly = (type: JsonType): boolean => types?.length === 1 && types[0] === type;
  const object = objectShape(schema, place, isOnly('object'));
  const list = listShape(schema, place, isOnly('array'));
  const parts: RawShape[] = [];
  if (types !== null && !(object?.typed ?? false) && !(list?.typed ?? false)) parts.push({ kind: 'types', types });
  if (object !== null && (types === null || types.includes('object'))) parts.push(object);
  if (list !== null && (types === null || types.includes('array'))) parts.push(list);
  return parts;
}

function objectShape(schema: JsonObject, place: Place, typed: boolean): RawObject | null {
  const properties = own(schema, 'properties');
  const required = own(schema, 'required');
  const patterns = own(schema, 'patternProperties');
  const additional = own(schema, 'additionalProperties');
  const closed = additional === false || own(schema, 'unevaluatedProperties') === false;
  const names = new Set(isList(required) ? required.filter((name) => typeof name === 'string') : []);
  const members: RawMember[] = [];
  if (isJsonObject(properties)) {
    for (const [name, member] of Object.entries(properties)) {
      members.push({
        name,
        required: names.delete(name),
        shape: memberShape(member, below(place, 'properties', name)),
      });
    }
  }
  for (const name of names) members.push({ name, required: true, shape: ANY });
  const patternShapes = Object.entries(isJsonObject(patterns) ? patterns : {}).map(([pattern, member]) => ({
    pattern,
    shape: memberShape(member, below(place, 'patternProperties', pattern)),
  }));
  const extras = isJsonObject(additional) ? toShape(additional, below(place, 'additionalProperties')) : ANY;
  if (members.length === 0 && patternShapes.length === 0 && extras.kind === 'any' && !closed) return null;
  return {
    kind: 'object',
    typed,
    members,
    patterns: patternShapes,
    extras: extras.kind === 'any' ? null : extras,
    closed,
  };
}

/** `false` for a member says 'none of', which is the validator's to refuse. */
function memberShape(schema: Json, place: Place): RawShape {
  const shape = toShape(schema, place);
  return shape.kind === 'never' ? ANY : shape;
}

function listShape(schema: JsonObject, place: Place, typed: boolean): Extract<RawShape, { kind: 'list' }> | null {
  const prefixItems = own(schema, 'prefixItems');
  const prefix = isList(prefixItems)
    ? prefixItems.map((item, index) => memberShape(item, below(place, 'prefixItems', index)))
    : [];
  const items = own(schema, 'items');
  const rest = isJsonObject(items) ? toShape(items, below(place, 'items')) : ANY;
  if (rest.kind === 'any' && prefix.every(({ kind }) => kind === 'any')) return null;
  return { kind: 'list', typed, prefix, rest: rest.kind === 'any' ? null : rest };
}

/** Joins object parts that say nothing of further members into one, so that each member is looked at once. */
function mergeObjects(parts: readonly RawShape[]): RawShape[] {
  const merged: RawShape[] = [];
  let at = -1;
  for (const part of parts) {
    const into = merged[at];
    if (part.kind !== 'object' || part.extras !== null || part.patterns.length > 0) merged.push(part);
    else if (into?.kind === 'object') merged[at] = mergePair(into, part);
    else at = merged.push(part) - 1;
  }
  return merged;
}

function mergePair(left: RawObject, right: RawObject): RawObject {
  const members = new Map<string, RawMember>(left.members.map((member) => [member.name, member]));
  for (const member of right.members) {
    const other = members.get(member.name);
    if (other === undefined) members.set(member.name, member);
    else members.set(member.name, mergeMembers(other, member));
  }
  const typed = left.typed || right.typed;
  return { ...left, typed, closed: left.closed || right.closed, members: [...members.values()] };
}

function mergeMembers(left: RawMember, right: RawMember): RawMember {
  const required = left.required || right.required;
  if (left.shape.kind === 'any') return { ...right, required };
  if (right.shape.kind === 'any') return { ...left, required };
  return { name: left.name, required, shape: { kind: 'every', parts: [left.shape, right.shape] } };
}

function typesOfKeyword(type: Json | undefined): JsonType[] | null {
  const list = typeof type === 'string' ? [type] : isList(type) ? type : null;
  return list === null ? null : list.filter(isJsonType);
}

export function isJsonType(type: Json): type is JsonType {
  return type === 'integer' || JSON_TYPES.some((known) => known === type);
}

/** JSON type of a value, with `number` for all numbers. */
export function typeOfJson(value: Json): JsonType {
  if (value === null) return 'null';
  if (isList(value)) return 'array';
  const type = typeof value;
  return type === 'boolean' || type === 'number' || type === 'string' ? type : 'object';
}

function fits(value: Json, type: JsonType): boolean {
  return type === 'integer' ? Number.isInteger(value) : typeOfJson(value) === type;
}

function below(place: Place, ...names: (string | number)[]): Place {
  return { document: place.document, pointer: place.pointer + names.map(pointerStep).join('') };
}
