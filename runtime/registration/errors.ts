/** One complaint about a registration document: where (JSON Pointer), which rule, in words that quote no value. */
export interface RegistrationIssue {
  readonly pointer: string;
  readonly code: string;
  readonly message: string;
}

/**
 * Why a registration was refused; see {@link RegistrationError}.
 *
 * - `not-json`: the text or bytes are no strict JSON (Semantics §1).
 * - `not-canonical`: a recognized field breaks the canonical `Registration` schema.
 * - `duplicate-backend`: two backends have the same id.
 * - `endpoint`: an event URL or upload endpoint has userinfo, is plain `http` beyond loopback, or is unusable.
 * - `scope`: a subscription says `managed`, but the document did not come from a managed source.
 */
export type RegistrationErrorCode = 'not-json' | 'not-canonical' | 'duplicate-backend' | 'endpoint' | 'scope';

/** A registration document that cannot be used (Semantics §6). No message quotes a value of the document. */
export class RegistrationError extends Error {
  readonly code: RegistrationErrorCode;
  /** JSON Pointer to the first offending place. */
  readonly pointer: string;
  /** Every complaint; the first one is the one in the message. */
  readonly issues: readonly RegistrationIssue[];

  constructor(code: RegistrationErrorCode, issues: readonly RegistrationIssue[], options?: ErrorOptions) {
    const [first] = issues;
    const place = first?.pointer ?? '';
    super(`registration${place === '' ? '' : ` at ${place}`}: ${first?.message ?? code}`, options);
    this.name = 'RegistrationError';
    this.code = code;
    this.pointer = place;
    this.issues = issues;
  }
}
