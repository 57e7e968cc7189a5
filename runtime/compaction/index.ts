/** The compaction boundary (Semantics §3). */
export { compactionCapabilities } from './capabilities.js';
export { CompactionError, type CompactionErrorCode } from './errors.js';
export { runCompaction } from './run.js';
export type {
  CompactionAfterEffect,
  CompactionBeforeEffect,
  CompactionBoundary,
  CompactionContext,
  CompactionFailure,
  CompactionFailurePolicy,
  CompactionHook,
  CompactionMessage,
  CompactionObserver,
  CompactionOptions,
  CompactionOutcome,
  CompactionProvenance,
  CompactionSnapshot,
  SummaryHandle,
  SummaryRef,
} from './types.js';
