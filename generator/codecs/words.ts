/** Source text and words for JSON types. */

import type { JsonType } from '../model.js';

/** An expression that is true for values of the type. */
export function typeTest(type: JsonType, read: string): string {
  switch (type) {
    case 'array':
      return `Array.isArray(${read})`;
    case 'null':
      return `${read} === null`;
    case 'object':
      return `isObject(${read})`;
    case 'integer':
    case 'number':
      return `isNumeric(${read})`;
    default:
      return `typeof ${read} === '${type}'`;
  }
}

export function typeWord(type: JsonType): string {
  const words: Record<JsonType, string> = {
    array: 'a list',
    boolean: 'a boolean',
    integer: 'an integer',
    null: 'null',
    number: 'a number',
    object: 'an object',
    string: 'a string',
  };
  return words[type];
}
