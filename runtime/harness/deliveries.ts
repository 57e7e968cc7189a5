import { encodeInterceptRequest, encodeObserveNotification, type ObserveNotification } from '../../generated/index.js';
import type { Delivery } from '../chain/index.js';
import { DEFAULT_NOTIFY_TIMEOUT_MS } from '../transports/index.js';
import type { Backends } from './backends.js';
import type { HookSubscription } from './subscriptions.js';
import { withinTime } from './within-time.js';

const encoder = new TextEncoder();

/** Encodes messages and hands them to the backends' transports. */
export class Deliveries {
  readonly #backends: Backends;

  constructor(backends: Backends) {
    this.#backends = backends;
  }

  /** The answer's bytes; the chain decodes them. Rejects as the transport does. */
  async request({ message, subscription, signal, deadline }: Delivery<HookSubscription>): Promise<Uint8Array> {
    const bytes = encoder.encode(encodeInterceptRequest(message));
    const transport = this.#backends.transportOf(subscription.backend);
    return transport.request({ id: message.id, method: message.method, bytes }, { signal, deadline });
  }

  /** Ends after 30 s whatever the transport does, since further observations of the subscription wait behind this one. */
  async notify(delivery: {
    readonly message: ObserveNotification;
    readonly subscription: HookSubscription;
    readonly signal: AbortSignal;
  }): Promise<void> {
    const { message, subscription } = delivery;
    const bytes = encoder.encode(encodeObserveNotification(message));
    const transport = this.#backends.transportOf(subscription.backend);
    await withinTime(DEFAULT_NOTIFY_TIMEOUT_MS, [delivery.signal], (signal) =>
      transport.notify({ method: message.method, bytes }, { signal }),
    );
  }
}
