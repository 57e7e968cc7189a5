import type { ValidationIssue } from '../../generated/index.js';

/**
 * Why an elicitation was refused.
 *
 * - `principal`: no authenticated identity, text with at least one character that is no white space, was given.
 * - `not-canonical`: an envelope is no canonically valid interception request; `issues` tell why.
 * - `wrong-boundary`: an envelope is of another event than its side demands.
 * - `id-mismatch`: a JSON-RPC id is not its event's id.
 * - `correlation`: the result does not belong to the request: parent, own id, source or session.
 * - `metadata-mismatch`: server or mode of the two events differ.
 * - `empty-effects`: the list of effects is empty.
 * - `effect-malformed`: an effect is not canonical, or an edit's value is no object.
 * - `effect-not-granted`: the envelope's capabilities do not grant an effect.
 * - `effect-conflict`: more than one of `return` and `deny`.
 * - `not-selected`: effects need a body that this subscriber was not given.
 * - `missing-body`: a requested body is a gap, or was not resolved; the resolver's own error is the cause.
 * - `media-type`: a body is not `application/json`.
 * - `body-not-json`: a body is no strict UTF-8 JSON.
 * - `body-not-mcp`: a body, or a staged result, is not what MCP 2025-11-25 defines.
 * - `mode-mismatch`, `action-mismatch`: a body says another mode or action than its event.
 * - `unexpected-content`: content, or an edit of it, where no accepted form is.
 * - `answer-invalid`: the answers do not satisfy the form; `issues` are theirs.
 * - `schema-unusable`: the form is no valid JSON Schema, and an accepted answer had to be checked against it.
 * - `mode-unsupported`: the capabilities do not support the mode, or there is no such mode or origin.
 * - `capabilities-malformed`: the capabilities, or `form` or `url` in them, are no object.
 * - `already-pending`: a request of the same source and id is open.
 * - `not-pending`: no request is open that the result could answer.
 * - `aborted`: the signal was aborted; its reason is the cause.
 */
export type ElicitationErrorCode =
  | 'principal'
  | 'not-canonical'
  | 'wrong-boundary'
  | 'id-mismatch'
  | 'correlation'
  | 'metadata-mismatch'
  | 'empty-effects'
  | 'effect-malformed'
  | 'effect-not-granted'
  | 'effect-conflict'
  | 'not-selected'
  | 'missing-body'
  | 'media-type'
  | 'body-not-json'
  | 'body-not-mcp'
  | 'mode-mismatch'
  | 'action-mismatch'
  | 'unexpected-content'
  | 'answer-invalid'
  | 'schema-unusable'
  | 'mode-unsupported'
  | 'capabilities-malformed'
  | 'already-pending'
  | 'not-pending'
  | 'aborted';

export interface ElicitationErrorDetails extends ErrorOptions {
  /** For `answer-invalid`: what is wrong with the answers, pointers into the content. For `not-canonical`: into the envelope. */
  readonly issues?: readonly ValidationIssue[];
}

/** A refused elicitation (Semantics §2). Its message quotes no body, no answer and no identity. */
export class ElicitationError extends Error {
  override readonly name = 'ElicitationError';
  readonly code: ElicitationErrorCode;
  /** JSON Pointer into the options of the call, such as `/result/params/event/parentEventId`. */
  readonly place: string;
  readonly issues: readonly ValidationIssue[];

  constructor(
    code: ElicitationErrorCode,
    place: string,
    message: string,
    { issues = [], ...options }: ElicitationErrorDetails = {},
  ) {
    super(message, options);
    this.code = code;
    this.place = place;
    this.issues = issues;
  }
}
