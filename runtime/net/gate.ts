import { aborted } from './connect.js';

/** Lets a bounded number of callers through at once; others wait in order, each under its own signal. */
export interface Gate {
  /** Resolves with the function that leaves. Rejects with `NetError` `aborted` when the signal fires first. */
  enter(signal: AbortSignal): Promise<() => void>;
  /** The function that leaves, or null when there is no place just now. */
  tryEnter(): (() => void) | null;
  /** Rejects those who wait. */
  close(reason: unknown): void;
}

/** Makes a gate for `places` callers at once. */
export function createGate(places: number): Gate {
  let free = places;
  const waiting = new Map<() => void, (reason: unknown) => void>();
  const leave = (): void => {
    const [next] = waiting.keys();
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
  const tryEnter = (): (() => void) | null => {
    if (free === 0) return null;
    free -= 1;
    return leaveOnce();
  };
  return {
    tryEnter,
    enter(signal) {
      if (signal.aborted) return Promise.reject(aborted(signal));
      const entered = tryEnter();
      if (entered !== null) return Promise.resolve(entered);
      return new Promise((resolve, reject) => {
        const settle = (): void => {
          waiting.delete(onTurn);
          signal.removeEventListener('abort', onAbort);
        };
        const onAbort = (): void => {
          settle();
          reject(aborted(signal));
        };
        const onTurn = (): void => {
          settle();
          resolve(leaveOnce());
        };
        waiting.set(onTurn, (reason) => {
          settle();
          reject(reason);
        });
        signal.addEventListener('abort', onAbort, { once: true });
      });
    },
    close(reason) {
      for (const reject of [...waiting.values()]) reject(reason);
    },
  };
}
