import type { AuthorizationServer } from 'oauth4webapi';
import { armTimeout, linkSignals } from '../net/timers.js';
import { raceAbort } from '../wire/abort.js';
import { readReference } from './bearer.js';
import { CredentialsError } from './errors.js';
import { createOAuthDiscovery } from './oauth-discovery.js';
import { createOAuthGrants, type GrantContext } from './oauth-grants.js';
import { createOAuthHttp } from './oauth-http.js';
import type { OAuthOptions } from './oauth-options.js';
import { createMemoryRefreshTokenStore, type IssuedTokens, TokenSlot } from './oauth-tokens.js';
import { readCredentialText } from './token-text.js';
import type { CredentialProvider, CredentialRequest, OAuthBinding } from './types.js';

/**
 * Resolves `oauth` bindings: metadata discovery (RFC 9728, RFC 8414), client credentials or authorization code with
 * PKCE, the resource indicator of RFC 8707, and refreshes (Semantics §6). Tokens are cached apart by purpose, issuer,
 * resource, client, flow and scopes; callers that ask at once share one acquisition. A challenge may point to resource
 * metadata, which is checked; it never widens the scopes. Rejects with `CredentialsError`; gives null for bindings of
 * another type. `close()` ends what is under way.
 */
export function createOAuthCredentials(options: OAuthOptions = {}): CredentialProvider & { close(): void } {
  requireTimeOuts(options);
  const now = options.now ?? (() => performance.now());
  const closing = new AbortController();
  const http = createOAuthHttp(options, closing.signal);
  const discovery = createOAuthDiscovery(http);
  const grants = createOAuthGrants(http, options, now);
  const store = options.refreshTokens ?? createMemoryRefreshTokenStore();
  const metadataTtlMs = options.metadataTtlMs ?? 3_600_000;
  const authorizationTimeoutMs = options.authorizationTimeoutMs ?? 300_000;
  const slots = new Map<string, TokenSlot>();
  const servers = new Map<string, { readonly server: AuthorizationServer; readonly untilMs: number }>();

  async function findServer(binding: OAuthBinding, challenge: string | null): Promise<AuthorizationServer> {
    const key = JSON.stringify([binding.issuer, binding.resource]);
    const known = servers.get(key);
    const isFresh = known !== undefined && now() < known.untilMs;
    // What a challenge points to is judged anew: a resource may have changed its authorization server.
    if (challenge !== null || !isFresh) await discovery.checkResource(binding, challenge, closing.signal);
    if (isFresh) return known.server;
    const server = await discovery.findServer(binding.issuer, closing.signal);
    servers.set(key, { server, untilMs: now() + metadataTtlMs });
    return server;
  }

  async function readSecret(binding: OAuthBinding, request: CredentialRequest): Promise<string | null> {
    if (binding.clientSecretRef === undefined) return null;
    if (options.readReference === undefined) {
      throw new CredentialsError('configuration', 'client secret: expected the option readReference, got none');
    }
    // The acquisition outlives the caller that happened to start it, and so does its signal.
    const own = { endpoint: request.endpoint, purpose: request.purpose, signal: closing.signal };
    const secret = await readReference(options.readReference, binding.clientSecretRef, own, 'client secret');
    if (secret === null)
      throw new CredentialsError('unavailable', 'client secret: expected one at its reference, got none');
    return secret;
  }

  async function acquire(
    key: string,
    binding: OAuthBinding,
    request: CredentialRequest,
    challenge: string | null,
  ): Promise<IssuedTokens> {
    const clientSecret = await readSecret(binding, request);
    const server = await findServer(binding, challenge);
    const context = { server, binding, clientSecret, purpose: request.purpose, signal: closing.signal };
    const issued = (await refreshStored(key, context)) ?? (await grant(context));
    if (readCredentialText(issued.accessToken, 'token of an authorization server') !== issued.accessToken) {
      throw new CredentialsError('malformed', 'token of an authorization server: expected text without line ends');
    }
    if (issued.refreshToken !== null) await store.set(key, issued.refreshToken);
    return issued;
  }

  /** Null when there is nothing to refresh, or the server no longer knows what we have. */
  async function refreshStored(key: string, context: GrantContext): Promise<IssuedTokens | null> {
    let stored = await store.get(key);
    // Another process that shares the store may win the rotation: its token is then tried, once.
    for (let attempt = 0; stored !== null && attempt < 2; attempt += 1) {
      const refreshToken = stored;
      try {
        return await grants.refresh(context, refreshToken);
      } catch (error) {
        if (!(error instanceof CredentialsError) || error.oauthError !== 'invalid_grant') throw error;
      }
      await store.delete(key, refreshToken);
      stored = await store.get(key);
    }
    return null;
  }

  async function grant(context: GrantContext): Promise<IssuedTokens> {
    if (context.binding.flow === 'client_credentials') return grants.clientCredentials(context);
    const linked = linkSignals([context.signal]);
    const disarm = armTimeout(authorizationTimeoutMs, () => {
      linked.abort(new Error(`authorization: expected an answer within ${authorizationTimeoutMs} ms`));
    });
    try {
      return await grants.authorizationCode({ ...context, signal: linked.signal });
    } finally {
      disarm();
      linked.dispose();
    }
  }

  return {
    async resolve(binding, request) {
      if (binding.type !== 'oauth') return null;
      checkPolicy(binding, options);
      if (closing.signal.aborted) throw closed();
      const key = cacheKey(binding, request);
      let slot = slots.get(key);
      if (slot === undefined) {
        slot = new TokenSlot((challenge) => acquire(key, binding, request, challenge), now);
        slots.set(key, slot);
      }
      try {
        const issued = await raceAbort(slot.get(request.rejected), request.signal);
        return { token: issued.accessToken };
      } catch (error) {
        if (error instanceof CredentialsError) throw error;
        throw new CredentialsError('aborted', 'credential: ended by its signal', { cause: error });
      }
    },
    close() {
      closing.abort(closed());
      http.close();
    },
  };
}

function closed(): CredentialsError {
  return new CredentialsError('aborted', 'credential: expected an open provider, got a closed one');
}

function checkPolicy(binding: OAuthBinding, options: OAuthOptions): void {
  if (options.allowIssuer?.(binding.issuer, binding) === false) {
    throw new CredentialsError('policy', 'issuer: expected one that the host allows, got another');
  }
  const { allowedScopes } = options;
  if (allowedScopes !== undefined && !(binding.scopes ?? []).every((scope) => allowedScopes.includes(scope))) {
    throw new CredentialsError('policy', 'scopes: expected those that the host allows, got others');
  }
}

/** Text that tells caches apart; a list in JSON, so that no member can run into the next. */
function cacheKey(binding: OAuthBinding, request: CredentialRequest): string {
  const scopes = [...(binding.scopes ?? [])].sort();
  const { issuer, resource, clientId, clientSecretRef, flow } = binding;
  return JSON.stringify([request.purpose, issuer, resource, clientId, clientSecretRef ?? null, flow, scopes]);
}

/** Infinity is no time-out at all; 0 and NaN would end everything at once, and are mistakes. */
function requireTimeOuts({ exchangeTimeoutMs, authorizationTimeoutMs }: OAuthOptions): void {
  for (const [name, value] of Object.entries({ exchangeTimeoutMs, authorizationTimeoutMs })) {
    if (value === undefined || value > 0) continue;
    throw new CredentialsError('configuration', `${name}: expected milliseconds above 0, got ${value}`);
  }
}
