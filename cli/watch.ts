/** Tells of changes below folders, bundled: editors write a file in several steps. */

import { existsSync, type FSWatcher, readdirSync, watch } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const QUIET_MS = 80;

/**
 * Calls `onChange` after each burst of changes, never twice at the same time; a change during a call leads to one more.
 * A folder that is removed and made again is followed. Resolves when `signal` aborts and the last call has ended.
 * `onReady` is called once changes are seen.
 */
export async function watchFolders(
  folders: readonly string[],
  onChange: () => Promise<void>,
  signal: AbortSignal,
  onReady: () => void = () => undefined,
): Promise<void> {
  let watchers: FSWatcher[] = [];
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | null = null;
  let isPending = false;

  const run = (): void => {
    if (running !== null) {
      isPending = true;
      return;
    }
    openWatchers(); // New subfolders need a watcher of their own.
    running = onChange().finally(() => {
      running = null;
      if (isPending && !signal.aborted) {
        isPending = false;
        run();
      }
    });
  };
  const closeWatchers = (): void => {
    for (const watcher of watchers) watcher.close();
  };
  const openWatchers = (): void => {
    closeWatchers();
    watchers = [];
    try {
      for (const folder of folders) {
        if (existsSync(folder)) for (const below of foldersBelow(folder)) watchers.push(wake(below, run));
        else watchers.push(awaitFolder(folder));
      }
    } catch (error) {
      // A folder went away while it was looked at: look again when that has settled.
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
      clearTimeout(timer);
      timer = setTimeout(run, QUIET_MS);
    }
  };
  const wake = (folder: string, act: () => void): FSWatcher =>
    watch(folder, () => {
      clearTimeout(timer);
      timer = setTimeout(act, QUIET_MS);
    }).on('error', () => undefined);
  // Switching branches may remove a folder and bring it back: then its nearest parent is what can be watched.
  const awaitFolder = (folder: string): FSWatcher =>
    wake(nearestFolder(folder), () => {
      if (existsSync(folder)) run();
      else openWatchers();
    });

  openWatchers();
  onReady();
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
  clearTimeout(timer);
  closeWatchers();
  await running;
}

function nearestFolder(path: string): string {
  let folder = resolve(path);
  while (!existsSync(folder)) folder = dirname(folder);
  return folder;
}

function foldersBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const below = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'node_modules')
    .flatMap((entry) => foldersBelow(join(folder, entry.name)));
  return [folder, ...below];
}
