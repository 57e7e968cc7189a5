/**
 * Why a value cannot be written as JSON:
 * - `undefined-value`: undefined or a hole in a list, or undefined at the root (as a member it counts as absent);
 * - `function`, `symbol`, `bigint`: a value of that type;
 * - `non-finite-number`: NaN or an infinity;
 * - `foreign-object`: an object whose prototype is neither `Object.prototype`, `Array.prototype` nor null, such as a
 *   `Date`, a class instance, a boxed value, or a `Number` object that is no `JsonNumber`;
 * - `cycle`: a container that contains itself;
 * - `too-deep`: more containers inside each other than `maxDepth`;
 * - `too-large`: the text would be longer than a string can be.
 */
export type EncodeErrorCode =
  | 'undefined-value'
  | 'function'
  | 'symbol'
  | 'bigint'
  | 'non-finite-number'
  | 'foreign-object'
  | 'cycle'
  | 'too-deep'
  | 'too-large';

/** Thrown by `encode` on what is no JSON. The message holds place and rule, never a value. */
export class EncodeError extends Error {
  override readonly name = 'EncodeError';
  readonly code: EncodeErrorCode;
  /** JSON Pointer of the value that cannot be written. */
  readonly pointer: string;

  constructor(code: EncodeErrorCode, pointer: string, rule: string, options?: { readonly cause?: unknown }) {
    super(`${pointer === '' ? 'the value' : pointer}: ${rule}`, options);
    this.code = code;
    this.pointer = pointer;
  }
}
