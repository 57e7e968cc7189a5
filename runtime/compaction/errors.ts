/**
 * Why a compaction run rejects by itself.
 *
 * - `configuration`: an option, a hook or an observer is unusable; raised before anything runs.
 * - `generator`: the host's generator threw (its error is the cause) or gave something other than text.
 */
export type CompactionErrorCode = 'configuration' | 'generator';

/** A rejected compaction run (Semantics §3). Its message names places and types, never instructions or summaries. */
export class CompactionError extends Error {
  override readonly name = 'CompactionError';
  readonly code: CompactionErrorCode;
  /** Which option is meant, as a JSON Pointer into the options of the run. */
  readonly place: string;

  constructor(code: CompactionErrorCode, place: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.place = place;
  }
}
