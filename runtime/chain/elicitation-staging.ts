import type { InterceptRequest, KnownEffect, KnownEvent } from '../../generated/index.js';
import type { JsonValue } from '../../generated/json/index.js';
import { applyElicitationEffects, ElicitationError } from '../elicitation/index.js';
import type { Boundary } from './capabilities.js';
import type { ChainElicitation, ChainSubscription, FailureCode, InterceptorOf } from './types.js';

export interface ElicitationTurn<S extends ChainSubscription> {
  readonly boundary: Boundary;
  readonly elicitation: ChainElicitation<S>;
  /** The envelope as this subscriber was sent it. */
  readonly message: InterceptRequest;
  readonly subscription: InterceptorOf<S>;
  readonly effects: readonly KnownEffect[];
  readonly signal: AbortSignal;
}

export type ElicitationStaged =
  { readonly ok: true; readonly effects: readonly KnownEffect[] } | { readonly ok: false; readonly code: FailureCode };

/**
 * Stages a list by section 2 of the semantics and gives back the list that the chain accepts instead: edits of the
 * answer have become one replacement by the checked answer.
 * A denial by a subscriber that saw no body needs no staging.
 */
export async function stageElicitation<S extends ChainSubscription>(
  turn: ElicitationTurn<S>,
): Promise<ElicitationStaged> {
  const { boundary, elicitation, message, subscription, effects, signal } = turn;
  if (effects.length === 0 || isOrdinary(turn)) return { ok: true, effects };
  try {
    const principal = elicitation.principal(subscription);
    const { resolveBody, request } = elicitation;
    if (boundary.elicitation === 'request') {
      // A supplied result is staged as it came, members that nobody knows included.
      await applyElicitationEffects({ request: message, effects, resolveBody, principal, signal });
      return { ok: true, effects };
    }
    if (request === undefined) return { ok: false, code: 'preparation' };
    const staged = await applyElicitationEffects({ request, result: message, effects, resolveBody, principal, signal });
    return { ok: true, effects: withStagedAnswer(effects, staged.result?.content ?? {}) };
  } catch (error) {
    return { ok: false, code: failureCodeOf(error) };
  }
}

/** Denials and messages alone, about bodies that this subscriber was not given. */
function isOrdinary<S extends ChainSubscription>({
  boundary,
  elicitation,
  message,
  effects,
}: ElicitationTurn<S>): boolean {
  if (effects.some((effect) => effect.type !== 'deny' && effect.type !== 'message')) return false;
  const own = bodyIsSelected(message);
  if (boundary.elicitation === 'request') return !own;
  return !own || elicitation.request === undefined || !bodyIsSelected(elicitation.request);
}

function bodyIsSelected({ params }: InterceptRequest): boolean {
  // Canonically valid by now, so its type is one that is known.
  const event = params.event as KnownEvent;
  if (event.type === 'user.elicitation.request') {
    const item = event.elicitation.request;
    return item !== undefined && 'body' in item;
  }
  if (event.type === 'user.elicitation.result') {
    const item = event.elicitation.result;
    return item !== undefined && 'body' in item;
  }
  return false;
}

function withStagedAnswer(effects: readonly KnownEffect[], answer: unknown): readonly KnownEffect[] {
  if (!effects.some((effect) => effect.type === 'modify')) return effects;
  const rest = effects.filter((effect) => effect.type !== 'modify');
  return [{ type: 'modify', target: 'content', operation: 'replace', value: answer as JsonValue }, ...rest];
}

/** Rejections by section 2 in the chain's terms: the responder's list, or what the host gave to check it by. */
function failureCodeOf(error: unknown): FailureCode {
  if (!(error instanceof ElicitationError)) return 'preparation';
  switch (error.code) {
    case 'effect-conflict':
      return 'effect-conflict';
    case 'not-selected':
      return 'effect-not-granted';
    case 'answer-invalid':
    case 'unexpected-content':
      return 'effect-malformed';
    default:
      return error.place.startsWith('/effects') ? 'effect-malformed' : 'preparation';
  }
}
