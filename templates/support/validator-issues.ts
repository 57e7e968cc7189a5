/*
 * Runs a precompiled check and turns what it found into issues at once, since the next call of the same check wipes
 * its findings. Issues tell where, which rule and what kind of value came, never the value itself.
 */

import type { Validated, ValidationIssue, ValidationResult } from './results.js';

/** A precompiled check; after `false` its findings stand on it until it runs again. */
export interface Check {
  (value: unknown): boolean;
  errors?: Finding[] | null;
}

interface Finding {
  readonly instancePath?: string;
  readonly keyword?: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** Enough to tell what is wrong; a value that fails every branch of a union could give hundreds. */
const MAX_ISSUES = 20;
/** Longer names are cut in messages; pointers are whole. */
const MAX_NAME_LENGTH = 64;

/** Validates and gives the same value, or why not. Never throws, whatever the value is (Semantics §1). */
export function runCheck<T>(check: Check, value: unknown): ValidationResult<T> {
  try {
    if (check(value)) return { ok: true, value: value as Validated<T> };
    return { ok: false, issues: toIssues(check.errors ?? [], value) };
  } catch {
    // A getter or proxy that throws, or a value that is nested without end.
    const message = 'the value: expected plain JSON data, got something that cannot be read or is nested too deep';
    return { ok: false, issues: [{ code: 'not-json', pointer: '', message }] };
  }
}

function toIssues(findings: readonly Finding[], value: unknown): ValidationIssue[] {
  const issues: ValidationIssue[] = [];
  const seen = new Set<string>();
  // A failed consequence says more than the condition that demanded it.
  const telling = findings.filter((finding) => finding.keyword !== 'if');
  for (const finding of telling.length > 0 ? telling : findings) {
    if (issues.length === MAX_ISSUES) break;
    const pointer = finding.instancePath ?? '';
    const code = finding.keyword ?? 'false schema';
    const place = pointer === '' ? 'the value' : pointer;
    const message = `${place}: expected ${describeRule(code, finding.params ?? {})}, got ${describeValue(value, pointer)}`;
    if (seen.has(`${code} ${message}`)) continue;
    seen.add(`${code} ${message}`);
    issues.push({ code, pointer, message });
  }
  return issues;
}

function describeRule(keyword: string, params: Readonly<Record<string, unknown>>): string {
  const limit = String(params.limit);
  switch (keyword) {
    case 'type':
      return `the type ${Array.isArray(params.type) ? params.type.join(' or ') : String(params.type)}`;
    case 'required':
      return `the member ${quote(params.missingProperty)}`;
    case 'dependentRequired':
      return `the member ${quote(params.missingProperty)} beside ${quote(params.property)}`;
    case 'const':
    case 'enum':
      return Array.isArray(params.expected)
        ? `${params.expected.length > 1 ? 'one of ' : ''}${params.expected.map((one) => JSON.stringify(one)).join(', ')}`
        : 'a value that the schema lists';
    case 'format':
      return `the format ${String(params.format)}`;
    case 'pattern':
      return `the pattern ${String(params.pattern)}`;
    case 'minLength':
      return `at least ${limit} characters`;
    case 'maxLength':
      return `at most ${limit} characters`;
    case 'minimum':
      return `a number of at least ${limit}`;
    case 'maximum':
      return `a number of at most ${limit}`;
    case 'exclusiveMinimum':
      return `a number above ${limit}`;
    case 'exclusiveMaximum':
      return `a number below ${limit}`;
    case 'multipleOf':
      return `a multiple of ${limit}`;
    case 'minItems':
      return `at least ${limit} elements`;
    case 'maxItems':
      return `at most ${limit} elements`;
    case 'minProperties':
      return `at least ${limit} members`;
    case 'maxProperties':
      return `at most ${limit} members`;
    case 'uniqueItems':
      return 'no element twice';
    case 'contains':
      return 'an element of the kind that the schema demands';
    case 'additionalProperties':
      return `no other members than those described, ${quote(params.additionalProperty)} is none`;
    case 'unevaluatedProperties':
      return `no other members than those described, ${quote(params.unevaluatedProperty)} is none`;
    case 'unevaluatedItems':
      return 'no other elements than those described';
    case 'propertyNames':
      return `member names that fit the schema, ${quote(params.propertyName)} does not`;
    case 'oneOf':
    case 'anyOf':
      if (Array.isArray(params.expected)) {
        const known = params.expected.map((one) => JSON.stringify(one)).join(', ');
        return `the member ${quote(params.tag)} to be one of ${known}`;
      }
      return params.several === true ? 'exactly one variant, not several' : 'one of the variants';
    case 'not':
      return Array.isArray(params.excluded)
        ? `no member ${params.excluded.map(quote).join(' or ')}`
        : 'none of what the schema rules out';
    default:
      return 'what the schema says';
  }
}

function quote(name: unknown): string {
  const text = String(name);
  return JSON.stringify(text.length > MAX_NAME_LENGTH ? `${text.slice(0, MAX_NAME_LENGTH)}…` : text);
}

/** The kind of the value at a pointer, without any of its content. */
function describeValue(root: unknown, pointer: string): string {
  let value: unknown = root;
  for (const step of pointer.split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return 'another value';
    value = (value as Record<string, unknown>)[name];
  }
  if (value === null) return 'null';
  if (value instanceof Number) return 'a number';
  if (Array.isArray(value)) return value.length === 1 ? 'a list of 1 element' : `a list of ${value.length} elements`;
  switch (typeof value) {
    case 'object': {
      const count = Object.keys(value).length;
      return count === 1 ? 'an object of 1 member' : `an object of ${count} members`;
    }
    case 'string':
      return value.length === 1 ? 'a string of 1 unit' : `a string of ${value.length} units`;
    case 'number':
      return Number.isFinite(value) ? 'a number' : 'a number outside JSON';
    case 'boolean':
      return 'a boolean';
    default:
      return 'nothing of JSON';
  }
}
