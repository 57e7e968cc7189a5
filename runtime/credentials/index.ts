export { createEnvironmentCredentials, createReferenceCredentials } from './bearer.js';
export { createCredentials, type CredentialsOptions } from './create-credentials.js';
export { CredentialsError, type CredentialsErrorCode } from './errors.js';
export {
  type ChallengedResponse,
  type CredentialUse,
  exchangeWithCredential,
  resolveCredential,
} from './exchange-with-credential.js';
export { isSameIdentifier } from './oauth-discovery.js';
export type { AuthorizationPrompt, OAuthOptions } from './oauth-options.js';
export { createOAuthCredentials } from './oauth-provider.js';
export { createMemoryRefreshTokenStore, type RefreshTokenStore } from './oauth-tokens.js';
export type {
  AuthenticationBinding,
  BearerBinding,
  Credential,
  CredentialProvider,
  CredentialPurpose,
  CredentialRequest,
  OAuthBinding,
  ReferenceReader,
  RejectedCredential,
} from './types.js';
