import type { Capabilities } from '../../generated/index.js';
import { freezeDeep } from '../wire/freeze.js';
import { CompactionError } from './errors.js';
import type { CompactionBoundary } from './types.js';

const BEFORE: Capabilities = freezeDeep({
  effects: ['modify', 'message', 'return', 'deny'],
  modify: { instructions: { replace: true, merge: false } },
});

const AFTER: Capabilities = freezeDeep({
  effects: ['modify', 'message'],
  modify: { summary: { replace: true, merge: false } },
});

const OBSERVE_ONLY: Capabilities = freezeDeep({ effects: [] });

/**
 * What `runCompaction` implements at a boundary, and so all that a host may advertise for it (Semantics §3): frozen.
 * With `observeOnly` nothing at all. Throws a CompactionError of code `configuration` for another boundary.
 */
export function compactionCapabilities(
  boundary: CompactionBoundary,
  { observeOnly = false }: { observeOnly?: boolean } = {},
): Capabilities {
  if (boundary !== 'before' && boundary !== 'after') {
    throw new CompactionError('configuration', '', 'Boundary: expected "before" or "after", got something else');
  }
  if (observeOnly) return OBSERVE_ONLY;
  return boundary === 'before' ? BEFORE : AFTER;
}
