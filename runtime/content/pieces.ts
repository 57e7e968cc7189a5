import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FileHandle } from 'node:fs/promises';
import { raceAbort } from '../wire/abort.js';
import { UploadError } from './errors.js';

/** How many bytes are hashed, read or written at a time. */
export const PIECE_BYTES = 524_288;

/** Lets timers, sockets and other work have their turn. */
export async function takeTurn(): Promise<void> {
  await nextTurn();
}

/** Walks over bodies without holding the event loop: a turn for each {@link PIECE_BYTES} that were worked on. */
export function createPacer(): (bytes: number) => Promise<void> {
  let sinceTurn = 0;
  return async (bytes) => {
    sinceTurn += bytes;
    if (sinceTurn < PIECE_BYTES) return;
    sinceTurn = 0;
    await takeTurn();
  };
}

/** The bytes in pieces that share their memory. */
export function* sliceBytes(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}

/**
 * The chunks of a host's iterable, cut into pieces that share the chunks' memory. The wait for a chunk ends with the
 * signal, whose reason is thrown; the iterable is let go of on every path. Throws `UploadError` `source` when the
 * iterable fails or gives something that is no bytes.
 */
export async function* readIterable(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const iterator = Symbol.asyncIterator in chunks ? chunks[Symbol.asyncIterator]() : chunks[Symbol.iterator]();
  let ended = false;
  try {
    for (;;) {
      const step = await readStep(iterator, signal);
      if (step.done === true) {
        ended = true;
        return;
      }
      const chunk: unknown = step.value;
      if (!(chunk instanceof Uint8Array))
        throw new UploadError('source', 'source: expected chunks of bytes, got others');
      yield* sliceBytes(chunk);
    }
  } finally {
    // Not waited for: an iterable that hangs in next() never answers to return() either.
    if (!ended) void letGo(iterator);
  }
}

async function readStep(
  iterator: AsyncIterator<Uint8Array> | Iterator<Uint8Array>,
  signal: AbortSignal,
): Promise<IteratorResult<Uint8Array>> {
  signal.throwIfAborted();
  try {
    return await raceAbort(iterator.next(), signal);
  } catch (error) {
    signal.throwIfAborted();
    throw new UploadError('source', 'source: expected bytes, got an error', { cause: error });
  }
}

async function letGo(iterator: AsyncIterator<Uint8Array> | Iterator<Uint8Array>): Promise<void> {
  try {
    await iterator.return?.();
  } catch {
    // The source's own trouble in ending changes nothing here.
  }
}

/** The first `size` bytes of a file in pieces of fresh memory, and what more there is, in one more piece. */
export async function* readFileHandle(
  handle: FileHandle,
  size: number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let position = 0;
  for (;;) {
    signal.throwIfAborted();
    // One byte more than announced is asked for, so that a file that grew is noticed.
    const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, Math.max(size - position, 1)));
    const bytesRead = await readAt(handle, piece, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield bytesRead === piece.byteLength ? piece : piece.subarray(0, bytesRead);
    if (position > size) return;
  }
}

async function readAt(handle: FileHandle, piece: Buffer, position: number): Promise<number> {
  try {
    const { bytesRead } = await handle.read(piece, 0, piece.byteLength, position);
    return bytesRead;
  } catch (error) {
    throw new UploadError('source', 'source: expected to read the file, got an error', { cause: error });
  }
}

/** Passes pieces on and throws `UploadError` `source-length` unless they are exactly `size` bytes together. */
export async function* countExactly(pieces: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Uint8Array> {
  let total = 0;
  for await (const piece of pieces) {
    total += piece.byteLength;
    if (total > size) throw new UploadError('source-length', `source: expected ${size} bytes, got more`);
    yield piece;
  }
  if (total < size) throw new UploadError('source-length', `source: expected ${size} bytes, got ${total}`);
}
