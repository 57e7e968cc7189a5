import { aborted } from './connect.js';

/** Lets a bounded number of callers through at once; others wait in order, each under its own signal. */
export interface Gate {
  /** Resolves with the function that leaves. Rejects with `NetError` `aborted` when the signal fires first. */
  enter(signal: AbortSignal): Promise<() => void>;
}

/** Makes a gate for `places` callers at once. */
export function createGate(places: number): Gate {
  let free = places;
  const waiting = new Set<() => void>();
  const leave = (): void => {
    const [next] = waiting;
    if (next === undefined) {
      free += 1;
      return;
    }
    waiting.delete(next);
    next();
  };
  const leaveOnce = (): (() => void) => {
    let left = false;
    return () => {
      if (left) return;
      left = true;
      leave();
    };
  };
  return {
    enter(signal) {
      if (signal.aborted) return Promise.reject(aborted(signal));
      if (free > 0) {
        free -= 1;
        return Promise.resolve(leaveOnce());
      }
      return new Promise((resolve, reject) => {
        const onAbort = (): void => {
          waiting.delete(onTurn);
          reject(aborted(signal));
        };
        const onTurn = (): void => {
          signal.removeEventListener('abort', onAbort);
          resolve(leaveOnce());
        };
        waiting.add(onTurn);
        signal.addEventListener('abort', onAbort, { once: true });
      });
    },
  };
}
