import {
  type Capabilities,
  type KnownEvent,
  type InterceptRequest,
  type KnownEffect,
  validateEvent,
} from '../../generated/index.js';
import { type Clock, freezeDeep, interceptRequest, snapshot, stripNative } from '../wire/index.js';
import { type Bounded, runBounded } from './bounded.js';
import type { Boundary } from './capabilities.js';
import { stageElicitation } from './elicitation-staging.js';
import { areGranted, judgeResponse } from './response.js';
import { type ContentChange, type Ending, stageEffects } from './staging.js';
import type { ChainOptions, ChainState, ChainSubscription, FailureCode, InterceptorOf } from './types.js';

/** What all turns of one chain share. */
export interface ChainContext<S extends ChainSubscription> {
  readonly options: ChainOptions<S>;
  readonly boundary: Boundary;
  readonly capabilities: Capabilities;
  readonly clock: Clock;
  readonly retries: number;
  readonly prepareTimeoutMs: number;
}

export type TurnResult =
  | { readonly kind: 'accepted'; readonly state: ChainState; readonly ending: Ending | null }
  | { readonly kind: 'failed'; readonly code: FailureCode }
  | { readonly kind: 'interrupted' };

/** Codes of deliveries in which no response arrived, so that asking again is no second opinion. */
const RETRIED: ReadonlySet<FailureCode> = new Set<FailureCode>(['connection', 'process-exit']);

const DELIVERY_CODES: ReadonlySet<string> = new Set<FailureCode>([
  'deadline',
  'connection',
  'process-exit',
  'authentication',
  'status',
  'invalid-utf8',
  'invalid-json',
  'invalid-message',
]);

/** One interceptor's turn: prepare, deliver, judge, stage, materialize, and a last look at clock and signal (Semantics §5). */
export async function takeTurn<S extends ChainSubscription>(
  context: ChainContext<S>,
  state: ChainState,
  subscription: InterceptorOf<S>,
): Promise<TurnResult> {
  const { clock, options } = context;
  let deadline: number | null = null;
  for (let retriesLeft = context.retries; ; retriesLeft -= 1) {
    const prepared = await prepareView(context, state.event, subscription, deadline ?? Infinity);
    if (prepared.kind !== 'value') return prepared;
    // The first dispatch starts the one deadline that all retries share.
    deadline ??= clock.now() + subscription.timeoutMs;
    const message = requestOf(context, state, prepared.value);
    const bounds = { clock, deadline, interruption: options.signal };
    const until = deadline;
    const delivered = await runBounded(bounds, (signal) =>
      options.deliver({ message, subscription, signal, deadline: until }),
    );
    if (delivered.kind === 'interrupted') return delivered;
    if (delivered.kind === 'expired') return failed('deadline');
    if (delivered.kind === 'error') {
      const code = deliveryCodeOf(delivered.error);
      if (retriesLeft > 0 && RETRIED.has(code) && clock.now() < deadline) continue;
      return failed(code);
    }
    // The event loop may have been held: an answer that is read after the deadline is late, whenever it came.
    if (clock.now() >= deadline) return failed('late');
    return acceptAnswer(context, state, { subscription, message, deadline, answer: delivered.value });
  }
}

interface Answered<S extends ChainSubscription> {
  readonly subscription: InterceptorOf<S>;
  readonly message: InterceptRequest;
  readonly deadline: number;
  readonly answer: unknown;
}

async function acceptAnswer<S extends ChainSubscription>(
  context: ChainContext<S>,
  state: ChainState,
  answered: Answered<S>,
): Promise<TurnResult> {
  const { clock, options, boundary } = context;
  const { message, deadline } = answered;
  const judged = judgeResponse(answered.answer, state.event.id);
  if (!judged.ok) return failed(judged.code);
  if (!areGranted(judged.effects, message.params.capabilities)) return failed('effect-not-granted');
  const bounds = { clock, deadline, interruption: options.signal };
  let effects: readonly KnownEffect[] = judged.effects;
  const { elicitation } = options;
  if (boundary.elicitation !== null && elicitation !== undefined) {
    const checked = await runBounded(bounds, (signal) =>
      stageElicitation({ boundary, elicitation, message, subscription: answered.subscription, effects, signal }),
    );
    if (checked.kind !== 'value') return ended(checked, 'preparation');
    if (!checked.value.ok) return failed(checked.value.code);
    effects = freezeDeep(checked.value.effects);
  }
  const staged = stageEffects(state, effects, boundary.targets);
  if (!staged.ok) return failed(staged.code);
  let next = staged.state;
  if (staged.changes.length > 0) {
    const made = await runBounded(bounds, (signal) => materializeAll(context, next.event, staged.changes, signal));
    if (made.kind !== 'value') return ended(made, 'materialization');
    if (typeof made.value === 'string') return failed(made.value);
    next = freezeDeep({ ...next, event: made.value });
  }
  if (options.signal?.aborted) return { kind: 'interrupted' };
  if (clock.now() >= deadline) return failed('late');
  return { kind: 'accepted', state: next, ending: staged.ending };
}

/** The event as one receiver may have it before preparation: without `native`, unless it asked for that. */
export function receiverView(boundary: Boundary, event: KnownEvent, subscription: ChainSubscription): KnownEvent {
  return subscription.includeNative === true ? event : stripNative(event, boundary.optIn);
}

type PreparedView = { kind: 'value'; value: KnownEvent } | Extract<TurnResult, { kind: 'failed' | 'interrupted' }>;

async function prepareView<S extends ChainSubscription>(
  context: ChainContext<S>,
  event: KnownEvent,
  subscription: InterceptorOf<S>,
  deadline: number,
): Promise<PreparedView> {
  const { clock, options } = context;
  const view = receiverView(context.boundary, event, subscription);
  const { prepare } = options;
  if (prepare === undefined) return { kind: 'value', value: view };
  const bounds = {
    clock,
    deadline: Math.min(clock.now() + context.prepareTimeoutMs, deadline),
    interruption: options.signal,
  };
  const prepared = await runBounded(bounds, (signal) =>
    prepare({ event: view, effective: event, subscription, purpose: 'intercept', signal }),
  );
  if (prepared.kind === 'interrupted') return prepared;
  if (prepared.kind !== 'value') return failed(clock.now() >= deadline ? 'deadline' : 'preparation');
  const own = ownEvent(prepared.value, event);
  return own === null || !validateEvent(own).ok ? failed('preparation') : { kind: 'value', value: own };
}

/** Makes each changed value's descriptors, one after the other; a code when the host's events cannot be used. */
async function materializeAll<S extends ChainSubscription>(
  context: ChainContext<S>,
  event: KnownEvent,
  changes: readonly ContentChange[],
  signal: AbortSignal,
): Promise<KnownEvent | FailureCode> {
  const { materialize } = context.options;
  if (materialize === undefined) return 'effect-not-granted';
  let current = event;
  for (const { target, value } of changes) {
    const made = ownEvent(await materialize({ event: current, target, value, signal }), event);
    if (made === null) return 'materialization';
    if (!validateEvent(made).ok) return 'event-invalid';
    current = made;
  }
  return current;
}

/** A frozen snapshot of an event that the host made of `original`; null when it is another event or no JSON. */
function ownEvent(made: KnownEvent, original: KnownEvent): KnownEvent | null {
  try {
    const own = snapshot(made);
    const isSame = own.id === original.id && own.source === original.source && own.type === original.type;
    return isSame ? own : null;
  } catch {
    return null;
  }
}

function requestOf<S extends ChainSubscription>(
  context: ChainContext<S>,
  state: ChainState,
  view: KnownEvent,
): InterceptRequest {
  const { candidate, permission, flow, injections, instructions } = state;
  return interceptRequest({
    event: view as InterceptRequest['params']['event'],
    capabilities: context.capabilities,
    state: freezeDeep({ candidate, permission, flow, injections, instructions }),
  });
}

function deliveryCodeOf(error: unknown): FailureCode {
  const code: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined;
  return typeof code === 'string' && DELIVERY_CODES.has(code) ? (code as FailureCode) : 'connection';
}

/** An answer that had arrived and whose acceptance did not come to an end. */
function ended(bounded: Exclude<Bounded<unknown>, { kind: 'value' }>, onError: FailureCode): TurnResult {
  if (bounded.kind === 'interrupted') return { kind: 'interrupted' };
  return failed(bounded.kind === 'expired' ? 'late' : onError);
}

function failed(code: FailureCode): { readonly kind: 'failed'; readonly code: FailureCode } {
  return { kind: 'failed', code };
}
