/** Writes simple schemas as one expression: conditions and exclusions then make no findings that nobody reads. */

import { _, type Code, type Name } from 'ajv';
import { and, not, or } from 'ajv/dist/compile/codegen/index.js';
import { isJsonObject, own } from '../keywords.js';
import type { Json, JsonObject } from '../model.js';
import { isList } from '../text.js';

/** Gives the name of a helper in the code that is being written. */
export type UseHelper = (name: 'containsScalar' | 'hasMember' | 'isObject' | 'readMember') => Name;

const KEYWORDS: ReadonlySet<string> = new Set([
  'type',
  'const',
  'enum',
  'required',
  'properties',
  'not',
  'allOf',
  'anyOf',
  'contains',
]);

/** True exactly when the value fits the schema; null for schemas with more in them than conditions usually have. */
export function toExpression(schema: Json, data: Code | Name, use: UseHelper): Code | null {
  if (typeof schema === 'boolean') return _`${schema}`;
  if (!isJsonObject(schema) || Object.keys(schema).some((name) => !KEYWORDS.has(name))) return null;
  const parts = [
    ...typeParts(schema, data, use),
    ...scalarParts(schema, data),
    ...memberParts(schema, data, use),
    ...nestedParts(schema, data, use),
    ...containsParts(schema, data, use),
  ];
  const written = parts.filter((part): part is Code => part !== null);
  if (written.length < parts.length) return null;
  return written.length === 0 ? _`true` : and(...written);
}

function typeParts(schema: JsonObject, data: Code, use: UseHelper): (Code | null)[] {
  const type = own(schema, 'type');
  switch (type) {
    case undefined:
      return [];
    case 'object':
      return [_`${use('isObject')}(${data})`];
    case 'array':
      return [_`Array.isArray(${data})`];
    case 'string':
    case 'boolean':
      return [_`typeof ${data} === ${type}`];
    case 'null':
      return [_`${data} === null`];
    default:
      return [null];
  }
}

function scalarParts(schema: JsonObject, data: Code): (Code | null)[] {
  const parts: (Code | null)[] = [];
  const constant = own(schema, 'const');
  if (constant !== undefined) parts.push(equals(constant, data));
  const values = own(schema, 'enum');
  if (values !== undefined) {
    const tests =
      isList(values) && values.length > 0 && values.length <= 4 ? values.map((one) => equals(one, data)) : [null];
    const written = tests.filter((test): test is Code => test !== null);
    parts.push(written.length === tests.length ? or(...written) : null);
  }
  return parts;
}

function equals(value: Json, data: Code): Code | null {
  const isPlain = value === null || typeof value === 'string' || typeof value === 'boolean';
  return isPlain ? _`${data} === ${value}` : null;
}

function memberParts(schema: JsonObject, data: Code, use: UseHelper): (Code | null)[] {
  const required = own(schema, 'required');
  const names = isList(required) ? required.map(String) : [];
  const parts: (Code | null)[] = names.map((name) => _`${use('hasMember')}(${data}, ${name})`);
  const properties = own(schema, 'properties');
  for (const [name, child] of Object.entries(properties !== undefined && isJsonObject(properties) ? properties : {})) {
    const member = _`${use('readMember')}(${data}, ${name})`;
    const test = toExpression(child, member, use);
    if (test === null) parts.push(null);
    else parts.push(names.includes(name) ? test : or(_`${member} === undefined`, test));
  }
  if (parts.length === 0 || own(schema, 'type') === 'object') return parts;
  // What is no object has no members to judge.
  const written = parts.filter((part): part is Code => part !== null);
  return written.length < parts.length ? [null] : [or(not(_`${use('isObject')}(${data})`), and(...written))];
}

function nestedParts(schema: JsonObject, data: Code, use: UseHelper): (Code | null)[] {
  const parts: (Code | null)[] = [];
  const excluded = own(schema, 'not');
  if (excluded !== undefined) {
    const test = toExpression(excluded, data, use);
    parts.push(test === null ? null : not(test));
  }
  for (const [keyword, join] of [
    ['allOf', and],
    ['anyOf', or],
  ] as const) {
    const branches = own(schema, keyword);
    if (!isList(branches) || branches.length === 0) continue;
    const tests = branches.map((branch) => toExpression(branch, data, use));
    const written = tests.filter((test): test is Code => test !== null);
    parts.push(written.length < tests.length ? null : join(...written));
  }
  return parts;
}

function containsParts(schema: JsonObject, data: Code, use: UseHelper): (Code | null)[] {
  const contains = own(schema, 'contains');
  if (contains === undefined) return [];
  const value = isJsonObject(contains) && Object.keys(contains).length === 1 ? own(contains, 'const') : undefined;
  if (value !== null && typeof value !== 'string' && typeof value !== 'boolean') return [null];
  const test = _`${use('containsScalar')}(${data}, ${value})`;
  return [own(schema, 'type') === 'array' ? test : or(_`!Array.isArray(${data})`, test)];
}
