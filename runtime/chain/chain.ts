import { type KnownEvent, validateInterceptRequest } from '../../generated/index.js';
import { dispatchObservations } from '../observation/index.js';
import { freezeDeep, interceptRequest, isCanonicalEvent, snapshot, systemClock } from '../wire/index.js';
import { boundaryOf, narrowCapabilities } from './capabilities.js';
import { ChainError, type ChainErrorCode } from './errors.js';
import { settleDecisions } from './staging.js';
import { type ChainContext, receiverView, takeTurn } from './turn.js';
import type {
  ChainEnd,
  ChainFailure,
  ChainOptions,
  ChainOutcome,
  ChainState,
  ChainSubscription,
  FailureCode,
  InterceptorOf,
  InterceptorSubscription,
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
    // An interruption beats a failure that was found after it, so that no policy speaks then.
    if (turn.kind === 'interrupted' || (turn.kind === 'failed' && options.signal?.aborted)) break;
    if (turn.kind === 'accepted') {
      state = turn.state;
      if (turn.ending !== null) end = { by: subscription.id, ...turn.ending };
    } else {
      const failure = failureOf(subscription, turn.code);
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
  checkEvent(options);
  const boundary = boundaryOf(event.type);
  if (boundary === undefined) {
    throw new ChainError('event-invalid', 'event.type', `Chain: expected an interceptable event, got ${event.type}`);
  }
  checkFunctions(options);
  if (!Number.isSafeInteger(retries) || retries < 0) throw unusable('retries', 'a whole number from 0', retries);
  if (!isDuration(prepareTimeoutMs)) throw unusable('prepareTimeoutMs', 'milliseconds above 0', prepareTimeoutMs);
  checkSubscriptions(options.subscriptions);
  const capabilities = freezeDeep(snapshot(narrowCapabilities(options, boundary)));
  return { options, boundary, capabilities, clock: options.clock ?? systemClock, retries, prepareTimeoutMs };
}

/**
 * The schema of a request pairs the event with its capabilities, so a request is what gets validated. Only what it
 * refuses is looked at again, to name the part.
 */
function checkEvent<S extends ChainSubscription>({ event, capabilities }: ChainOptions<S>): void {
  const isObject = typeof event === 'object' && event !== null;
  if (isObject && validateInterceptRequest(interceptRequest({ event, capabilities })).ok) return;
  if (!isObject || !isCanonicalEvent(event)) {
    throw new ChainError('event-invalid', 'event', 'Chain: expected a canonically valid event, got one that is not');
  }
  // An event that nobody may intercept is named by its type.
  if (boundaryOf(event.type) === undefined) return;
  const message = `Chain: expected capabilities that are canonical for ${event.type}, got others`;
  throw new ChainError('capabilities-invalid', 'capabilities', message);
}

const CALLBACKS = ['prepare', 'materialize', 'notify', 'schedule', 'onFailure', 'onObservationFailure'] as const;

function checkFunctions<S extends ChainSubscription>(options: ChainOptions<S>): void {
  if (typeof options.deliver !== 'function') throw unusable('deliver', 'a function', options.deliver);
  for (const name of CALLBACKS) {
    const callback: unknown = options[name];
    if (callback !== undefined && typeof callback !== 'function') throw unusable(name, 'a function', callback);
  }
}

function checkSubscriptions(subscriptions: readonly ChainSubscription[]): void {
  const seen = { intercept: new Set<string>(), observe: new Set<string>() };
  for (const [index, one] of subscriptions.entries()) {
    const refuse = (member: string, rule: string, came: unknown): ChainError =>
      unusable(`subscriptions[${index}].${member}`, rule, came);
    const { id, mode } = one;
    if (mode !== 'intercept' && mode !== 'observe') throw refuse('mode', 'intercept or observe', mode);
    if (typeof id !== 'string' || id === '') throw refuse('id', 'a non-empty text', id);
    if (seen[mode].has(id)) throw refuse('id', `an id that occurs once in mode ${mode}`, id);
    seen[mode].add(id);
    if (mode === 'observe') continue;
    if (!isDuration(one.timeoutMs)) throw refuse('timeoutMs', 'milliseconds above 0', one.timeoutMs);
    if (one.failurePolicy !== 'fail-open' && one.failurePolicy !== 'fail-closed') {
      throw refuse('failurePolicy', 'fail-open or fail-closed', one.failurePolicy);
    }
  }
}

function isDuration(value: unknown): boolean {
  return typeof value === 'number' && value > 0;
}

function unusable(place: string, rule: string, came: unknown): ChainError {
  const shown = typeof came === 'string' || typeof came === 'number' ? String(came) : typeof came;
  return new ChainError('configuration', place, `Chain: expected ${place} to be ${rule}, got ${shown}`);
}

function initialState<S extends ChainSubscription>(options: ChainOptions<S>): ChainState {
  return freezeDeep({
    event: ownCopy('event-invalid', 'event', options.event),
    values: ownCopy('configuration', 'values', { ...options.values }),
    candidate: null,
    permission: 'none',
    flow: 'none',
    messages: [],
    injections: [],
    instructions: [],
  });
}

/** A snapshot; schemas leave open what stands in places of any value, so what is no JSON may be found only here. */
function ownCopy<T>(code: ChainErrorCode, place: string, value: T): T {
  try {
    return snapshot(value);
  } catch (cause) {
    throw new ChainError(code, place, `Chain: expected ${place} to be a JSON value, got something else`, { cause });
  }
}

function isInterceptor<S extends ChainSubscription>(subscription: S): subscription is InterceptorOf<S> {
  return subscription.mode === 'intercept';
}

function failureOf({ id, failurePolicy }: InterceptorSubscription, code: FailureCode): ChainFailure {
  return Object.freeze({ subscription: id, policy: failurePolicy, code });
}

/** The host's own record is no part of the decision: what it throws or rejects with reaches nothing. */
function report<S extends ChainSubscription>(options: ChainOptions<S>, failure: ChainFailure): void {
  if (options.onFailure === undefined) return;
  new Promise((resolve) => {
    resolve(options.onFailure?.(failure));
  }).catch(() => undefined);
}
