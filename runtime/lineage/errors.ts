/**
 * Why a message was refused.
 *
 * - `not-json`: the text or bytes are no strict JSON.
 * - `not-canonical`: the JSON is no canonical message of the protocol.
 * - `observe-only`: an interception of `task.change.after`, `workspace.change.after` or `file.changed`.
 * - `id-mismatch`: an interception whose JSON-RPC id is not its event's id.
 * - `identity-reused`: a known key came back with another type, parent or task id.
 * - `unknown-parent`: the parent was never accepted, and `requireKnownParents` is set.
 * - `cycle`: the event would be an ancestor of itself; `loop` names the events.
 * - `pair-mismatch`: a completion and its proposal disagree on task id, operation or workspace kind.
 * - `no-change`: a report of a change that changed nothing.
 * - `capacity`: a new key beyond `maxEvents`.
 */
export type LineageErrorCode =
  | 'not-json'
  | 'not-canonical'
  | 'observe-only'
  | 'id-mismatch'
  | 'identity-reused'
  | 'unknown-parent'
  | 'cycle'
  | 'pair-mismatch'
  | 'no-change'
  | 'capacity';

/** Details of a refusal. */
export interface LineageErrorDetails extends ErrorOptions {
  /** JSON Pointer into the message. Default: the whole message. */
  readonly pointer?: string;
  readonly loop?: readonly string[];
}

/** A refused message (Semantics §9). Its message quotes nothing of what was refused. */
export class LineageError extends Error {
  override readonly name = 'LineageError';
  readonly code: LineageErrorCode;
  /** The place in the message, as a JSON Pointer. */
  readonly pointer: string;
  /** For a `cycle`: ids from the refused event along its parents, at most 16 of them. Else empty. */
  readonly loop: readonly string[];

  constructor(
    code: LineageErrorCode,
    message: string,
    { pointer = '', loop = [], ...options }: LineageErrorDetails = {},
  ) {
    super(message, options);
    this.code = code;
    this.pointer = pointer;
    this.loop = loop;
  }
}
