import { immediateScheduler } from '../wire/scheduler.js';
import { ObservationError } from './errors.js';
import type { DeliveryScheduler, ObservableSubscription } from './types.js';

type Task = () => Promise<void>;

interface Waiting {
  readonly task: Task;
  readonly signal: AbortSignal | undefined;
}

interface Queue {
  waiting: Waiting[];
}

/**
 * One queue per subscription, so that its deliveries keep the order of the events behind a slow one, while other
 * subscriptions go on (Semantics §4). Give `schedule` to every dispatch whose order matters.
 *
 * A queue holds `limit` deliveries (1,000 by default), the one under way included; beyond that the newest is refused
 * with an ObservationError of code `queue-full`, which the dispatch reports. Cancelled ones make room for others. Empty
 * queues take no memory.
 * Throws a RangeError for a limit that is no positive integer.
 */
export class DeliveryQueues<S extends ObservableSubscription = ObservableSubscription> {
  readonly #limit: number;
  readonly #queues = { intercept: new Map<string, Queue>(), observe: new Map<string, Queue>() };

  constructor({ limit = 1_000 }: { limit?: number } = {}) {
    if (!Number.isSafeInteger(limit) || limit < 1) {
      throw new RangeError('Delivery queues: expected "limit" to be a positive integer, got another value');
    }
    this.#limit = limit;
  }

  /** Takes one delivery into its subscription's queue; it starts from an unreferenced immediate. */
  readonly schedule: DeliveryScheduler<S> = (task, { subscription, signal }) => {
    const queues = this.#queues[subscription.mode];
    const queue = queues.get(subscription.id);
    if (queue === undefined) {
      const fresh: Queue = { waiting: [{ task, signal }] };
      queues.set(subscription.id, fresh);
      immediateScheduler(() => void drain(fresh, () => queues.delete(subscription.id)));
      return;
    }
    if (queue.waiting.length >= this.#limit) dropCancelled(queue);
    if (queue.waiting.length >= this.#limit) throw new ObservationError('queue-full');
    queue.waiting.push({ task, signal });
  };

  /** How many deliveries the subscription's queue holds, the one under way included. */
  sizeOf({ id, mode }: ObservableSubscription): number {
    return this.#queues[mode].get(id)?.waiting.length ?? 0;
  }
}

/** A cancelled delivery has ended, and must not keep others out. The one under way leaves by itself. */
function dropCancelled(queue: Queue): void {
  queue.waiting = queue.waiting.filter(({ signal }, index) => index === 0 || signal?.aborted !== true);
}

/** Runs the queue until it is empty. The task under way stays at its head until it has ended. */
async function drain(queue: Queue, onEmpty: () => void): Promise<void> {
  try {
    await queue.waiting[0]?.task();
  } catch {
    // Tasks report their failures themselves; one that rejects all the same must not stop those behind it.
  }
  queue.waiting.shift();
  if (queue.waiting.length === 0) onEmpty();
  else immediateScheduler(() => void drain(queue, onEmpty));
}
