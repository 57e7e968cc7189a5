/*
 * Strict JSON that loses nothing (Semantics §1): `parse` refuses what is not exactly one JSON value and keeps number
 * spellings and member order; `encode` gives them back; `jsonEqual` compares values. Free of imports from outside.
 */
export { encode } from './encode.js';
export { EncodeError, type EncodeErrorCode } from './encode-error.js';
export { jsonEqual } from './equal.js';
export { isJsonNumber, JsonNumber } from './json-number.js';
export { keptSpelling, memberNames } from './kept.js';
export { isJsonInteger, isJsonNumeric, isTypedNumber, lowerNumber, lowerNumbersAt } from './lower.js';
export { parse } from './parse.js';
export {
  DEFAULT_MAX_DEPTH,
  DEFAULT_MAX_SIZE,
  type EncodeLimits,
  type JsonArray,
  type JsonIssue,
  type JsonIssueCode,
  type JsonObject,
  type JsonParseResult,
  type JsonValue,
  type ParseLimits,
} from './types.js';
