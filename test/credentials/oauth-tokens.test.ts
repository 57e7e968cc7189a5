import { describe, expect, it } from 'vitest';
import {
  type AuthorizationPrompt,
  createMemoryRefreshTokenStore,
  createOAuthCredentials,
  type CredentialRequest,
  type OAuthBinding,
  type OAuthOptions,
} from '../../runtime/credentials/index.js';
import { barrier } from '../support/barrier.js';
import { credentialsErrorOf, printed } from './support/expect-credentials-error.js';
import { buildOAuthWorld, type OAuthWorld, type Reply, type Route, serveIssuer } from './support/oauth-world.js';

const binding: OAuthBinding = {
  type: 'oauth',
  resource: 'https://api.example/hooks',
  issuer: 'https://id.example',
  clientId: 'client 1',
  flow: 'client_credentials',
  clientSecretRef: 'secret',
};
const codeBinding: OAuthBinding = { ...binding, flow: 'authorization_code_pkce', scopes: ['hooks:read'] };

function requestOf(more: Partial<CredentialRequest> = {}): CredentialRequest {
  const signal = new AbortController().signal;
  return { endpoint: 'https://api.example/hooks', purpose: 'event', signal, ...more };
}

function providerOf(world: OAuthWorld, options: OAuthOptions = {}) {
  return createOAuthCredentials({ ...world.network, readReference: () => 'client-s3cr3t', ...options });
}

/** Issues `tok-1`, `tok-2`, … */
function issuing(more: object = {}): Route {
  let count = 0;
  return () => ({ body: { access_token: `tok-${++count}`, token_type: 'Bearer', expires_in: 3600, ...more } });
}

/** A user who agrees: what the authorization server would send the browser back with. */
function agreeing(prompts: AuthorizationPrompt[] = []): Pick<OAuthOptions, 'authorize' | 'redirectUri'> {
  return {
    redirectUri: 'https://app.example/back',
    authorize: (prompt) => {
      prompts.push(prompt);
      const state = new URL(prompt.url).searchParams.get('state') ?? '';
      return `https://app.example/back?code=code-s3cr3t&state=${state}`;
    },
  };
}

describe('§6 client credentials', () => {
  it("send the resource, the scopes and the client's secret, once for many callers", async () => {
    const world = await buildOAuthWorld();
    serveIssuer(world, issuing({ scope: 'hooks:write hooks:read' }));
    const provider = providerOf(world);
    const scoped = { ...binding, scopes: ['hooks:read', 'hooks:write'] };
    const results = await Promise.all(Array.from({ length: 20 }, () => provider.resolve(scoped, requestOf())));
    expect(new Set(results.map((result) => result?.token))).toEqual(new Set(['tok-1']));
    const [request, ...others] = world.at('id.example', '/token');
    expect(others).toEqual([]);
    expect(Object.fromEntries(request?.form ?? [])).toEqual({
      grant_type: 'client_credentials',
      resource: 'https://api.example/hooks',
      scope: 'hooks:read hooks:write',
    });
    expect(request?.headers.authorization).toBe(`Basic ${Buffer.from('client+1:client%2Ds3cr3t').toString('base64')}`);
  });

  it('send the secret in the body where the server knows no other way, and nowhere when it knows neither', async () => {
    const world = await buildOAuthWorld();
    serveIssuer(world, issuing(), { token_endpoint_auth_methods_supported: ['client_secret_post'] });
    await providerOf(world).resolve(binding, requestOf());
    expect(world.at('id.example', '/token')[0]?.form.get('client_secret')).toBe('client-s3cr3t');
    expect(world.at('id.example', '/token')[0]?.headers.authorization).toBeUndefined();
    serveIssuer(world, issuing(), { token_endpoint_auth_methods_supported: ['private_key_jwt'] });
    await credentialsErrorOf(providerOf(world).resolve(binding, requestOf()), 'discovery');
    expect(world.at('id.example', '/token')).toHaveLength(1);
  });

  it("drop the line end of a secret's file, and are refused without a usable secret before anything is sent", async () => {
    const world = await buildOAuthWorld();
    serveIssuer(world, issuing());
    await providerOf(world, { readReference: () => 'client-s3cr3t\n' }).resolve(binding, requestOf());
    expect(world.at('id.example', '/token')[0]?.headers.authorization).toContain(
      Buffer.from('client+1:client%2Ds3cr3t').toString('base64'),
    );
    const sent = world.seen.length;
    const { readReference: _none, ...bare } = { ...world.network, readReference: () => '' };
    await credentialsErrorOf(createOAuthCredentials(bare).resolve(binding, requestOf()), 'configuration');
    await credentialsErrorOf(
      providerOf(world, { readReference: () => null }).resolve(binding, requestOf()),
      'unavailable',
    );
    const broken = providerOf(world, { readReference: () => 'client-s3cr3t\r\nx: y' });
    const error = await credentialsErrorOf(broken.resolve(binding, requestOf()), 'malformed');
    expect(printed(error)).not.toContain('client-s3cr3t');
    expect(world.seen).toHaveLength(sent);
    const { clientSecretRef: _gone, ...secretless } = binding;
    await credentialsErrorOf(providerOf(world).resolve(secretless, requestOf()), 'configuration');
    expect(world.at('id.example', '/token')).toHaveLength(1);
  });

  it('answer no other binding', async () => {
    const world = await buildOAuthWorld();
    expect(await providerOf(world).resolve({ type: 'bearer', tokenEnv: 'T' }, requestOf())).toBeNull();
    expect(world.seen).toEqual([]);
  });
});

describe("§6 the host's issuer and scope policy", () => {
  it('refuses issuers and requested scopes before anything is sent', async () => {
    const world = await buildOAuthWorld();
    serveIssuer(world, issuing());
    const picky = providerOf(world, { allowIssuer: (issuer) => issuer === 'https://other.example' });
    await credentialsErrorOf(picky.resolve(binding, requestOf()), 'policy');
    const narrow = providerOf(world, { allowedScopes: ['hooks:read'] });
    const greedy = { ...binding, scopes: ['hooks:read', 'admin'] };
    await credentialsErrorOf(narrow.resolve(greedy, requestOf()), 'policy');
    expect(world.seen).toEqual([]);
    expect(await narrow.resolve({ ...binding, scopes: ['hooks:read'] }, requestOf())).toEqual({ token: 'tok-1' });
  });

  const granted: readonly (readonly [readonly string[], string | undefined, boolean])[] = [
    [['a', 'b'], undefined, true],
    [['a', 'b'], 'a b', true],
    [['a', 'b'], 'b a', true],
    [['a', 'b'], 'a', false],
    [['a', 'b'], 'a b admin', false],
    [['a', 'b'], '', false],
    [[], 'whatever', true],
  ];
  it.each(granted)('requested %j, granted %j: accepted %s', async (scopes, scope, accepted) => {
    const world = await buildOAuthWorld();
    serveIssuer(world, issuing({ scope }));
    const promise = providerOf(world).resolve({ ...binding, scopes: [...scopes] }, requestOf());
    if (accepted) expect(await promise).toEqual({ token: 'tok-1' });
    else await credentialsErrorOf(promise, 'scope');
  });

  it('may judge granted scopes itself', async () => {
    const world = await buildOAuthWorld();
    serveIssuer(world, issuing({ scope: 'a admin' }));
    const judged: unknown[] = [];
    const acceptScopes = (...lists: unknown[]): boolean => judged.push(lists) > 1;
    const provider = providerOf(world, { acceptScopes });
    await credentialsErrorOf(provider.resolve({ ...binding, scopes: ['a'] }, requestOf()), 'scope');
    expect(await provider.resolve({ ...binding, scopes: ['a'] }, requestOf())).toEqual({ token: 'tok-2' });
    expect(judged[0]).toEqual([['a', 'admin'], ['a']]);
  });
});

describe('§6 token caches', () => {
  it('are apart by purpose, issuer, resource, client, secret, flow and scopes, and by nothing else', async () => {
    const world = await buildOAuthWorld();
    serveIssuer(world, issuing());
    const provider = providerOf(world, { ...agreeing(), acceptScopes: () => true });
    world.routes.set('id.example /.well-known/oauth-authorization-server/t1', () => ({
      body: { issuer: 'https://id.example/t1', token_endpoint: 'https://id.example/token' },
    }));
    const bindings: OAuthBinding[] = [
      binding,
      { ...binding, resource: 'https://api.example/other' },
      { ...binding, clientId: 'client 2' },
      { ...binding, clientSecretRef: 'another' },
      { ...binding, scopes: ['a', 'b'] },
      { ...binding, scopes: ['a b'] },
      { ...binding, issuer: 'https://id.example/t1' },
      codeBinding,
    ];
    const tokens: (string | undefined)[] = [];
    for (const one of bindings) {
      for (const purpose of ['event', 'upload'] as const) {
        tokens.push((await provider.resolve(one, requestOf({ purpose })))?.token);
      }
    }
    expect(new Set(tokens).size).toBe(16);
    const same = { ...binding, scopes: ['b', 'a'], note: 'ignored' };
    expect(await provider.resolve(same, requestOf({ endpoint: 'https://api.example/else' }))).toEqual({
      token: tokens[8],
    });
    expect(await provider.resolve(binding, requestOf())).toEqual({ token: tokens[0] });
  });

  it('let go of a token before it expires, with a margin', async () => {
    const world = await buildOAuthWorld();
    serveIssuer(world, issuing({ expires_in: 60 }));
    let now = 0;
    const provider = providerOf(world, { now: () => now });
    const token = async (): Promise<string | undefined> => (await provider.resolve(binding, requestOf()))?.token;
    expect(await token()).toBe('tok-1');
    now = 49_999;
    expect(await token()).toBe('tok-1');
    now = 50_000;
    expect(await token()).toBe('tok-2');
  });

  it('keep a token without an end until it is refused', async () => {
    const world = await buildOAuthWorld();
    serveIssuer(world, issuing({ expires_in: undefined }));
    let now = 0;
    const provider = providerOf(world, { now: () => now });
    await provider.resolve(binding, requestOf());
    now = 1e12;
    expect(await provider.resolve(binding, requestOf())).toEqual({ token: 'tok-1' });
    const rejected = { token: 'tok-1', challenge: null };
    expect(await provider.resolve(binding, requestOf({ rejected }))).toEqual({ token: 'tok-2' });
  });

  it('fetch one token for many callers whose token was refused, and none for the late ones', async () => {
    const world = await buildOAuthWorld();
    serveIssuer(world, issuing());
    const provider = providerOf(world);
    await provider.resolve(binding, requestOf());
    const rejected = { token: 'tok-1', challenge: null };
    const tokens = await Promise.all(
      Array.from({ length: 10 }, () => provider.resolve(binding, requestOf({ rejected }))),
    );
    tokens.push(await provider.resolve(binding, requestOf({ rejected })));
    expect(new Set(tokens.map((found) => found?.token))).toEqual(new Set(['tok-2']));
    expect(world.at('id.example', '/token')).toHaveLength(2);
  });

  it('share a failure among the callers that waited for it, and remember none', async () => {
    const world = await buildOAuthWorld();
    let count = 0;
    serveIssuer(world, (): Reply => {
      count += 1;
      if (count === 1) return { status: 503, body: {} };
      return { body: { access_token: 'tok-1', token_type: 'Bearer' } };
    });
    const provider = providerOf(world);
    await Promise.all([1, 2, 3].map(() => credentialsErrorOf(provider.resolve(binding, requestOf()), 'token')));
    expect(count).toBe(1);
    expect(await provider.resolve(binding, requestOf())).toEqual({ token: 'tok-1' });
  });
});

describe('§6 refreshes', () => {
  /** A token endpoint that takes each refresh token once. */
  function rotating(): { route: Route; refreshes: (string | null)[] } {
    let number = 0;
    let valid = '';
    const refreshes: (string | null)[] = [];
    const issue = (): Reply => {
      number += 1;
      valid = `R${number}`;
      const body = { access_token: `tok-${number}`, token_type: 'Bearer', expires_in: 60, refresh_token: valid };
      return { body };
    };
    const route: Route = ({ form }) => {
      if (form.get('grant_type') !== 'refresh_token') return issue();
      refreshes.push(form.get('refresh_token'));
      if (form.get('refresh_token') !== valid) return { status: 400, body: { error: 'invalid_grant' } };
      return issue();
    };
    return { route, refreshes };
  }

  it('of five callers at once are one request, and keep the token that it won', async () => {
    const world = await buildOAuthWorld();
    const { route, refreshes } = rotating();
    serveIssuer(world, route);
    let now = 0;
    const refreshTokens = createMemoryRefreshTokenStore();
    const prompts: AuthorizationPrompt[] = [];
    const provider = providerOf(world, { ...agreeing(prompts), now: () => now, refreshTokens });
    await provider.resolve(codeBinding, requestOf());
    now = 60_000;
    const results = await Promise.all(Array.from({ length: 5 }, () => provider.resolve(codeBinding, requestOf())));
    expect(results.map((result) => result?.token)).toEqual(Array(5).fill('tok-2'));
    expect(refreshes).toEqual(['R1']);
    expect(prompts).toHaveLength(1);
    now = 120_000;
    expect(await provider.resolve(codeBinding, requestOf())).toEqual({ token: 'tok-3' });
    expect(refreshes).toEqual(['R1', 'R2']);
  });

  it('that the network breaks fail the calls and lose no token', async () => {
    const world = await buildOAuthWorld();
    const { route, refreshes } = rotating();
    let broken = false;
    serveIssuer(world, (request) => (broken ? 'reset' : route(request)));
    let now = 0;
    const prompts: AuthorizationPrompt[] = [];
    const provider = providerOf(world, { ...agreeing(prompts), now: () => now });
    await provider.resolve(codeBinding, requestOf());
    now = 60_000;
    broken = true;
    const calls = Array.from({ length: 5 }, () =>
      credentialsErrorOf(provider.resolve(codeBinding, requestOf()), 'connection'),
    );
    await Promise.all(calls);
    expect(world.at('id.example', '/token')).toHaveLength(2);
    broken = false;
    expect(await provider.resolve(codeBinding, requestOf())).toEqual({ token: 'tok-2' });
    expect(refreshes).toEqual(['R1']);
    expect(prompts).toHaveLength(1);
  });

  it.each([500, 503, 429])('that are answered %i lose no token', async (status) => {
    const world = await buildOAuthWorld();
    const { route, refreshes } = rotating();
    let broken = false;
    serveIssuer(world, (request) => (broken ? { status, body: { error: 'temporarily_unavailable' } } : route(request)));
    let now = 0;
    const provider = providerOf(world, { ...agreeing(), now: () => now });
    await provider.resolve(codeBinding, requestOf());
    now = 60_000;
    broken = true;
    const error = await credentialsErrorOf(provider.resolve(codeBinding, requestOf()), 'token');
    expect(error.oauthError).toBe(status === 429 ? 'temporarily_unavailable' : null);
    broken = false;
    await provider.resolve(codeBinding, requestOf());
    expect(refreshes).toEqual(['R1']);
  });

  it('that the server knows no more lead to a new authorization', async () => {
    const world = await buildOAuthWorld();
    const { route } = rotating();
    let forgotten = false;
    serveIssuer(world, (request) => {
      const isRefresh = request.form.get('grant_type') === 'refresh_token';
      return forgotten && isRefresh ? { status: 400, body: { error: 'invalid_grant' } } : route(request);
    });
    let now = 0;
    const prompts: AuthorizationPrompt[] = [];
    const provider = providerOf(world, { ...agreeing(prompts), now: () => now });
    await provider.resolve(codeBinding, requestOf());
    now = 60_000;
    forgotten = true;
    expect(await provider.resolve(codeBinding, requestOf())).toEqual({ token: 'tok-2' });
    expect(prompts).toHaveLength(2);
  });

  it('take the token that another process stored meanwhile, instead of wiping it', async () => {
    const world = await buildOAuthWorld();
    const { route, refreshes } = rotating();
    serveIssuer(world, route);
    let now = 0;
    const stored = new Map<string, string>();
    const refreshTokens = {
      get: (key: string) => stored.get(key) ?? null,
      set: (key: string, token: string) => void stored.set(key, token),
      delete: (key: string, token: string) => {
        if (stored.get(key) === token) stored.delete(key);
      },
    };
    const prompts: AuthorizationPrompt[] = [];
    const options = { ...agreeing(prompts), now: () => now, refreshTokens };
    const [ours, theirs] = [providerOf(world, options), providerOf(world, options)];
    await ours.resolve(codeBinding, requestOf());
    now = 60_000;
    expect(await theirs.resolve(codeBinding, requestOf())).toEqual({ token: 'tok-2' });
    // Ours read R1 just before theirs replaced it.
    const stale = { ...refreshTokens, get: stalingOnce(stored, 'R1') };
    const loser = providerOf(world, { ...options, refreshTokens: stale });
    expect(await loser.resolve(codeBinding, requestOf())).toEqual({ token: 'tok-3' });
    expect(refreshes).toEqual(['R1', 'R1', 'R2']);
    expect([...stored.values()]).toEqual(['R3']);
    expect(prompts).toHaveLength(1);
  });

  it('delete from the memory store only the token that failed', async () => {
    const store = createMemoryRefreshTokenStore();
    await store.set('key', 'R2');
    await store.delete('key', 'R1');
    expect(await store.get('key')).toBe('R2');
    await store.delete('key', 'R2');
    expect(await store.get('key')).toBeNull();
  });

  function stalingOnce(stored: Map<string, string>, old: string): (key: string) => string | null {
    let reads = 0;
    return (key) => {
      reads += 1;
      return reads === 1 ? old : (stored.get(key) ?? null);
    };
  }

  it('keep a refresh token that the server did not replace, and send the resource', async () => {
    const world = await buildOAuthWorld();
    let count = 0;
    serveIssuer(world, ({ form }) => {
      count += 1;
      const first = form.get('grant_type') === 'authorization_code' ? { refresh_token: 'R1' } : {};
      return { body: { access_token: `tok-${count}`, token_type: 'Bearer', expires_in: 60, ...first } };
    });
    let now = 0;
    const provider = providerOf(world, { ...agreeing(), now: () => now });
    for (const at of [0, 60_000, 120_000]) {
      now = at;
      await provider.resolve(codeBinding, requestOf());
    }
    const forms = world.at('id.example', '/token').map(({ form }) => [form.get('refresh_token'), form.get('resource')]);
    expect(forms).toEqual([
      [null, 'https://api.example/hooks'],
      ['R1', 'https://api.example/hooks'],
      ['R1', 'https://api.example/hooks'],
    ]);
  });

  it('go on when the caller that started them gives up', async () => {
    const world = await buildOAuthWorld();
    const arrived = barrier();
    const gate = barrier();
    serveIssuer(world, async () => {
      arrived.open();
      await gate.promise;
      return { body: { access_token: 'tok-1', token_type: 'Bearer' } };
    });
    const provider = providerOf(world);
    const controller = new AbortController();
    const first = provider.resolve(binding, requestOf({ signal: controller.signal }));
    const second = provider.resolve(binding, requestOf());
    await arrived.promise;
    controller.abort(new Error('deadline'));
    const error = await credentialsErrorOf(first, 'aborted');
    expect(error.cause).toMatchObject({ message: 'deadline' });
    gate.open();
    expect(await second).toEqual({ token: 'tok-1' });
    expect(world.at('id.example', '/token')).toHaveLength(1);
  });
});

describe('§6 authorization code with PKCE', () => {
  it('shows the user a complete URL and redeems the code with verifier and resource', async () => {
    const world = await buildOAuthWorld();
    serveIssuer(world, issuing());
    const prompts: AuthorizationPrompt[] = [];
    const { clientSecretRef: _none, ...publicClient } = codeBinding;
    const token = await providerOf(world, agreeing(prompts)).resolve(publicClient, requestOf({ purpose: 'upload' }));
    expect(token).toEqual({ token: 'tok-1' });
    const [prompt] = prompts;
    expect(prompt).toMatchObject({
      issuer: 'https://id.example',
      resource: 'https://api.example/hooks',
      scopes: ['hooks:read'],
      purpose: 'upload',
      redirectUri: 'https://app.example/back',
    });
    const url = new URL(prompt?.url ?? '');
    expect(`${url.origin}${url.pathname}`).toBe('https://id.example/authorize');
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      response_type: 'code',
      client_id: 'client 1',
      redirect_uri: 'https://app.example/back',
      scope: 'hooks:read',
      resource: 'https://api.example/hooks',
      code_challenge_method: 'S256',
    });
    const [request] = world.at('id.example', '/token');
    expect(request?.form.get('code')).toBe('code-s3cr3t');
    expect(request?.form.get('resource')).toBe('https://api.example/hooks');
    expect(request?.form.get('client_id')).toBe('client 1');
    const digest = await crypto.subtle.digest('SHA-256', Buffer.from(request?.form.get('code_verifier') ?? ''));
    expect(Buffer.from(digest).toString('base64url')).toBe(url.searchParams.get('code_challenge'));
  });

  it('keeps the query of an authorization endpoint', async () => {
    const world = await buildOAuthWorld();
    serveIssuer(world, issuing(), { authorization_endpoint: 'https://id.example/authorize?tenant=a' });
    const prompts: AuthorizationPrompt[] = [];
    await providerOf(world, agreeing(prompts)).resolve(codeBinding, requestOf());
    expect(new URL(prompts[0]?.url ?? '').searchParams.get('tenant')).toBe('a');
  });

  const answers: readonly (readonly [string, (state: string) => string, string])[] = [
    ['another state', () => '?code=code-s3cr3t&state=other', 'authorization'],
    ['no state', () => '?code=code-s3cr3t', 'authorization'],
    ['no code', (state) => `?state=${state}`, 'token'],
    ['an error', (state) => `?error=access_denied&error_description=text-s3cr3t&state=${state}`, 'authorization'],
    ['an unknown error', (state) => `?error=text-s3cr3t&state=${state}`, 'authorization'],
    ['another issuer', (state) => `?code=code-s3cr3t&state=${state}&iss=https://id.example.evil`, 'issuer'],
  ];
  it.each(answers)('refuses a redirect with %s and sends no code', async (_name, answer, code) => {
    const world = await buildOAuthWorld();
    serveIssuer(world, issuing());
    const authorize = (prompt: AuthorizationPrompt): string =>
      `https://app.example/back${answer(new URL(prompt.url).searchParams.get('state') ?? '')}`;
    const provider = providerOf(world, { redirectUri: 'https://app.example/back', authorize });
    const error = await credentialsErrorOf(provider.resolve(codeBinding, requestOf()), code);
    expect(printed(error)).not.toContain('s3cr3t');
    expect(world.at('id.example', '/token')).toEqual([]);
  });

  it('refuses a response without iss from a server that promises one', async () => {
    const world = await buildOAuthWorld();
    serveIssuer(world, issuing(), { authorization_response_iss_parameter_supported: true });
    await credentialsErrorOf(providerOf(world, agreeing()).resolve(codeBinding, requestOf()), 'issuer');
    expect(world.at('id.example', '/token')).toEqual([]);
  });

  it.each(['https://app.example.evil/back?code=c', 'https://app.example/other?code=c', 'nonsense', ''])(
    'refuses the redirect %j to another place',
    async (answer) => {
      const world = await buildOAuthWorld();
      serveIssuer(world, issuing());
      const provider = providerOf(world, { redirectUri: 'https://app.example/back', authorize: () => answer });
      await credentialsErrorOf(provider.resolve(codeBinding, requestOf()), 'authorization');
      expect(world.at('id.example', '/token')).toEqual([]);
    },
  );

  it('asks one user once for many callers, and fails them all when he declines', async () => {
    const world = await buildOAuthWorld();
    serveIssuer(world, issuing());
    let asked = 0;
    const authorize = (): Promise<string> => {
      asked += 1;
      return Promise.reject(new Error('window closed'));
    };
    const provider = providerOf(world, { redirectUri: 'https://app.example/back', authorize });
    await Promise.all(
      [1, 2, 3].map(() => credentialsErrorOf(provider.resolve(codeBinding, requestOf()), 'authorization')),
    );
    expect(asked).toBe(1);
  });

  it('needs the callback, the redirect URI and PKCE by S256', async () => {
    const world = await buildOAuthWorld();
    serveIssuer(world, issuing());
    await credentialsErrorOf(providerOf(world).resolve(codeBinding, requestOf()), 'configuration');
    for (const methods of [undefined, [], ['plain']]) {
      serveIssuer(world, issuing(), { code_challenge_methods_supported: methods });
      await credentialsErrorOf(providerOf(world, agreeing()).resolve(codeBinding, requestOf()), 'discovery');
    }
    expect(world.at('id.example', '/token')).toEqual([]);
  });

  it('ends with its own time-out, and with close()', async () => {
    const world = await buildOAuthWorld();
    serveIssuer(world, issuing());
    const asked = barrier<AbortSignal>();
    const authorize = ({ signal }: AuthorizationPrompt): Promise<string> => {
      asked.open(signal);
      return new Promise(() => {});
    };
    const redirectUri = 'https://app.example/back';
    const silent = { redirectUri, authorize: () => new Promise<string>(() => {}), authorizationTimeoutMs: 40 };
    await credentialsErrorOf(providerOf(world, silent).resolve(codeBinding, requestOf()), 'aborted');
    const closing = providerOf(world, { redirectUri, authorize });
    const pending = closing.resolve(codeBinding, requestOf());
    const signal = await asked.promise;
    expect(signal.aborted).toBe(false);
    closing.close();
    expect(signal.aborted).toBe(true);
    await credentialsErrorOf(pending, 'aborted');
    await credentialsErrorOf(closing.resolve(codeBinding, requestOf()), 'aborted');
  });
});

describe('§6 what a token endpoint may answer', () => {
  const refused: readonly (readonly [string, Reply | 'reset', string])[] = [
    ['a redirect', { status: 307, headers: { location: 'https://other.example/token' } }, 'token'],
    ['no JSON', { body: 'text-s3cr3t' }, 'token'],
    ['HTML', { headers: { 'content-type': 'text/html' }, body: 'text-s3cr3t' }, 'token'],
    ['no token', { body: { token_type: 'Bearer', note: 'text-s3cr3t' } }, 'token'],
    ['an empty token', { body: { access_token: '', token_type: 'Bearer' } }, 'token'],
    ['a token that is a number', { body: { access_token: 5, token_type: 'Bearer' } }, 'token'],
    ['no type', { body: { access_token: 'text-s3cr3t' } }, 'token'],
    ['a token of another type', { body: { access_token: 'text-s3cr3t', token_type: 'mac' } }, 'token'],
    ['a token that needs a proof', { body: { access_token: 'text-s3cr3t', token_type: 'DPoP' } }, 'token'],
    ['a negative life', { body: { access_token: 'text-s3cr3t', token_type: 'Bearer', expires_in: -5 } }, 'token'],
    ['a token with a line end', { body: { access_token: 'text-s3cr3t\r\nx: y', token_type: 'Bearer' } }, 'malformed'],
    [
      'a token with a line end at its end',
      { body: { access_token: 'text-s3cr3t\n', token_type: 'Bearer' } },
      'malformed',
    ],
    ['an error', { status: 400, body: { error: 'invalid_target', error_description: 'text-s3cr3t' } }, 'token'],
    ['an error of its own', { status: 400, body: { error: 'text-s3cr3t' } }, 'token'],
    [
      '401',
      { status: 401, headers: { 'www-authenticate': 'Basic realm="text-s3cr3t"' }, body: { error: 'invalid_client' } },
      'token',
    ],
    ['a broken connection', 'reset', 'connection'],
    ['too much', { body: { access_token: 'text-s3cr3t'.repeat(40_000), token_type: 'Bearer' } }, 'discovery'],
  ];
  it.each(refused)('%s is refused, is followed nowhere, and shows in no error', async (_name, reply, code) => {
    const world = await buildOAuthWorld();
    serveIssuer(world, () => reply);
    world.routes.set('other.example /token', issuing());
    const error = await credentialsErrorOf(providerOf(world).resolve(binding, requestOf()), code);
    expect(printed(error)).not.toContain('s3cr3t');
    expect(world.at('other.example', '/token')).toEqual([]);
    expect(world.at('id.example', '/token')).toHaveLength(1);
  });

  it('tells the registered error codes', async () => {
    const world = await buildOAuthWorld();
    serveIssuer(world, () => ({ status: 400, body: { error: 'invalid_target' } }));
    const error = await credentialsErrorOf(providerOf(world).resolve(binding, requestOf()), 'token');
    expect(error.oauthError).toBe('invalid_target');
    expect(error.message).toBe('token endpoint: expected a token, got invalid_target');
  });

  it('a silence ends with the time-out of one exchange', async () => {
    const world = await buildOAuthWorld();
    serveIssuer(world, () => new Promise(() => {}));
    const provider = providerOf(world, { exchangeTimeoutMs: 50 });
    const error = await credentialsErrorOf(provider.resolve(binding, requestOf()), 'connection');
    expect(error.message).toBe('exchange: expected an answer within 50 ms');
  });
});
