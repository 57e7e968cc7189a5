import type { Manifest } from '../../generated/index.js';
import { ReceiverError } from './errors.js';
import type { ReceiverLimits } from './options.js';

export type ResolvedLimits = Required<ReceiverLimits>;

const MIB = 1024 * 1024;

/** Messages are frozen before handlers see them, and nothing deeper can be. */
const MOST_DEPTH = 1_000;

/** Fills in the defaults. Throws `ReceiverError` `configuration` for a limit out of range. */
export function resolveLimits(limits: ReceiverLimits, manifest: Manifest): ResolvedLimits {
  const resolved: ResolvedLimits = {
    maxMessageBytes: 64 * MIB,
    maxUploadBytes: manifest.limits.maxUploadBytes ?? 1024 * MIB,
    maxDepth: 256,
    maxHeaderBytes: 16_384,
    headersTimeoutMs: 10_000,
    messageTimeoutMs: 60_000,
    uploadTimeoutMs: 600_000,
    handlerTimeoutMs: 120_000,
    maxConnections: 1_024,
    maxConcurrent: 256,
    closeTimeoutMs: 5_000,
    ...given(limits),
  };
  for (const [name, value] of Object.entries(resolved)) {
    const least = name === 'maxUploadBytes' || name === 'closeTimeoutMs' ? 0 : 1;
    const most = name === 'maxDepth' ? MOST_DEPTH : Number.MAX_SAFE_INTEGER;
    if (!Number.isInteger(value) || value < least || value > most) {
      const range = name === 'maxDepth' ? `from ${least} to ${most}` : `from ${least}`;
      throw new ReceiverError('configuration', `limits.${name}: expected a whole number ${range}, got ${value}`);
    }
  }
  return resolved;
}

/** An undefined limit is an absent one. */
function given(limits: ReceiverLimits): ReceiverLimits {
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
}
