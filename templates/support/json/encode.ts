import { arePrototypesPolluted } from './count.js';
import { EncodeError } from './encode-error.js';
import { encodeExact } from './encode-exact.js';
import { encodeKept } from './encode-kept.js';
import { KEEPING, PLAIN, surveyContainer } from './survey.js';
import type { EncodeLimits } from './types.js';
import { DEFAULT_MAX_DEPTH, readLimit } from './types.js';

/** Deeper values are left to the exact encoder, which needs no call stack. */
const MAX_RECURSION = 1000;

const EMPTY_LIST: { readonly toJSON?: unknown } = [] as object;

/** Whether nothing on the prototypes of plain containers changes what the engine writes. */
function isTrustworthy(): boolean {
  return EMPTY_LIST.toJSON === undefined && !arePrototypesPolluted();
}

/**
 * Writes a value as compact JSON text: numbers in their kept spelling, members in their kept order (Semantics §1).
 * A member whose value is undefined counts as absent; keys that are symbols are no members.
 * Throws an `EncodeError` on what is no JSON, and a `RangeError` on a limit that is no number >= 0.
 */
export function encode(value: unknown, limits?: EncodeLimits): string {
  const maxDepth = readLimit('maxDepth', limits?.maxDepth, DEFAULT_MAX_DEPTH);
  try {
    if (typeof value === 'object' && value !== null && isTrustworthy()) {
      const finding = surveyContainer(value, Math.min(maxDepth, MAX_RECURSION));
      if (finding === PLAIN) return JSON.stringify(value);
      if (finding === KEEPING) return encodeKept(value);
    }
    return encodeExact(value, maxDepth);
  } catch (error) {
    if (error instanceof RangeError) {
      throw new EncodeError('too-large', '', 'expected a text within the bounds of the engine, got a larger one', {
        cause: error,
      });
    }
    if (error instanceof EncodeError) throw error;
    // An accessor or a proxy of the value threw while it was read.
    throw new EncodeError('foreign-object', '', 'expected a value that can be read, got an object that throws', {
      cause: error,
    });
  }
}
