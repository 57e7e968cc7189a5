import * as oauth from 'oauth4webapi';
import { raceAbort } from '../wire/abort.js';
import { CredentialsError } from './errors.js';
import { asCredentialsError, type OAuthHttp } from './oauth-http.js';
import type { OAuthOptions } from './oauth-options.js';
import type { IssuedTokens } from './oauth-tokens.js';
import type { CredentialPurpose, OAuthBinding } from './types.js';

/** For what a grant is run. */
export interface GrantContext {
  readonly server: oauth.AuthorizationServer;
  readonly binding: OAuthBinding;
  readonly clientSecret: string | null;
  readonly purpose: CredentialPurpose;
  readonly signal: AbortSignal;
}

/** The grants of one provider. All send the resource indicator (RFC 8707) and check the granted scopes. */
export interface OAuthGrants {
  clientCredentials(context: GrantContext): Promise<IssuedTokens>;
  authorizationCode(context: GrantContext): Promise<IssuedTokens>;
  /** Rejects with `token` and `oauthError: "invalid_grant"` when the server no longer knows the refresh token. */
  refresh(context: GrantContext, refreshToken: string): Promise<IssuedTokens>;
}

// Error codes of RFC 6749, 8707 and 6750. Anything else that a server says is its own text and is not repeated.
const OAUTH_ERRORS: ReadonlySet<string> = new Set([
  'access_denied',
  'invalid_client',
  'invalid_grant',
  'invalid_request',
  'invalid_scope',
  'invalid_target',
  'server_error',
  'temporarily_unavailable',
  'unauthorized_client',
  'unsupported_grant_type',
  'unsupported_response_type',
]);

/** Makes the grants of one provider. */
export function createOAuthGrants(http: OAuthHttp, options: OAuthOptions, now: () => number): OAuthGrants {
  const marginMs = options.expiryMarginMs ?? 10_000;

  function requestOptions({ server, signal }: GrantContext): {
    readonly [oauth.customFetch]: ReturnType<OAuthHttp['fetcher']>;
    readonly [oauth.allowInsecureRequests]: boolean;
    readonly signal: AbortSignal;
  } {
    return {
      [oauth.customFetch]: http.fetcher('discovered'),
      [oauth.allowInsecureRequests]: http.allowsInsecure(server.token_endpoint ?? ''),
      signal,
    };
  }

  async function finish(
    context: GrantContext,
    send: () => Promise<Response>,
    judge: (response: Response) => Promise<oauth.TokenEndpointResponse>,
  ): Promise<IssuedTokens> {
    requireEndpoint(context.server.token_endpoint, 'token_endpoint');
    let issued: oauth.TokenEndpointResponse;
    try {
      issued = await judge(await send());
    } catch (error) {
      throw asTokenError(error);
    }
    if (issued.token_type !== 'bearer') {
      throw new CredentialsError('token', 'token endpoint: expected a bearer token, got another type');
    }
    checkScopes(issued.scope, context.binding.scopes ?? [], options.acceptScopes);
    return {
      accessToken: issued.access_token,
      expiresAtMs: issued.expires_in === undefined ? null : now() + Math.max(issued.expires_in * 1000 - marginMs, 0),
      refreshToken: issued.refresh_token ?? null,
    };
  }

  return {
    async clientCredentials(context) {
      const { server, binding, clientSecret } = context;
      if (clientSecret === null) {
        throw new CredentialsError('configuration', 'client credentials: expected a clientSecretRef, got none');
      }
      const client = { client_id: binding.clientId };
      return finish(
        context,
        () =>
          oauth.clientCredentialsGrantRequest(
            server,
            client,
            authenticateClient(context),
            grantParameters(binding),
            requestOptions(context),
          ),
        (response) => oauth.processClientCredentialsResponse(server, client, response),
      );
    },

    async authorizationCode(context) {
      const { server, binding, signal } = context;
      const client = { client_id: binding.clientId };
      const verifier = oauth.generateRandomCodeVerifier();
      const { redirectUri, callbackUrl, state } = await runAuthorization(context, verifier, http, options);
      let parameters: URLSearchParams;
      try {
        parameters = oauth.validateAuthResponse(server, client, callbackUrl, state);
      } catch (error) {
        throw asAuthorizationError(error);
      }
      return finish(
        context,
        () =>
          oauth.authorizationCodeGrantRequest(
            server,
            client,
            authenticateClient(context),
            parameters,
            redirectUri,
            verifier,
            { ...requestOptions(context), additionalParameters: { resource: binding.resource }, signal },
          ),
        (response) => oauth.processAuthorizationCodeResponse(server, client, response),
      );
    },

    async refresh(context, refreshToken) {
      const { server, binding } = context;
      const client = { client_id: binding.clientId };
      const issued = await finish(
        context,
        () =>
          oauth.refreshTokenGrantRequest(server, client, authenticateClient(context), refreshToken, {
            ...requestOptions(context),
            additionalParameters: { resource: binding.resource },
          }),
        (response) => oauth.processRefreshTokenResponse(server, client, response),
      );
      // A server that does not rotate goes on with the token that it has (RFC 6749, section 6).
      return { ...issued, refreshToken: issued.refreshToken ?? refreshToken };
    },
  };
}

interface Authorized {
  readonly redirectUri: string;
  readonly callbackUrl: URL;
  readonly state: string;
}

async function runAuthorization(
  context: GrantContext,
  verifier: string,
  http: OAuthHttp,
  options: OAuthOptions,
): Promise<Authorized> {
  const { server, binding, purpose, signal } = context;
  const { authorize, redirectUri } = options;
  if (authorize === undefined || redirectUri === undefined) {
    throw new CredentialsError('configuration', 'authorization: expected the options authorize and redirectUri');
  }
  if (server.code_challenge_methods_supported?.includes('S256') !== true) {
    throw new CredentialsError('discovery', 'issuer metadata: expected support of PKCE by S256, got none');
  }
  const endpoint = requireEndpoint(server.authorization_endpoint, 'authorization_endpoint');
  await http.checkDestination(endpoint, signal);
  const state = oauth.generateRandomState();
  const scopes = binding.scopes ?? [];
  const url = new URL(endpoint);
  for (const [name, value] of Object.entries({
    client_id: binding.clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    ...grantParameters(binding),
  })) {
    url.searchParams.set(name, value);
  }
  let answer: string | URL;
  try {
    const prompt = { url: url.href, redirectUri, issuer: binding.issuer, resource: binding.resource, scopes };
    answer = await raceAbort(authorize({ ...prompt, purpose, signal }), signal);
  } catch (error) {
    if (signal.aborted)
      throw new CredentialsError('aborted', 'authorization: ended by its signal', { cause: signal.reason });
    throw new CredentialsError('authorization', 'authorization: expected the redirect from the host, got an error', {
      cause: error,
    });
  }
  return { redirectUri, callbackUrl: readCallback(answer, redirectUri), state };
}

function readCallback(answer: string | URL, redirectUri: string): URL {
  const text = String(answer);
  if (URL.canParse(text) && URL.canParse(redirectUri)) {
    const callback = new URL(text);
    const expected = new URL(redirectUri);
    if (callback.origin === expected.origin && callback.pathname === expected.pathname) return callback;
  }
  throw new CredentialsError('authorization', 'authorization: expected a redirect to redirectUri, got another');
}

function grantParameters(binding: OAuthBinding): Record<string, string> {
  const scopes = binding.scopes ?? [];
  return { resource: binding.resource, ...(scopes.length === 0 ? {} : { scope: scopes.join(' ') }) };
}

function authenticateClient({ server, clientSecret }: GrantContext): oauth.ClientAuth {
  if (clientSecret === null) return oauth.None();
  const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  if (methods.includes('client_secret_basic')) return oauth.ClientSecretBasic(clientSecret);
  if (methods.includes('client_secret_post')) return oauth.ClientSecretPost(clientSecret);
  throw new CredentialsError(
    'discovery',
    'issuer metadata: expected client_secret_basic or client_secret_post, got neither',
  );
}

function requireEndpoint(url: string | undefined, name: string): string {
  if (typeof url === 'string' && URL.canParse(url)) return url;
  throw new CredentialsError('discovery', `issuer metadata: expected a URL in ${name}, got none`);
}

function checkScopes(
  grantedText: string | undefined,
  requested: readonly string[],
  accept: OAuthOptions['acceptScopes'],
): void {
  // A server that says nothing granted what was asked for (RFC 6749, section 5.1).
  const granted = grantedText === undefined ? requested : grantedText.split(' ').filter((scope) => scope !== '');
  const accepted = accept === undefined ? isExactly(granted, requested) : accept(granted, requested);
  if (!accepted) throw new CredentialsError('scope', 'token endpoint: expected the requested scopes, got others');
}

function isExactly(granted: readonly string[], requested: readonly string[]): boolean {
  if (requested.length === 0) return true;
  return requested.every((scope) => granted.includes(scope)) && granted.every((scope) => requested.includes(scope));
}

function asTokenError(error: unknown): CredentialsError {
  if (error instanceof oauth.ResponseBodyError) {
    const oauthError = knownOAuthError(error.error);
    const said = oauthError ?? `an error with status ${error.status}`;
    return new CredentialsError('token', `token endpoint: expected a token, got ${said}`, { oauthError });
  }
  if (error instanceof oauth.OperationProcessingError || error instanceof oauth.UnsupportedOperationError) {
    if (error.code === oauth.HTTP_REQUEST_FORBIDDEN) {
      return new CredentialsError('destination', 'discovered URL: expected https, got plain http');
    }
    return new CredentialsError('token', 'token endpoint: expected a token response, got another');
  }
  return asCredentialsError(error);
}

function asAuthorizationError(error: unknown): CredentialsError {
  if (error instanceof oauth.AuthorizationResponseError) {
    const oauthError = knownOAuthError(error.error);
    const said = oauthError ?? 'an error';
    return new CredentialsError('authorization', `authorization: expected a code, got ${said}`, { oauthError });
  }
  const isIssuer = error instanceof Error && error.message.includes('"iss"');
  return isIssuer
    ? new CredentialsError('issuer', 'authorization: expected a response of the issuer, got one of another')
    : new CredentialsError('authorization', 'authorization: expected a response with our state, got another');
}

function knownOAuthError(text: string): string | null {
  return OAUTH_ERRORS.has(text) ? text : null;
}
