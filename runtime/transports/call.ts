import { allowManyListeners, linkSignals } from '../net/timers.js';
import type { RecordListener } from './records.js';
import {
  closedError,
  deadlineError,
  TransportError,
  type RequestContext,
  type Transport,
  type TransportNotification,
  type TransportRequest,
} from './transport.js';

/** The part of a transport that differs; what all share stands around it (see {@link createTransport}). */
export interface TransportCore {
  /** Called with the signal that ends the call; what is pending when the transport closes is for `close` to end. */
  request(message: TransportRequest, signal: AbortSignal): Promise<Uint8Array>;
  notify(message: TransportNotification, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

const LINE_FEED = 10;

/**
 * Completes a core to a transport: refuses messages with a line feed and calls after `close()`, ends calls with their
 * signal at once whatever the core does, bounds notifications, keeps to one error class and tells the records.
 * Throws a RangeError for a time-out of 0, a negative one and NaN.
 */
export function createTransport(
  core: TransportCore,
  options: { readonly record: RecordListener; readonly notifyTimeoutMs: number },
): Transport {
  const { record, notifyTimeoutMs } = options;
  if (!(notifyTimeoutMs > 0)) {
    throw new RangeError(
      `notifyTimeoutMs: expected milliseconds above 0, or Infinity for none, got ${notifyTimeoutMs}`,
    );
  }
  const pending = new Set<(error: TransportError) => void>();
  let closing: Promise<void> | undefined;

  async function call<T>(
    message: TransportRequest | TransportNotification,
    signal: AbortSignal,
    run: () => Promise<T>,
  ): Promise<T> {
    const startedAt = performance.now();
    try {
      if (closing !== undefined) throw closedError();
      if (message.bytes.includes(LINE_FEED)) {
        throw new TransportError('invalid-message', 'message: expected no line feed in it, got one');
      }
      if (signal.aborted) throw endError(signal);
      const result = await untilEnded(run(), signal, pending);
      const ms = performance.now() - startedAt;
      if ('id' in message) record({ event: 'answered', id: message.id, method: message.method, ms });
      else record({ event: 'notified', method: message.method, ms });
      return result;
    } catch (reason) {
      const error = TransportError.from(reason);
      const ms = performance.now() - startedAt;
      const id = 'id' in message ? message.id : null;
      record({ event: 'failed', id, method: message.method, code: error.code, status: error.status, ms });
      throw error;
    }
  }

  return {
    request: (message: TransportRequest, { signal }: RequestContext) =>
      call(message, signal, () => core.request(message, signal)),
    async notify(message, context) {
      const timeout = { timeoutMs: notifyTimeoutMs, reason: () => notifyTimeout(notifyTimeoutMs) };
      const linked = linkSignals([context.signal], timeout);
      try {
        await call(message, linked.signal, () => core.notify(message, linked.signal));
      } finally {
        linked.dispose();
      }
    },
    close() {
      closing ??= Promise.resolve().then(() => {
        for (const reject of [...pending]) reject(closedError());
        return core.close();
      });
      return closing;
    },
  };
}

/**
 * Waits for a core's promise, but no longer than its signal or the transport: whatever a core waits for, the call ends
 * in time.
 */
function untilEnded<T>(
  promise: Promise<T>,
  signal: AbortSignal,
  pending: Set<(error: TransportError) => void>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      pending.delete(onClose);
      signal.removeEventListener('abort', onAbort);
    };
    const onClose = (error: TransportError): void => {
      settle();
      reject(error);
    };
    const onAbort = (): void => onClose(endError(signal));
    pending.add(onClose);
    allowManyListeners(signal);
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(
      (value) => {
        settle();
        resolve(value);
      },
      (reason) => {
        settle();
        reject(signal.aborted ? endError(signal) : reason);
      },
    );
  });
}

/** What a call that its signal ended rejects with: our own reason when we ended it, else `deadline`. */
function endError(signal: AbortSignal): TransportError {
  return signal.reason instanceof TransportError ? signal.reason : deadlineError(signal);
}

function notifyTimeout(timeoutMs: number): TransportError {
  return new TransportError('deadline', `notification: expected it to be taken within ${timeoutMs} ms, got no end`);
}
