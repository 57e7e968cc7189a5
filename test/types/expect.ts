/** Assertions about types; nothing happens at run time. */

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Compiles when the value's type is exactly `Expected`: `expectType<string>()(value)`. */
export function expectType<Expected>(): <Actual>(
  value: Actual & (Same<Actual, Expected> extends true ? unknown : never),
) => void {
  return () => undefined;
}

/** Compiles when the value may be used as a `Expected`. */
export function expectAssignable<Expected>(_value: Expected): void {}
