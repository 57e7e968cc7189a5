import {
  type KnownEvent,
  type InterceptRequest,
  validateEvent,
  validateInterceptRequest,
} from '../../generated/index.js';
import { dispatchObservations } from '../observation/index.js';
import { freezeDeep, interceptRequest, snapshot, systemClock } from '../wire/index.js';
import { boundaryOf, narrowCapabilities } from './capabilities.js';
import { ChainError } from './errors.js';
import { settleDecisions } from './staging.js';
import { type ChainContext, receiverView, takeTurn } from './turn.js';
import type {
  ChainEnd,
  ChainFailure,
  ChainOptions,
  ChainOutcome,
  ChainState,
  ChainSubscription,
  InterceptorOf,
} from './types.js';

const DEFAULT_PREPARE_TIMEOUT_MS = 30_000;

/** A local text: nothing of the peer's goes into it. */
const FAIL_CLOSED_REASON = 'A hook failed and its subscription is fail-closed';

/**
 * Asks the interceptors one after the other, in the given order, and settles with what they made of the event; then
 * dispatches the observations, for which it never waits (Semantics §5).
 *
 * Failures of interceptors, denials and interruptions are outcomes. Rejects only with a {@link ChainError}, before
 * anybody is asked: an event or capabilities that are not canonical, or a configuration that cannot be.
 */
export async function runInterceptionChain<S extends ChainSubscription = ChainSubscription>(
  options: ChainOptions<S>,
): Promise<ChainOutcome> {
  const context = openChain(options);
  let state = initialState(options);
  const interceptors = options.subscriptions.filter(isInterceptor);
  const called: string[] = [];
  const failures: ChainFailure[] = [];
  let end: ChainEnd | null = null;
  for (const subscription of interceptors) {
    if (options.signal?.aborted) break;
    called.push(subscription.id);
    const turn = await takeTurn(context, state, subscription);
    if (turn.kind === 'interrupted') break;
    if (turn.kind === 'accepted') {
      state = turn.state;
      if (turn.ending !== null) end = { by: subscription.id, ...turn.ending };
    } else {
      const failure = { subscription: subscription.id, policy: subscription.failurePolicy, code: turn.code };
      failures.push(failure);
      report(options, failure);
      if (failure.policy === 'fail-closed') {
        state = { ...state, ...settleDecisions(state, true, false) };
        end = { by: subscription.id, kind: 'fail-closed', reason: FAIL_CLOSED_REASON, code: turn.code };
      }
    }
    if (end !== null) break;
  }
  if (options.signal?.aborted && end === null) {
    state = { ...state, candidate: null, permission: 'none', flow: 'none' };
    end = { by: null, kind: 'interrupted' };
  }
  return settle(context, state, end, { called, failures });
}

const DECISIONS = {
  deny: 'denied',
  'fail-closed': 'denied',
  stop: 'stopped',
  interrupted: 'interrupted',
} as const satisfies Record<ChainEnd['kind'], ChainOutcome['decision']>;

function settle<S extends ChainSubscription>(
  context: ChainContext<S>,
  state: ChainState,
  ended: ChainEnd | null,
  record: Pick<ChainOutcome, 'called' | 'failures'>,
): ChainOutcome {
  const settled = freezeDeep({
    decision: ended === null ? ('proceed' as const) : DECISIONS[ended.kind],
    ended,
    ...state,
    called: record.called,
    failures: record.failures,
  });
  const { observed, observations } = dispatchSettled(context, state.event, new Set(record.called));
  return Object.freeze({ ...settled, observed: Object.freeze(observed), observations });
}

function dispatchSettled<S extends ChainSubscription>(
  context: ChainContext<S>,
  event: KnownEvent,
  called: ReadonlySet<string>,
): Pick<ChainOutcome, 'observed' | 'observations'> {
  const { subscriptions, notify, prepare, schedule, observationSignal, onObservationFailure } = context.options;
  if (notify === undefined) return { observed: [], observations: null };
  const observed = subscriptions.filter((one) => one.mode === 'observe' || !called.has(one.id)).map((one) => one.id);
  const observations = dispatchObservations<S>({
    event,
    subscriptions,
    called,
    prepare: ({ subscription, signal }) => {
      const view = receiverView(context.boundary, event, subscription);
      return prepare?.({ event: view, effective: event, subscription, purpose: 'observe', signal }) ?? view;
    },
    notify,
    ...(schedule === undefined ? {} : { schedule }),
    ...(observationSignal === undefined ? {} : { signal: observationSignal }),
    ...(onObservationFailure === undefined ? {} : { onFailure: onObservationFailure }),
  });
  return { observed, observations };
}

function openChain<S extends ChainSubscription>(options: ChainOptions<S>): ChainContext<S> {
  const { event, retries = 0, prepareTimeoutMs = DEFAULT_PREPARE_TIMEOUT_MS } = options;
  if (!validateEvent(event).ok) {
    throw new ChainError('event-invalid', 'event', 'Chain: expected a canonically valid event, got one that is not');
  }
  const boundary = boundaryOf(event.type);
  if (boundary === undefined) {
    throw new ChainError('event-invalid', 'event.type', `Chain: expected an interceptable event, got ${event.type}`);
  }
  checkCapabilities(options);
  if (!Number.isSafeInteger(retries) || retries < 0) throw unusable('retries', 'a whole number from 0', retries);
  if (!(prepareTimeoutMs > 0)) throw unusable('prepareTimeoutMs', 'milliseconds above 0', prepareTimeoutMs);
  checkSubscriptions(options.subscriptions);
  const capabilities = freezeDeep(snapshot(narrowCapabilities(options, boundary)));
  return { options, boundary, capabilities, clock: options.clock ?? systemClock, retries, prepareTimeoutMs };
}

/** The schema of a request pairs the event with its capabilities, so a request is what gets validated. */
function checkCapabilities<S extends ChainSubscription>({ event, capabilities }: ChainOptions<S>): void {
  const request = interceptRequest({ event: event as InterceptRequest['params']['event'], capabilities });
  if (validateInterceptRequest(request).ok) return;
  const message = `Chain: expected capabilities that are canonical for ${event.type}, got others`;
  throw new ChainError('capabilities-invalid', 'capabilities', message);
}

function checkSubscriptions(subscriptions: readonly ChainSubscription[]): void {
  const seen = new Set<string>();
  for (const [index, one] of subscriptions.entries()) {
    const place = `subscriptions[${index}]`;
    if (typeof one.id !== 'string' || one.id === '') throw unusable(`${place}.id`, 'a non-empty text', one.id);
    const key = `${one.mode} ${one.id}`;
    if (seen.has(key)) throw unusable(`${place}.id`, `an id that occurs once in mode ${one.mode}`, one.id);
    seen.add(key);
    if (one.mode !== 'intercept') continue;
    if (!(one.timeoutMs > 0)) throw unusable(`${place}.timeoutMs`, 'milliseconds above 0', one.timeoutMs);
    if (one.failurePolicy !== 'fail-open' && one.failurePolicy !== 'fail-closed') {
      throw unusable(`${place}.failurePolicy`, 'fail-open or fail-closed', one.failurePolicy);
    }
  }
}

function unusable(place: string, rule: string, came: unknown): ChainError {
  return new ChainError('configuration', place, `Chain: expected ${place} to be ${rule}, got ${String(came)}`);
}

function initialState<S extends ChainSubscription>(options: ChainOptions<S>): ChainState {
  return freezeDeep({
    event: snapshot(options.event),
    values: snapshot({ ...options.values }),
    candidate: null,
    permission: 'none',
    flow: 'none',
    messages: [],
    injections: [],
    instructions: [],
  });
}

function isInterceptor<S extends ChainSubscription>(subscription: S): subscription is InterceptorOf<S> {
  return subscription.mode === 'intercept';
}

function report<S extends ChainSubscription>(options: ChainOptions<S>, failure: ChainFailure): void {
  try {
    options.onFailure?.(failure);
  } catch {
    // The host's own record is no part of the decision.
  }
}
