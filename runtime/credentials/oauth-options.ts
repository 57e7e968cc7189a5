import type { AddressClass } from '../net/address.js';
import type { Connector, Lookup, TlsOptions } from '../net/connect.js';
import type { RefreshTokenStore } from './oauth-tokens.js';
import type { CredentialPurpose, OAuthBinding, ReferenceReader } from './types.js';

/** What the host is asked to do to authorize a client: open `url` for its user and wait for the redirect. */
export interface AuthorizationPrompt {
  /** The complete authorization URL; https, or loopback where that is allowed. */
  readonly url: string;
  readonly redirectUri: string;
  readonly issuer: string;
  readonly resource: string;
  readonly scopes: readonly string[];
  readonly purpose: CredentialPurpose;
  readonly signal: AbortSignal;
}

/** Settings of the OAuth provider. */
export interface OAuthOptions {
  /** Reads `clientSecretRef`. Needed by bindings that have one. */
  readonly readReference?: ReferenceReader;
  /** Runs the user's part of `authorization_code_pkce` and gives the URL that the server redirected to. */
  readonly authorize?: (prompt: AuthorizationPrompt) => Promise<string | URL> | string | URL;
  /** The registered redirect URI of `authorization_code_pkce`. */
  readonly redirectUri?: string;
  /** Issuer policy: tells whether tokens of this issuer may be used for this binding. All by default. */
  readonly allowIssuer?: (issuer: string, binding: OAuthBinding) => boolean;
  /** Scope policy: the scopes that bindings may request. All by default. */
  readonly allowedScopes?: readonly string[];
  /**
   * Judges the scopes that a server granted. By default every requested one must be there, and nothing else when any
   * was requested.
   */
  readonly acceptScopes?: (granted: readonly string[], requested: readonly string[]) => boolean;
  /** Lets discovered URLs lead to loopback, plain `http` included. Default false (Semantics §6). */
  readonly allowLoopback?: boolean;
  /** Further classes of addresses that discovered URLs may lead to, such as `private`. None by default. */
  readonly allowAddresses?: readonly AddressClass[];
  /** Roots to trust, instead of the ones that come with Node. */
  readonly tls?: Pick<TlsOptions, 'ca'>;
  readonly lookup?: Lookup;
  readonly connect?: Connector;
  /** Bound of one HTTP exchange, 10,000 by default. */
  readonly exchangeTimeoutMs?: number;
  /** Bound of the user's part of an authorization, 300,000 by default. */
  readonly authorizationTimeoutMs?: number;
  /** Bound of one metadata or token response, 262,144 by default. */
  readonly maxResponseBytes?: number;
  /** A token counts as expired this long before it does, 10,000 by default. */
  readonly expiryMarginMs?: number;
  /** How long metadata is used before it is fetched anew, 3,600,000 by default. */
  readonly metadataTtlMs?: number;
  /** Where refresh tokens are kept; in memory by default. */
  readonly refreshTokens?: RefreshTokenStore;
  /** Milliseconds on a monotonic clock; `performance.now` by default. */
  readonly now?: () => number;
}
