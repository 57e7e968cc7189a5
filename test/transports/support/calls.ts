import { TransportError, type Transport } from '../../../runtime/transports/index.js';

const NEVER = new AbortController().signal;

/** Sends one request with an id and a text of its own. */
export function ask(
  transport: Transport,
  options: { id?: string | number; text?: string; signal?: AbortSignal } = {},
): Promise<Uint8Array> {
  const { id = 'e1', signal = NEVER } = options;
  const text = options.text ?? JSON.stringify({ jsonrpc: '2.0', id, method: 'hooks/intercept', params: {} });
  const message = { id, method: 'hooks/intercept', bytes: new TextEncoder().encode(text) };
  return transport.request(message, { signal, deadline: performance.now() + 60_000 });
}

/** Sends one notification. */
export function tell(transport: Transport, options: { text?: string; signal?: AbortSignal } = {}): Promise<void> {
  const text = options.text ?? '{"jsonrpc":"2.0","method":"hooks/observe","params":{}}';
  const message = { method: 'hooks/observe', bytes: new TextEncoder().encode(text) };
  return transport.notify(message, { signal: options.signal ?? NEVER });
}

/** The `TransportError` that a call rejects with; anything else fails the test. */
export async function failure(promise: Promise<unknown>): Promise<TransportError> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof TransportError) return error;
    throw error;
  }
  throw new Error('expected a TransportError, got a result');
}

export function text(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
}
