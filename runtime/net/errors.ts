/** What can go wrong in one HTTP exchange; see {@link NetError}. */
export type NetErrorCode = 'endpoint' | 'address' | 'header' | 'body' | 'connection' | 'response-too-large' | 'aborted';

/**
 * A failed HTTP exchange. The message names places and limits, never a header value, a body or a peer's text.
 *
 * - `endpoint`: the URL is unusable (scheme, userinfo, fragment, characters).
 * - `address`: the host name leads to an address that the policy refuses, or plain `http` leads away from loopback.
 * - `header`: a header value holds a line end, a control character or a letter outside Latin-1; nothing was sent.
 * - `body`: the request body failed, or had another length than announced; `cause` is the source's own error.
 * - `connection`: look-up, connection, TLS or the HTTP framing of the response failed.
 * - `response-too-large`: the response body is over the bound.
 * - `aborted`: the caller's signal fired, or the client was closed.
 */
export class NetError extends Error {
  readonly code: NetErrorCode;
  /** The response status when its head had arrived before the failure, else null. */
  readonly status: number | null;

  constructor(code: NetErrorCode, message: string, options: { cause?: unknown; status?: number | null } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'NetError';
    this.code = code;
    this.status = options.status ?? null;
  }
}

/** What is left of an error of Node's own that carries more than may travel into logs. */
export class BareError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * An error of Node's own, fit to be a cause. A parse error carries the peer's raw bytes, and one about a certificate's
 * names quotes them and carries the certificate.
 */
export function withoutPeerText(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if ('cert' in error) {
    return new BareError('ERR_TLS_CERT_ALTNAME_INVALID', 'certificate: expected one for this host, got one for others');
  }
  if ('rawPacket' in error) Reflect.deleteProperty(error, 'rawPacket');
  return error;
}
