import { type KnownEvent, validateEvent } from '../../generated/index.js';
import { isKnownFrozen } from './freeze.js';

const canonical = new WeakSet<object>();

/** Whether `event` is canonically valid. A frozen event is validated once, however many receivers it goes to. */
export function isCanonicalEvent(event: object): event is KnownEvent {
  if (canonical.has(event)) return true;
  const { ok } = validateEvent(event);
  if (ok && isKnownFrozen(event)) canonical.add(event);
  return ok;
}
