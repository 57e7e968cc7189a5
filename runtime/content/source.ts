import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { UploadError } from './errors.js';
import { countExactly, createPacer, readFileHandle, readIterable, sliceBytes } from './pieces.js';
import { spoolPieces, type SpoolOptions, type SpooledBytes } from './spool.js';

/**
 * Where the bytes of an upload come from: bytes, a file, something that can be opened anew each time, or a stream that
 * can be read once only and is spooled first. Sizes are in bytes and must be exact.
 */
export type ContentSource =
  | Uint8Array
  | { readonly path: string }
  | { readonly size: number; readonly open: () => AsyncIterable<Uint8Array> | Iterable<Uint8Array> }
  | { readonly size: number; readonly once: AsyncIterable<Uint8Array> | Iterable<Uint8Array> };

/** A source that is ready to be read, several times. */
export interface OpenedSource {
  readonly size: number;
  /** Lowercase hex, when the digest is known without a pass of its own. */
  readonly sha256: string | null;
  /** True when a piece may lie in memory that its producer uses again for the next one. */
  readonly isReused: boolean;
  /** All bytes from the start. Throws `UploadError` `source` or `source-length`, or the signal's reason. */
  read(signal: AbortSignal): AsyncIterable<Uint8Array>;
  close(): Promise<void>;
}

const spooled = new WeakMap<object, SpooledBytes>();

/** A source that reads spooled bytes and whose digest is known. The spool's owner closes it. */
export function sourceOfSpool(bytes: SpooledBytes): ContentSource {
  const never = new AbortController().signal;
  const source = Object.freeze({ size: bytes.size, open: () => bytes.read(never) });
  spooled.set(source, bytes);
  return source;
}

/**
 * Makes a source ready: opens its file, or spools a stream that can be read once only. Rejects with `UploadError`
 * `source`, `source-length` or, before anything is read, `too-large`; or with the signal's reason.
 */
export async function openSource(
  source: ContentSource,
  options: { readonly maxBytes: number; readonly spool?: SpoolOptions | undefined; readonly signal: AbortSignal },
): Promise<OpenedSource> {
  options.signal.throwIfAborted();
  if (source instanceof Uint8Array) {
    const size = checkSize(source.byteLength, options.maxBytes);
    return { size, sha256: null, isReused: false, read: (signal) => walkBytes(source, signal), close: async () => {} };
  }
  if (typeof source !== 'object' || source === null) throw unusable();
  const known = spooled.get(source);
  if (known !== undefined) {
    const size = checkSize(known.size, options.maxBytes);
    return { size, sha256: known.sha256, isReused: false, read: (signal) => known.read(signal), close: async () => {} };
  }
  if ('path' in source) return openFile(source.path, options.maxBytes);
  if ('open' in source) return openAnew(source, options.maxBytes);
  if ('once' in source) {
    const size = checkSize(source.size, options.maxBytes);
    const bytes = await spoolOnce(source, options);
    return { size, sha256: bytes.sha256, isReused: false, read: bytes.read, close: bytes.close };
  }
  throw unusable();
}

/**
 * A copy of all bytes of a source, to be read many times. Rejects with `UploadError` `source`, `source-length` or, before
 * anything is read, `too-large`; or with the signal's reason. The caller closes it.
 */
export async function spoolSource(
  source: ContentSource,
  options: { readonly maxBytes: number; readonly spool?: SpoolOptions | undefined; readonly signal: AbortSignal },
): Promise<SpooledBytes> {
  if (typeof source === 'object' && source !== null && 'once' in source) {
    checkSize(source.size, options.maxBytes);
    return spoolOnce(source, options);
  }
  const opened = await openSource(source, options);
  try {
    return await spoolPieces(opened.read(options.signal), options.spool);
  } finally {
    await opened.close();
  }
}

/** The SHA-256 of a whole source in lowercase hex, without holding the event loop. */
export async function hashSource(source: OpenedSource, signal: AbortSignal): Promise<string> {
  if (source.sha256 !== null) return source.sha256;
  const hash = createHash('sha256');
  const pace = createPacer();
  for await (const piece of source.read(signal)) {
    hash.update(piece);
    await pace(piece.byteLength);
    signal.throwIfAborted();
  }
  return hash.digest('hex');
}

function spoolOnce(
  source: { readonly size: number; readonly once: AsyncIterable<Uint8Array> | Iterable<Uint8Array> },
  options: { readonly spool?: SpoolOptions | undefined; readonly signal: AbortSignal },
): Promise<SpooledBytes> {
  if (!isIterable(source.once)) throw new UploadError('source', 'source: expected an iterable in once, got none');
  return spoolPieces(countExactly(readIterable(source.once, options.signal), source.size), options.spool);
}

async function* walkBytes(bytes: Uint8Array, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  for (const piece of sliceBytes(bytes)) {
    signal.throwIfAborted();
    yield piece;
  }
}

function openAnew(
  source: { readonly size: number; readonly open: () => AsyncIterable<Uint8Array> | Iterable<Uint8Array> },
  maxBytes: number,
): OpenedSource {
  const size = checkSize(source.size, maxBytes);
  const start = (): AsyncIterable<Uint8Array> | Iterable<Uint8Array> => {
    let chunks: unknown;
    try {
      chunks = source.open();
    } catch (error) {
      throw new UploadError('source', 'source: expected open() to give its bytes, got an error', { cause: error });
    }
    if (!isIterable(chunks)) throw new UploadError('source', 'source: expected open() to give an iterable, got none');
    return chunks;
  };
  return {
    size,
    sha256: null,
    isReused: true,
    read: (signal) => countExactly(readIterable(start(), signal), size),
    close: async () => {},
  };
}

async function openFile(path: string, maxBytes: number): Promise<OpenedSource> {
  let handle: FileHandle;
  try {
    // Without blocking, so that a named pipe answers here, and is refused, instead of waiting for its writer.
    handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    throw new UploadError('source', 'source: expected a file that can be opened, got an error', { cause: error });
  }
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new UploadError('source', 'source: expected a regular file, got something else');
    const size = checkSize(stats.size, maxBytes);
    return {
      size,
      sha256: null,
      isReused: false,
      read: (signal) => countExactly(readFileHandle(handle, size, signal), size),
      close: () => handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function checkSize(size: number, maxBytes: number): number {
  if (!Number.isSafeInteger(size) || size < 0) {
    throw new UploadError('source', 'source: expected a size in whole bytes, got another value');
  }
  if (size > maxBytes) throw new UploadError('too-large', `source: expected at most ${maxBytes} bytes, got ${size}`);
  return size;
}

function isIterable(value: unknown): value is AsyncIterable<Uint8Array> | Iterable<Uint8Array> {
  return typeof value === 'object' && value !== null && (Symbol.asyncIterator in value || Symbol.iterator in value);
}

function unusable(): UploadError {
  return new UploadError('source', 'source: expected bytes, a path, or a size with open or once, got another value');
}
