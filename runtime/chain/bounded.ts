import { armDeadline, type Clock } from '../wire/index.js';

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

/** What a bounded task is told of its end. */
export interface Attempt {
  /** Aborted at the deadline and by an interruption. Made when it is first read: most hooks end without one. */
  readonly signal: AbortSignal;
}

/**
 * Runs `task` until it settles, the deadline passes, or the interruption comes, whichever is first; the signal that it
 * may read is aborted in the last two cases. An interruption beats a value that came in the same moment, and a value
 * that came after the deadline, say because the event loop was held, is `value`: the caller reads the clock.
 */
export function runBounded<T>(bounds: Bounds, task: (attempt: Attempt) => PromiseLike<T> | T): Promise<Bounded<T>> {
  const { clock, deadline, interruption } = bounds;
  if (interruption?.aborted) return Promise.resolve({ kind: 'interrupted' });
  return new Promise((resolve) => {
    const attempt = new LazyAttempt();
    const settle = (bounded: Bounded<T>): void => {
      timer.cancel();
      interruption?.removeEventListener('abort', onInterruption);
      resolve(interruption?.aborted ? { kind: 'interrupted' } : bounded);
    };
    const onInterruption = (): void => {
      attempt.abort(interruption?.reason);
      settle({ kind: 'interrupted' });
    };
    const timer = armDeadline(clock, deadline, () => {
      attempt.abort(new DOMException('The deadline has passed', 'TimeoutError'));
      settle({ kind: 'expired' });
    });
    interruption?.addEventListener('abort', onInterruption);
    const onError = (error: unknown): void => settle({ kind: 'error', error });
    try {
      Promise.resolve(task(attempt)).then((value) => settle({ kind: 'value', value }), onError);
    } catch (error) {
      onError(error);
    }
  });
}

class LazyAttempt implements Attempt {
  #controller: AbortController | undefined;
  #ending: { readonly reason: unknown } | undefined;

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    // A task may read it after the end only.
    if (this.#ending !== undefined) this.#controller.abort(this.#ending.reason);
    return this.#controller.signal;
  }

  abort(reason: unknown): void {
    this.#ending ??= { reason };
    this.#controller?.abort(reason);
  }
}
