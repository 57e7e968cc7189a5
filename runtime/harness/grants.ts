import type { Capabilities, KnownEvent, Manifest } from '../../generated/index.js';

/** What is left of a turn's allowance of continuations. */
export interface Continuations {
  readonly remainingContinuations: number;
  readonly continuationCount: number;
  readonly maxContinuations?: number;
}

const NOTHING: Capabilities = { effects: [] };

/**
 * What the host's own manifest grants at this event (Semantics §6); nothing without an entry. The continuation counts
 * are the call's: without them none is left, and the chain then offers no `continue`.
 */
export function grantsFor(
  manifest: Manifest,
  event: KnownEvent,
  continuations: Continuations | undefined,
): Capabilities {
  const entry = manifest.events.find((row) => row.event === event.type && row.modes.includes('intercept'));
  const capabilities = entry?.capabilities;
  if (capabilities === undefined) return NOTHING;
  const { flow } = capabilities;
  if (flow === undefined || !flow.operations.includes('continue')) return capabilities;
  const none = { remainingContinuations: 0, continuationCount: flow.continuationCount ?? 0 };
  return { ...capabilities, flow: { ...flow, ...(continuations ?? none) } };
}
