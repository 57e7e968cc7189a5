import { armDeadline, linkAbort, raceAbort, systemClock } from '../wire/index.js';

/**
 * Runs `work` for so many milliseconds at most. Settles as it does, or rejects with the reason of the signal that
 * fired first, which for the time itself is a DOMException `TimeoutError`; `work` is told by its own signal.
 */
export async function withinTime<T>(
  timeoutMs: number,
  parents: readonly (AbortSignal | undefined)[],
  work: (signal: AbortSignal) => PromiseLike<T> | T,
): Promise<T> {
  const link = linkAbort(...parents);
  const timer = armDeadline(systemClock, systemClock.now() + timeoutMs, () =>
    link.abort(new DOMException(`Expected an end within ${timeoutMs} ms`, 'TimeoutError')),
  );
  try {
    // An async wrapper makes a throw of the work a rejection.
    return await raceAbort((async () => work(link.signal))(), link.signal);
  } finally {
    timer.cancel();
    link.release();
  }
}
