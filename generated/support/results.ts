/** Result, issue and brand types that the generated codecs and validators share. */

/** What `parseX` and `fromJsonX` report (Semantics §1). */
export type ParseIssueCode =
  | 'invalid-json'
  | 'invalid-utf8'
  | 'duplicate-member'
  | 'too-deep'
  | 'too-large'
  | 'wrong-type'
  | 'missing-member'
  | 'wrong-constant'
  | 'no-branch';

/** Why a text or value is not structurally an `X`. */
export interface ParseIssue {
  readonly code: ParseIssueCode;
  /** JSON Pointer of the place, `''` for the whole. */
  readonly pointer: string;
  readonly message: string;
}

/** What was kept although this revision of the protocol does not know it (Semantics §1). */
export type ParseWarningCode = 'unknown-enum-value' | 'unknown-variant';

export interface ParseWarning {
  readonly code: ParseWarningCode;
  /** JSON Pointer of the place, `''` for the whole. */
  readonly pointer: string;
  readonly message: string;
}

export interface ParseSuccess<T> {
  readonly ok: true;
  readonly value: T;
  readonly warnings: readonly ParseWarning[];
}

export interface ParseFailure {
  readonly ok: false;
  readonly issues: readonly ParseIssue[];
}

/** What decoding gives: a structurally sound value, which is not thereby canonically valid, or the reasons. */
export type ParseResult<T> = ParseSuccess<T> | ParseFailure;

/** Why a value is not canonically valid; `code` is the JSON Schema keyword that failed. */
export interface ValidationIssue {
  readonly code: string;
  /** JSON Pointer of the place, `''` for the whole. */
  readonly pointer: string;
  readonly message: string;
}

export interface ValidationSuccess<T> {
  readonly ok: true;
  readonly value: Validated<T>;
}

export interface ValidationFailure {
  readonly ok: false;
  readonly issues: readonly ValidationIssue[];
}

/** What canonical validation gives: the same value, marked as valid in its type, or the reasons. */
export type ValidationResult<T> = ValidationSuccess<T> | ValidationFailure;

declare const unknownVariant: unique symbol;

/**
 * Marks the member of a union that a codec kept although its tag is not known (in the types alone, not in the data).
 * Only decoding makes one: a literal with a misspelt tag or with a member missing does not pass for an unknown variant.
 */
export interface UnknownVariant {
  readonly [unknownVariant]: true;
}

/** A class, because spreading drops its mark: what was changed after validation is not validated. */
declare class ValidationMark {
  #validated: true;
}

/**
 * A `T` that passed canonical validation. An unknown variant is never valid, so it is left out of the union; the open
 * branch that a discriminated union declares stays. The mark is in the type alone and goes with the value as it is:
 * `{ ...value, id }` is a plain `T` again.
 */
export type Validated<T> = Exclude<T, UnknownVariant> & ValidationMark;
