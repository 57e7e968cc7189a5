import {
  type Capabilities,
  fromJsonEffect,
  isKnownEffect,
  type KnownEffect,
  PROTOCOL_VERSION,
  validateEffect,
  validateInterceptResponse,
  validateJsonRpcErrorResponse,
} from '../../generated/index.js';
import { encode, parse } from '../../generated/json/index.js';
import { idMatches, PROTOCOL_ERRORS } from '../wire/index.js';
import type { FailureCode } from './types.js';

export type Judged =
  { readonly ok: true; readonly effects: readonly KnownEffect[] } | { readonly ok: false; readonly code: FailureCode };

/**
 * Decodes an answer strictly, validates it, and ties it to the event it answers (Semantics §5). The effects belong
 * to nobody else: a decoded value is copied by way of its text.
 */
export function judgeResponse(answer: unknown, eventId: string): Judged {
  const text = typeof answer === 'string' || answer instanceof Uint8Array ? answer : textOf(answer);
  if (text === null) return refuse('invalid-message');
  const parsed = parse(text);
  if (!parsed.ok) {
    const code = parsed.issues[0]?.code;
    return refuse(code === 'invalid-utf8' ? code : code === 'too-large' ? 'invalid-message' : 'invalid-json');
  }
  const validated = validateInterceptResponse(parsed.value);
  if (!validated.ok) return refuse(diagnose(parsed.value, eventId));
  const { id, result } = validated.value;
  if (!idMatches(id, eventId)) return refuse('wrong-id');
  // Canonical validation leaves known effects only.
  return { ok: true, effects: result.effects as readonly KnownEffect[] };
}

/** Whether the capabilities of the request grant every effect of the list. */
export function areGranted(effects: readonly KnownEffect[], capabilities: Capabilities): boolean {
  return effects.every((effect) => {
    if (!capabilities.effects.includes(effect.type)) return false;
    switch (effect.type) {
      case 'modify': {
        const target = member(capabilities.modify, effect.target);
        return member(target, effect.operation) === true;
      }
      case 'flow':
        return capabilities.flow?.operations.includes(effect.operation) === true;
      case 'inject':
        return capabilities.inject?.context.deliverAt.includes(effect.deliverAt) === true;
      default:
        return true;
    }
  });
}

function refuse(code: FailureCode): Judged {
  return { ok: false, code };
}

function textOf(value: unknown): string | null {
  try {
    return encode(value);
  } catch {
    return null;
  }
}

/** Finds the code of an answer that is no canonical result; the first thing wrong in reading order decides. */
function diagnose(value: unknown, eventId: string): FailureCode {
  const error = validateJsonRpcErrorResponse(value);
  if (error.ok) {
    // An error may come with a null id, when the peer could not read the request's.
    if (error.value.id !== null && !idMatches(error.value.id, eventId)) return 'wrong-id';
    if (error.value.error.code === PROTOCOL_ERRORS.unsupportedVersion) return 'unsupported-version';
    return error.value.error.code === PROTOCOL_ERRORS.unsupportedEvent ? 'unsupported-event' : 'error-response';
  }
  const result = member(value, 'result');
  const id = member(value, 'id');
  if (member(value, 'jsonrpc') !== '2.0' || member(value, 'error') !== undefined || id === undefined) {
    return 'invalid-message';
  }
  if (!idMatches(id, eventId)) return 'wrong-id';
  const version = member(result, 'protocolVersion');
  if (typeof version === 'string' && version !== PROTOCOL_VERSION) return 'unsupported-version';
  const effects = member(result, 'effects');
  if (!Array.isArray(effects)) return 'invalid-message';
  for (const effect of effects) {
    const code = diagnoseEffect(effect);
    if (code !== null) return code;
  }
  return 'invalid-message';
}

function diagnoseEffect(effect: unknown): FailureCode | null {
  const decoded = fromJsonEffect(effect);
  if (decoded.ok && !isKnownEffect(decoded.value)) return 'effect-unknown';
  return decoded.ok && validateEffect(effect).ok ? null : 'effect-malformed';
}

/** An own member of an object; undefined for what is absent and for what is no object. */
function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}
