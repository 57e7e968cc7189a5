/** A monotonic clock and its timers, as a host may inject them. All times are milliseconds. */
export interface Clock {
  /** Milliseconds since some fixed moment; never goes back. */
  now(): number;
  setTimeout(task: () => void, delayMs: number): unknown;
  clearTimeout(handle: unknown): void;
}

/** The process's own clock: `performance.now()` and the global timers, looked up at each call. */
export const systemClock: Clock = Object.freeze({
  now: () => performance.now(),
  setTimeout: (task: () => void, delayMs: number): unknown => setTimeout(task, delayMs),
  clearTimeout: (handle: unknown): void => clearTimeout(handle as NodeJS.Timeout),
});

/** What a timer can hold; a longer delay would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Calls `onExpired` once, when `clock.now()` has reached `deadlineMs` (absolute, of that clock) and never before.
 * Deadlines further away than a timer can hold are re-armed, an infinite one never fires. A deadline that has passed
 * already fires from a timer too, never on the caller's stack.
 * Throws a RangeError for NaN.
 */
export function armDeadline(clock: Clock, deadlineMs: number, onExpired: () => void): { cancel(): void } {
  if (Number.isNaN(deadlineMs)) throw new RangeError('Deadline: expected milliseconds, got NaN');
  let armed: { handle: unknown } | undefined;
  const arm = (): void => {
    if (deadlineMs === Infinity) return;
    const leftMs = Math.ceil(deadlineMs - clock.now());
    armed = { handle: clock.setTimeout(fire, Math.min(Math.max(leftMs, 1), MAX_TIMER_MS)) };
  };
  const fire = (): void => {
    armed = undefined;
    if (clock.now() < deadlineMs) arm();
    else onExpired();
  };
  arm();
  return {
    cancel() {
      if (armed === undefined) return;
      clock.clearTimeout(armed.handle);
      armed = undefined;
    },
  };
}
