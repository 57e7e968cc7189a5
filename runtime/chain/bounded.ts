import { armDeadline, type Clock, linkAbort } from '../wire/index.js';

/** How a bounded task ended; whatever it does afterwards is ignored. */
export type Bounded<T> =
  | { readonly kind: 'value'; readonly value: T }
  | { readonly kind: 'error'; readonly error: unknown }
  | { readonly kind: 'expired' }
  | { readonly kind: 'interrupted' };

export interface Bounds {
  readonly clock: Clock;
  /** Absolute milliseconds of the clock. */
  readonly deadline: number;
  readonly interruption: AbortSignal | undefined;
}

/**
 * Runs `task` until it settles, the deadline passes, or the interruption comes, whichever is first; the signal that it
 * was given is aborted in the last two cases. An interruption beats a value that came in the same moment, and a value
 * that came after the deadline, say because the event loop was held, is `value`: the caller reads the clock.
 */
export function runBounded<T>(bounds: Bounds, task: (signal: AbortSignal) => PromiseLike<T> | T): Promise<Bounded<T>> {
  const { clock, deadline, interruption } = bounds;
  if (interruption?.aborted) return Promise.resolve({ kind: 'interrupted' });
  return new Promise((resolve) => {
    const link = linkAbort(interruption);
    const settle = (bounded: Bounded<T>): void => {
      timer.cancel();
      link.release();
      interruption?.removeEventListener('abort', onInterruption);
      resolve(interruption?.aborted ? { kind: 'interrupted' } : bounded);
    };
    const onInterruption = (): void => settle({ kind: 'interrupted' });
    const timer = armDeadline(clock, deadline, () => {
      link.abort(new DOMException('The deadline has passed', 'TimeoutError'));
      settle({ kind: 'expired' });
    });
    interruption?.addEventListener('abort', onInterruption);
    // An async wrapper makes a throw of the task a rejection.
    (async () => task(link.signal))().then(
      (value) => settle({ kind: 'value', value }),
      (error: unknown) => settle({ kind: 'error', error }),
    );
  });
}
