import type { Capabilities, InterceptRequest, KnownEffect, KnownEvent } from '../../generated/index.js';
import { type Clock, freezeDeep, interceptRequest, isCanonicalEvent, snapshot, stripNative } from '../wire/index.js';
import { type Bounded, type Bounds, runBounded } from './bounded.js';
import type { Boundary } from './capabilities.js';
import { stageElicitation } from './elicitation-staging.js';
import { areGranted, judgeResponse } from './response.js';
import { type ContentChange, type Ending, type Staged, stageEffects } from './staging.js';
import type {
  ChainElicitation,
  ChainOptions,
  ChainState,
  ChainSubscription,
  FailureCode,
  InterceptorOf,
} from './types.js';

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
  const { clock, options, retries } = context;
  let deadline: number | null = null;
  for (let retriesLeft = retries; ; retriesLeft -= 1) {
    let view = receiverView(context.boundary, state.event, subscription);
    if (options.prepare !== undefined) {
      const prepared = await prepareView({
        context,
        event: state.event,
        view,
        subscription,
        deadline: deadline ?? Infinity,
      });
      if (prepared.kind !== 'value') return prepared;
      view = prepared.value;
    }
    // The first dispatch starts the one deadline that all retries share.
    deadline ??= clock.now() + subscription.timeoutMs;
    const message = requestOf(context, state, view);
    const bounds = { clock, deadline, interruption: options.signal };
    const until = deadline;
    const delivered = await runBounded(bounds, (attempt) =>
      options.deliver({
        message,
        subscription,
        get signal() {
          return attempt.signal;
        },
        deadline: until,
      }),
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
    return acceptAnswer({ context, state, subscription, message, bounds, answer: delivered.value });
  }
}

interface Answered<S extends ChainSubscription> {
  readonly context: ChainContext<S>;
  readonly state: ChainState;
  readonly subscription: InterceptorOf<S>;
  readonly message: InterceptRequest;
  readonly bounds: Bounds;
  readonly answer: unknown;
}

/** Judges and stages. Asynchronous only where the answer needs bodies or new descriptors. */
function acceptAnswer<S extends ChainSubscription>(answered: Answered<S>): Promise<TurnResult> | TurnResult {
  const { context, state, message, answer } = answered;
  const judged = judgeResponse(answer, state.event.id);
  if (!judged.ok) return failed(judged.code);
  const { effects } = judged;
  if (!areGranted(effects, message.params.capabilities)) return failed('effect-not-granted');
  const { elicitation } = context.options;
  if (context.boundary.elicitation === null || elicitation === undefined) return acceptEffects(answered, effects);
  return stageBySection2(answered, elicitation, effects);
}

async function stageBySection2<S extends ChainSubscription>(
  answered: Answered<S>,
  elicitation: ChainElicitation<S>,
  effects: readonly KnownEffect[],
): Promise<TurnResult> {
  const { context, message, subscription, bounds } = answered;
  const staged = await runBounded(bounds, ({ signal }) =>
    stageElicitation({ boundary: context.boundary, elicitation, message, subscription, effects, signal }),
  );
  if (staged.kind !== 'value') return ended(staged, 'preparation');
  return staged.value.ok ? acceptEffects(answered, staged.value.effects) : failed(staged.value.code);
}

function acceptEffects<S extends ChainSubscription>(
  answered: Answered<S>,
  effects: readonly KnownEffect[],
): Promise<TurnResult> | TurnResult {
  const staged = stageEffects(answered.state, effects, answered.context.boundary.targets);
  if (!staged.ok) return failed(staged.code);
  return staged.changes.length === 0 ? accept(answered, staged.state, staged.ending) : acceptChanges(answered, staged);
}

async function acceptChanges<S extends ChainSubscription>(
  answered: Answered<S>,
  { state, changes, ending }: Extract<Staged, { ok: true }>,
): Promise<TurnResult> {
  const made = await runBounded(answered.bounds, ({ signal }) =>
    materializeAll(answered.context, state.event, changes, signal),
  );
  if (made.kind !== 'value') return ended(made, 'materialization');
  if (typeof made.value === 'string') return failed(made.value);
  return accept(answered, freezeDeep({ ...state, event: made.value }), ending);
}

/** The last look, which nothing asynchronous follows: what is accepted here is accepted. */
function accept<S extends ChainSubscription>(
  { bounds: { clock, deadline, interruption } }: Answered<S>,
  state: ChainState,
  ending: Ending | null,
): TurnResult {
  if (interruption?.aborted) return { kind: 'interrupted' };
  if (clock.now() >= deadline) return failed('late');
  return { kind: 'accepted', state, ending };
}

/** The event as one receiver may have it before preparation: without `native`, unless it asked for that. */
export function receiverView(boundary: Boundary, event: KnownEvent, subscription: ChainSubscription): KnownEvent {
  return subscription.includeNative === true ? event : stripNative(event, boundary.optIn);
}

type PreparedView = { kind: 'value'; value: KnownEvent } | Extract<TurnResult, { kind: 'failed' | 'interrupted' }>;

interface Preparing<S extends ChainSubscription> {
  readonly context: ChainContext<S>;
  readonly event: KnownEvent;
  readonly view: KnownEvent;
  readonly subscription: InterceptorOf<S>;
  /** Of the deliveries before this one; infinite before the first. */
  readonly deadline: number;
}

async function prepareView<S extends ChainSubscription>(preparing: Preparing<S>): Promise<PreparedView> {
  const { context, event, view, subscription, deadline } = preparing;
  const { clock, options } = context;
  const bounds = {
    clock,
    deadline: Math.min(clock.now() + context.prepareTimeoutMs, deadline),
    interruption: options.signal,
  };
  const prepared = await runBounded(bounds, ({ signal }) =>
    options.prepare?.({ event: view, effective: event, subscription, purpose: 'intercept', signal }),
  );
  if (prepared.kind === 'interrupted') return prepared;
  // Also when it came in time for its own budget: nothing is sent after the deadline.
  if (clock.now() >= deadline) return failed('deadline');
  if (prepared.kind !== 'value') return failed('preparation');
  const own = ownEvent(prepared.value, event);
  return own === null || !isCanonicalEvent(own) ? failed('preparation') : { kind: 'value', value: own };
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
    if (!isCanonicalEvent(made)) return 'event-invalid';
    current = made;
  }
  return current;
}

/** A frozen snapshot of an event that the host made of `original`; null when it is another event or no JSON. */
function ownEvent(made: KnownEvent | undefined, original: KnownEvent): KnownEvent | null {
  try {
    const own = snapshot(made);
    const isSame = own?.id === original.id && own.source === original.source && own.type === original.type;
    return isSame ? own : null;
  } catch {
    return null;
  }
}

const wireStates = new WeakMap<ChainState, NonNullable<InterceptRequest['params']['state']>>();

/** The state as requests carry it; made once for all interceptors that see the same. */
function wireStateOf(state: ChainState): NonNullable<InterceptRequest['params']['state']> {
  const known = wireStates.get(state);
  if (known !== undefined) return known;
  const { candidate, permission, flow, injections, instructions } = state;
  const made = freezeDeep({ candidate, permission, flow, injections, instructions });
  wireStates.set(state, made);
  return made;
}

function requestOf<S extends ChainSubscription>(
  context: ChainContext<S>,
  state: ChainState,
  view: KnownEvent,
): InterceptRequest {
  return interceptRequest({ event: view, capabilities: context.capabilities, state: wireStateOf(state) });
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
