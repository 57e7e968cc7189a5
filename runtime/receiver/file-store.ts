import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { lockFolder } from './folder-lock.js';
import { type ContentStore, type StoredBody, StoreError, type StoreWriter } from './store.js';

export interface FileStoreOptions {
  /** `write` (the default) takes the folder's lock and sweeps what was never committed; `read` does neither. */
  readonly mode?: 'write' | 'read';
}

/** References are made here and nowhere else, so that anything of another form is simply not there. */
const REF = /^[A-Za-z0-9_-]{43}$/;

const READ_BYTES = 256 * 1024;

/**
 * A store in a folder of its own. A body is written to a temporary file, synced, renamed into its scope's folder, and
 * the folder is synced: rename is the commit, so a receipt that was sent can be read after a crash at any instant.
 * Bytes that were never committed are swept by the next writer that opens the folder.
 * Rejects with `StoreError` `locked` when another live process writes to the folder.
 */
export async function openFileStore(folder: string, { mode = 'write' }: FileStoreOptions = {}): Promise<ContentStore> {
  const unfinished = join(folder, 'unfinished');
  const objects = join(folder, 'objects');
  if (mode === 'read') return new FileStore(unfinished, objects, null);
  await mkdir(objects, { recursive: true, mode: 0o700 });
  await mkdir(unfinished, { recursive: true, mode: 0o700 });
  const release = await lockFolder(folder);
  try {
    for (const name of await readdir(unfinished)) await rm(join(unfinished, name), { recursive: true, force: true });
    await syncFolder(folder);
  } catch (error) {
    await release();
    throw error;
  }
  return new FileStore(unfinished, objects, release);
}

class FileStore implements ContentStore {
  readonly #unfinished: string;
  readonly #objects: string;
  readonly #release: (() => Promise<void>) | null;
  readonly #writers = new Set<FileWriter>();
  #closed = false;

  constructor(unfinished: string, objects: string, release: (() => Promise<void>) | null) {
    this.#unfinished = unfinished;
    this.#objects = objects;
    this.#release = release;
  }

  async begin(): Promise<StoreWriter> {
    if (this.#release === null) throw new StoreError('read-only', 'Store: expected a writing store, got a reading one');
    if (this.#closed) throw new StoreError('closed', 'Store: expected an open store, got a closed one');
    const path = join(this.#unfinished, randomUUID());
    const writer = new FileWriter(await open(path, 'wx', 0o600), path, this.#objects, () =>
      this.#writers.delete(writer),
    );
    this.#writers.add(writer);
    return writer;
  }

  async has(scope: string, ref: string): Promise<boolean> {
    if (!REF.test(ref)) return false;
    try {
      return (await stat(this.#pathOf(scope, ref))).isFile();
    } catch (error) {
      return absent(error, false);
    }
  }

  async open(scope: string, ref: string): Promise<StoredBody | null> {
    if (!REF.test(ref)) return null;
    try {
      const path = this.#pathOf(scope, ref);
      const { size } = await stat(path);
      return { size, stream: readPieces(path) };
    } catch (error) {
      return absent(error, null);
    }
  }

  /** Aborts writers under way and gives the lock back. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#writers].map((writer) => writer.abort()));
    await this.#release?.();
  }

  #pathOf(scope: string, ref: string): string {
    return join(this.#objects, folderOfScope(scope), ref);
  }
}

class FileWriter implements StoreWriter {
  readonly #handle: FileHandle;
  readonly #path: string;
  readonly #objects: string;
  readonly #onEnd: () => void;
  #ended = false;

  constructor(handle: FileHandle, path: string, objects: string, onEnd: () => void) {
    this.#handle = handle;
    this.#path = path;
    this.#objects = objects;
    this.#onEnd = onEnd;
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.#refuseWhenEnded();
    for (let at = 0; at < bytes.byteLength;) {
      const { bytesWritten } = await this.#handle.write(bytes, at);
      at += bytesWritten;
    }
  }

  async commit({ scope }: { readonly scope: string }): Promise<string> {
    this.#refuseWhenEnded();
    this.#ended = true;
    const ref = randomBytes(32).toString('base64url');
    try {
      await this.#handle.sync();
      await this.#handle.close();
      const folder = join(this.#objects, folderOfScope(scope));
      const made = await mkdir(folder, { recursive: true, mode: 0o700 });
      if (made !== undefined) await syncFolder(this.#objects);
      await rename(this.#path, join(folder, ref));
      await syncFolder(folder);
    } catch (error) {
      await this.#forget();
      throw error;
    }
    this.#onEnd();
    return ref;
  }

  async abort(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    await this.#forget();
  }

  async #forget(): Promise<void> {
    this.#onEnd();
    await this.#handle.close().catch(() => undefined);
    await rm(this.#path, { force: true });
  }

  #refuseWhenEnded(): void {
    if (this.#ended) throw new StoreError('closed', 'Store: expected a writer under way, got one that has ended');
  }
}

/** Scopes are the host's texts; their digests are safe names that tell nothing. */
function folderOfScope(scope: string): string {
  return createHash('sha256').update(scope).digest('hex');
}

async function* readPieces(path: string): AsyncGenerator<Uint8Array> {
  const handle = await open(path, 'r');
  try {
    for (;;) {
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(READ_BYTES), 0, READ_BYTES);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}

async function syncFolder(folder: string): Promise<void> {
  let handle: FileHandle;
  try {
    handle = await open(folder, 'r');
  } catch (error) {
    // Windows opens no folders; its file system orders the rename itself.
    if (process.platform === 'win32') return;
    throw error;
  }
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function absent<T>(error: unknown, otherwise: T): T {
  const code: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined;
  if (code === 'ENOENT' || code === 'ENOTDIR') return otherwise;
  throw error;
}
