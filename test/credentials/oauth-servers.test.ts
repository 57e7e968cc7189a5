import { createServer, type Server } from 'node:https';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OAuth2Server } from 'oauth2-mock-server';
import Provider, { errors } from 'oidc-provider';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { uploadContent } from '../../runtime/content/index.js';
import {
  type AuthorizationPrompt,
  createOAuthCredentials,
  type OAuthBinding,
  type OAuthOptions,
} from '../../runtime/credentials/index.js';
import { createHttpClient, parseEndpoint } from '../../runtime/net/index.js';
import { createAuthority } from '../support/certificates.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { receiptOf } from '../content/support/raw-receiver.js';
import { credentialsErrorOf, printed } from './support/expect-credentials-error.js';

const authority = createAuthority();
const identity = authority.issue('localhost', ['localhost', '127.0.0.1']);
const tls = { ca: authority.cert };
const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  closing.push(async () => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });
  return (server.address() as AddressInfo).port;
}

function claimsOf(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8')) as Record<string, unknown>;
}

const request = {
  endpoint: 'https://localhost/hooks',
  purpose: 'event' as const,
  signal: new AbortController().signal,
};

describe('against oauth2-mock-server: authorization code with PKCE', () => {
  async function startIssuer(): Promise<OAuth2Server> {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'key.pem'), identity.key);
    writeFileSync(join(folder, 'cert.pem'), identity.cert);
    const server = new OAuth2Server(join(folder, 'key.pem'), join(folder, 'cert.pem'));
    await server.issuer.keys.generate('RS256');
    await server.start(0, 'localhost');
    closing.push(() => server.stop());
    return server;
  }

  /** What a browser does: it opens the URL and is sent back. */
  async function browse({ url, signal }: AuthorizationPrompt): Promise<string> {
    const client = createHttpClient({ tls });
    const endpoint = parseEndpoint(url);
    const response = await client.exchange({ endpoint, method: 'GET', headers: [], maxResponseBytes: 10_000, signal });
    client.close();
    return response.headers.find(([name]) => name.toLowerCase() === 'location')?.[1] ?? '';
  }

  function bindingOf(server: OAuth2Server): OAuthBinding {
    return {
      type: 'oauth',
      resource: 'urn:example:hooks',
      issuer: server.issuer.url ?? '',
      clientId: 'public-client',
      flow: 'authorization_code_pkce',
      scopes: ['hooks'],
    };
  }

  it('discovers, authorizes, redeems, and refreshes after expiry and after a refusal', async () => {
    const server = await startIssuer();
    const granted: unknown[] = [];
    let issued = 0;
    server.service.on(
      'beforeResponse',
      (response: { body: Record<string, unknown> }, incoming: IncomingMessage & { body: Record<string, string> }) => {
        issued += 1;
        granted.push(incoming.body.grant_type);
        response.body = {
          ...response.body,
          access_token: `tok-${issued}`,
          refresh_token: `R${issued}`,
          scope: 'hooks',
          id_token: undefined,
        };
      },
    );
    let now = 0;
    let prompts = 0;
    const provider = createOAuthCredentials({
      tls,
      allowLoopback: true,
      now: () => now,
      redirectUri: 'https://localhost/back',
      authorize: (prompt) => {
        prompts += 1;
        return browse(prompt);
      },
    });
    const binding = bindingOf(server);
    const tokens = await Promise.all([1, 2, 3].map(() => provider.resolve(binding, request)));
    expect(tokens).toEqual(Array(3).fill({ token: 'tok-1' }));
    now = 3_600_000;
    expect(await provider.resolve(binding, request)).toEqual({ token: 'tok-2' });
    const rejected = { token: 'tok-2', challenge: 'Bearer error="invalid_token"' };
    expect(await provider.resolve(binding, { ...request, rejected })).toEqual({ token: 'tok-3' });
    expect(granted).toEqual(['authorization_code', 'refresh_token', 'refresh_token']);
    expect(prompts).toBe(1);
    provider.close();
  });

  it('checks the id token that comes along: another issuer is refused', async () => {
    const server = await startIssuer();
    server.service.on('beforeTokenSigning', (token: { payload: Record<string, unknown> }) => {
      token.payload.iss = 'https://id.example.evil';
      token.payload.aud = 'public-client';
    });
    const provider = createOAuthCredentials({
      tls,
      allowLoopback: true,
      redirectUri: 'https://localhost/back',
      authorize: browse,
    });
    const binding = { ...bindingOf(server), scopes: ['openid'] };
    const error = await credentialsErrorOf(provider.resolve(binding, request), 'token');
    expect(printed(error)).not.toContain('evil');
    provider.close();
  });

  it('refuses an issuer that calls itself otherwise, before any token request', async () => {
    const server = await startIssuer();
    const binding = bindingOf(server);
    let tokens = 0;
    server.service.on('beforeResponse', () => {
      tokens += 1;
    });
    server.issuer.url = 'https://id.example.evil';
    const provider = createOAuthCredentials({
      tls,
      allowLoopback: true,
      redirectUri: 'https://localhost/back',
      authorize: browse,
    });
    await credentialsErrorOf(provider.resolve(binding, request), 'issuer');
    expect(tokens).toBe(0);
    provider.close();
  });

  it('goes nowhere without leave for loopback', async () => {
    const server = await startIssuer();
    const provider = createOAuthCredentials({ tls, redirectUri: 'https://localhost/back', authorize: browse });
    await credentialsErrorOf(provider.resolve(bindingOf(server), request), 'destination');
    provider.close();
  });
});

describe('against oidc-provider: client credentials with resource indicators', () => {
  const logical = 'urn:example:hooks';

  async function startIssuer(resource = logical, ttlSeconds = 600): Promise<string> {
    // It warns of its development keys, which are what a test wants.
    vi.spyOn(console, 'warn').mockImplementation(() => {});
    vi.spyOn(console, 'info').mockImplementation(() => {});
    const server = createServer({ ...identity });
    const port = await listen(server);
    const issuer = `https://localhost:${port}`;
    const provider = new Provider(issuer, {
      clients: [
        {
          client_id: 'hook-client',
          client_secret: 'client-s3cr3t/+ %:',
          grant_types: ['client_credentials'],
          redirect_uris: [],
          response_types: [],
        },
      ],
      scopes: ['hooks:read', 'hooks:write'],
      ttl: { ClientCredentials: () => ttlSeconds },
      features: {
        devInteractions: { enabled: false },
        clientCredentials: { enabled: true },
        resourceIndicators: {
          enabled: true,
          getResourceServerInfo: (_ctx, indicator) => {
            if (indicator !== resource) throw new errors.InvalidTarget();
            return {
              scope: 'hooks:read hooks:write',
              audience: indicator,
              accessTokenFormat: 'jwt',
              accessTokenTTL: ttlSeconds,
              jwt: { sign: { alg: 'RS256' } },
            };
          },
        },
      },
    });
    server.on('request', provider.callback());
    vi.restoreAllMocks();
    return issuer;
  }

  function bindingOf(issuer: string, more: object = {}): OAuthBinding {
    return {
      type: 'oauth',
      resource: logical,
      issuer,
      clientId: 'hook-client',
      clientSecretRef: 'secret',
      flow: 'client_credentials',
      scopes: ['hooks:read'],
      ...more,
    };
  }

  function providerOf(secret = 'client-s3cr3t/+ %:', more: OAuthOptions = {}) {
    const provider = createOAuthCredentials({ tls, allowLoopback: true, readReference: () => secret, ...more });
    closing.push(async () => provider.close());
    return provider;
  }

  it('gets a token for the resource, with the scopes asked for', async () => {
    const issuer = await startIssuer();
    const token = await providerOf().resolve(bindingOf(issuer), request);
    const claims = claimsOf(token?.token ?? '');
    expect(claims).toMatchObject({ iss: issuer, aud: logical, client_id: 'hook-client', scope: 'hooks:read' });
  });

  it('is refused for another resource, scope, client or secret, and quotes none of it', async () => {
    const issuer = await startIssuer();
    const wrong: readonly (readonly [object, string])[] = [
      [{ resource: 'urn:example:other' }, 'invalid_target'],
      [{ clientId: 'other' }, 'invalid_client'],
    ];
    for (const [more, oauthError] of wrong) {
      const error = await credentialsErrorOf(providerOf().resolve(bindingOf(issuer, more), request), 'token');
      expect(error.oauthError).toBe(oauthError);
      expect(printed(error)).not.toContain('s3cr3t');
    }
    const greedy = bindingOf(issuer, { scopes: ['hooks:read', 'hooks:admin'] });
    await credentialsErrorOf(providerOf().resolve(greedy, request), 'scope');
    await credentialsErrorOf(providerOf('wrong-s3cr3t').resolve(bindingOf(issuer), request), 'token');
  });

  it('lets an upload in, and gets it a new token when the receiver refuses the old one', async () => {
    const revoked = new Set<string>();
    const seen: string[] = [];
    const asked: string[] = [];
    const receiver = createServer({ ...identity }, (incoming, response) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => {
        asked.push(incoming.url ?? '');
        if (incoming.url !== '/content') {
          response.writeHead(200, { 'content-type': 'application/json' });
          response.end(JSON.stringify(metadata));
          return;
        }
        const token = (incoming.headers.authorization ?? '').replace(/^Bearer /, '');
        seen.push(token);
        const isGood = token !== '' && claimsOf(token).aud === resource && !revoked.has(token);
        if (!isGood) {
          response.writeHead(401, {
            'www-authenticate': `Bearer error="invalid_token", resource_metadata="https://localhost:${port}/meta"`,
          });
          response.end();
          return;
        }
        response.writeHead(201, { 'content-type': 'application/json' });
        response.end(receiptOf(Buffer.concat(chunks)));
      });
    });
    const port = await listen(receiver);
    const resource = `https://localhost:${port}/content`;
    const issuer = await startIssuer(resource);
    const metadata = { resource, authorization_servers: [issuer] };
    const config = {
      endpoint: `https://localhost:${port}/content`,
      timeoutMs: 20_000,
      maxBytes: 1_000,
      auth: bindingOf(issuer, { resource }),
    };
    const credentials = providerOf();
    const upload = (): Promise<unknown> => uploadContent(config, Buffer.from('hello'), { credentials, tls });
    expect(await upload()).toMatchObject({ size: 5 });
    revoked.add(seen[0] ?? '');
    expect(await upload()).toMatchObject({ size: 5 });
    expect(seen).toHaveLength(3);
    expect(seen[1]).toBe(seen[0]);
    expect(seen[2]).not.toBe(seen[0]);
    expect(asked).toEqual([
      '/.well-known/oauth-protected-resource/content',
      '/content',
      '/content',
      '/meta',
      '/content',
    ]);
  });

  it('gets a new token when the old one expires', async () => {
    const issuer = await startIssuer(logical, 60);
    let now = 0;
    const provider = providerOf(undefined, { now: () => now });
    const first = await provider.resolve(bindingOf(issuer), request);
    expect(await provider.resolve(bindingOf(issuer), request)).toEqual(first);
    now = 60_000;
    expect(await provider.resolve(bindingOf(issuer), request)).not.toEqual(first);
  });
});
