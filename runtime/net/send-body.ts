import type { ClientRequest } from 'node:http';
import { NetError } from './errors.js';

/**
 * Writes a streamed body under back pressure and ends the request after exactly `size` bytes. Stops quietly, and lets
 * go of the source, once `stop` fires or the request is over. Rejects with `NetError` `body` when the source fails or
 * has another length; the last byte is not sent then.
 */
export async function sendBody(
  outgoing: ClientRequest,
  body: { readonly size: number; readonly chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array> },
  stop: AbortSignal,
): Promise<void> {
  const { size } = body;
  let sent = 0;
  // One chunk is held back, so that a source that fails or is too long never completes the announced length.
  let held: Uint8Array | null = null;
  const over = (): boolean => stop.aborted || outgoing.destroyed;
  try {
    for await (const chunk of body.chunks) {
      if (over()) return;
      if (chunk.byteLength === 0) continue;
      if (held !== null) await write(outgoing, held, stop);
      held = chunk;
      sent += chunk.byteLength;
      if (sent > size) throw new NetError('body', `body: expected ${size} bytes, got more`);
    }
  } catch (error) {
    if (error instanceof NetError) throw error;
    throw new NetError('body', 'body: expected bytes from the source, got an error', { cause: error });
  }
  if (over()) return;
  if (sent !== size) throw new NetError('body', `body: expected ${size} bytes, got ${sent}`);
  if (held === null) outgoing.end();
  else outgoing.end(held);
}

function write(outgoing: ClientRequest, chunk: Uint8Array, stop: AbortSignal): Promise<void> {
  if (outgoing.destroyed || stop.aborted || outgoing.write(chunk)) return Promise.resolve();
  return new Promise((resolve) => {
    const settle = (): void => {
      outgoing.removeListener('drain', settle);
      outgoing.removeListener('close', settle);
      stop.removeEventListener('abort', settle);
      resolve();
    };
    outgoing.on('drain', settle);
    outgoing.on('close', settle);
    stop.addEventListener('abort', settle, { once: true });
  });
}
