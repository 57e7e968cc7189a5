import { setMaxListeners } from 'node:events';

/** Waiting that a signal can end. No timer and no listener outlives what it was made for. */

/** Rejects with the signal's reason when it is aborted, else settles as `promise` does. A late rejection is swallowed. */
export function raceAbort<T>(promise: PromiseLike<T> | T, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return Promise.resolve(promise);
  return new Promise<T>((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    const settle = (): void => signal.removeEventListener('abort', onAbort);
    if (signal.aborted) {
      onAbort();
    } else {
      allowManyListeners(signal);
      signal.addEventListener('abort', onAbort, { once: true });
    }
    Promise.resolve(promise).then(
      (value) => {
        settle();
        if (signal.aborted) reject(signal.reason);
        else resolve(value);
      },
      (reason: unknown) => {
        settle();
        reject(signal.aborted ? signal.reason : reason);
      },
    );
  });
}

/** A controller that follows other signals and that its owner can abort too. */
export interface LinkedAbort {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
  /** Stops following the parents. To be called when the work has ended. */
  release(): void;
}

/**
 * Joins signals into one. Unlike `AbortSignal.any` it is held by its parents, so that garbage collection cannot
 * silence it, until `release` is called.
 */
export function linkAbort(...parents: readonly (AbortSignal | undefined)[]): LinkedAbort {
  const controller = new AbortController();
  allowManyListeners(controller.signal);
  const releases: (() => void)[] = [];
  const release = (): void => {
    for (const stop of releases.splice(0)) stop();
  };
  const abort = (reason?: unknown): void => {
    release();
    controller.abort(reason);
  };
  for (const parent of parents) {
    if (parent === undefined) continue;
    if (parent.aborted) {
      abort(parent.reason);
      break;
    }
    allowManyListeners(parent);
    const onAbort = (): void => abort(parent.reason);
    parent.addEventListener('abort', onAbort);
    releases.push(() => parent.removeEventListener('abort', onAbort));
  }
  return { signal: controller.signal, abort, release };
}

const allowed = new WeakSet<AbortSignal>();

/** One signal may well end a hundred deliveries; Node would take that for a leak from the eleventh on. */
export function allowManyListeners(signal: AbortSignal): void {
  if (allowed.has(signal)) return;
  setMaxListeners(0, signal);
  allowed.add(signal);
}
