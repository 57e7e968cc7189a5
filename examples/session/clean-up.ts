/** What must not stay when a program is ended in the middle. */

const SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;

/**
 * Runs `work`, and `undo` when this process is ended meanwhile: by a signal that asks it to leave, or by `process.exit`.
 * `undo` is synchronous, since an exit waits for nothing. Where `work` ends by itself, cleaning up is its own business.
 */
export async function undoneOnExit<T>(undo: () => void, work: () => Promise<T>): Promise<T> {
  const leave = (signal: NodeJS.Signals): void => {
    // As a shell reports it; children of stdio transports go in the same exit.
    process.exit(128 + (SIGNALS[signal as keyof typeof SIGNALS] ?? 0));
  };
  process.once('exit', undo);
  for (const signal of Object.keys(SIGNALS)) process.once(signal, leave);
  try {
    return await work();
  } finally {
    process.off('exit', undo);
    for (const signal of Object.keys(SIGNALS)) process.off(signal, leave);
  }
}
