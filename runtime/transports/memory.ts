import { linkSignals } from '../net/timers.js';
import { createTransport } from './call.js';
import { createRecorder, type RecordListener } from './records.js';
import {
  DEFAULT_MAX_MESSAGE_BYTES,
  DEFAULT_NOTIFY_TIMEOUT_MS,
  TransportError,
  type MessageId,
  type Transport,
} from './transport.js';

/** One message as the backend's end of a memory pair gets it; `id` is null for a notification. */
export interface MemoryMessage {
  readonly id: MessageId | null;
  readonly method: string;
  /** A copy of its own. */
  readonly bytes: Uint8Array;
}

/**
 * The backend's end: gives the response bytes, or null for a notification. `signal` fires when the caller no longer
 * waits. A throw reaches the caller as `connection`, or as it is when it is a `TransportError`.
 */
export type MemoryBackend = (
  message: MemoryMessage,
  context: { readonly signal: AbortSignal },
) => Promise<Uint8Array | null> | Uint8Array | null;

/** Settings of a memory transport. */
export interface MemoryTransportOptions {
  readonly maxMessageBytes?: number;
  readonly notifyTimeoutMs?: number;
  readonly onRecord?: RecordListener;
}

/**
 * A transport within one process, for tests and for hosts with built-in backends. Messages are copied on both ways, and
 * the backend runs off the caller's stack, so that nothing is shared that a wire would not share. A notification is
 * done when it is handed over.
 */
export function createMemoryTransport(backend: MemoryBackend, options: MemoryTransportOptions = {}): Transport {
  const maxMessageBytes = options.maxMessageBytes ?? DEFAULT_MAX_MESSAGE_BYTES;
  const deliver = async (message: MemoryMessage, signal: AbortSignal): Promise<Uint8Array | null> => {
    const copy = { id: message.id, method: message.method, bytes: Uint8Array.from(message.bytes) };
    await new Promise<void>((resolve) => setImmediate(resolve));
    return backend(copy, { signal });
  };
  const ended = new AbortController();
  return createTransport(
    {
      async request(message, signal) {
        const linked = linkSignals([signal, ended.signal]);
        const answer = await deliver(message, linked.signal).finally(linked.dispose);
        if (answer === null) throw new TransportError('connection', 'backend: expected an answer, got none');
        if (answer.byteLength > maxMessageBytes) {
          const message = `answer: expected at most ${maxMessageBytes} bytes, got ${answer.byteLength}`;
          throw new TransportError('invalid-message', message);
        }
        return Uint8Array.from(answer);
      },
      async notify(message) {
        // Nobody waits for the backend's work on a notification, nor learns how it went.
        deliver({ id: null, ...message }, ended.signal).catch(() => {});
      },
      async close() {
        ended.abort(new TransportError('connection', 'transport: closed'));
      },
    },
    {
      record: createRecorder(options.onRecord),
      notifyTimeoutMs: options.notifyTimeoutMs ?? DEFAULT_NOTIFY_TIMEOUT_MS,
    },
  );
}
