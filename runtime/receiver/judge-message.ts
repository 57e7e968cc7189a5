import {
  type CapabilitiesRequest,
  catalogue,
  type InterceptRequest,
  type KnownEvent,
  type Manifest,
  type ObserveNotification,
  PROTOCOL_VERSION,
  fromJsonCapabilitiesRequest,
  fromJsonInterceptRequest,
  fromJsonObserveNotification,
  type Validated,
  validateCapabilitiesRequest,
  validateInterceptRequest,
  validateObserveNotification,
} from '../../generated/index.js';
import { isJsonNumber, type JsonNumber, parse } from '../../generated/json/index.js';
import { idMatches, PROTOCOL_ERRORS } from '../wire/index.js';

export type MessageId = string | number | JsonNumber;

/** A message that may be acted on, or why not. `id` is null where none could be read, or none may be answered to. */
export type Judged =
  | { readonly kind: 'capabilities'; readonly id: MessageId; readonly message: Validated<CapabilitiesRequest> }
  | { readonly kind: 'intercept'; readonly id: MessageId; readonly message: Validated<InterceptRequest> }
  | { readonly kind: 'observe'; readonly message: Validated<ObserveNotification> }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

export interface Refusal {
  readonly code: number;
  /** Our own text: the rule, and the place in the caller's message; no value of it. */
  readonly message: string;
  readonly id: MessageId | null;
  /** A notification is never answered. */
  readonly isNotification: boolean;
}

interface Envelope {
  readonly id: MessageId | null;
  readonly isNotification: boolean;
}

/**
 * Judges one message in the order of Semantics §8: JSON, envelope, method, protocol version, event name, canonical
 * validity, id. Never throws.
 */
export function judgeMessage(bytes: Uint8Array, manifest: Manifest, limits: { readonly maxDepth: number }): Judged {
  const parsed = parse(bytes, { maxDepth: limits.maxDepth, maxSize: bytes.byteLength + 1 });
  if (!parsed.ok) {
    const envelope = { id: null, isNotification: false };
    return refuse(envelope, PROTOCOL_ERRORS.parseError, `expected one JSON text, got ${parsed.issues[0]?.code}`);
  }
  const value = parsed.value;
  const rpcId = member(value, 'id');
  const id = isId(rpcId) ? rpcId : null;
  const method = member(value, 'method');
  const envelope: Envelope = { id, isNotification: rpcId === undefined && typeof method === 'string' };
  if (member(value, 'jsonrpc') !== '2.0' || typeof method !== 'string' || (rpcId !== undefined && id === null)) {
    return refuse(envelope, PROTOCOL_ERRORS.invalidRequest, 'expected a JSON-RPC 2.0 request or notification');
  }
  switch (method) {
    case 'hooks/capabilities':
      return judgeCapabilities(value, envelope);
    case 'hooks/intercept':
      return judgeIntercept(value, envelope, manifest);
    case 'hooks/observe':
      return judgeObserve(value, envelope, manifest);
    default:
      return refuse(envelope, PROTOCOL_ERRORS.methodNotFound, 'expected a method of this protocol');
  }
}

function judgeCapabilities(value: unknown, envelope: Envelope): Judged {
  if (envelope.id === null) return refuse(envelope, PROTOCOL_ERRORS.invalidRequest, 'expected a request with an id');
  const version = judgeVersion(value, envelope);
  if (version !== null) return version;
  const decoded = fromJsonCapabilitiesRequest(value);
  const valid = decoded.ok ? validateCapabilitiesRequest(decoded.value) : decoded;
  if (!valid.ok) return refuseInvalid(envelope, valid.issues);
  return { kind: 'capabilities', id: envelope.id, message: valid.value };
}

function judgeIntercept(value: unknown, envelope: Envelope, manifest: Manifest): Judged {
  if (envelope.id === null) return refuse(envelope, PROTOCOL_ERRORS.invalidRequest, 'expected a request with an id');
  const refused = judgeVersion(value, envelope) ?? judgeEventName(value, envelope, manifest, 'intercept');
  if (refused !== null) return refused;
  const decoded = fromJsonInterceptRequest(value);
  const valid = decoded.ok ? validateInterceptRequest(decoded.value) : decoded;
  if (!valid.ok) return refuseInvalid(envelope, valid.issues);
  if (!idMatches(valid.value.id, (valid.value.params.event as KnownEvent).id)) {
    return refuse(envelope, PROTOCOL_ERRORS.invalidParams, "expected the request's id to be its event's id");
  }
  return { kind: 'intercept', id: envelope.id, message: valid.value };
}

function judgeObserve(value: unknown, envelope: Envelope, manifest: Manifest): Judged {
  if (member(value, 'id') !== undefined) {
    return refuse(envelope, PROTOCOL_ERRORS.invalidRequest, 'expected a notification, which has no id');
  }
  const refused = judgeVersion(value, envelope) ?? judgeEventName(value, envelope, manifest, 'observe');
  if (refused !== null) return refused;
  const decoded = fromJsonObserveNotification(value);
  const valid = decoded.ok ? validateObserveNotification(decoded.value) : decoded;
  return valid.ok ? { kind: 'observe', message: valid.value } : refuseInvalid(envelope, valid.issues);
}

function judgeVersion(value: unknown, envelope: Envelope): Judged | null {
  const version = member(member(value, 'params'), 'protocolVersion');
  if (typeof version !== 'string' || version === PROTOCOL_VERSION) return null;
  return refuse(envelope, PROTOCOL_ERRORS.unsupportedVersion, `expected protocol version ${PROTOCOL_VERSION}`);
}

const known: ReadonlySet<string> = new Set(catalogue.eventNames);

/** An uncalled interceptor is an observer, so an observation needs no mode of its own in the manifest. */
function judgeEventName(
  value: unknown,
  envelope: Envelope,
  manifest: Manifest,
  mode: 'intercept' | 'observe',
): Judged | null {
  const type = member(member(member(value, 'params'), 'event'), 'type');
  if (typeof type !== 'string') return null;
  const entry = manifest.events.find((row) => row.event === type);
  if (known.has(type) && entry !== undefined && (mode === 'observe' || entry.modes.includes('intercept'))) return null;
  return refuse(envelope, PROTOCOL_ERRORS.unsupportedEvent, `expected an event that the manifest has for ${mode}`);
}

function refuseInvalid(
  envelope: Envelope,
  issues: readonly { readonly pointer: string; readonly code: string }[],
): Judged {
  const first = issues[0];
  const place = first === undefined ? '' : ` (${first.code} at ${JSON.stringify(first.pointer.slice(0, 200))})`;
  return refuse(envelope, PROTOCOL_ERRORS.invalidParams, `expected a canonical message${place}`);
}

export function refuse(envelope: Envelope, code: number, message: string): Extract<Judged, { kind: 'refused' }> {
  return { kind: 'refused', refusal: { ...envelope, code, message } };
}

/** An id that can be answered to: a non-empty text or an integer, however large and however spelt. */
function isId(value: unknown): value is MessageId {
  if (typeof value === 'string') return value !== '';
  return Number.isInteger(value) || (isJsonNumber(value) && isIntegral(value.text));
}

/** Whether a JSON number has no fraction: its last digit that is not 0 stands left of the point, exponent applied. */
function isIntegral(text: string): boolean {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = (whole + fraction).replace(/^-/, '');
  const end = digits.search(/[1-9]0*$/);
  if (end === -1) return true;
  const lastPlace = whole.replace(/^-/, '').length - 1 - end;
  return lastPlace + Number(exponent) >= 0;
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}
