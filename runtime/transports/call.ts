import { linkSignals } from '../net/timers.js';
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
  /** Called with a signal that fires at the end of the call and when the transport closes. */
  request(message: TransportRequest, signal: AbortSignal): Promise<Uint8Array>;
  notify(message: TransportNotification, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

const LINE_FEED = 10;

/**
 * Completes a core to a transport: refuses messages with a line feed and calls after `close()`, ends calls with their
 * signal at once whatever the core does, bounds notifications, keeps to one error class and tells the records.
 */
export function createTransport(
  core: TransportCore,
  options: { readonly record: RecordListener; readonly notifyTimeoutMs: number },
): Transport {
  const { record, notifyTimeoutMs } = options;
  const pending = new Set<(reason: unknown) => void>();
  let closing: Promise<void> | undefined;

  async function call<T>(
    message: TransportRequest | TransportNotification,
    signal: AbortSignal,
    run: (signal: AbortSignal) => Promise<T>,
    timeoutMs?: number,
  ): Promise<T> {
    const startedAt = performance.now();
    const timeout = timeoutMs === undefined ? undefined : { timeoutMs, reason: () => notifyTimeout(timeoutMs) };
    const linked = linkSignals([signal], timeout);
    pending.add(linked.abort);
    try {
      if (closing !== undefined) throw closedError();
      if (message.bytes.includes(LINE_FEED)) {
        throw new TransportError('invalid-message', 'message: expected no line feed in it, got one');
      }
      if (linked.signal.aborted) throw deadlineError(linked.signal);
      const result = await untilEnded(run(linked.signal), linked.signal);
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
    } finally {
      pending.delete(linked.abort);
      linked.dispose();
    }
  }

  return {
    request: (message: TransportRequest, context: RequestContext) =>
      call(message, context.signal, (signal) => core.request(message, signal)),
    notify: (message, context) =>
      call(message, context.signal, (signal) => core.notify(message, signal), notifyTimeoutMs),
    close() {
      closing ??= Promise.resolve().then(() => {
        for (const abort of [...pending]) abort(closedError());
        return core.close();
      });
      return closing;
    },
  };
}

/** Waits for a core's promise, but no longer than its signal: whatever a core waits for, the call ends in time. */
function untilEnded<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(endError(signal));
    signal.addEventListener('abort', onAbort, { once: true });
    promise
      .then(resolve, (reason) => reject(signal.aborted ? endError(signal) : reason))
      .finally(() => {
        signal.removeEventListener('abort', onAbort);
      });
  });
}

/** What a call that its signal ended rejects with: our own reason when we ended it, else `deadline`. */
function endError(signal: AbortSignal): TransportError {
  return signal.reason instanceof TransportError ? signal.reason : deadlineError(signal);
}

function notifyTimeout(timeoutMs: number): TransportError {
  return new TransportError('deadline', `notification: expected it to be taken within ${timeoutMs} ms, got no end`);
}
