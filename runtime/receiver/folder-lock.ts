import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { link, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StoreError } from './store.js';

/** Bound on trying again when others take or give back the lock at the same time. */
const MAX_TRIES = 20;

const LOCK = /^lock\.([0-9]{1,15})$/;
const CLAIM = /^claim\./;

/** What a lock says that was given back. */
const RELEASED = '{}';

/**
 * Takes the folder's lock for this process and gives what releases it. A lock of a process that is gone is stale and is
 * taken over. Rejects with `StoreError` `locked` while a live process, this one included, holds it.
 *
 * Locks are numbered, and the highest number is the one that counts: it is only ever followed, never taken away, so that
 * two who find the same stale lock cannot both come out as its heirs. Processes must see each other's ids, so all
 * writers of a folder belong to one machine, and one container.
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const claim = join(folder, `claim.${randomUUID()}`);
  const owner = JSON.stringify({ pid: process.pid, started: startOf(process.pid), id: randomUUID() });
  try {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const highest = await highestLock(folder);
      if (highest !== null) {
        const holder = await readIfThere(nameOf(folder, highest));
        if (holder === null) continue;
        if (isAlive(holder)) break;
      }
      await writeFile(claim, owner);
      const number = (highest ?? 0) + 1;
      // A hard link either makes the lock, with its text in it, or finds another: there is no moment in between.
      if (!(await isLinked(claim, nameOf(folder, number)))) continue;
      if ((await highestLock(folder)) !== number) {
        // Ours is one that was followed and swept already: somebody is ahead.
        await rm(nameOf(folder, number), { force: true });
        continue;
      }
      await sweep(folder, number, claim);
      return () => release(folder, number);
    }
  } finally {
    await rm(claim, { force: true });
  }
  throw new StoreError('locked', 'Store: expected a folder that nobody writes to, got one that a live process holds');
}

/** The lock stays, so that the numbers go on, but says that nobody holds it. */
async function release(folder: string, number: number): Promise<void> {
  const released = join(folder, `claim.${randomUUID()}`);
  await writeFile(released, RELEASED);
  await rename(released, nameOf(folder, number));
}

/** Removes lower locks, and claims of processes that are gone. */
async function sweep(folder: string, number: number, ownClaim: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const lock = LOCK.exec(name);
    if (lock !== null && Number(lock[1]) < number) await rm(path, { force: true });
    if (!CLAIM.test(name) || path === ownClaim) continue;
    const holder = await readIfThere(path);
    if (holder !== null && holder !== '' && !isAlive(holder)) await rm(path, { force: true });
  }
}

function nameOf(folder: string, number: number): string {
  return join(folder, `lock.${number}`);
}

async function highestLock(folder: string): Promise<number | null> {
  const numbers = (await readdir(folder)).flatMap((name) => {
    const digits = LOCK.exec(name)?.[1];
    return digits === undefined ? [] : [Number(digits)];
  });
  return numbers.length === 0 ? null : Math.max(...numbers);
}

/** False when the lock is there already, or the claim was swept as a dead one. */
async function isLinked(claim: string, lock: string): Promise<boolean> {
  try {
    await link(claim, lock);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST' || codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

/** Locks come with their text in them, so one that cannot be read is nobody's. */
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
