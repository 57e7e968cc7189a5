/**
 * Rewrites a linked schema into an equivalent one that compiles to better code. Nothing here changes what is valid:
 * annotations go, `unevaluatedProperties` becomes `additionalProperties` where all evaluated names are known, members
 * called `__proto__` become patterns (the validator library passes over them), and lists of conditions on one constant
 * become a choice.
 */

import { childSchemas, isJsonObject, keywordOf, own } from '../keywords.js';
import type { Definition, Json, JsonObject } from '../model.js';
import { isList } from '../text.js';

/** Internal keywords of simplified schemas: the consequences, and on which member's value each one hangs. */
export const CASES = 'x-ahp-cases';
export const CASES_ON = 'x-ahp-cases-on';

/** Several types of which one must fit. */
export const TYPES = 'x-ahp-types';

/** Fewer conditions than this are compiled as they stand. */
const MIN_CASES = 3;

const PROTO = '__proto__';

export type Definitions = ReadonlyMap<string, Definition>;

/** What a `$ref` is in the bundle of all definitions, by the key that linking gave it. */
export type References = ReadonlyMap<string, string>;

export function simplify(definition: Definition, byKey: Definitions, references: References): JsonObject {
  const simple = simplifySchema(definition.schema, { byKey, references });
  return typeof simple === 'boolean' ? (simple ? {} : { not: {} }) : simple;
}

interface Bundle {
  readonly byKey: Definitions;
  readonly references: References;
}

function simplifySchema(schema: Json, bundle: Bundle): JsonObject | boolean {
  if (!isJsonObject(schema)) return schema !== false;
  let simple = withoutAnnotations(schema);
  simple = closeByName(simple, bundle.byKey);
  simple = gatherCases(simple);
  simple = withoutProto(simple);
  simple = withoutTypeList(simple);
  return mapChildren(simple, bundle);
}

function withoutAnnotations(schema: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => keywordOf(name)?.annotation !== true));
}

function mapChildren(schema: JsonObject, bundle: Bundle): JsonObject {
  const entries = Object.entries(schema).map(([name, value]): [string, Json] => {
    if (name === CASES && isList(value)) return [name, value.map((child) => simplifySchema(child, bundle))];
    const holds = keywordOf(name)?.holds;
    if (holds === 'schema') return [name, simplifySchema(value, bundle)];
    if (holds === 'schemas' && isList(value)) return [name, value.map((child) => simplifySchema(child, bundle))];
    if (holds === 'schema-map' && isJsonObject(value)) {
      return [
        name,
        Object.fromEntries(Object.entries(value).map(([key, child]) => [key, simplifySchema(child, bundle)])),
      ];
    }
    if (name === '$ref' && typeof value === 'string') {
      const target = bundle.references.get(value);
      if (target === undefined) throw new Error(`expected a linked $ref, got ${JSON.stringify(value)}`);
      return [name, target];
    }
    return [name, value];
  });
  return Object.fromEntries(entries);
}

// ---- unevaluatedProperties -------------------------------------------------------------------------------------------

interface Evaluated {
  readonly names: Set<string>;
  readonly patterns: Set<string>;
  /** True when every member is evaluated, whatever its name. */
  all: boolean;
  /** True when what is evaluated depends on the value or cannot be told. */
  depends: boolean;
}

/** `unevaluatedProperties` beside nothing that evaluates members depending on the value is `additionalProperties`. */
function closeByName(schema: JsonObject, byKey: Definitions): JsonObject {
  const unevaluated = own(schema, 'unevaluatedProperties');
  if (unevaluated === undefined || Object.hasOwn(schema, 'additionalProperties')) return schema;
  const { unevaluatedProperties: _, ...rest } = schema;
  const evaluated = evaluatedBy(rest, byKey);
  if (evaluated.depends) return schema;
  if (evaluated.all) return rest;
  const properties = new Map<string, Json>([...evaluated.names].map((name) => [name, true]));
  for (const [name, child] of Object.entries(objectAt(rest, 'properties'))) properties.set(name, child);
  const patterns = new Map<string, Json>([...evaluated.patterns].map((pattern) => [pattern, true]));
  for (const [pattern, child] of Object.entries(objectAt(rest, 'patternProperties'))) patterns.set(pattern, child);
  return {
    ...rest,
    ...(properties.size > 0 ? { properties: Object.fromEntries(properties) } : {}),
    ...(patterns.size > 0 ? { patternProperties: Object.fromEntries(patterns) } : {}),
    additionalProperties: unevaluated,
  };
}

function evaluatedBy(schema: JsonObject, byKey: Definitions): Evaluated {
  const always: Evaluated = { names: new Set(), patterns: new Set(), all: false, depends: false };
  collect(schema, byKey, always, new Set());
  const sometimes: Evaluated = { names: new Set(), patterns: new Set(), all: false, depends: false };
  collectConditional(schema, byKey, sometimes, new Set());
  if (sometimes.depends) always.depends = true;
  if (!always.all) {
    // What a condition evaluates does not matter where it is evaluated anyway.
    if (sometimes.all) always.depends = true;
    for (const name of sometimes.names) if (!always.names.has(name)) always.depends = true;
    for (const pattern of sometimes.patterns) if (!always.patterns.has(pattern)) always.depends = true;
  }
  return always;
}

/** What is evaluated of every valid value. */
function collect(schema: Json, byKey: Definitions, into: Evaluated, seen: Set<string>): void {
  if (!isJsonObject(schema)) return;
  addOwn(schema, into);
  for (const child of listAt(schema, 'allOf')) collect(child, byKey, into, seen);
  followReference(schema, byKey, seen, (target) => collect(target, byKey, into, seen));
}

/** What is evaluated only of values that take some branch; also below references and `allOf`. */
function collectConditional(schema: Json, byKey: Definitions, into: Evaluated, seen: Set<string>): void {
  if (!isJsonObject(schema)) return;
  const branches = [
    ...listAt(schema, 'anyOf'),
    ...listAt(schema, 'oneOf'),
    ...['if', 'then', 'else'].map((name) => own(schema, name) ?? true),
    ...Object.values(objectAt(schema, 'dependentSchemas')),
  ];
  for (const branch of branches) {
    collect(branch, byKey, into, new Set());
    collectConditional(branch, byKey, into, seen);
  }
  for (const child of listAt(schema, 'allOf')) collectConditional(child, byKey, into, seen);
  followReference(schema, byKey, seen, (target) => collectConditional(target, byKey, into, seen));
}

function followReference(
  schema: JsonObject,
  byKey: Definitions,
  seen: Set<string>,
  visit: (target: Json) => void,
): void {
  const reference = own(schema, '$ref');
  if (typeof reference !== 'string' || seen.has(reference)) return;
  seen.add(reference);
  const target = byKey.get(reference);
  if (target !== undefined) visit(target.schema);
}

function addOwn(schema: JsonObject, into: Evaluated): void {
  for (const name of Object.keys(objectAt(schema, 'properties'))) into.names.add(name);
  for (const pattern of Object.keys(objectAt(schema, 'patternProperties'))) into.patterns.add(pattern);
  if (Object.hasOwn(schema, 'additionalProperties') || Object.hasOwn(schema, 'unevaluatedProperties')) into.all = true;
}

function objectAt(schema: JsonObject, name: string): JsonObject {
  const value = own(schema, name);
  return value !== undefined && isJsonObject(value) ? value : {};
}

function listAt(schema: JsonObject, name: string): readonly Json[] {
  const value = own(schema, name);
  return isList(value) ? value : [];
}

// ---- lists of types --------------------------------------------------------------------------------------------------

function withoutTypeList(schema: JsonObject): JsonObject {
  const { type, ...rest } = schema;
  if (!isList(type)) return schema;
  const [only] = type;
  return type.length === 1 && only !== undefined ? { ...rest, type: only } : { ...rest, [TYPES]: type };
}

// ---- members called __proto__ ----------------------------------------------------------------------------------------

function withoutProto(schema: JsonObject): JsonObject {
  const properties = objectAt(schema, 'properties');
  const patterns = objectAt(schema, 'patternProperties');
  const hasName = Object.hasOwn(properties, PROTO);
  if (!hasName && !Object.hasOwn(patterns, PROTO)) return schema;
  const kept = Object.fromEntries(Object.entries(properties).filter(([name]) => name !== PROTO));
  const changed = Object.entries(patterns).map(([pattern, child]): [string, Json] => [
    pattern === PROTO ? `(?:${PROTO})` : pattern,
    child,
  ]);
  if (hasName) changed.push([`^${PROTO}$`, properties[PROTO] ?? true]);
  return { ...schema, properties: kept, patternProperties: Object.fromEntries(changed) };
}

// ---- conditions on one constant --------------------------------------------------------------------------------------

interface Case {
  readonly path: readonly string[];
  readonly value: string;
  readonly then: Json;
}

/**
 * Conditions of an `allOf` that all ask for a string constant under the same path become one choice. They hang on
 * different constants, so that at most one of them applies; on a value that is no object they would all apply, which
 * does not matter where such a value is refused anyway.
 */
function gatherCases(schema: JsonObject): JsonObject {
  const parts = listAt(schema, 'allOf');
  if (parts.length < MIN_CASES || own(schema, 'type') !== 'object' || Object.hasOwn(schema, CASES)) return schema;
  const found = parts.map(readCase);
  const groups = new Map<string, Map<string, number>>();
  for (const [index, one] of found.entries()) {
    if (one === null) continue;
    const path = one.path.join('\0');
    const group = groups.get(path) ?? new Map<string, number>();
    if (!group.has(one.value)) groups.set(path, group.set(one.value, index));
  }
  const [largest] = [...groups.values()].sort((left, right) => right.size - left.size);
  if (largest === undefined || largest.size < MIN_CASES) return schema;
  const chosen = new Set(largest.values());
  const cases = found.filter((one, index): one is Case => one !== null && chosen.has(index));
  const rest = parts.filter((_, index) => !chosen.has(index));
  const { allOf: _, ...others } = schema;
  return {
    ...others,
    ...(rest.length > 0 ? { allOf: rest } : {}),
    [CASES]: cases.map((one) => one.then),
    [CASES_ON]: { path: [...(cases[0]?.path ?? [])], values: cases.map((one) => one.value) },
  };
}

/** `{"if": {"properties": {"a": {"type": "object", "properties": {"b": {"const": "x"}}, "required": ["b"]}}, "required": ["a"]}, "then": …}` */
function readCase(part: Json): Case | null {
  if (!isJsonObject(part)) return null;
  const names = Object.keys(part).filter((name) => keywordOf(name)?.annotation !== true);
  const then = own(part, 'then');
  if (names.length !== 2 || then === undefined) return null;
  const path: string[] = [];
  let condition = own(part, 'if');
  while (condition !== undefined && isJsonObject(condition)) {
    const constant = own(condition, 'const');
    if (path.length > 0 && typeof constant === 'string' && Object.keys(condition).length === 1) {
      return { path, value: constant, then };
    }
    const name = onlyMember(condition, path.length > 0);
    if (name === null) return null;
    path.push(name);
    condition = objectAt(condition, 'properties')[name];
  }
  return null;
}

function onlyMember(condition: JsonObject, mustBeTyped: boolean): string | null {
  const isTyped = own(condition, 'type') === 'object';
  if (mustBeTyped && !isTyped) return null;
  if (Object.keys(condition).length !== (isTyped ? 3 : 2)) return null;
  const [name, ...others] = Object.keys(objectAt(condition, 'properties'));
  const required = listAt(condition, 'required');
  return name !== undefined && name !== PROTO && others.length === 0 && required.length === 1 && required[0] === name
    ? name
    : null;
}

/** Whether any schema still tracks which members or elements were evaluated. */
export function tracksEvaluated(schema: Json): boolean {
  if (!isJsonObject(schema)) return false;
  if (Object.hasOwn(schema, 'unevaluatedProperties') || Object.hasOwn(schema, 'unevaluatedItems')) return true;
  if (listAt(schema, CASES).some(tracksEvaluated)) return true;
  return childSchemas(schema).some((child) => tracksEvaluated(child.schema));
}
