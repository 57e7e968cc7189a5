import { freezeDeep, isKnownFrozen } from './freeze.js';
import { removeAt } from './pointer.js';

const withoutNative = new WeakMap<object, object>();

/**
 * The event without the `native` members that its schema declares (Semantics §7); a member of that name inside data
 * stays. `optIn` are the places that the catalogue lists for the event's type. The result is frozen and shares
 * structure; a frozen event is stripped once, however many receivers ask, and comes back as it is when it has none.
 */
export function stripNative<E extends object>(event: E, optIn: readonly string[]): E {
  const known = withoutNative.get(event);
  if (known !== undefined) return known as E;
  const stripped = optIn.reduce((rest, place) => removeAt(rest, place), event);
  if (!isKnownFrozen(event)) return stripped;
  freezeDeep(stripped);
  withoutNative.set(event, stripped);
  return stripped;
}
