import { setMaxListeners } from 'node:events';

/** The longest delay that a Node timer holds; a longer one would fire at once. */
export const MAX_TIMER_MS = 2_147_483_647;

/**
 * Calls `run` once after `delayMs`, however long that is: delays beyond 2^31 - 1 ms are armed again and again
 * (Semantics §6). Infinity never fires. The timer is held by the event loop, not by the caller, so no garbage
 * collection can lose it. Gives the function that disarms it.
 */
export function armTimeout(delayMs: number, run: () => void, options: { keepAlive?: boolean } = {}): () => void {
  if (delayMs === Number.POSITIVE_INFINITY) return () => {};
  const endAt = performance.now() + delayMs;
  let timer: NodeJS.Timeout;
  const arm = (): void => {
    const leftMs = endAt - performance.now();
    timer = setTimeout(leftMs > MAX_TIMER_MS ? arm : run, Math.min(Math.max(leftMs, 0), MAX_TIMER_MS));
    if (options.keepAlive === false) timer.unref();
  };
  arm();
  return () => clearTimeout(timer);
}

const allowed = new WeakSet<AbortSignal>();

/** One signal may well end a hundred calls; Node would take that for a leak from the eleventh on. */
export function allowManyListeners(signal: AbortSignal): void {
  if (allowed.has(signal)) return;
  allowed.add(signal);
  setMaxListeners(0, signal);
}

/** A signal of its own that follows others, and the function that lets go of them. */
export interface LinkedSignal {
  readonly signal: AbortSignal;
  readonly abort: (reason: unknown) => void;
  readonly dispose: () => void;
}

/**
 * Joins abort signals and an optional time-out into one signal. Unlike `AbortSignal.any` with `AbortSignal.timeout`,
 * which Node 20 may collect as garbage before it fires, everything here is strongly held until `dispose()`.
 */
export function linkSignals(
  signals: readonly (AbortSignal | undefined)[],
  timeout?: { readonly timeoutMs: number; readonly reason: () => unknown },
): LinkedSignal {
  const controller = new AbortController();
  const undo: (() => void)[] = [];
  const dispose = (): void => {
    for (const step of undo.splice(0)) step();
  };
  const abort = (reason: unknown): void => {
    dispose();
    controller.abort(reason);
  };
  for (const signal of signals) {
    if (signal === undefined) continue;
    if (signal.aborted) {
      abort(signal.reason);
      break;
    }
    allowManyListeners(signal);
    const follow = (): void => abort(signal.reason);
    signal.addEventListener('abort', follow, { once: true });
    undo.push(() => signal.removeEventListener('abort', follow));
  }
  if (timeout !== undefined && !controller.signal.aborted) {
    undo.push(armTimeout(timeout.timeoutMs, () => abort(timeout.reason())));
  }
  return { signal: controller.signal, abort, dispose };
}
