import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
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
export async function openFileStore(path: string, { mode = 'write' }: FileStoreOptions = {}): Promise<ContentStore> {
  const folder = resolve(path);
  const unfinished = join(folder, 'unfinished');
  const objects = join(folder, 'objects');
  if (mode === 'read') return new FileStore(unfinished, objects, null);
  const outermost = await mkdir(objects, { recursive: true, mode: 0o700 });
  await mkdir(unfinished, { recursive: true, mode: 0o700 });
  const release = await lockFolder(folder);
  try {
    for (const name of await readdir(unfinished)) await rm(join(unfinished, name), { recursive: true, force: true });
    await syncFolder(folder);
    // Folders that were made on the way here must be there after a crash too.
    if (outermost !== undefined) await syncUpwards(dirname(folder), dirname(outermost));
  } catch (error) {
    await release();
    throw error;
  }
  return new FileStore(unfinished, objects, release);
}

class FileStore implements ContentStore {
  readonly #unfinished: string;
  readonly #objects: ScopeFolders;
  readonly #release: (() => Promise<void>) | null;
  readonly #writers = new Set<FileWriter>();
  #closed: Promise<void> | undefined;

  constructor(unfinished: string, objects: string, release: (() => Promise<void>) | null) {
    this.#unfinished = unfinished;
    this.#objects = new ScopeFolders(objects);
    this.#release = release;
  }

  async begin(): Promise<StoreWriter> {
    if (this.#release === null) throw new StoreError('read-only', 'Store: expected a writing store, got a reading one');
    this.#refuseWhenClosed();
    const path = join(this.#unfinished, randomUUID());
    const handle = await open(path, 'wx', 0o600);
    const writer = new FileWriter(handle, path, this.#objects, () => this.#writers.delete(writer));
    this.#writers.add(writer);
    if (this.#closed !== undefined) {
      await writer.abort();
      this.#refuseWhenClosed();
    }
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

  /** Aborts writers under way, lets commits end, and gives the lock back. */
  close(): Promise<void> {
    this.#closed ??= (async () => {
      await Promise.all([...this.#writers].map((writer) => writer.end()));
      await this.#release?.();
    })();
    return this.#closed;
  }

  #pathOf(scope: string, ref: string): string {
    return join(this.#objects.pathOf(scope), ref);
  }

  #refuseWhenClosed(): void {
    if (this.#closed !== undefined) throw new StoreError('closed', 'Store: expected an open store, got a closed one');
  }
}

/** One folder for each scope. */
class ScopeFolders {
  readonly #objects: string;
  readonly #made = new Map<string, Promise<void>>();

  constructor(objects: string) {
    this.#objects = objects;
  }

  /** Scopes are the host's texts; their digests are safe names that tell nothing. */
  pathOf(scope: string): string {
    return join(this.#objects, createHash('sha256').update(scope, 'utf16le').digest('hex'));
  }

  /**
   * The scope's folder, made and durable. A folder that is there is synced once all the same: whoever made it may have
   * died before it did, or be another commit that has not got so far.
   */
  async ensure(scope: string): Promise<string> {
    const folder = this.pathOf(scope);
    let made = this.#made.get(folder);
    if (made === undefined) {
      made = (async () => {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        await syncFolder(this.#objects);
      })();
      this.#made.set(folder, made);
    }
    try {
      await made;
    } catch (error) {
      this.#made.delete(folder);
      throw error;
    }
    return folder;
  }
}

class FileWriter implements StoreWriter {
  readonly #handle: FileHandle;
  readonly #path: string;
  readonly #objects: ScopeFolders;
  readonly #onEnd: () => void;
  #committed: Promise<string> | undefined;
  #isEnded = false;

  constructor(handle: FileHandle, path: string, objects: ScopeFolders, onEnd: () => void) {
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

  commit({ scope }: { readonly scope: string }): Promise<string> {
    if (this.#isEnded) return Promise.reject(ended());
    this.#isEnded = true;
    this.#committed = this.#commit(scope);
    return this.#committed;
  }

  async abort(): Promise<void> {
    if (this.#isEnded) return;
    this.#isEnded = true;
    await this.#forget(this.#path);
  }

  /** Lets a commit under way come to its end; without one, aborts. */
  async end(): Promise<void> {
    if (this.#committed === undefined) await this.abort();
    else await this.#committed.catch(() => undefined);
  }

  async #commit(scope: string): Promise<string> {
    const ref = randomBytes(32).toString('base64url');
    let path = this.#path;
    try {
      await this.#handle.sync();
      await this.#handle.close();
      const folder = await this.#objects.ensure(scope);
      const target = join(folder, ref);
      await rename(path, target);
      path = target;
      await syncFolder(folder);
    } catch (error) {
      // Nobody is told of the reference, so nothing of it stays, renamed or not.
      await this.#forget(path);
      throw error;
    }
    this.#onEnd();
    return ref;
  }

  async #forget(path: string): Promise<void> {
    this.#onEnd();
    await this.#handle.close().catch(() => undefined);
    await rm(path, { force: true });
  }

  #refuseWhenEnded(): void {
    if (this.#isEnded) throw ended();
  }
}

function ended(): StoreError {
  return new StoreError('closed', 'Store: expected a writer under way, got one that has ended');
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

/** Syncs each folder from `from` up to `to`, its ancestor or itself. */
async function syncUpwards(from: string, to: string): Promise<void> {
  for (let folder = from; ; folder = dirname(folder)) {
    await syncFolder(folder);
    if (folder === to || folder === dirname(folder)) return;
  }
}

function absent<T>(error: unknown, otherwise: T): T {
  const code: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined;
  if (code === 'ENOENT' || code === 'ENOTDIR') return otherwise;
  throw error;
}
