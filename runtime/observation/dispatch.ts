import type { KnownEvent } from '../../generated/index.js';
import { linkAbort, raceAbort } from '../wire/abort.js';
import { observeNotification } from '../wire/envelopes.js';
import { snapshot } from '../wire/freeze.js';
import { immediateScheduler } from '../wire/scheduler.js';
import { isCanonicalEvent } from '../wire/validity.js';
import { ObservationError, type ObservationErrorCode } from './errors.js';
import type { ObservableSubscription, ObservationHandle, ObservationOptions } from './types.js';

/**
 * Sends a settled event to every `observe` subscription and to every `intercept` subscription that was not called
 * (Semantics §4), in the order of `subscriptions`, each delivery from a task of its own.
 *
 * Returns at once, and nothing that a delivery does reaches anything but `onFailure`. Throws a TypeError, before
 * anything is scheduled, when `prepare` or `notify` is missing, when `called` is no list of ids, when a mode is
 * unknown or an id occurs twice in one mode, and when the event is no JSON value.
 */
export function dispatchObservations<S extends ObservableSubscription>(
  options: ObservationOptions<S>,
): ObservationHandle {
  requireFunction(options.prepare, 'prepare');
  requireFunction(options.notify, 'notify');
  const { schedule = immediateScheduler } = options;
  const event = snapshot(options.event);
  const observers = selectObservers(options.subscriptions, options.called);
  const open = new Set(observers);
  const abort = linkAbort(options.signal);
  let finish = (): void => undefined;
  const done = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const settle = (): void => {
    if (open.size > 0) return;
    abort.release();
    finish();
  };
  const end = (subscription: S): void => {
    open.delete(subscription);
    settle();
  };
  const stop = (): void => {
    open.clear();
    settle();
  };
  const drop = (subscription: S, error: ObservationError): void => {
    // After a cancellation nobody is told: the delivery has ended already.
    if (open.has(subscription)) report(options, subscription, error);
    end(subscription);
  };

  if (abort.signal.aborted) stop();
  else abort.signal.addEventListener('abort', stop, { once: true });
  for (const subscription of observers) {
    let isFresh = true;
    const task = async (): Promise<void> => {
      if (!isFresh || !open.has(subscription)) return;
      isFresh = false;
      try {
        await raceAbort(deliver(options, event, subscription, abort.signal), abort.signal);
        end(subscription);
      } catch (error) {
        drop(subscription, asObservationError(error, 'notification'));
      }
    };
    if (!open.has(subscription)) continue;
    const refuse = (error: unknown): void => drop(subscription, asObservationError(error, 'schedule'));
    try {
      const answer: unknown = schedule(task, { subscription, signal: abort.signal });
      Promise.resolve(answer).catch(refuse);
    } catch (error) {
      refuse(error);
    }
  }
  settle();
  return {
    cancel: () => abort.abort(),
    get pending() {
      return open.size;
    },
    done,
  };
}

/** One delivery: projected, checked, sent. Throws an ObservationError; an abort ends it between any two steps. */
async function deliver<S extends ObservableSubscription>(
  options: ObservationOptions<S>,
  event: KnownEvent,
  subscription: S,
  signal: AbortSignal,
): Promise<void> {
  const projection = await attempt('preparation', () => options.prepare({ event, subscription, signal }));
  const projected = await attempt('event-invalid', () => snapshot(projection));
  if (!isCanonicalEvent(projected)) throw new ObservationError('event-invalid');
  if (projected.id !== event.id || projected.source !== event.source || projected.type !== event.type) {
    throw new ObservationError('event-changed');
  }
  signal.throwIfAborted();
  await attempt('notification', () =>
    options.notify({ message: observeNotification(projected), subscription, signal }),
  );
}

async function attempt<T>(code: ObservationErrorCode, step: () => T | PromiseLike<T>): Promise<T> {
  try {
    return await step();
  } catch (cause) {
    throw new ObservationError(code, { cause });
  }
}

function asObservationError(error: unknown, code: ObservationErrorCode): ObservationError {
  return error instanceof ObservationError ? error : new ObservationError(code, { cause: error });
}

/** Tells the host of a dropped delivery; what its callback throws or rejects with reaches nothing. */
function report<S extends ObservableSubscription>(
  options: ObservationOptions<S>,
  subscription: S,
  error: ObservationError,
): void {
  new Promise((resolve) => {
    resolve(options.onFailure?.({ subscription, error }));
  }).catch(() => undefined);
}

/** Explicit observers, and the interceptors whose turn never came. Tracking is by subscription id. */
function selectObservers<S extends ObservableSubscription>(subscriptions: readonly S[], called: Iterable<string>): S[] {
  if (typeof called !== 'object' || called === null || !(Symbol.iterator in called)) {
    throw new TypeError('Observation dispatch: expected "called" to be a list of subscription ids, got something else');
  }
  const settled = new Set(called);
  const seen = { intercept: new Set<string>(), observe: new Set<string>() };
  return subscriptions.filter(({ id, mode }) => {
    if (mode !== 'intercept' && mode !== 'observe') {
      throw new TypeError('Observation dispatch: expected the mode "intercept" or "observe", got something else');
    }
    if (seen[mode].has(id)) {
      throw new TypeError('Observation dispatch: expected an id once per mode, got it twice');
    }
    seen[mode].add(id);
    return mode === 'observe' || !settled.has(id);
  });
}

function requireFunction(value: unknown, name: string): void {
  if (typeof value === 'function') return;
  throw new TypeError(`Observation dispatch: expected "${name}" to be a function, got ${typeof value}`);
}
