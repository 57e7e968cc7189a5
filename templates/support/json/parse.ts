import { attachAll } from './attach.js';
import { arePrototypesPolluted, countMembers } from './count.js';
import { describePosition, parseExact, pointerAt, refuseText } from './parse-exact.js';
import { FLAGGED, scanBytes, scanText } from './scan.js';
import type { JsonParseResult, JsonValue, ParseLimits } from './types.js';
import { DEFAULT_MAX_DEPTH, DEFAULT_MAX_SIZE, readLimit } from './types.js';
import { decodeUtf8, encodeUtf8Into, findInvalidUtf8, findLoneSurrogate, isWellFormed } from './unicode.js';

const BYTE_ORDER_MARK = 0xfeff;

/** Deeper values are left to the exact parser, which needs no call stack. */
const MAX_RECURSION = 1000;

/** Up to this length a text is encoded into the lasting scratch space to be scanned as bytes. */
const MAX_SCRATCH_UNITS = 64 * 1024;

/** Up to this length an ASCII text is encoded into bytes of its own to be scanned; longer ones would cost memory. */
const MAX_COPY_UNITS = 8 * 1024 * 1024;

/** Where texts are encoded to be scanned; never read beyond what one call has written. */
let scratch: { readonly bytes: Uint8Array; readonly words: DataView } | null = null;

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

/**
 * Parses a text without lone surrogates. The engine owns the grammar; a scan of the text and a count of the members
 * prove that nothing was lost, or a walk over both, where something may have to be kept. Whenever anything disagrees,
 * the exact parser says what is so.
 */
function parseText(text: string, bytes: Uint8Array | null, maxDepth: number): JsonParseResult {
  if (text.charCodeAt(0) === BYTE_ORDER_MARK) {
    return refuseText('', 'invalid-json', 'the text: expected JSON, got a byte-order mark at offset 0');
  }
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch {
    return parseExact(text, maxDepth);
  }
  if (typeof value !== 'object' || value === null) {
    return typeof value === 'number' ? parseExact(text, maxDepth) : { ok: true, value };
  }
  if (arePrototypesPolluted()) return parseExact(text, maxDepth);
  const room = Math.min(maxDepth, MAX_RECURSION);
  const colons = scan(text, bytes);
  const isProved = colons === FLAGGED ? attachAll(text, value, room) : countMembers(value, room) === colons;
  return isProved ? { ok: true, value } : parseExact(text, maxDepth);
}

/** Scans the bytes where there are any or can be made at little cost, since that is faster than scanning text. */
function scan(text: string, given: Uint8Array | null): number {
  const length = text.length;
  if (given !== null) {
    const words = new DataView(given.buffer, given.byteOffset, given.length);
    return scanBytes(given, words, given.length, given.length === length ? text : null);
  }
  if (length <= MAX_SCRATCH_UNITS) {
    scratch ??= makeScratch();
    const { bytes, words } = scratch;
    const { written } = encodeUtf8Into(text, bytes);
    return scanBytes(bytes, words, written, written === length ? text : null);
  }
  if (length <= MAX_COPY_UNITS) {
    const copy = new Uint8Array(length);
    const { read, written } = encodeUtf8Into(text, copy);
    if (read === length && written === length) return scanBytes(copy, new DataView(copy.buffer), length, text);
  }
  return scanText(text);
}

function makeScratch(): { bytes: Uint8Array; words: DataView } {
  const bytes = new Uint8Array(3 * MAX_SCRATCH_UNITS);
  return { bytes, words: new DataView(bytes.buffer) };
}

function isBytes(value: unknown): value is Uint8Array {
  return ArrayBuffer.isView(value) && Object.prototype.toString.call(value) === '[object Uint8Array]';
}

function describeType(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'object') return isList(value) ? 'a list' : 'another object';
  return value === undefined ? 'undefined' : `a ${typeof value}`;
}

/** A revoked proxy throws at any look, even at this one. */
function isList(value: object): boolean {
  try {
    return Array.isArray(value);
  } catch {
    return false;
  }
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
