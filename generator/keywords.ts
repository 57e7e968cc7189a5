/** The keywords of JSON Schema 2020-12 that the generator knows, where schemas stand below them, and a walk over them. */

import type { Json, JsonObject } from './model.js';
import { isList } from './text.js';

/** What a keyword's value is: one schema, a list of them, a map of them, or plain data. */
export type KeywordHolds = 'schema' | 'schemas' | 'schema-map' | 'data';

export interface Keyword {
  readonly holds: KeywordHolds;
  /** Schemas below it judge the same value as the schema that holds it; a cycle of these never ends. */
  readonly inPlace?: true;
  /** Says nothing about validity. */
  readonly annotation?: true;
}

const data: Keyword = { holds: 'data' };
const note: Keyword = { holds: 'data', annotation: true };

const KEYWORDS: ReadonlyMap<string, Keyword> = new Map<string, Keyword>([
  ['$schema', note],
  ['$id', note],
  ['$anchor', note],
  ['$comment', note],
  ['$defs', { holds: 'schema-map', annotation: true }],
  ['definitions', { holds: 'schema-map', annotation: true }],
  ['$ref', data],
  ['title', note],
  ['description', note],
  ['default', note],
  ['examples', note],
  ['deprecated', note],
  ['readOnly', note],
  ['writeOnly', note],
  ['contentEncoding', note],
  ['contentMediaType', note],
  ['x-sdk-discriminator', note],
  ['x-sdk-place', note],
  ['type', data],
  ['const', data],
  ['enum', data],
  ['format', data],
  ['pattern', data],
  ['minLength', data],
  ['maxLength', data],
  ['minimum', data],
  ['maximum', data],
  ['exclusiveMinimum', data],
  ['exclusiveMaximum', data],
  ['multipleOf', data],
  ['minItems', data],
  ['maxItems', data],
  ['uniqueItems', data],
  ['minContains', data],
  ['maxContains', data],
  ['minProperties', data],
  ['maxProperties', data],
  ['required', data],
  ['dependentRequired', data],
  ['properties', { holds: 'schema-map' }],
  ['patternProperties', { holds: 'schema-map' }],
  ['additionalProperties', { holds: 'schema' }],
  ['unevaluatedProperties', { holds: 'schema' }],
  ['propertyNames', { holds: 'schema' }],
  ['items', { holds: 'schema' }],
  ['prefixItems', { holds: 'schemas' }],
  ['unevaluatedItems', { holds: 'schema' }],
  ['contains', { holds: 'schema' }],
  ['allOf', { holds: 'schemas', inPlace: true }],
  ['anyOf', { holds: 'schemas', inPlace: true }],
  ['oneOf', { holds: 'schemas', inPlace: true }],
  ['not', { holds: 'schema', inPlace: true }],
  ['if', { holds: 'schema', inPlace: true }],
  ['then', { holds: 'schema', inPlace: true }],
  ['else', { holds: 'schema', inPlace: true }],
  ['dependentSchemas', { holds: 'schema-map', inPlace: true }],
]);

/** The keyword's entry; null when the generator cannot express it. Names that start with `x-`, but not `x-sdk-`, are notes. */
export function keywordOf(name: string): Keyword | null {
  const known = KEYWORDS.get(name);
  if (known !== undefined) return known;
  return name.startsWith('x-') && !name.startsWith('x-sdk-') ? note : null;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A member that is the object's own, or undefined. */
export function own(object: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** One more step of a JSON Pointer. */
export function pointerStep(name: string | number): string {
  return `/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

export function pointerNames(pointer: string): string[] {
  if (pointer === '') return [];
  return pointer
    .slice(1)
    .split('/')
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
}

export interface ChildSchema {
  readonly keyword: string;
  /** JSON Pointer below the schema that holds it, `/properties/id`. */
  readonly pointer: string;
  /** Name in a map, place in a list, or null. */
  readonly name: string | number | null;
  readonly schema: Json;
  readonly inPlace: boolean;
}

/** The schemas directly below a schema, in order of appearance. */
export function childSchemas(schema: Json): ChildSchema[] {
  if (!isJsonObject(schema)) return [];
  const found: ChildSchema[] = [];
  for (const [name, value] of Object.entries(schema)) {
    const keyword = keywordOf(name);
    if (keyword === null || keyword.holds === 'data') continue;
    const base = pointerStep(name);
    const inPlace = keyword.inPlace === true;
    if (keyword.holds === 'schema') {
      found.push({ keyword: name, pointer: base, name: null, schema: value, inPlace });
    } else if (keyword.holds === 'schemas' && isList(value)) {
      for (const [index, schema] of value.entries()) {
        found.push({ keyword: name, pointer: base + pointerStep(index), name: index, schema, inPlace });
      }
    } else if (keyword.holds === 'schema-map' && isJsonObject(value)) {
      for (const [key, schema] of Object.entries(value)) {
        found.push({ keyword: name, pointer: base + pointerStep(key), name: key, schema, inPlace });
      }
    }
  }
  return found;
}

/** Calls `visit` for the schema and every schema below it, parents first; `pointer` grows from the one given. */
export function walkSchemas(schema: Json, pointer: string, visit: (schema: Json, pointer: string) => void): void {
  visit(schema, pointer);
  for (const child of childSchemas(schema)) walkSchemas(child.schema, pointer + child.pointer, visit);
}
