/** Reads the shape of a type from a linked schema. What only a validator can check (bounds, conditions) is left out. */

import { GenerateError } from '../generate-error.js';
import { isJsonObject, own, pointerStep } from '../keywords.js';
import type { Json, JsonObject, Place, Plan } from '../model.js';
import { isList } from '../text.js';
import { describeMember } from './describe.js';
import { findOpenTags, type OpenTags } from './open-branches.js';
import {
  ANY,
  type Extras,
  intersect,
  isOpenObject,
  type MemberType,
  NEVER,
  type ObjectType,
  type Names,
  restrictExtras,
  type TypeShape,
  unite,
  withBase,
} from './shape.js';

/** Keywords that only say which members are there. */
const PRESENCE_KEYWORDS: ReadonlySet<string> = new Set(['required', 'not', 'title', 'description', '$comment', 'type']);
const OBJECT_KEYWORDS = ['properties', 'required', 'patternProperties', 'additionalProperties', 'propertyNames'];
const LIST_KEYWORDS = ['prefixItems', 'items'];

/** The shapes of all definitions, by type name. */
export interface NamedShapes extends Names {
  readonly shapes: ReadonlyMap<string, TypeShape>;
}

export function readShapes(plan: Plan): NamedShapes {
  const byName = new Map(plan.definitions.map((planned) => [planned.typeName, planned]));
  const shapes = new Map<string, TypeShape>();
  const underWay = new Set<string>();
  const openTags = findOpenTags(plan);
  const names: Names = { resolve, derives: (name, from) => derives(name, from, plan, new Set()) };
  function resolve(name: string): TypeShape {
    const found = shapes.get(name);
    if (found !== undefined) return found;
    const planned = byName.get(name);
    if (planned === undefined || underWay.has(name))
      throw new Error(`type ${name}: a conjunction of itself has no type`);
    underWay.add(name);
    const { document, pointer } = planned.definition.place;
    const reader = new SchemaReader(plan, document, names, openTags);
    const shape = located(planned.definition.place, () => reader.read(planned.definition.schema, pointer));
    underWay.delete(name);
    shapes.set(name, shape);
    return shape;
  }
  for (const { typeName } of plan.definitions) resolve(typeName);
  return { ...names, shapes };
}

/** Says of which definition a shape could not be made. */
function located<T>(place: Place, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const rule = 'A conjunction of unions has a type that can be read';
    throw new GenerateError([{ code: 'inexpressible', place, rule, message: error.message }]);
  }
}

class SchemaReader {
  readonly #plan: Plan;
  readonly #document: string;
  readonly #names: Names;
  readonly #openTags: OpenTags;

  constructor(plan: Plan, document: string, names: Names, openTags: OpenTags) {
    this.#plan = plan;
    this.#document = document;
    this.#names = names;
    this.#openTags = openTags;
  }

  read(schema: Json, pointer: string): TypeShape {
    if (schema === true) return ANY;
    if (!isJsonObject(schema)) return NEVER;
    const parts: TypeShape[] = [];
    const reference = own(schema, '$ref');
    if (typeof reference === 'string') parts.push({ kind: 'named', name: this.#nameOf(reference) });
    if (Object.hasOwn(schema, 'const')) parts.push({ kind: 'values', values: [own(schema, 'const') ?? null] });
    const values = own(schema, 'enum');
    if (isList(values)) parts.push(values.length === 0 ? NEVER : { kind: 'values', values });
    const allOf = own(schema, 'allOf');
    if (isList(allOf)) parts.push(...allOf.map((part, index) => this.read(part, `${pointer}/allOf/${index}`)));
    parts.push(this.#readTyped(schema, pointer));
    const absent = absentMembers(own(schema, 'not'));
    if (absent.length > 0) parts.push(absence(absent));
    let shape = parts.reduce<TypeShape>((left, right) => intersect(left, right, this.#names), ANY);
    shape = withBase(shape, parts, this.#names);
    for (const keyword of ['oneOf', 'anyOf'] as const) {
      const branches = own(schema, keyword);
      if (isList(branches)) shape = intersect(shape, this.#readUnion(keyword, branches, shape, pointer), this.#names);
    }
    const unevaluated = own(schema, 'unevaluatedProperties');
    return unevaluated === undefined || unevaluated === true
      ? shape
      : restrictExtras(shape, this.#readExtras(unevaluated, `${pointer}/unevaluatedProperties`), this.#names);
  }

  #nameOf(key: string): string {
    const planned = this.#plan.byKey.get(key);
    if (planned === undefined) throw new Error(`type of ${key}: expected a planned definition, got none`);
    return planned.typeName;
  }

  /** The JSON types that the schema names, with what it says about each. */
  #readTyped(schema: JsonObject, pointer: string): TypeShape {
    const type = own(schema, 'type');
    const hasObject = OBJECT_KEYWORDS.some((keyword) => Object.hasOwn(schema, keyword));
    const hasList = LIST_KEYWORDS.some((keyword) => Object.hasOwn(schema, keyword));
    if (type === undefined) {
      if (hasObject) return this.#readObject(schema, pointer, false);
      return hasList ? this.#readList(schema, pointer) : ANY;
    }
    const names = isList(type) ? type : [type];
    return unite(
      names.map((name): TypeShape => {
        if (name === 'object') return this.#readObject(schema, pointer, true);
        if (name === 'array') return this.#readList(schema, pointer);
        if (name === 'integer' || name === 'number') return { kind: 'primitive', name: 'number' };
        if (name === 'string' || name === 'boolean' || name === 'null') return { kind: 'primitive', name };
        return NEVER;
      }),
    );
  }

  #readObject(schema: JsonObject, pointer: string, isTyped: boolean): ObjectType {
    const members = new Map<string, MemberType>();
    const required = new Set(textsOf(own(schema, 'required')));
    const properties = own(schema, 'properties');
    const open = this.#openTags.get(`${this.#document}#${pointer}`);
    for (const [name, member] of isJsonObject(properties) ? Object.entries(properties) : []) {
      const read = this.read(member, `${pointer}/properties${pointerStep(name)}`);
      const shape = open?.tag === name ? intersect(read, open.shape, this.#names) : read;
      members.set(name, { shape, isRequired: required.has(name), doc: describeMember(member, this.#plan) });
    }
    const extras = this.#readAllExtras(schema, pointer);
    for (const name of required) {
      const shape = typeof extras === 'string' ? ANY : extras;
      if (!members.has(name)) members.set(name, { shape, isRequired: true, doc: [] });
    }
    return { kind: 'object', isTyped, members, extras };
  }

  /** Members that match a pattern and all others share one index signature. */
  #readAllExtras(schema: JsonObject, pointer: string): Extras {
    const additional = this.#readExtras(own(schema, 'additionalProperties'), `${pointer}/additionalProperties`);
    const patterns = own(schema, 'patternProperties');
    if (!isJsonObject(patterns) || Object.keys(patterns).length === 0) return additional;
    const shapes = Object.entries(patterns).map(([pattern, member]) =>
      this.read(member, `${pointer}/patternProperties${pointerStep(pattern)}`),
    );
    if (additional === 'open' || shapes.some((shape) => shape.kind === 'any')) return 'open';
    return unite(additional === 'closed' ? shapes : [...shapes, additional]);
  }

  #readExtras(schema: Json | undefined, pointer: string): Extras {
    if (schema === undefined || schema === true) return 'open';
    if (schema === false) return 'closed';
    const shape = this.read(schema, pointer);
    return shape.kind === 'any' ? 'open' : shape;
  }

  #readList(schema: JsonObject, pointer: string): TypeShape {
    const prefixItems = own(schema, 'prefixItems');
    const minItems = own(schema, 'minItems');
    const items = own(schema, 'items');
    const rest = items === undefined ? ANY : this.read(items, `${pointer}/items`);
    return {
      kind: 'list',
      prefix: (isList(prefixItems) ? prefixItems : []).map((part, index) =>
        this.read(part, `${pointer}/prefixItems/${index}`),
      ),
      minItems: typeof minItems === 'number' ? minItems : 0,
      rest: rest.kind === 'never' ? null : rest,
    };
  }

  #readUnion(keyword: 'oneOf' | 'anyOf', branches: readonly Json[], base: TypeShape, pointer: string): TypeShape {
    const isPresence = branches.every((branch) => isPresenceOnly(branch));
    // 'At least one of these members': all of them stay optional, as in the codec.
    if (isPresence && keyword === 'anyOf' && declares(base, branches)) return ANY;
    const arms = branches.map((branch, index) => this.read(branch, `${pointer}/${keyword}/${index}`));
    if (isPresence && keyword === 'oneOf') return unite(excludeOthers(arms, branches, this.#names));
    const union = this.#plan.unions.get(`${this.#document}#${pointer}`);
    if (union === undefined || !union.hasUnknownVariant || union.choice.kind !== 'tag') return unite(arms);
    const isOpen = arms.every((arm) => isOpenObject(arm, this.#names));
    return unite([...arms, { kind: 'unknown-variant', tag: union.choice.member, isOpen }]);
  }
}

/** Follows `$ref` and the `$ref`s of `allOf`. */
function derives(name: string, from: string, plan: Plan, seen: Set<string>): boolean {
  if (seen.has(name)) return false;
  seen.add(name);
  const schema = plan.set.byName.get(name)?.schema;
  if (schema === undefined || !isJsonObject(schema)) return false;
  const allOf = own(schema, 'allOf');
  return [schema, ...(isList(allOf) ? allOf : [])].some((part) => {
    const reference = isJsonObject(part) ? own(part, '$ref') : undefined;
    const base = typeof reference === 'string' ? plan.byKey.get(reference)?.typeName : undefined;
    return base !== undefined && (base === from || derives(base, from, plan, seen));
  });
}

/** True for a branch such as `{"required": ["a"], "not": {"required": ["b"]}}`. */
function isPresenceOnly(schema: Json): boolean {
  if (!isJsonObject(schema)) return false;
  return Object.entries(schema).every(([keyword, value]) => {
    if (keyword === 'properties') return isJsonObject(value) && Object.values(value).every(saysNothing);
    if (keyword === 'not') return absentMembers(value).length > 0;
    return PRESENCE_KEYWORDS.has(keyword);
  });
}

/** True for schemas that a type cannot show: `true`, bounds, `{"contains": {}}`, and `false`, which is absence. */
function saysNothing(schema: Json): boolean {
  if (!isJsonObject(schema)) return true;
  return Object.keys(schema).every((keyword) =>
    /^(min|max|contains|pattern$|format$|uniqueItems|description|title)/.test(keyword),
  );
}

function declares(base: TypeShape, branches: readonly Json[]): boolean {
  if (base.kind !== 'object') return false;
  return branches.flatMap(requiredOf).every((name) => base.members.has(name));
}

/** 'Exactly one of these members': each arm also says which of the others is absent. */
function excludeOthers(arms: readonly TypeShape[], branches: readonly Json[], names: Names): TypeShape[] {
  const lists = branches.map(requiredOf);
  return arms.map((arm, index) => {
    const mine = new Set(lists[index]);
    const others = lists.flatMap((list, other) => {
      const foreign = list.filter((name) => !mine.has(name));
      return other !== index && foreign.length === 1 ? foreign : [];
    });
    return others.length === 0 ? arm : intersect(arm, absence(others), names);
  });
}

function requiredOf(schema: Json): string[] {
  return isJsonObject(schema) ? textsOf(own(schema, 'required')) : [];
}

/** Members that a `not` forbids: `{"required": ["a"]}` or `{"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}`. */
function absentMembers(schema: Json | undefined): string[] {
  if (schema === undefined || !isJsonObject(schema)) return [];
  const keywords = Object.keys(schema).filter((keyword) => keyword !== 'description' && keyword !== 'type');
  if (keywords.length !== 1) return [];
  const required = textsOf(own(schema, 'required'));
  if (required.length > 0) return required.length === 1 ? required : [];
  const anyOf = own(schema, 'anyOf');
  if (!isList(anyOf)) return [];
  const found = anyOf.map(absentMembers);
  return found.every((names) => names.length > 0) ? found.flat() : [];
}

function absence(names: readonly string[]): ObjectType {
  const members = new Map(
    names.map((name): [string, MemberType] => [name, { shape: NEVER, isRequired: false, doc: [] }]),
  );
  return { kind: 'object', isTyped: false, members, extras: 'open' };
}

function textsOf(value: Json | undefined): string[] {
  return isList(value) ? value.filter((entry) => typeof entry === 'string') : [];
}
