/** Keywords that judge a value by itself: types, constants, lengths and numbers, which may be `JsonNumber`s. */

import { _, type Code, type KeywordCxt } from 'ajv';
import { not, or } from 'ajv/dist/compile/codegen/index.js';
import type { Json } from '../model.js';
import { constantSet, type HelperName, helper, literal, MAX_COMPARISONS } from './code.js';

export function typesCode(cxt: KeywordCxt): void {
  cxt.fail(not(or(...(cxt.schema as readonly string[]).map((type) => hasType(cxt, type)))));
}

function hasType(cxt: KeywordCxt, type: string): Code {
  const { data } = cxt;
  switch (type) {
    case 'null':
      return _`${data} === null`;
    case 'array':
      return _`Array.isArray(${data})`;
    case 'object':
      return _`${helper(cxt, 'isObject')}(${data})`;
    case 'number':
      return _`${helper(cxt, 'isNumber')}(${data})`;
    case 'integer':
      return _`${helper(cxt, 'isInteger')}(${data})`;
    default:
      return _`typeof ${data} === ${type}`;
  }
}

export function constantCode(cxt: KeywordCxt): void {
  cxt.fail(not(equals(cxt, cxt.schema as Json)));
}

export function enumCode(cxt: KeywordCxt): void {
  const values = cxt.schema as readonly Json[];
  const texts = values.filter((value): value is string => typeof value === 'string');
  const others = values.filter((value) => typeof value !== 'string').map((value) => equals(cxt, value));
  const text =
    texts.length > MAX_COMPARISONS
      ? [_`${constantSet(cxt, texts)}.has(${cxt.data})`]
      : texts.map((value) => equals(cxt, value));
  // An empty enum is a schema that nothing satisfies.
  if (values.length === 0) cxt.fail(_`true`);
  else cxt.fail(not(or(...text, ...others)));
}

function equals(cxt: KeywordCxt, value: Json): Code {
  const { data } = cxt;
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return _`${data} === ${value}`;
  return _`${helper(cxt, 'isEqual')}(${data}, ${literal(value)})`;
}

export function uniqueItemsCode(cxt: KeywordCxt): void {
  if (cxt.schema === true) cxt.fail(_`${helper(cxt, 'hasRepeats')}(${cxt.data})`);
}

/** Code points are counted only where the number of UTF-16 units leaves it open. */
export function lengthCode(cxt: KeywordCxt): void {
  const { data, keyword } = cxt;
  const limit = cxt.schema as number;
  const count = _`${helper(cxt, 'countCodePoints')}(${data})`;
  if (keyword === 'maxLength') cxt.fail(_`${data}.length > ${limit} && ${count} > ${limit}`);
  else if (limit <= 1) cxt.fail(_`${data}.length < ${limit}`);
  else cxt.fail(_`${data}.length < ${limit} || (${data}.length < ${2 * limit} && ${count} < ${limit})`);
}

const NUMBER_TESTS: Readonly<Record<string, HelperName>> = {
  minimum: 'isBelow',
  maximum: 'isAbove',
  exclusiveMinimum: 'isAtMost',
  exclusiveMaximum: 'isAtLeast',
};

export function numberCode(cxt: KeywordCxt): void {
  const limit = cxt.schema as number;
  const name = NUMBER_TESTS[cxt.keyword];
  if (name !== undefined) cxt.fail(_`${helper(cxt, name)}(${cxt.data}, ${limit})`);
  else cxt.fail(_`!${helper(cxt, 'isMultipleOf')}(${cxt.data}, ${limit})`);
}
