import type { BearerAuthentication, KnownAuthentication, OAuthAuthentication } from '../../generated/index.js';

/** How a registration says that a backend or an upload endpoint is authenticated. */
export type AuthenticationBinding = KnownAuthentication;
/** A token that the host holds, in an environment variable or under a reference of its own. */
export type BearerBinding = BearerAuthentication;
/** A token that an authorization server issues. */
export type OAuthBinding = OAuthAuthentication;

/** What a credential is for. The two are never mixed: an upload never inherits an event's credential. */
export type CredentialPurpose = 'event' | 'upload';

/** For whom a credential is asked. */
export interface CredentialRequest {
  /** The exact URL that the credential will be sent to. */
  readonly endpoint: string;
  readonly purpose: CredentialPurpose;
  readonly signal: AbortSignal;
  /** Set when a server answered 401: the token it refused, and its `WWW-Authenticate` text or null. */
  readonly rejected?: RejectedCredential;
}

/** A credential that a server refused. */
export interface RejectedCredential {
  readonly token: string;
  readonly challenge: string | null;
}

/** A bearer token. */
export interface Credential {
  readonly token: string;
}

/**
 * Where credentials come from. `resolve` gives the token for one endpoint and purpose, or null when there is none;
 * it may reject. In both cases nothing is sent (Semantics §6).
 */
export interface CredentialProvider {
  resolve(binding: AuthenticationBinding, request: CredentialRequest): Promise<Credential | null> | Credential | null;
  /** Ends what is under way. Optional. */
  close?(): void;
}

/** Reads a secret of the host's by its reference; null when there is none. */
export type ReferenceReader = (
  reference: string,
  request: CredentialRequest,
) => Promise<string | null | undefined> | string | null | undefined;
