import {
  type ContentItem,
  type ContentReference,
  type ElicitResult,
  fromJsonElicitResult,
  type KnownElicitRequestParams,
  type ParseResult,
  parseElicitRequestParams,
  parseElicitResult,
  type Validated,
  type ValidationResult,
  validateElicitRequestParams,
  validateElicitResult,
} from '../../generated/index.js';
import { raceAbort } from '../wire/abort.js';
import { ElicitationError } from './errors.js';
import type { ElicitationSelection, ResolveBody } from './types.js';

const MEDIA_TYPE = 'application/json';
/** Issues that concern the text itself, not what it says. */
const TEXT_ISSUES: ReadonlySet<string> = new Set([
  'invalid-json',
  'invalid-utf8',
  'duplicate-member',
  'too-deep',
  'too-large',
]);

/** A descriptor of `selection: "body"` with its reference. */
export interface SelectedItem {
  readonly item: ContentItem;
  readonly reference: ContentReference;
}

/**
 * What a subscriber was given of a body. A gap of a requested body is a missing body, wherever it stands: throws an
 * ElicitationError of code `missing-body`, and of `media-type` when a selected body is no JSON.
 */
export function readSelection(
  item: ContentItem | undefined,
  place: string,
): { readonly selection: ElicitationSelection; readonly selected: SelectedItem | null } {
  if (item === undefined || item.selection === 'omit') return { selection: 'omit', selected: null };
  if (item.selection !== 'body') return { selection: 'metadata', selected: null };
  if (!('body' in item)) throw missing(place, 'expected the requested body, got a gap');
  const described = item as Extract<ContentItem, { readonly body: unknown }>;
  if (described.mediaType !== MEDIA_TYPE) {
    throw new ElicitationError('media-type', `${place}/mediaType`, `Body: expected ${MEDIA_TYPE}, got another type`);
  }
  return { selection: 'body', selected: { item, reference: described.body } };
}

/** Step 5 for a request: resolved, strict JSON, MCP's `elicitation/create` params. */
export function resolveRequest(source: BodySource): Promise<KnownElicitRequestParams> {
  return resolveDecoded(source, parseElicitRequestParams, validateElicitRequestParams);
}

/** Step 5 for a result: resolved, strict JSON, MCP's `ElicitResult`. */
export function resolveResult(source: BodySource): Promise<ElicitResult> {
  return resolveDecoded(source, parseElicitResult, validateElicitResult);
}

/** The JSON value as MCP's `ElicitResult`; throws an ElicitationError of code `body-not-mcp`. */
export function readStagedResult(value: unknown, place: string): ElicitResult {
  return requireMcp(fromJsonElicitResult(value), validateElicitResult, place);
}

export interface BodySource {
  readonly selected: SelectedItem;
  readonly resolveBody: ResolveBody;
  readonly signal: AbortSignal;
  readonly place: string;
}

/** Throws an ElicitationError of code `aborted`, whose cause is the signal's reason. */
export function requireLive(signal: AbortSignal): void {
  if (!signal.aborted) return;
  throw new ElicitationError('aborted', '/signal', 'Elicitation: aborted by the caller', { cause: signal.reason });
}

async function resolveDecoded<T>(
  source: BodySource,
  parse: (input: Uint8Array) => ParseResult<T>,
  validate: (value: unknown) => ValidationResult<T>,
): Promise<Validated<T>> {
  const parsed = parse(await resolveBytes(source));
  return requireMcp(parsed, validate, source.place);
}

async function resolveBytes({ selected, resolveBody, signal, place }: BodySource): Promise<Uint8Array> {
  requireLive(signal);
  const { item, reference } = selected;
  let bytes: unknown;
  try {
    // Called inside the promise, so that a resolver that throws at once is a missing body too.
    bytes = await raceAbort((async () => resolveBody(reference, { item, signal }))(), signal);
  } catch (cause) {
    requireLive(signal);
    throw missing(place, 'expected to be resolved, got an error', cause);
  }
  requireLive(signal);
  if (bytes instanceof Uint8Array) return bytes;
  throw missing(place, bytes === null ? 'expected to be there, is not' : `expected bytes, got ${typeof bytes}`);
}

function requireMcp<T>(
  parsed: ParseResult<T>,
  validate: (value: unknown) => ValidationResult<T>,
  place: string,
): Validated<T> {
  if (!parsed.ok) {
    const code = parsed.issues[0]?.code ?? 'wrong-type';
    if (TEXT_ISSUES.has(code)) {
      throw new ElicitationError('body-not-json', place, `Body: expected strict UTF-8 JSON, got ${code}`);
    }
    throw notMcp(place, code);
  }
  const checked = validate(parsed.value);
  if (checked.ok) return checked.value;
  throw notMcp(place, checked.issues[0]?.code ?? 'another value');
}

function notMcp(place: string, code: string): ElicitationError {
  return new ElicitationError('body-not-mcp', place, `Body: expected what MCP 2025-11-25 defines, failed on ${code}`);
}

function missing(place: string, rule: string, cause?: unknown): ElicitationError {
  return new ElicitationError('missing-body', place, `Body: ${rule}`, cause === undefined ? {} : { cause });
}
