import {
  type Capabilities,
  type KnownInterceptableEvent,
  type UserElicitationRequestEvent,
  type UserElicitationResultEvent,
  validateInterceptRequest,
} from '../../generated/index.js';
import { idMatches } from '../wire/correlation.js';
import { snapshot } from '../wire/freeze.js';
import { ElicitationError } from './errors.js';

/** The parts of one envelope that the rules speak of, frozen. */
export interface Side<E> {
  readonly event: E;
  readonly capabilities: Capabilities;
}

export type RequestSide = Side<UserElicitationRequestEvent>;
export type ResultSide = Side<UserElicitationResultEvent>;

const REQUEST_TYPE = 'user.elicitation.request';
const RESULT_TYPE = 'user.elicitation.result';

/** Step 1: an identity that the host authenticated. Throws an ElicitationError of code `principal`. */
export function requirePrincipal(principal: unknown): string {
  if (typeof principal === 'string' && /\S/u.test(principal)) return principal;
  const came = typeof principal === 'string' ? 'blank text' : typeof principal;
  throw new ElicitationError('principal', '/principal', `Principal: expected an authenticated identity, got ${came}`);
}

/** Step 2 for the request alone: `not-canonical`, `id-mismatch` or `wrong-boundary` when it does not hold. */
export function readRequest(envelope: unknown): RequestSide {
  return toRequestSide(readIdentified(envelope, '/request'));
}

/** Step 2 for a result alone. */
export function readResult(envelope: unknown): ResultSide {
  return toResultSide(readIdentified(envelope, '/result'));
}

/** Steps 2 to 4 for both: canonical, identified, of their boundary, correlated, of one server and mode. */
export function readExchange(request: unknown, result: unknown): { request: RequestSide; result: ResultSide } {
  const canonical = [readCanonical(request, '/request'), readCanonical(result, '/result')] as const;
  requireOwnId(canonical[0], '/request');
  requireOwnId(canonical[1], '/result');
  const sides = { request: toRequestSide(canonical[0]), result: toResultSide(canonical[1]) };
  requireCorrelation(sides.request.event, sides.result.event);
  requireSameMetadata(sides.request.event, sides.result.event);
  return sides;
}

/** Step 3. Throws an ElicitationError of code `correlation`. */
export function requireCorrelation(request: UserElicitationRequestEvent, result: UserElicitationResultEvent): void {
  const fail = (member: string, rule: string): never => {
    throw new ElicitationError('correlation', `/result/params/event/${member}`, `Result: expected ${rule}`);
  };
  if (result.parentEventId !== request.id) fail('parentEventId', "the request's event id as parent, got another");
  if (result.id === request.id) fail('id', "an id of its own, got the request's");
  if (result.source !== request.source) fail('source', "the request's source, got another");
  if (result.session?.id !== request.session?.id) fail('session', "the request's session, got another");
}

/** Step 4. Throws an ElicitationError of code `metadata-mismatch`. */
function requireSameMetadata(request: UserElicitationRequestEvent, result: UserElicitationResultEvent): void {
  for (const member of ['server', 'mode'] as const) {
    if (result.elicitation[member] === request.elicitation[member]) continue;
    const place = `/result/params/event/elicitation/${member}`;
    throw new ElicitationError('metadata-mismatch', place, `Result: expected the request's ${member}, got another`);
  }
}

/** A canonical envelope: its event is one that this revision knows. */
interface Canonical extends Side<KnownInterceptableEvent> {
  readonly id: unknown;
}

function readIdentified(envelope: unknown, place: string): Canonical {
  const canonical = readCanonical(envelope, place);
  requireOwnId(canonical, place);
  return canonical;
}

/** Judges a snapshot, so that nobody can change what was judged. */
function readCanonical(envelope: unknown, place: string): Canonical {
  let own: unknown;
  try {
    own = snapshot(envelope);
  } catch (cause) {
    throw new ElicitationError('not-canonical', place, 'Envelope: expected JSON, got other data', { cause });
  }
  const checked = validateInterceptRequest(own);
  if (checked.ok) {
    const { id, params } = checked.value;
    return { id, event: params.event as KnownInterceptableEvent, capabilities: params.capabilities };
  }
  const [issue] = checked.issues;
  const message = 'Envelope: expected a canonical interception request, got one that is invalid';
  throw new ElicitationError('not-canonical', place + (issue?.pointer ?? ''), message, { issues: checked.issues });
}

function requireOwnId({ id, event }: Canonical, place: string): void {
  if (idMatches(id, event.id)) return;
  throw new ElicitationError('id-mismatch', `${place}/id`, "Envelope: expected its event's id, got another");
}

function toRequestSide({ event, capabilities }: Canonical): RequestSide {
  if (event.type === REQUEST_TYPE) return { event, capabilities };
  throw wrongBoundary('/request', REQUEST_TYPE);
}

function toResultSide({ event, capabilities }: Canonical): ResultSide {
  if (event.type === RESULT_TYPE) return { event, capabilities };
  throw wrongBoundary('/result', RESULT_TYPE);
}

function wrongBoundary(place: string, expected: string): ElicitationError {
  const message = `Envelope: expected the event ${expected}, got another`;
  return new ElicitationError('wrong-boundary', `${place}/params/event/type`, message);
}
