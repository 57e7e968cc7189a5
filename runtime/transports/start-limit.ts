const MINUTE_MS = 60_000;

/** Counts starts within the last minute. */
export interface StartLimit {
  /** Takes one start if there is one left. */
  take(): boolean;
}

/** Makes a limit of `maxStarts` within any minute of the clock. */
export function createStartLimit(maxStarts: number, now: () => number): StartLimit {
  let starts: number[] = [];
  return {
    take() {
      const current = now();
      starts = starts.filter((startedAt) => current - startedAt < MINUTE_MS);
      if (starts.length >= maxStarts) return false;
      starts.push(current);
      return true;
    },
  };
}
