/**
 * - `closed`: the harness was closed, or is closing.
 * - `event-invalid`: the event is not canonically valid, or is not interceptable where it must be.
 * - `configuration`: an option cannot be used; `place` names it.
 * - `unknown-backend`: no backend of the registration has this id.
 * - `discovery-failed`: the backend gave no usable manifest; the failure's own code is the `detail`.
 */
export type HooksErrorCode = 'closed' | 'event-invalid' | 'configuration' | 'unknown-backend' | 'discovery-failed';

/** What a harness refuses to do. Failures of backends are outcomes and records, discovery alone rejects with them. */
export class HooksError extends Error {
  override readonly name = 'HooksError';
  readonly code: HooksErrorCode;
  /** Option, JSON Pointer, or code of the failure behind this one; never a text of a peer. */
  readonly detail: string | null;

  constructor(code: HooksErrorCode, message: string, options: ErrorOptions & { readonly detail?: string } = {}) {
    super(message, options);
    this.code = code;
    this.detail = options.detail ?? null;
  }
}
