import { createHash } from 'node:crypto';
import { Ajv2020, type AnySchemaObject } from 'ajv/dist/2020.js';
import type { ElicitFormParams, ValidationIssue } from '../../generated/index.js';
import { encode } from '../../generated/json/index.js';
import { isDate, isDateTime, isEmail, isUri } from '../../generated/support/formats.js';
import { type Check, runCheck } from '../../generated/support/validator-issues.js';

/** MCP's `requestedSchema`: a flat object of fields. */
export type Form = ElicitFormParams['requestedSchema'];

export type AnswerVerdict =
  | { readonly ok: true }
  /** `schema`: the form is no valid JSON Schema; `answers`: they do not satisfy it, as the issues tell. */
  | { readonly ok: false; readonly reason: 'schema'; readonly issues: readonly []; readonly cause?: unknown }
  | { readonly ok: false; readonly reason: 'answers'; readonly issues: readonly ValidationIssue[] };

/** What fields and their items say of choices. */
interface Choice {
  readonly enum?: readonly string[];
  readonly oneOf?: readonly { readonly const: string }[];
  readonly anyOf?: readonly { readonly const: string }[];
  readonly items?: object;
}

/** A compiled form, or why there is none. */
type Compiled = { readonly check: Check } | { readonly cause: unknown };

/** Compiled forms that are kept; a form that is used again moves to the young end. */
const MAX_COMPILED = 128;
/** UTF-16 units; a longer form is compiled for each answer, so that what is kept stays small. */
const MAX_KEPT_LENGTH = 65_536;
/** Compiling takes a quarter of a millisecond a field and holds the event loop. */
const MAX_FIELDS = 1_000;

/** By digest of the form's text, oldest use first. Never by object identity: forms come over the wire. */
const compiledForms = new Map<string, Compiled>();

/**
 * Judges answers by their form as JSON Schema 2020-12, formats asserted, without coercion and without defaults,
 * whatever `$schema` says (Semantics §2). Forms are compiled once and kept by content, 128 of them; a form of more than
 * 1,000 fields is unusable.
 */
export function checkAnswers(form: Form, answers: object): AnswerVerdict {
  const compiled = compiledFormOf(form);
  if (!('check' in compiled)) return { ok: false, reason: 'schema', issues: [], cause: compiled.cause };
  const verdict = runCheck(compiled.check, answers);
  return verdict.ok ? { ok: true } : { ok: false, reason: 'answers', issues: verdict.issues };
}

/** How many compiled forms are kept now; at most 128. */
export function compiledFormCount(): number {
  return compiledForms.size;
}

function compiledFormOf(form: Form): Compiled {
  const { $schema: _ignored, ...own } = form;
  const text = encode(own);
  if (text.length > MAX_KEPT_LENGTH) return compileForm(own);
  const key = createHash('sha256').update(text).digest('base64');
  const compiled = compiledForms.get(key) ?? compileForm(own);
  compiledForms.delete(key);
  compiledForms.set(key, compiled);
  for (const oldest of compiledForms.keys()) {
    if (compiledForms.size <= MAX_COMPILED) break;
    compiledForms.delete(oldest);
  }
  return compiled;
}

const FORMATS = { date: isDate, 'date-time': isDateTime, email: isEmail, uri: isUri };

/** Judges forms themselves; validating keeps nothing of them. */
let metaSchema: Ajv2020 | undefined;

function compileForm(form: Omit<Form, '$schema'>): Compiled {
  const count = Object.keys(form.properties).length;
  if (count > MAX_FIELDS) return { cause: new RangeError(`Form: expected at most ${MAX_FIELDS} fields, got ${count}`) };
  try {
    metaSchema ??= new Ajv2020({ strict: false, ownProperties: true, logger: false });
    if (metaSchema.validateSchema(form as AnySchemaObject) !== true) return { cause: undefined };
    // An instance of its own: what it keeps goes with the compiled form, and no two forms can meet in it.
    const compiler = new Ajv2020({
      meta: false,
      validateSchema: false,
      strict: false,
      ownProperties: true,
      allErrors: true,
      formats: FORMATS,
      logger: false,
    });
    return { check: compiler.compile(toCompilable(form)) as unknown as Check };
  } catch (cause) {
    return { cause };
  }
}

/** The same form in words that ajv takes: it skips a property called `__proto__`. */
function toCompilable(form: Omit<Form, '$schema'>): AnySchemaObject {
  const fields = Object.entries(form.properties).map(([name, field]) => [name, withPlainChoice(field)] as const);
  const named = fields.filter(([name]) => name !== '__proto__');
  const hidden = fields.filter(([name]) => name === '__proto__').map(([, field]) => ['^__proto__$', field]);
  return { ...form, properties: Object.fromEntries(named), patternProperties: Object.fromEntries(hidden) };
}

/**
 * A field whose choice is an `enum`, whichever of MCP's shapes it has: of titled values those that one branch names, of
 * an exclusive choice those that no second branch names. An empty one, which ajv refuses, takes nothing.
 */
function withPlainChoice(field: object): AnySchemaObject {
  const { enum: plain, oneOf, anyOf, items, ...rest } = field as Choice;
  const exclusive = oneOf?.map((one) => one.const);
  const choice =
    plain ?? (exclusive === undefined ? undefined : valuesOnce(exclusive)) ?? anyOf?.map((one) => one.const);
  return {
    ...rest,
    ...(choice === undefined ? {} : choice.length === 0 ? { not: {} } : { enum: choice }),
    ...(items === undefined ? {} : { items: withPlainChoice(items) }),
  };
}

function valuesOnce(values: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return values.filter((value) => counts.get(value) === 1);
}
