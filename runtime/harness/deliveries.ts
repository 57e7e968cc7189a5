import { encodeInterceptRequest, encodeObserveNotification, type ObserveNotification } from '../../generated/index.js';
import type { Delivery } from '../chain/index.js';
import type { Backends } from './backends.js';
import type { HookSubscription } from './subscriptions.js';

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

  async notify(delivery: {
    readonly message: ObserveNotification;
    readonly subscription: HookSubscription;
    readonly signal: AbortSignal;
  }): Promise<void> {
    const { message, subscription, signal } = delivery;
    const bytes = encoder.encode(encodeObserveNotification(message));
    await this.#backends.transportOf(subscription.backend).notify({ method: message.method, bytes }, { signal });
  }
}
