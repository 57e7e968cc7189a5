/** What findings tell of the keyword that failed, for the issues that are made of them. */

import { _ } from 'ajv';
import type { KeywordErrorCxt } from 'ajv/dist/types/index.js';
import { isJsonObject, own } from '../keywords.js';
import type { Json } from '../model.js';
import { isList } from '../text.js';
import { literal } from './code.js';

export const plainError = { message: 'fails', params: _`{}` };
export const limitError = {
  message: 'fails',
  params: ({ schema }: KeywordErrorCxt) => _`{limit: ${schema as number}}`,
};
export const constantError = {
  message: 'fails',
  params: ({ schema }: KeywordErrorCxt) => (isScalar(schema) ? _`{expected: ${literal([schema as Json])}}` : _`{}`),
};
export const enumError = {
  message: 'fails',
  params: ({ schema }: KeywordErrorCxt) =>
    (schema as unknown[]).every(isScalar) ? _`{expected: ${literal(schema as Json)}}` : _`{}`,
};

export const typesError = {
  message: 'fails',
  params: ({ schema }: KeywordErrorCxt) => _`{type: ${literal(schema as Json)}}`,
};
export const unionError = {
  message: 'fails',
  params: ({ params }: KeywordErrorCxt) =>
    params.expected === undefined
      ? _`{several: ${params.several}}`
      : _`{tag: ${params.tag}, expected: ${params.expected}}`,
};

export const notError = {
  message: 'fails',
  params: ({ schema }: KeywordErrorCxt) => {
    const names = excludedMembers(schema as Json);
    return names === null ? _`{}` : _`{excluded: ${literal(names)}}`;
  },
};

/** Names of members of which none may be there; null when the schema excludes something else. */
function excludedMembers(schema: Json): string[] | null {
  if (!isJsonObject(schema)) return null;
  const branches = own(schema, 'anyOf');
  if (isList(branches) && Object.keys(schema).length === 1) {
    const names = branches.map(excludedMembers);
    return names.every((one) => one?.length === 1) ? names.flatMap((one) => one ?? []) : null;
  }
  const required = own(schema, 'required');
  const isPlain = Object.keys(schema).every((name) => name === 'required' || name === 'type');
  return isPlain && isList(required) && required.length === 1 ? required.map(String) : null;
}

function isScalar(value: unknown): value is string | number | boolean | null {
  return value === null || typeof value !== 'object';
}
