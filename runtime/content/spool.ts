import { createHash } from 'node:crypto';
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ByteCollector } from '../net/byte-collector.js';
import { UploadError } from './errors.js';
import { createPacer, PIECE_BYTES, readFileHandle, sliceBytes } from './pieces.js';

/** Where bytes wait that cannot be read again. */
export interface SpoolOptions {
  /** Folder for what does not fit into memory; the system's folder for temporary files by default. */
  readonly directory?: string;
  /** Bodies up to this many bytes stay in memory, 1,048,576 by default; larger ones go to disk. */
  readonly maxMemoryBytes?: number;
}

/** Bytes that are ours: they stay as they are, and can be read by many at once. */
export interface SpooledBytes {
  readonly size: number;
  /** Lowercase hex. */
  readonly sha256: string;
  /** Reads from the start. Throws `UploadError` `source` once closed. */
  read(signal: AbortSignal): AsyncIterable<Uint8Array>;
  /** Gives memory and disk back, when the last reader has ended. */
  close(): Promise<void>;
}

/**
 * Takes all bytes in, hashing them on the way: into memory, and beyond a bound into a file that nobody else can open
 * and that is gone with its last handle. Whatever the pieces throw is thrown on, with nothing left behind.
 */
export async function spoolPieces(
  pieces: AsyncIterable<Uint8Array>,
  options: SpoolOptions = {},
): Promise<SpooledBytes> {
  const maxMemoryBytes = options.maxMemoryBytes ?? 1_048_576;
  const hash = createHash('sha256');
  const pace = createPacer();
  let held = new ByteCollector();
  let size = 0;
  let file: SpoolFile | null = null;
  try {
    for await (const piece of pieces) {
      // The producer may use its memory again at once, so bytes are copied; tiny pieces are put together.
      hash.update(piece);
      held.add(piece);
      size += piece.byteLength;
      if (size > maxMemoryBytes && (file === null || held.size >= PIECE_BYTES)) {
        file ??= await createSpoolFile(options.directory ?? tmpdir());
        await writeAll(file.handle, held.view(), size);
        held = new ByteCollector();
      }
      await pace(piece.byteLength);
    }
    if (file !== null) await writeAll(file.handle, held.view(), size);
  } catch (error) {
    await file?.remove();
    throw error;
  }
  const sha256 = hash.digest('hex');
  if (file === null) return holdInMemory(held.view().slice(), sha256);
  return holdInFile(file, size, sha256);
}

interface SpoolFile {
  readonly handle: FileHandle;
  remove(): Promise<void>;
}

async function createSpoolFile(directory: string): Promise<SpoolFile> {
  let folder: string | null = null;
  try {
    folder = await mkdtemp(join(directory, 'ahp-spool-'));
    const handle = await open(join(folder, 'body'), 'wx+', 0o600);
    // Removed while it is open, so that nothing stays even when the process is killed.
    const stays = await removeFolder(folder).then(
      () => null,
      () => folder,
    );
    return {
      handle,
      async remove() {
        await handle.close();
        if (stays !== null) await removeFolder(stays);
      },
    };
  } catch (error) {
    if (folder !== null) await removeFolder(folder).catch(() => {});
    throw new UploadError('source', 'spool: expected to write to its folder, got an error', { cause: error });
  }
}

function removeFolder(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true });
}

async function writeAll(handle: FileHandle, bytes: Uint8Array, end: number): Promise<void> {
  const start = end - bytes.byteLength;
  try {
    for (let at = 0; at < bytes.byteLength;) {
      const { bytesWritten } = await handle.write(bytes, at, bytes.byteLength - at, start + at);
      at += bytesWritten;
    }
  } catch (error) {
    throw new UploadError('source', 'spool: expected to write to its folder, got an error', { cause: error });
  }
}

function holdInMemory(bytes: Uint8Array, sha256: string): SpooledBytes {
  let held: Uint8Array | null = bytes;
  return {
    size: bytes.byteLength,
    sha256,
    async *read(signal) {
      if (held === null) throw closedSpool();
      for (const piece of sliceBytes(held)) {
        signal.throwIfAborted();
        yield piece;
      }
    },
    async close() {
      held = null;
    },
  };
}

function holdInFile(file: SpoolFile, size: number, sha256: string): SpooledBytes {
  let readers = 0;
  let closing = false;
  let removed: Promise<void> | null = null;
  const removeWhenUnused = async (): Promise<void> => {
    if (!closing || readers > 0) return;
    removed ??= file.remove();
    await removed;
  };
  return {
    size,
    sha256,
    async *read(signal) {
      if (closing) throw closedSpool();
      readers += 1;
      try {
        yield* readFileHandle(file.handle, size, signal);
      } finally {
        readers -= 1;
        await removeWhenUnused();
      }
    },
    async close() {
      closing = true;
      await removeWhenUnused();
    },
  };
}

function closedSpool(): UploadError {
  return new UploadError('source', 'source: expected an open snapshot, got a closed one');
}
