import { allowManyListeners, armDeadline, type Clock } from '../wire/index.js';

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
 * may read is aborted in the last two cases. What is first settles it. A value
 * that came after the deadline, say because the event loop was held, is `value`: the caller reads the clock.
 */
export function runBounded<T>(bounds: Bounds, task: (attempt: Attempt) => PromiseLike<T> | T): Promise<Bounded<T>> {
  if (bounds.interruption?.aborted) return Promise.resolve({ kind: 'interrupted' });
  return new Promise((resolve) => new BoundedRun<T>(bounds, resolve).start(task));
}

/** One run. An object in place of closures, since a chain makes one for every hook. */
class BoundedRun<T> implements Attempt {
  readonly #bounds: Bounds;
  readonly #resolve: (bounded: Bounded<T>) => void;
  #timer: { cancel(): void } | undefined;
  #controller: AbortController | undefined;
  #ending: { readonly reason: unknown } | undefined;

  constructor(bounds: Bounds, resolve: (bounded: Bounded<T>) => void) {
    this.#bounds = bounds;
    this.#resolve = resolve;
  }

  start(task: (attempt: Attempt) => PromiseLike<T> | T): void {
    const { clock, deadline, interruption } = this.#bounds;
    this.#timer = armDeadline(clock, deadline, () => this.#expire());
    if (interruption !== undefined) {
      allowManyListeners(interruption);
      interruption.addEventListener('abort', this);
    }
    try {
      Promise.resolve(task(this)).then(
        (value) => this.#settle({ kind: 'value', value }),
        (error: unknown) => this.#settle({ kind: 'error', error }),
      );
    } catch (error) {
      this.#settle({ kind: 'error', error });
    }
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    // A task may read it after the end only.
    if (this.#ending !== undefined) this.#controller.abort(this.#ending.reason);
    return this.#controller.signal;
  }

  /** The interruption. */
  handleEvent(): void {
    this.#abort(this.#bounds.interruption?.reason);
    this.#settle({ kind: 'interrupted' });
  }

  #expire(): void {
    this.#abort(new DOMException('The deadline has passed', 'TimeoutError'));
    this.#settle({ kind: 'expired' });
  }

  #abort(reason: unknown): void {
    this.#ending = { reason };
    this.#controller?.abort(reason);
  }

  #settle(bounded: Bounded<T>): void {
    this.#timer?.cancel();
    this.#bounds.interruption?.removeEventListener('abort', this);
    this.#resolve(bounded);
  }
}
