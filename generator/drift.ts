/** `ahp generate --check`: does a folder still hold what its inputs generate? */

import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readLockInputs } from './inputs.js';
import { LOCK_FILE, type Lock, type LockedOptions, type LockInputs, readLock } from './lock.js';
import type { EmittedFile } from './model.js';
import { listFiles, sha256OfText } from './tool.js';

/**
 * - `changed-schema`, `changed-template`: an input is not the one that the lock records (added and removed ones too)
 * - `changed-tool`: version, code or a library of the generator differs
 * - `edited-output`: an output is not what was generated; `missing-file`, `extra-file`: it is gone, or not ours
 * - `stale-output`: what generating again would add, change or remove because of a changed input
 */
export type DriftKind =
  | 'changed-schema'
  | 'changed-template'
  | 'changed-tool'
  | 'edited-output'
  | 'missing-file'
  | 'extra-file'
  | 'stale-output';

export interface Drift {
  readonly kind: DriftKind;
  /** Posix path relative to the folder that the kind speaks of; for `changed-tool` the name of what changed. */
  readonly path: string;
  readonly detail: string;
}

export interface CheckReport {
  readonly ok: boolean;
  readonly drift: readonly Drift[];
  /** `digests` when the lock settled it, `regenerated` when the pipeline ran. */
  readonly by: 'digests' | 'regenerated';
}

/**
 * Compares by digests alone while inputs, tool and lock are unchanged, and by generating in memory otherwise. Rejects
 * with what generating rejects with.
 */
export async function checkFolder(
  schemas: string,
  out: string,
  generateFiles: (options: LockedOptions) => Promise<readonly EmittedFile[]>,
): Promise<CheckReport> {
  const lockPath = join(out, LOCK_FILE);
  const lock = existsSync(lockPath) ? readLock(readFileSync(lockPath, 'utf8').replaceAll('\r\n', '\n')) : null;
  const options = lock?.options ?? { emitIr: false };
  const inputDrift = lock === null ? [] : compareInputs(lock, readLockInputs(schemas, options));
  if (lock !== null && inputDrift.length === 0) {
    const drift = compareOutputs(out, new Map(Object.entries(lock.files)));
    return { ok: drift.length === 0, drift, by: 'digests' };
  }
  const files = await generateFiles(options);
  const expected = new Map(files.map((file) => [file.path, sha256OfText(file.text)]));
  const outputDrift = lock === null ? compareOutputs(out, expected, true) : compareStale(out, lock, expected);
  const drift = [...inputDrift, ...outputDrift];
  return { ok: drift.length === 0, drift, by: 'regenerated' };
}

function compareInputs(lock: Lock, now: LockInputs): Drift[] {
  return [
    ...compareDigests('changed-schema', new Map(Object.entries(lock.schemas)), now.schemas),
    ...compareDigests('changed-template', new Map(Object.entries(lock.templates)), now.templates),
    ...compareTool(lock, now),
  ];
}

function compareTool(lock: Lock, now: LockInputs): Drift[] {
  const then = new Map<string, string>([
    ['version', lock.version],
    ['generator', lock.generator],
  ]);
  const current = new Map<string, string>([
    ['version', now.tool.version],
    ['generator', now.tool.generator],
  ]);
  for (const [name, version] of Object.entries(lock.libraries)) then.set(name, String(version));
  for (const [name, version] of Object.entries(now.tool.libraries)) current.set(name, String(version));
  return compareDigests('changed-tool', then, current);
}

function compareDigests(kind: DriftKind, then: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>): Drift[] {
  const drift: Drift[] = [];
  for (const [path, digest] of then) {
    const current = now.get(path);
    if (current === undefined) drift.push({ kind, path, detail: 'removed since the last generation' });
    else if (current !== digest) drift.push({ kind, path, detail: 'changed since the last generation' });
  }
  for (const path of now.keys()) {
    if (!then.has(path)) drift.push({ kind, path, detail: 'added since the last generation' });
  }
  return drift;
}

/** What stands in the folder against what should; the lock itself counts only when it was generated anew. */
function compareOutputs(out: string, expected: ReadonlyMap<string, string>, withLock = false): Drift[] {
  const present = digestFolder(out);
  if (!withLock) present.delete(LOCK_FILE);
  const drift: Drift[] = [];
  for (const [path, digest] of expected) {
    const current = present.get(path);
    if (current === undefined) drift.push({ kind: 'missing-file', path, detail: 'is not there' });
    else if (current !== digest) drift.push({ kind: 'edited-output', path, detail: 'is not what was generated' });
  }
  for (const path of present.keys()) {
    if (!expected.has(path)) drift.push({ kind: 'extra-file', path, detail: 'is not generated' });
  }
  return drift;
}

/** Edits since the last generation, and what the changed inputs would change beyond them. */
function compareStale(out: string, lock: Lock, expected: ReadonlyMap<string, string>): Drift[] {
  const locked = new Map(Object.entries(lock.files));
  const drift = compareOutputs(out, locked);
  const told = new Set(drift.map(({ path }) => path));
  for (const [path, digest] of expected) {
    if (path === LOCK_FILE || told.has(path) || locked.get(path) === digest) continue;
    const detail = locked.has(path) ? 'would change' : 'would be added';
    drift.push({ kind: 'stale-output', path, detail });
  }
  for (const path of locked.keys()) {
    if (!expected.has(path) && !told.has(path)) drift.push({ kind: 'stale-output', path, detail: 'would be removed' });
  }
  return drift;
}

/** Digest by path; what is no regular file has a digest that equals none. */
function digestFolder(out: string): Map<string, string> {
  if (!existsSync(out)) return new Map();
  return new Map(
    listFiles(out).map((path) => {
      const file = join(out, path);
      return [path, lstatSync(file).isFile() ? sha256OfText(readFileSync(file)) : 'no regular file'];
    }),
  );
}
