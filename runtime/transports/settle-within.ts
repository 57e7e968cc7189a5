/**
 * Waits for a promise for at most `maxMs`, whatever becomes of it. The timer keeps the process alive meanwhile, so that
 * what is awaited may run on timers that do not.
 */
export async function settleWithin(promise: Promise<unknown>, maxMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, maxMs);
  });
  await Promise.race([promise.catch(() => {}), limit]);
  clearTimeout(timer);
}
