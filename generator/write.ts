/**
 * Last phase: puts a generated folder in place of the old one. All files are written whole into a sibling folder, which
 * is then swapped in by two renames, so that a run that fails or is killed leaves the old folder or the new one. A run
 * killed between the two renames leaves the old folder beside its place; the next run puts it back.
 */

import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { LOCK_FILE } from './lock.js';
import type { EmittedFile } from './model.js';
import { listFiles } from './tool.js';

export type WriteErrorCode = 'not-a-folder' | 'foreign-folder' | 'unsafe-path' | 'file-system';

/** Why a folder was not written; what stood there before still stands. */
export class WriteError extends Error {
  override readonly name = 'WriteError';
  readonly code: WriteErrorCode;

  constructor(code: WriteErrorCode, message: string, options?: { cause: unknown }) {
    super(message, options);
    this.code = code;
  }
}

export interface WriteSummary {
  /** Posix paths relative to the folder, sorted. `removed` files were there and are not part of the output. */
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  readonly unchanged: number;
}

/**
 * Makes `out` hold exactly `files`. A folder that already does is left untouched, times included. Refuses
 * (`foreign-folder`) a folder that has content but no lock of ours, or that holds a repository.
 */
export function writeFolder(out: string, files: readonly EmittedFile[]): WriteSummary {
  checkPaths(files);
  const target = realTarget(out);
  const replace = (): WriteSummary => {
    recoverKilledRun(target);
    assertWritable(out);
    const summary = compare(target, files);
    if (summary.added.length + summary.changed.length + summary.removed.length === 0 && existsSync(target))
      return summary;
    const fresh = temporaryName(target, 'new');
    const cleanUp = (): void => rmSync(fresh, { recursive: true, force: true });
    process.once('exit', cleanUp);
    try {
      writeAll(fresh, files);
      if (existsSync(target)) chmodSync(fresh, statSync(target).mode & 0o7777);
      swapIn(fresh, target);
    } finally {
      process.removeListener('exit', cleanUp);
      cleanUp();
    }
    return summary;
  };
  return guarded(target, () => retryWhenGone(replace));
}

/** Throws a `WriteError` unless `out` is absent, empty, or a folder that this generator wrote. */
export function assertWritable(out: string): void {
  const target = realTarget(out);
  if (!existsSync(target)) {
    if (lstatSync(target, { throwIfNoEntry: false }) === undefined) return;
    throw new WriteError('not-a-folder', `${out}: the output must be a folder, got a link that leads nowhere`);
  }
  if (!statSync(target).isDirectory()) {
    throw new WriteError('not-a-folder', `${out}: the output must be a folder, got a file`);
  }
  const names = readdirSync(target);
  if (names.length === 0) return;
  if (!names.includes(LOCK_FILE)) {
    throw new WriteError(
      'foreign-folder',
      `${out}: the output folder must be empty or hold ${LOCK_FILE}, got ${count(names.length)} not written by ahp generate`,
    );
  }
  if (names.includes('.git')) {
    throw new WriteError(
      'foreign-folder',
      `${out}: the output folder is replaced as a whole, so it may not hold a repository`,
    );
  }
}

/** Puts the old folder back after a run that was killed between the two renames, and removes what dead runs left. */
export function recoverKilledRun(out: string): void {
  const target = realTarget(out);
  const parent = dirname(target);
  if (!existsSync(parent)) return;
  for (const name of readdirSync(parent).sort()) {
    const leftover = temporaryParts(name, basename(target));
    if (leftover === null || isAlive(leftover.pid)) continue;
    const path = join(parent, name);
    if (leftover.role === 'old' && !existsSync(target)) renameSync(path, target);
    else rmSync(path, { recursive: true, force: true });
  }
}

function compare(target: string, files: readonly EmittedFile[]): WriteSummary {
  const present = new Set(existsSync(target) ? listFiles(target) : []);
  const added: string[] = [];
  const changed: string[] = [];
  let unchanged = 0;
  for (const file of files) {
    if (!present.delete(file.path)) added.push(file.path);
    else if (isSame(join(target, file.path), file.text)) unchanged += 1;
    else changed.push(file.path);
  }
  return { added: added.sort(), changed: changed.sort(), removed: [...present].sort(), unchanged };
}

function isSame(path: string, text: string): boolean {
  return lstatSync(path).isFile() && readFileSync(path).equals(Buffer.from(text));
}

function writeAll(folder: string, files: readonly EmittedFile[]): void {
  mkdirSync(folder, { recursive: true });
  const made = new Set<string>();
  for (const file of files) {
    const path = join(folder, file.path);
    const parent = dirname(path);
    if (!made.has(parent)) mkdirSync(parent, { recursive: true });
    made.add(parent);
    writeFileSync(path, file.text, { flag: 'wx' });
  }
}

/** A file that was there a moment ago is gone when another run swaps at the same time; then what counts is the new folder. */
function retryWhenGone<T>(work: () => T): T {
  for (let attempt = 1; ; attempt++) {
    try {
      return work();
    } catch (error) {
      if (attempt === 5 || codeOf(error) !== 'ENOENT') throw error;
    }
  }
}

/** Another run may swap at the same time; whoever comes last wins, and nobody's folder is mixed. */
function swapIn(fresh: string, target: string): void {
  for (let attempt = 1; ; attempt++) {
    const old = temporaryName(target, 'old');
    const moved = renameIfThere(target, old);
    try {
      renameSync(fresh, target);
    } catch (error) {
      if (moved) putBack(old, target);
      if (attempt < 5 && ['ENOTEMPTY', 'EEXIST'].includes(codeOf(error))) continue;
      throw error;
    }
    if (moved) rmSync(old, { recursive: true, force: true });
    return;
  }
}

/** Undoes the first rename, unless another run has put its own folder there by now. */
function putBack(old: string, target: string): void {
  if (existsSync(target)) rmSync(old, { recursive: true, force: true });
  else renameSync(old, target);
}

function renameIfThere(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

/** The folder that is replaced: where a symbolic link leads, so that the link stays. */
function realTarget(out: string): string {
  const path = resolve(out);
  if (existsSync(path)) return realpathSync(path);
  const parent = dirname(path);
  return parent === path || !existsSync(parent) ? path : join(realpathSync(parent), basename(path));
}

function temporaryName(target: string, role: 'new' | 'old'): string {
  return join(dirname(target), `.${basename(target)}.ahp-${process.pid}-${randomBytes(4).toString('hex')}.${role}`);
}

function temporaryParts(name: string, base: string): { pid: number; role: 'new' | 'old' } | null {
  const prefix = `.${base}.ahp-`;
  if (!name.startsWith(prefix)) return null;
  const match = /^([0-9]+)-[0-9a-f]{8}\.(new|old)$/.exec(name.slice(prefix.length));
  return match === null ? null : { pid: Number(match[1]), role: match[2] === 'old' ? 'old' : 'new' };
}

function isAlive(pid: number): boolean {
  if (pid === process.pid) return false; // The number was used again: this process has left nothing yet.
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

function checkPaths(files: readonly EmittedFile[]): void {
  const seen = new Set<string>();
  for (const { path } of files) {
    const parts = path.split('/');
    if (parts.some((part) => part === '' || part === '.' || part === '..') || /[\\:\0]/.test(path)) {
      throw new WriteError(
        'unsafe-path',
        `${JSON.stringify(path)}: an emitted path must stay inside the output folder`,
      );
    }
    const folded = path.toLowerCase();
    if (seen.has(folded)) {
      throw new WriteError(
        'unsafe-path',
        `${JSON.stringify(path)}: emitted paths must differ by more than letter case`,
      );
    }
    seen.add(folded);
  }
}

/** Turns what the file system says into a `WriteError` that names the folder. */
function guarded<T>(target: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof WriteError) throw error;
    const reasons: Record<string, string> = {
      EACCES: 'no permission to write there',
      EPERM: 'no permission to write there',
      EROFS: 'the file system is read-only',
      ENOSPC: 'no space is left on the device',
      ENOTDIR: 'a part of the path is a file',
      EBUSY: 'the folder is in use or a mount point, and cannot be replaced',
      EXDEV: 'the folder and its parent are on different file systems, so it cannot be replaced at once',
    };
    const code = codeOf(error);
    const reason = Object.hasOwn(reasons, code) ? reasons[code] : `the file system answered ${code}`;
    throw new WriteError('file-system', `${target}: the folder could not be written, ${reason}`, { cause: error });
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'an unknown error';
}

function count(files: number): string {
  return files === 1 ? 'one entry' : `${files} entries`;
}
