/** A promise that a test opens by hand, so that races are played without sleeping. */
export interface Barrier<T = void> {
  readonly promise: Promise<T>;
  open(value: T): void;
  fail(reason: unknown): void;
}

export function barrier<T = void>(): Barrier<T> {
  let open: (value: T) => void = () => undefined;
  let fail: (reason: unknown) => void = () => undefined;
  const promise = new Promise<T>((resolve, reject) => {
    open = resolve;
    fail = reject;
  });
  return { promise, open, fail };
}

/** Waits until everything that is due on this turn of the event loop, and the next, has run. */
export async function settleTurns(turns = 3): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
