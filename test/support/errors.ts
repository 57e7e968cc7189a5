/** Everything an error would show in a log: message, stack, and the same of its causes. */
export function everythingIn(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const own = Object.getOwnPropertyNames(error).map((name) => String(Reflect.get(error, name)));
  return [...own, error.cause === undefined ? '' : everythingIn(error.cause)].join('\n');
}
