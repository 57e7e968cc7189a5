import { describePosition, parseExact, pointerAt, refuseText } from './parse-exact.js';
import type { JsonParseResult, ParseLimits } from './types.js';
import { DEFAULT_MAX_DEPTH, DEFAULT_MAX_SIZE, readLimit } from './types.js';
import { decodeUtf8, findInvalidUtf8, findLoneSurrogate, isWellFormed } from './unicode.js';

const BYTE_ORDER_MARK = 0xfeff;

/**
 * Decodes one JSON text strictly and without loss (Semantics §1).
 * Gives `{ok: true, value}` or `{ok: false, issues}`; no input makes it throw, whatever its type. A limit that is no
 * number >= 0 throws a `RangeError`.
 */
export function parse(input: string | Uint8Array, limits?: ParseLimits): JsonParseResult {
  const maxDepth = readLimit('maxDepth', limits?.maxDepth, DEFAULT_MAX_DEPTH);
  const maxSize = readLimit('maxSize', limits?.maxSize, DEFAULT_MAX_SIZE);
  if (typeof input === 'string') {
    if (input.length > maxSize) return refuseSize(input.length, maxSize, 'UTF-16 units');
    if (!isWellFormed(input)) return refuseSurrogate(input);
    return parseText(input, null, maxDepth);
  }
  if (!isBytes(input)) {
    return refuseText('', 'wrong-type', `the input: expected a string or a Uint8Array, got ${describeType(input)}`);
  }
  if (input.byteLength > maxSize) return refuseSize(input.byteLength, maxSize, 'bytes');
  // Others may write to shared memory while it is read, so that a copy is taken first.
  const bytes = input.buffer instanceof ArrayBuffer ? input : new Uint8Array(input);
  let text: string;
  try {
    text = decodeUtf8(bytes);
  } catch {
    return refuseBytes(bytes);
  }
  return parseText(text, bytes, maxDepth);
}

function parseText(text: string, _bytes: Uint8Array | null, maxDepth: number): JsonParseResult {
  if (text.charCodeAt(0) === BYTE_ORDER_MARK) {
    return refuseText('', 'invalid-json', 'the text: expected JSON, got a byte-order mark at offset 0');
  }
  return parseExact(text, maxDepth);
}

function isBytes(value: unknown): value is Uint8Array {
  return ArrayBuffer.isView(value) && Object.prototype.toString.call(value) === '[object Uint8Array]';
}

function describeType(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'object') return Array.isArray(value) ? 'a list' : 'another object';
  return value === undefined ? 'undefined' : `a ${typeof value}`;
}

function refuseSize(size: number, maxSize: number, unit: string): JsonParseResult {
  return refuseText('', 'too-large', `the text: expected at most ${maxSize} ${unit}, got ${size}`);
}

function refuseSurrogate(text: string): JsonParseResult {
  const offset = findLoneSurrogate(text);
  const rule = 'expected characters of Unicode, got a lone surrogate';
  return refuseText(pointerAt(text, offset), 'invalid-utf8', `${rule}, ${describePosition(text, offset)}`);
}

function refuseBytes(bytes: Uint8Array): JsonParseResult {
  const offset = findInvalidUtf8(bytes);
  if (offset === -1) {
    return refuseText('', 'too-large', 'the text: expected a text within the bounds of the engine, got a larger one');
  }
  const before = decodeUtf8(bytes.subarray(0, offset));
  return refuseText(
    pointerAt(before, before.length),
    'invalid-utf8',
    `expected UTF-8, got other bytes at byte ${offset}`,
  );
}
