import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type ContentStore, createMemoryStore, openFileStore } from '../../runtime/receiver/index.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const open: ContentStore[] = [];

afterEach(async () => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  await Promise.all(open.splice(0).map((store) => store.close?.()));
});

async function openStore(folder: string, mode: 'read' | 'write' = 'write'): Promise<ContentStore> {
  const store = await openFileStore(folder, { mode });
  open.push(store);
  return store;
}

async function put(store: ContentStore, scope: string, ...pieces: readonly string[]): Promise<string> {
  const writer = await store.begin();
  for (const piece of pieces) await writer.write(Buffer.from(piece));
  return writer.commit({ scope, size: pieces.join('').length, sha256: '' });
}

async function textOf(store: ContentStore, scope: string, ref: string): Promise<string | null> {
  const body = await store.open(scope, ref);
  if (body === null) return null;
  const pieces: Uint8Array[] = [];
  for await (const piece of body.stream) pieces.push(piece);
  expect(Buffer.concat(pieces).byteLength).toBe(body.size);
  return Buffer.concat(pieces).toString();
}

/** Files of bodies, finished or not, under a store's folder. */
function filesOf(folder: string): { objects: string[]; unfinished: string[] } {
  const objects = readdirSync(join(folder, 'objects'), { recursive: true, withFileTypes: true });
  return {
    objects: objects.filter((entry) => entry.isFile()).map(({ name }) => name),
    unfinished: readdirSync(join(folder, 'unfinished')),
  };
}

/** Plays a disk on which syncing some folders fails. */
function failFolderSync(isFailing: (path: string) => boolean): void {
  const original = fs.open.bind(fs);
  vi.spyOn(fs, 'open').mockImplementation(async (path, flags, mode) => {
    const handle = await original(path, flags, mode);
    if (flags === 'r' && isFailing(String(path))) handle.sync = () => Promise.reject(new Error('sync failed'));
    return handle;
  });
  syncBuiltinESMExports();
}

describe.each<[string, () => Promise<ContentStore>]>([
  ['file store', () => openStore(temporaryFolder())],
  ['memory store', async () => createMemoryStore()],
])('§8 the %s', (_name, make) => {
  it('keeps bytes under a reference of its own, in one scope', async () => {
    const store = await make();
    const ref = await put(store, 'a', 'he', '', 'llo');
    expect(await textOf(store, 'a', ref)).toBe('hello');
    expect(await textOf(store, 'a', await put(store, 'a'))).toBe('');
    expect(await put(store, 'a', 'hello')).not.toBe(ref);
    expect([await store.has('a', ref), await store.has('b', ref), await store.has('', ref)]).toEqual([
      true,
      false,
      false,
    ]);
    expect(await store.open('b', ref)).toBeNull();
  });

  it('has nothing under references that it never made', async () => {
    const store = await make();
    await put(store, 'a', 'x');
    for (const ref of ['', '.', '..', '../objects', '/etc/passwd', 'A'.repeat(43), '__proto__', '\0', 'constructor']) {
      expect(await store.has('a', ref)).toBe(false);
      expect(await store.open('a', ref)).toBeNull();
    }
  });

  it('takes any text for a scope and mixes none up', async () => {
    const store = await make();
    const scopes = ['a', 'A', 'a/', '../a', '__proto__', 'constructor', 'é', 'e\u0301', '\ud800', '\udfff', 'a\0'];
    const refs = new Map<string, string>();
    for (const scope of scopes) refs.set(scope, await put(store, scope, scope));
    for (const scope of scopes) {
      for (const other of scopes) expect(await store.has(other, refs.get(scope) ?? '')).toBe(scope === other);
    }
  });

  it('gives nothing out that reaches what it keeps, and keeps nothing that others hold', async () => {
    const store = await make();
    const writer = await store.begin();
    const bytes = Buffer.from('hello');
    await writer.write(bytes);
    bytes.fill(0);
    const ref = await writer.commit({ scope: 'a', size: 5, sha256: '' });
    for await (const piece of (await store.open('a', ref))?.stream ?? []) piece.fill(0);
    expect(await textOf(store, 'a', ref)).toBe('hello');
  });

  it('a writer ends once', async () => {
    const store = await make();
    const writer = await store.begin();
    await writer.write(Buffer.from('x'));
    await writer.abort();
    await writer.abort();
    await expect(writer.write(Buffer.from('x'))).rejects.toMatchObject({ name: 'StoreError', code: 'closed' });
    await expect(writer.commit({ scope: 'a', size: 1, sha256: '' })).rejects.toMatchObject({ code: 'closed' });
    const committed = await store.begin();
    const ref = await committed.commit({ scope: 'a', size: 0, sha256: '' });
    await committed.abort();
    await expect(committed.commit({ scope: 'a', size: 0, sha256: '' })).rejects.toMatchObject({ code: 'closed' });
    expect(await store.has('a', ref)).toBe(true);
  });

  it('takes many uploads at once', async () => {
    const store = await make();
    const refs = await Promise.all(
      Array.from({ length: 50 }, (_, index) => put(store, `s${index % 3}`, `body ${index}`)),
    );
    for (const [index, ref] of refs.entries()) expect(await textOf(store, `s${index % 3}`, ref)).toBe(`body ${index}`);
  });
});

describe('the memory store', () => {
  it('bounds all bodies together and gives aborted ones back', async () => {
    const store = createMemoryStore({ maxTotalBytes: 8 });
    const writer = await store.begin();
    await writer.write(Buffer.alloc(6));
    await expect(put(store, 'a', '123')).rejects.toMatchObject({ code: 'full' });
    await writer.abort();
    await put(store, 'a', '12345678');
  });
});

describe('§8 the file store on disk', () => {
  it('is there again when it is opened again, for reading too', async () => {
    const folder = temporaryFolder();
    const first = await openStore(folder);
    const ref = await put(first, 'a', 'hello');
    const reading = await openStore(folder, 'read');
    expect(await textOf(reading, 'a', ref)).toBe('hello');
    await expect(reading.begin()).rejects.toMatchObject({ code: 'read-only' });
    const later = await put(first, 'new scope', 'later');
    expect(await textOf(reading, 'new scope', later)).toBe('later');
    await first.close?.();
    expect(await textOf(await openStore(folder), 'a', ref)).toBe('hello');
  });

  it('makes its folder, however deep, and a reader needs none', async () => {
    const folder = join(temporaryFolder(), 'a', 'b', 'c');
    expect(await (await openStore(folder, 'read')).has('a', 'A'.repeat(43))).toBe(false);
    expect(existsSync(folder)).toBe(false);
    await put(await openStore(folder), 'a', 'x');
    expect(filesOf(folder).objects).toHaveLength(1);
  });

  it('names tell neither scope nor content, and others may not look', async () => {
    const folder = temporaryFolder();
    await put(await openStore(folder), 'secret-tenant', 'secret-body');
    const names = readdirSync(folder, { recursive: true }).join(' ');
    expect(names).not.toContain('secret');
    for (const entry of readdirSync(join(folder, 'objects'), { recursive: true, withFileTypes: true })) {
      const { mode } = await fs.stat(join(entry.parentPath, entry.name));
      expect(mode & 0o077).toBe(0);
    }
  });

  it('sweeps what was never committed, when a writer opens it and only then', async () => {
    const folder = temporaryFolder();
    const store = await openStore(folder);
    const ref = await put(store, 'a', 'kept');
    await store.close?.();
    writeFileSync(join(folder, 'unfinished', 'left-behind'), 'half a bo');
    await openStore(folder, 'read');
    expect(filesOf(folder).unfinished).toEqual(['left-behind']);
    const again = await openStore(folder);
    expect(filesOf(folder)).toEqual({ objects: [ref], unfinished: [] });
    expect(await textOf(again, 'a', ref)).toBe('kept');
  });

  it('aborted bodies leave nothing', async () => {
    const folder = temporaryFolder();
    const writer = await (await openStore(folder)).begin();
    await writer.write(Buffer.from('x'));
    expect(filesOf(folder).unfinished).toHaveLength(1);
    await writer.abort();
    expect(filesOf(folder)).toEqual({ objects: [], unfinished: [] });
  });

  it('a commit whose folder cannot be synced after the rename leaves nothing, and the next one may succeed', async () => {
    const folder = temporaryFolder();
    const store = await openStore(folder);
    let failing = true;
    failFolderSync((path) => failing && /objects.[0-9a-f]{64}$/.test(path));
    await expect(put(store, 'a', 'hello')).rejects.toThrow('sync failed');
    expect(filesOf(folder)).toEqual({ objects: [], unfinished: [] });
    failing = false;
    expect(await textOf(store, 'a', await put(store, 'a', 'hello'))).toBe('hello');
  });

  it('a scope’s folder that cannot be made durable gives no receipt, for those either who wait for another commit', async () => {
    const folder = temporaryFolder();
    const store = await openStore(folder);
    let failing = true;
    failFolderSync((path) => failing && path.endsWith('objects'));
    const both = await Promise.allSettled([put(store, 'a', '1'), put(store, 'a', '2')]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(filesOf(folder)).toEqual({ objects: [], unfinished: [] });
    failing = false;
    await put(store, 'a', '3');
  });

  it('close aborts writers, lets commits end, and admits no more', async () => {
    const folder = temporaryFolder();
    const store = await openStore(folder);
    const writer = await store.begin();
    await writer.write(Buffer.from('never'));
    const committing = put(store, 'a', 'whole');
    const begun = store.begin().catch((error: unknown) => error);
    committing.catch(() => undefined);
    await expect.poll(() => filesOf(folder).unfinished.length + filesOf(folder).objects.length).toBeGreaterThan(1);
    await store.close?.();
    await store.close?.();
    const settled = await Promise.allSettled([committing, begun]);
    const kept = settled[0].status === 'fulfilled' ? [settled[0].value] : [];
    expect(filesOf(folder)).toEqual({ objects: kept, unfinished: [] });
    await expect(store.begin()).rejects.toMatchObject({ code: 'closed' });
    await expect(writer.write(Buffer.from('x'))).rejects.toMatchObject({ code: 'closed' });
  });
});

describe('§8 one writer per folder', () => {
  it('a second opener is refused and costs a running upload nothing', async () => {
    const folder = temporaryFolder();
    const store = await openStore(folder);
    const writer = await store.begin();
    await writer.write(Buffer.from('hel'));
    await expect(openFileStore(folder)).rejects.toMatchObject({ name: 'StoreError', code: 'locked' });
    await writer.write(Buffer.from('lo'));
    const ref = await writer.commit({ scope: 'a', size: 5, sha256: '' });
    expect(await textOf(store, 'a', ref)).toBe('hello');
    await store.close?.();
    await openStore(folder);
  });

  it('so is one in another process', async () => {
    const folder = temporaryFolder();
    const child = holdInChild(folder);
    await child.said('open');
    await expect(openFileStore(folder)).rejects.toMatchObject({ code: 'locked' });
    await child.kill();
    await openStore(folder);
  });

  it('of many who find the lock of a dead process, one gets it', async () => {
    const folder = temporaryFolder();
    for (let round = 0; round < 10; round += 1) {
      writeFileSync(join(folder, `lock.${round * 2 + 1}`), JSON.stringify({ pid: 2 ** 22 + 1, started: '1', id: 'x' }));
      const tries = await Promise.allSettled(Array.from({ length: 8 }, () => openFileStore(folder)));
      const opened = tries.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
      expect(opened).toHaveLength(1);
      for (const result of tries) {
        if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'locked' });
      }
      await opened[0]?.close?.();
      expect(readdirSync(folder).filter((name) => /^(?:lock|claim)/.test(name))).toHaveLength(1);
    }
  });

  it.each([
    ['of a process that ended', { pid: 2 ** 22 + 1, started: '1' }],
    ['of a process whose number is another’s now', { pid: process.pid, started: '1' }],
    ['that was given back', {}],
    ['that says nothing', 'x'],
    ['of no process', { pid: 0 }],
    ['of all processes', { pid: -1 }],
  ])('a lock %s is stale', async (_name, holder) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'lock.4'), typeof holder === 'string' ? holder : JSON.stringify(holder));
    writeFileSync(join(folder, 'claim.old'), JSON.stringify(holder));
    await openStore(folder);
    expect(readdirSync(folder).filter((name) => name.startsWith('lock'))).toEqual(['lock.5']);
    await expect(openFileStore(folder)).rejects.toMatchObject({ code: 'locked' });
  });

  it('a folder that cannot be a store rejects and holds no lock', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'objects'), 'a file');
    await expect(openFileStore(folder)).rejects.toMatchObject({ code: 'EEXIST' });
    const other = temporaryFolder();
    mkdirSync(join(other, 'unfinished'));
    vi.spyOn(fs, 'rm').mockImplementation(async (path) => {
      if (String(path).includes('unfinished')) throw new Error('no');
    });
    syncBuiltinESMExports();
    writeFileSync(join(other, 'unfinished', 'x'), '');
    await expect(openFileStore(other)).rejects.toThrow('no');
    vi.restoreAllMocks();
    syncBuiltinESMExports();
    await openStore(other);
  });
});

interface Child {
  said(text: string): Promise<void>;
  kill(): Promise<void>;
}

function holdInChild(folder: string): Child {
  const program = join(import.meta.dirname, 'support', 'hold-store.ts');
  const child = spawn(process.execPath, ['--import', 'tsx', program, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  return {
    async said(text) {
      const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
      expect(chunk.toString()).toBe(text);
    },
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
