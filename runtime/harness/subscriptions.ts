import {
  type Backend,
  type InterceptSubscription,
  isKnownSubscription,
  type KnownEvent,
  type ObserveSubscription,
  type Registration,
} from '../../generated/index.js';
import type { InterceptorSubscription, ObserverSubscription } from '../chain/index.js';
import { matchesEvent, passesFilters } from '../registration/index.js';

interface Origin {
  readonly backend: Backend;
  /** As it stands in the registration. */
  readonly declared: InterceptSubscription | ObserveSubscription;
}

/** A subscription under the id that it has inside the harness: its backend's id and its index. No message carries it. */
export type HookSubscription = (InterceptorSubscription | ObserverSubscription) & Origin;

/** All subscriptions in document order, which is chain order (Semantics §6). */
export function listSubscriptions(registration: Registration): HookSubscription[] {
  return registration.hooks.flatMap((backend) =>
    backend.subscriptions.filter(isKnownSubscription).map((declared, index): HookSubscription => {
      const shared = {
        id: `${backend.id}#${index}`,
        includeNative: declared.includeNative === true,
        backend,
        declared,
      };
      if (declared.mode === 'observe') return { ...shared, mode: 'observe' };
      const { timeoutMs, failurePolicy } = declared as InterceptSubscription;
      return {
        ...shared,
        mode: 'intercept',
        timeoutMs,
        failurePolicy: failurePolicy === 'fail-open' ? 'fail-open' : 'fail-closed',
      };
    }),
  );
}

/** Those that want this event, filters included. */
export function matchingSubscriptions(all: readonly HookSubscription[], event: KnownEvent): HookSubscription[] {
  return all.filter(({ declared }) => matchesEvent(declared, event.type) && passesFilters(declared, event));
}
