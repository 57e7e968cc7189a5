import type { Event, KnownEvent, ObserveNotification } from '../../generated/index.js';
import type { ObservationError } from './errors.js';

/** What dispatch must know of a subscription. An id may occur once per mode; it stays on this side. */
export interface ObservableSubscription {
  readonly id: string;
  readonly mode: 'intercept' | 'observe';
}

/**
 * Runs one delivery later. `about` names whose it is, and a signal after whose abort the task does nothing any more;
 * the promise tells when the delivery has ended and never rejects.
 */
export type DeliveryScheduler<S extends ObservableSubscription> = (
  task: () => Promise<void>,
  about: { readonly subscription: S; readonly signal?: AbortSignal | undefined },
) => void;

/** Options of one dispatch. */
export interface ObservationOptions<S extends ObservableSubscription> {
  /** The settled event. It is never changed; callbacks see a frozen snapshot of it. */
  readonly event: KnownEvent;
  /** Everything that matches the event, in both modes. */
  readonly subscriptions: readonly S[];
  /** Ids of the interceptors that were called; empty for a boundary that had no interception. */
  readonly called: Iterable<string>;
  /**
   * Projects the event for one subscription: permissions, content selection, confirmed uploads. The projection keeps
   * `id`, `source` and `type`, and is canonically valid.
   */
  prepare(delivery: {
    readonly event: KnownEvent;
    readonly subscription: S;
    readonly signal: AbortSignal;
  }): Event | PromiseLike<Event>;
  /** Sends the one-way notification. Whatever it resolves to is ignored. */
  notify(delivery: {
    readonly message: ObserveNotification;
    readonly subscription: S;
    readonly signal: AbortSignal;
  }): PromiseLike<unknown> | unknown;
  /** Default: `immediateScheduler`. */
  readonly schedule?: DeliveryScheduler<S>;
  /** When aborted, no further delivery starts; those under way are told by their own signal and are not waited for. */
  readonly signal?: AbortSignal;
  /** Hears of each dropped delivery. What it throws is ignored. */
  onFailure?(failure: { readonly subscription: S; readonly error: ObservationError }): void;
}

/** The host's hold on what was dispatched. */
export interface ObservationHandle {
  /** Starts no further delivery and waits for none: from here on `pending` is 0 and `done` is settled. */
  cancel(): void;
  /** How many deliveries have not ended yet, queued or under way. */
  readonly pending: number;
  /** Resolves when none is pending; never rejects. Keeps no process alive. */
  readonly done: Promise<void>;
}
