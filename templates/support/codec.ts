/** What the generated codecs share: the report that checks write to, and the steps from text or value to a result. */

import {
  DEFAULT_MAX_DEPTH,
  isJsonInteger,
  isJsonNumber,
  isTypedNumber,
  jsonEqual,
  lowerNumber,
  lowerNumbersAt,
  parse,
  type ParseLimits,
} from './json/index.js';
import { findNonJson } from './plain-json.js';
import type { ParseIssue, ParseIssueCode, ParseResult, ParseWarning, ParseWarningCode } from './results.js';

/**
 * A structural check of one type. Gives how many entries it made; their paths begin at the value, and the caller
 * prefixes its own step with `under`, so that no path is made while nothing is found. `container` and `key` tell where
 * the value stands, for numbers that have to be lowered there.
 */
export type Check = (value: unknown, report: Report, container: object | null, key: string | number | null) => number;

/** The check of a branch that is no number. */
export type BranchCheck = (value: unknown, report: Report) => number;

/** Bounds of `fromJsonX`. */
export interface FromJsonLimits {
  /** Containers that may stand inside each other; 256 when absent. */
  readonly maxDepth?: number | undefined;
}

/** Issues beyond these are not reported: a value that wrong is not described better by more of them. */
const MAX_ISSUES = 100;
/** Warnings beyond these are not reported; what they would speak of is kept all the same. */
const MAX_WARNINGS = 1_000;

interface Entry {
  readonly kind: 'issue' | 'warning' | 'number';
  readonly code: ParseIssueCode | ParseWarningCode | '';
  readonly message: string;
  /** From the value outwards, so that a step is pushed. */
  readonly path: (string | number)[];
}

type Outcome = 'exact' | 'warned' | 'refused';

/** Collects what the checks of one value find. Every method gives the number of entries it made. */
export class Report {
  readonly #isFresh: boolean;
  readonly #entries: Entry[] = [];
  #issues = 0;
  #warnings = 0;
  /** Set while a branch is only tried: what it finds is counted there and not kept. */
  #trial: { issues: number; warnings: number } | null = null;
  /** Outcomes of tries by container and check, so that unions within unions are tried once each. */
  #tried: Map<unknown, Map<Check, Outcome>> | null = null;

  /** `isFresh` means that nobody else has seen the value yet, so that numbers are lowered in place. */
  constructor(isFresh: boolean) {
    this.#isFresh = isFresh;
  }

  /** Prefixes the latest entries with the step that leads to their value. */
  under(count: number, key: string | number): number {
    for (let index = this.#entries.length - count; index < this.#entries.length; index++)
      this.#entries[index]?.path.push(key);
    return count;
  }

  missing(key: string | number): number {
    return this.#issue('missing-member', key, `expected the member ${quote(key)}, got none`);
  }

  /** The value is not of the type that `expected` tells; undefined is a missing member. */
  mismatch(value: unknown, key: string | number | null, expected: string): number {
    if (value === undefined && key !== null) return this.missing(key);
    return this.#issue('wrong-type', key, `expected ${expected}, got ${describeType(value)}`);
  }

  /**
   * For a place of type number that holds no JavaScript number. `step` is null when the caller adds it with `under`.
   */
  number(value: unknown, step: string | number | null, container: object | null, key: string | number | null): number {
    if (!isJsonNumber(value)) return this.mismatch(value, step, 'a number');
    if (!isTypedNumber(value))
      return this.#issue('wrong-type', step, 'expected a number within the range of doubles, got one beyond it');
    return this.#lower(step, container, key);
  }

  /** For a place of type integer that holds no JavaScript integer. */
  integer(value: unknown, step: string | number | null, container: object | null, key: string | number | null): number {
    if (typeof value === 'number' || (isJsonNumber(value) && !isJsonInteger(value))) {
      return this.#issue('wrong-type', step, 'expected an integer, got a number with a fraction');
    }
    return isJsonNumber(value) ? this.number(value, step, container, key) : this.mismatch(value, step, 'an integer');
  }

  /** For a value that is not identical to a constant; nothing when it is equal as JSON. */
  constant(value: unknown, key: string | number | null, expected: unknown): number {
    if (value === undefined && key !== null) return this.missing(key);
    if (value !== undefined && jsonEqual(value, expected)) return 0;
    return this.#issue('wrong-constant', key, `expected the constant ${JSON.stringify(expected)}, got another value`);
  }

  /** For a value that is not identical to one of these; a string among strings is kept with a warning. */
  oneOf(value: unknown, key: string | number | null, expected: readonly unknown[]): number {
    if (value === undefined && key !== null) return this.missing(key);
    if (typeof value === 'string' && expected.some((known) => typeof known === 'string')) {
      return expected.includes(value)
        ? 0
        : this.#warning('unknown-enum-value', key, 'expected one of the known strings, got another one, which is kept');
    }
    if (value !== undefined && expected.some((known) => jsonEqual(value, known))) return 0;
    const type = describeType(value);
    const code = expected.some((known) => describeType(known) === type) ? 'wrong-constant' : 'wrong-type';
    return this.#issue(
      code,
      key,
      `expected one of the known values, got ${code === 'wrong-type' ? type : 'another one'}`,
    );
  }

  /** For an object whose tag is none of the known ones: a string keeps the whole object as the unknown variant. */
  unknownTag(tag: unknown, member: string): number {
    if (typeof tag !== 'string') return this.mismatch(tag, member, 'a string');
    return this.#warning(
      'unknown-variant',
      null,
      `expected a known ${quote(member)}, got another one, which is kept whole`,
    );
  }

  noBranch(): number {
    return this.#issue('no-branch', null, 'expected a value that one of the branches takes, got one that none does');
  }

  /** The value passes when one of the checks takes it, first without and then with warnings; that one then reports. */
  firstOf(value: unknown, container: object | null, key: string | number | null, checks: readonly Check[]): number {
    let warned: Check | null = null;
    for (const check of checks) {
      const outcome = this.#try(check, value, container, key);
      if (outcome === 'exact') return this.#trial === null ? check(value, this, container, key) : 0;
      if (outcome === 'warned') warned ??= check;
    }
    if (warned === null) return this.noBranch();
    if (this.#trial === null) return warned(value, this, container, key);
    this.#trial.warnings += 1;
    return 0;
  }

  #try(check: Check, value: unknown, container: object | null, key: string | number | null): Outcome {
    const isContainer = typeof value === 'object' && value !== null;
    const known = isContainer ? this.#tried?.get(value)?.get(check) : undefined;
    if (known !== undefined) return known;
    const outer = this.#trial;
    const trial = { issues: 0, warnings: 0 };
    this.#trial = trial;
    check(value, this, container, key);
    this.#trial = outer;
    const outcome = trial.issues > 0 ? 'refused' : trial.warnings > 0 ? 'warned' : 'exact';
    if (isContainer) {
      this.#tried ??= new Map();
      this.#tried.set(value, (this.#tried.get(value) ?? new Map<Check, Outcome>()).set(check, outcome));
    }
    return outcome;
  }

  #lower(step: string | number | null, container: object | null, key: string | number | null): number {
    if (this.#trial !== null) return 0;
    if (this.#isFresh && container !== null && key !== null) {
      lowerNumber(container, key);
      return 0;
    }
    this.#entries.push({ kind: 'number', code: '', message: '', path: step === null ? [] : [step] });
    return 1;
  }

  #issue(code: ParseIssueCode, key: string | number | null, message: string): number {
    if (this.#trial !== null) {
      this.#trial.issues += 1;
      return 0;
    }
    this.#issues += 1;
    if (this.#issues > MAX_ISSUES) return 0;
    this.#entries.push({ kind: 'issue', code, message, path: key === null ? [] : [key] });
    return 1;
  }

  #warning(code: ParseWarningCode, key: string | number | null, message: string): number {
    if (this.#trial !== null) {
      this.#trial.warnings += 1;
      return 0;
    }
    this.#warnings += 1;
    if (this.#warnings > MAX_WARNINGS) return 0;
    this.#entries.push({ kind: 'warning', code, message, path: key === null ? [] : [key] });
    return 1;
  }

  /** The result for the value that was checked, with the numbers lowered that had to wait. */
  conclude<T>(value: unknown): ParseResult<T> {
    if (this.#entries.length === 0) return { ok: true, value: value as T, warnings: [] };
    if (this.#issues > 0) return { ok: false, issues: this.#told('issue') as ParseIssue[] };
    const places = this.#entries.filter(({ kind }) => kind === 'number').map(({ path }) => [...path].reverse());
    const lowered = places.length === 0 ? value : lowerNumbersAt(value, places);
    return { ok: true, value: lowered as T, warnings: this.#told('warning') as ParseWarning[] };
  }

  /** Where several schemas speak of one place, each thing is told once. */
  #told(kind: 'issue' | 'warning'): { code: string; pointer: string; message: string }[] {
    const told = new Map<string, { code: string; pointer: string; message: string }>();
    for (const entry of this.#entries) {
      if (entry.kind !== kind) continue;
      const pointer = entry.path.reduceRight<string>((start, step) => start + pointerStep(step), '');
      const id = `${entry.code} ${pointer}`;
      if (!told.has(id)) told.set(id, { code: entry.code, pointer, message: entry.message });
    }
    return [...told.values()];
  }
}

/** Decodes text or bytes strictly and checks the structure (Semantics §1). */
export function decode<T>(input: string | Uint8Array, limits: ParseLimits | undefined, check: Check): ParseResult<T> {
  const parsed = parse(input, limits);
  if (!parsed.ok) return { ok: false, issues: parsed.issues };
  return inspect(parsed.value, check, new Report(true));
}

/** Checks the structure of a value that is decoded already; containers are copied only where a number is lowered. */
export function convert<T>(value: unknown, limits: FromJsonLimits | undefined, check: Check): ParseResult<T> {
  const maxDepth = readMaxDepth(limits?.maxDepth);
  let issue: ParseIssue | null;
  try {
    issue = findNonJson(value, maxDepth);
  } catch {
    issue = unreadable();
  }
  return issue === null ? inspect(value, check, new Report(false)) : { ok: false, issues: [issue] };
}

function inspect<T>(value: unknown, check: Check, report: Report): ParseResult<T> {
  try {
    check(value, report, null, null);
    return report.conclude(value);
  } catch (error) {
    // A caller who lifts maxDepth may get a value deeper than the call stack, and a proxy may throw at any time.
    return { ok: false, issues: [error instanceof RangeError ? tooDeep() : unreadable()] };
  }
}

function tooDeep(): ParseIssue {
  return { code: 'too-deep', pointer: '', message: 'expected a value that the call stack holds, got a deeper one' };
}

function unreadable(): ParseIssue {
  return { code: 'invalid-json', pointer: '', message: 'expected a JSON value, got an object that cannot be read' };
}

function readMaxDepth(maxDepth: unknown): number {
  if (maxDepth === undefined) return DEFAULT_MAX_DEPTH;
  if (typeof maxDepth === 'number' && maxDepth >= 0) return maxDepth;
  throw new RangeError(
    `maxDepth: expected a number >= 0, got ${typeof maxDepth === 'number' ? maxDepth : typeof maxDepth}`,
  );
}

/** True for JSON objects: neither null, a list, nor a `JsonNumber`. */
export function isObject(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Number);
}

/** True for numbers of JSON, also for those that a double cannot hold. */
export function isNumeric(value: unknown): boolean {
  return typeof value === 'number' || isJsonNumber(value);
}

/** A member that is the object's own: for names that every object inherits. */
export function own(object: { readonly [name: string]: unknown }, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function pointerStep(step: string | number): string {
  if (typeof step === 'number' || !/[~/]/.test(step)) return `/${step}`;
  return `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

function quote(name: string | number): string {
  return typeof name === 'number' ? String(name) : `\`${name}\``;
}

function describeType(value: unknown): string {
  if (value === null) return 'null';
  if (value === undefined) return 'undefined';
  if (isNumeric(value)) return 'a number';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
