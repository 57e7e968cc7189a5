/**
 * Why no credential came; see {@link CredentialsError}.
 *
 * - `unavailable`: the provider has none: the variable is unset or empty, the reference is unknown.
 * - `malformed`: the credential has a line end, a control character or a letter outside Latin-1.
 * - `configuration`: the host's settings do not suffice for this binding (no provider, no callback, no secret).
 * - `policy`: the host's policy refuses the issuer or the requested scopes.
 * - `destination`: a discovered URL is unusable, or leads to an address that the policy refuses.
 * - `discovery`: a metadata document is missing, malformed, redirected or too large.
 * - `issuer`: a metadata document or an authorization response names another issuer.
 * - `resource`: a metadata document names another resource.
 * - `scope`: the granted scopes are not the requested ones.
 * - `authorization`: the host's callback failed, or the authorization response is an error or malformed.
 * - `token`: the token endpoint refused, or answered with something that is no bearer token.
 * - `connection`: look-up, connection, TLS or a time-out of one exchange. What is stored stays stored.
 * - `aborted`: the caller's signal fired, or the provider was closed.
 */
export type CredentialsErrorCode =
  | 'unavailable'
  | 'malformed'
  | 'configuration'
  | 'policy'
  | 'destination'
  | 'discovery'
  | 'issuer'
  | 'resource'
  | 'scope'
  | 'authorization'
  | 'token'
  | 'connection'
  | 'aborted';

/**
 * A credential that could not be resolved (Semantics §6). Neither the message nor `cause` holds a secret or a peer's
 * text: causes from OAuth libraries are left out for that reason, since they carry whole response bodies.
 */
export class CredentialsError extends Error {
  readonly code: CredentialsErrorCode;
  /** The registered OAuth error code (`invalid_grant`, …) that a server gave, else null. */
  readonly oauthError: string | null;

  constructor(
    code: CredentialsErrorCode,
    message: string,
    options: { cause?: unknown; oauthError?: string | null } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'CredentialsError';
    this.code = code;
    this.oauthError = options.oauthError ?? null;
  }
}
