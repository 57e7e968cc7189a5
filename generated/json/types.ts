import type { JsonNumber } from './json-number.js';

/**
 * Any JSON value as `parse` gives it. A number whose value a double cannot hold is a `JsonNumber`;
 * every other number is a plain one.
 */
export type JsonValue = null | boolean | number | string | JsonNumber | JsonArray | JsonObject;

/** A list of JSON values. */
export type JsonArray = readonly JsonValue[];

/** An object of JSON values; every own enumerable string key is a member, `__proto__` among them. */
export interface JsonObject {
  readonly [name: string]: JsonValue;
}

/** Bounds of one `parse` call. `Infinity` lifts a bound; anything that is no number >= 0 throws a `RangeError`. */
export interface ParseLimits {
  /** Containers that may stand inside each other; 256 when absent. `0` admits only scalars. */
  readonly maxDepth?: number | undefined;
  /** Size of the input: bytes of a `Uint8Array`, UTF-16 units of a string; 64 MiB (67,108,864) when absent. */
  readonly maxSize?: number | undefined;
}

/** Bound of one `encode` call; see `ParseLimits.maxDepth`. */
export interface EncodeLimits {
  /** Containers that may stand inside each other; 256 when absent. */
  readonly maxDepth?: number | undefined;
}

/**
 * Why a text was refused:
 * - `invalid-json`: not the grammar of RFC 8259, or a byte-order mark in front;
 * - `invalid-utf8`: bytes that are no UTF-8, or a raw lone surrogate in a string;
 * - `duplicate-member`: two members of one object have the same decoded name;
 * - `too-deep`, `too-large`: a bound of the call was passed;
 * - `wrong-type`: the input is neither a string nor a `Uint8Array`.
 */
export type JsonIssueCode =
  'invalid-json' | 'invalid-utf8' | 'duplicate-member' | 'too-deep' | 'too-large' | 'wrong-type';

/** One finding of `parse`. The message names rule and position, never a part of the text. */
export interface JsonIssue {
  /** JSON Pointer (RFC 6901) of the value or member concerned; `""` is the whole text. */
  readonly pointer: string;
  readonly code: JsonIssueCode;
  readonly message: string;
}

/** What `parse` gives: the value, or at least one issue. */
export type JsonParseResult =
  { readonly ok: true; readonly value: JsonValue } | { readonly ok: false; readonly issues: readonly JsonIssue[] };

/** Default of `maxDepth`: 256 containers inside each other. */
export const DEFAULT_MAX_DEPTH = 256;

/** Default of `maxSize`: 64 MiB. */
export const DEFAULT_MAX_SIZE = 64 * 1024 * 1024;

/**
 * Reads one bound, giving its default when absent.
 * Throws a `RangeError` on anything but a number >= 0: a bound that was mistyped must not become no bound.
 */
export function readLimit(name: string, value: unknown, byDefault: number): number {
  if (value === undefined) return byDefault;
  if (typeof value !== 'number' || !(value >= 0)) {
    throw new RangeError(`${name}: expected a number >= 0, got ${typeof value === 'number' ? value : typeof value}`);
  }
  return value;
}
