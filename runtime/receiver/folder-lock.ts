import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { StoreError } from './store.js';

/** Bound on taking a dead process's lock away, should others try at the same time. */
const MAX_TRIES = 10;

/**
 * Takes the folder's lock for this process and gives what releases it. A lock of a process that is gone is stale and is
 * taken over. Rejects with `StoreError` `locked` while a live process, this one included, holds it.
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const lock = join(folder, 'lock');
  const own = join(folder, `lock.${randomUUID()}`);
  const owner = JSON.stringify({ pid: process.pid, started: startOf(process.pid), id: randomUUID() });
  await writeFile(own, owner, { flag: 'wx' });
  try {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      // A hard link either makes the lock or finds one: there is no moment between looking and taking.
      if (await linked(own, lock)) return () => release(lock, owner);
      const holder = await readIfThere(lock);
      if (holder === null) continue;
      if (isAlive(holder)) break;
      await takeAway(folder, lock, holder);
    }
  } finally {
    await rm(own, { force: true });
  }
  throw new StoreError('locked', 'Store: expected a folder that nobody writes to, got one that a live process holds');
}

async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Moves a stale lock out of the way; if it turns out to be somebody's fresh one, puts it back. */
async function takeAway(folder: string, lock: string, stale: string): Promise<void> {
  const aside = join(folder, `lock.${randomUUID()}`);
  try {
    await rename(lock, aside);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    throw error;
  }
  if ((await readIfThere(aside)) !== stale) await linked(aside, lock);
  await rm(aside, { force: true });
}

async function release(lock: string, owner: string): Promise<void> {
  if ((await readIfThere(lock)) === owner) await rm(lock, { force: true });
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

/** A lock that cannot be read was cut short by a crash: its process is gone. */
function isAlive(holder: string): boolean {
  let pid: unknown;
  let started: unknown;
  try {
    ({ pid, started } = JSON.parse(holder) as { pid: unknown; started: unknown });
  } catch {
    return false;
  }
  if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (codeOf(error) !== 'EPERM') return false;
  }
  const now = startOf(pid);
  // The same number may be another process by now; where its start cannot be told, the lock is believed.
  return now === null || typeof started !== 'string' || now === started;
}

/** When a process started, in the kernel's ticks; null where the system does not tell. */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A zombie has ended; nobody has waited for it yet.
    if (fields[0] === 'Z') return 'ended';
    return fields[19] ?? null;
  } catch {
    return null;
  }
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined;
}
