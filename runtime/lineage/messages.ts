import {
  type KnownEvent,
  type ParseIssueCode,
  parseWireMessage,
  type ValidationResult,
  validateCapabilitiesRequest,
  validateInterceptRequest,
  validateObserveNotification,
  validateWireMessage,
} from '../../generated/index.js';
import { idMatches } from '../wire/correlation.js';
import { getAt } from '../wire/pointer.js';
import { LineageError } from './errors.js';

const OBSERVE_ONLY: ReadonlySet<unknown> = new Set(['task.change.after', 'workspace.change.after', 'file.changed']);

const TEXT_ISSUES: ReadonlySet<ParseIssueCode> = new Set([
  'invalid-json',
  'invalid-utf8',
  'duplicate-member',
  'too-deep',
  'too-large',
]);

/** The message behind one wire text, decoded strictly. Throws a LineageError: `not-json`, or `not-canonical`. */
export function decodeMessage(input: string | Uint8Array): unknown {
  const decoded = parseWireMessage(input);
  if (decoded.ok) return decoded.value;
  const [issue] = decoded.issues;
  if (issue !== undefined && TEXT_ISSUES.has(issue.code)) {
    throw new LineageError('not-json', `Message: expected strict JSON, got ${issue.code}`, { pointer: issue.pointer });
  }
  throw notCanonical(issue);
}

/**
 * The event of a canonically valid message, or null when it carries none. A message with a `method` is judged by that
 * method's shape alone (Semantics §9). Throws a LineageError: `not-canonical`, `observe-only`, `id-mismatch`.
 */
export function readEvent(message: unknown): KnownEvent | null {
  if (!hasMethod(message)) {
    requireValid(validateWireMessage(message));
    return null;
  }
  switch (message.method) {
    case 'hooks/observe':
      return requireValid(validateObserveNotification(message)).params.event as KnownEvent;
    case 'hooks/intercept':
      return readIntercepted(message);
    case 'hooks/capabilities':
      requireValid(validateCapabilitiesRequest(message));
      return null;
    default:
      throw new LineageError('not-canonical', 'Message: expected a method of the protocol, got another one', {
        pointer: '/method',
      });
  }
}

function readIntercepted(message: unknown): KnownEvent {
  const checked = validateInterceptRequest(message);
  if (!checked.ok && OBSERVE_ONLY.has(getAt(message, '/params/event/type'))) {
    throw new LineageError('observe-only', 'Interception: expected an event that can be intercepted, got a report', {
      pointer: '/params/event/type',
    });
  }
  const request = requireValid(checked);
  const event = request.params.event as KnownEvent;
  if (!idMatches(request.id, event.id)) {
    throw new LineageError('id-mismatch', 'Interception: expected the event id as JSON-RPC id, got another id', {
      pointer: '/id',
    });
  }
  return event;
}

function requireValid<T>(result: ValidationResult<T>): T {
  if (result.ok) return result.value;
  throw notCanonical(result.issues[0]);
}

function notCanonical(issue: { readonly pointer: string } | undefined): LineageError {
  return new LineageError('not-canonical', 'Message: expected a canonical message of the protocol, got another value', {
    pointer: issue?.pointer ?? '',
  });
}

/** A member that is undefined counts as absent, as it does when it is encoded. */
function hasMethod(message: unknown): message is { readonly method: unknown } {
  return getAt(message, '/method') !== undefined;
}
