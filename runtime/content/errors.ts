/**
 * Why an upload gave no receipt; see {@link UploadError}.
 *
 * - `configuration`: the upload configuration is not canonical.
 * - `endpoint`: the endpoint has userinfo or a fragment, is plain `http` where that is not allowed, or its name leads
 *   to an address that may not be dialled.
 * - `source`: the source cannot be read; `cause` is its own error.
 * - `source-length`: the source has more or fewer bytes than it says.
 * - `source-changed`: the bytes sent are not the bytes hashed before; the last byte was not sent.
 * - `too-large`: the source is over the configured `maxBytes`.
 * - `authentication`: no credential came, or the receiver answered 401 to it.
 * - `connection`: look-up, connection, TLS or HTTP framing failed, after one retry where no status had come.
 * - `redirected`: the receiver answered with a redirect, which is not followed.
 * - `status`: any other status than 201, or a 201 before the last byte was sent.
 * - `media-type`: the 201 is not `application/json` without content coding.
 * - `receipt`: the body of the 201 is no canonical receipt, or not of these bytes, or too large.
 * - `timeout`: the configured `timeoutMs` passed.
 * - `aborted`: the caller's signal fired, or the uploader was closed.
 */
export type UploadErrorCode =
  | 'configuration'
  | 'endpoint'
  | 'source'
  | 'source-length'
  | 'source-changed'
  | 'too-large'
  | 'authentication'
  | 'connection'
  | 'redirected'
  | 'status'
  | 'media-type'
  | 'receipt'
  | 'timeout'
  | 'aborted';

/** A failed upload (Semantics §7). The message holds no content, no credential and none of the receiver's text. */
export class UploadError extends Error {
  readonly code: UploadErrorCode;
  /** The receiver's status, when one came. */
  readonly status: number | null;

  constructor(code: UploadErrorCode, message: string, options: { cause?: unknown; status?: number | null } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'UploadError';
    this.code = code;
    this.status = options.status ?? null;
  }
}

/**
 * Why content could not be prepared or published; see {@link ContentError}.
 *
 * - `gap`: a requested body is missing and `gapFails` was set; `reason` says why, `pointer` which item.
 * - `not-applied`: the compaction did not apply or has no summary, so that there is nothing to publish.
 * - `not-text`: the summary is no well-formed text, so that it has no exact bytes.
 * - `receipt`: the upload function gave something that is no receipt of these bytes.
 * - `not-canonical`: the item made from the options is not canonical.
 * - `closed`: the snapshot was closed.
 */
export type ContentErrorCode = 'gap' | 'not-applied' | 'not-text' | 'receipt' | 'not-canonical' | 'closed';

/** Content that was not prepared or published (Semantics §3 and §7). */
export class ContentError extends Error {
  readonly code: ContentErrorCode;
  /** JSON Pointer of the item in its event, or of the item's place in the list that was given; else null. */
  readonly pointer: string | null;
  /** The reason of the gap, else null. */
  readonly reason: GapReason | null;

  constructor(
    code: ContentErrorCode,
    message: string,
    options: { cause?: unknown; pointer?: string; reason?: GapReason } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ContentError';
    this.code = code;
    this.pointer = options.pointer ?? null;
    this.reason = options.reason ?? null;
  }
}

/** Why the body of a selected item is not there (Semantics §7). */
export type GapReason = 'permission_withheld' | 'source_unavailable' | 'limit_exceeded' | 'transfer_failed';
