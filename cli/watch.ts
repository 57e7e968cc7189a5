/** Tells of changes below folders, bundled: editors write a file in several steps. */

import { existsSync, type FSWatcher, readdirSync, watch } from 'node:fs';
import { join } from 'node:path';

const QUIET_MS = 80;

/**
 * Calls `onChange` after each burst of changes, never twice at the same time; a change during a call leads to one more.
 * Resolves when `signal` aborts and the last call has ended. `onReady` is called once changes are seen.
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
    watchers = folders.flatMap(foldersBelow).map((folder) =>
      watch(folder, () => {
        clearTimeout(timer);
        timer = setTimeout(run, QUIET_MS);
      }).on('error', () => undefined),
    );
  };

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

function foldersBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const below = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'node_modules')
    .flatMap((entry) => foldersBelow(join(folder, entry.name)));
  return [folder, ...below];
}
