import { randomUUID } from 'node:crypto';
import type { HookFailureEvent } from '../../generated/index.js';
import type { KnownEvent } from '../../generated/index.js';
import type { ChainFailure } from '../chain/index.js';
import { freezeDeep } from '../wire/index.js';
import type { HookSubscription } from './subscriptions.js';

/**
 * The `hook.failure` event of one operational failure (Semantics §5): the one event that names a backend. Its reason is
 * the failure's code; nothing of the failing event's content is in it.
 */
export function hookFailureEvent(
  event: KnownEvent,
  failure: ChainFailure,
  failing: HookSubscription,
): HookFailureEvent {
  const { session } = event;
  return freezeDeep({
    id: randomUUID(),
    source: event.source,
    type: 'hook.failure' as const,
    time: new Date().toISOString(),
    parentEventId: event.id,
    failure: { backendId: failing.backend.id, reason: failure.code, policy: failure.policy },
    ...(session === undefined ? {} : { session }),
  }) as HookFailureEvent;
}
