import { describe, expect, it } from 'vitest';
import { createOAuthCredentials, type OAuthBinding, type OAuthOptions } from '../../runtime/credentials/index.js';
import { credentialsErrorOf, printed } from './support/expect-credentials-error.js';
import { buildOAuthWorld, type OAuthWorld, type Reply, serveIssuer, serverMetadata } from './support/oauth-world.js';

const binding: OAuthBinding = {
  type: 'oauth',
  resource: 'https://api.example/hooks',
  issuer: 'https://id.example',
  clientId: 'client-1',
  flow: 'client_credentials',
  clientSecretRef: 'secret',
};
const token = { body: { access_token: 'tok-1', token_type: 'Bearer', expires_in: 3600 } };

function resolve(
  world: OAuthWorld,
  { options = {}, changes = {}, challenge }: { options?: OAuthOptions; changes?: object; challenge?: string } = {},
): Promise<unknown> {
  const provider = createOAuthCredentials({ ...world.network, readReference: () => 'client-s3cr3t', ...options });
  const rejected = challenge === undefined ? {} : { rejected: { token: 'old', challenge } };
  const request = {
    endpoint: 'https://api.example/hooks',
    purpose: 'event' as const,
    signal: new AbortController().signal,
    ...rejected,
  };
  return Promise.resolve(provider.resolve({ ...binding, ...changes }, request));
}

describe('§6 discovery of the authorization server (RFC 8414)', () => {
  const paths: readonly (readonly [string, string])[] = [
    ['https://id.example', '/.well-known/oauth-authorization-server'],
    ['https://id.example/', '/.well-known/oauth-authorization-server'],
    ['https://id.example', '/.well-known/openid-configuration'],
    ['https://id.example/t1', '/.well-known/oauth-authorization-server/t1'],
    ['https://id.example/t1', '/.well-known/openid-configuration/t1'],
    ['https://id.example/t1', '/t1/.well-known/openid-configuration'],
  ];
  it.each(paths)('finds %s at %s', async (issuer, path) => {
    const world = await buildOAuthWorld();
    world.routes.set(`id.example ${path}`, () => ({ body: serverMetadata(issuer) }));
    world.routes.set('id.example /token', () => token);
    expect(await resolve(world, { changes: { issuer } })).toEqual({ token: 'tok-1' });
  });

  it('asks the paths in order and stops at the first that answers', async () => {
    const world = await buildOAuthWorld();
    world.routes.set('id.example /t1/.well-known/openid-configuration', () => ({
      body: serverMetadata('https://id.example/t1'),
    }));
    world.routes.set('id.example /token', () => token);
    await resolve(world, { changes: { issuer: 'https://id.example/t1' } });
    expect(world.seen.filter(({ host }) => host === 'id.example').map(({ target }) => target)).toEqual([
      '/.well-known/oauth-authorization-server/t1',
      '/.well-known/openid-configuration/t1',
      '/t1/.well-known/openid-configuration',
      '/token',
    ]);
  });

  const pairs: readonly (readonly [string, string, boolean])[] = [
    ['https://id.example', 'https://id.example/', true],
    ['https://id.example/', 'https://id.example', true],
    ['https://id.example/t1/', 'https://id.example/t1', false],
    ['https://id.example/t1', 'https://id.example/t1/', false],
    ['https://id.example', 'https://id.example.evil/', false],
    ['https://id.example', 'http://id.example', false],
    ['https://id.example', 'https://ID.example', false],
    ['https://id.example', 'https://id.example:443', false],
    ['https://id.example', 'https://id.example/./', false],
    ['https://id.example', 'https://id.example?x', false],
  ];
  it.each(pairs)('configured %s, own name %s: accepted %s', async (issuer, named, accepted) => {
    const world = await buildOAuthWorld();
    const path = new URL(issuer).pathname.replace(/\/$/, '');
    world.routes.set(`id.example /.well-known/oauth-authorization-server${path}`, () => ({
      body: serverMetadata(named),
    }));
    world.routes.set('id.example /token', () => token);
    if (accepted) {
      expect(await resolve(world, { changes: { issuer } })).toEqual({ token: 'tok-1' });
      return;
    }
    await credentialsErrorOf(resolve(world, { changes: { issuer } }), 'issuer');
    expect(world.at('id.example', '/token')).toEqual([]);
  });

  const broken: readonly (readonly [string, Reply])[] = [
    ['a redirect', { status: 302, headers: { location: 'https://id.example/elsewhere' } }],
    ['a server error', { status: 500 }],
    ['HTML', { headers: { 'content-type': 'text/html' }, body: '<p>s3cr3t' }],
    ['no JSON', { body: '{"issuer":' }],
    ['a list', { body: [] }],
    ['no issuer', { body: { token_endpoint: 'https://id.example/token' } }],
    ['too much', { body: { issuer: 'https://id.example', pad: 'x'.repeat(300_000) } }],
  ];
  it.each(broken)('refuses metadata that is %s', async (_name, reply) => {
    const world = await buildOAuthWorld();
    serveIssuer(world, () => token);
    world.routes.set('id.example /.well-known/oauth-authorization-server', () => reply);
    world.routes.set('id.example /elsewhere', () => ({ body: serverMetadata() }));
    const error = await credentialsErrorOf(resolve(world), 'discovery');
    expect(printed(error)).not.toContain('s3cr3t');
    expect(world.at('id.example', '/token')).toEqual([]);
    expect(world.at('id.example', '/elsewhere')).toEqual([]);
  });

  it('refuses an issuer without metadata, and metadata without a token endpoint', async () => {
    const world = await buildOAuthWorld();
    await credentialsErrorOf(resolve(world), 'discovery');
    serveIssuer(world, () => token, { token_endpoint: undefined });
    await credentialsErrorOf(resolve(world), 'discovery');
  });

  it('fetches metadata once for many tokens, and anew when its time is over', async () => {
    const world = await buildOAuthWorld();
    serveIssuer(world, () => ({
      body: { access_token: `t${world.seen.length}`, token_type: 'Bearer', expires_in: 60 },
    }));
    let now = 0;
    const options = { ...world.network, readReference: () => 's', now: () => now, metadataTtlMs: 100_000 };
    const provider = createOAuthCredentials(options);
    const request = {
      endpoint: 'https://api.example/hooks',
      purpose: 'event' as const,
      signal: new AbortController().signal,
    };
    const metadata = (): number => world.at('id.example', '/.well-known/oauth-authorization-server').length;
    await provider.resolve(binding, request);
    now = 60_000;
    await provider.resolve(binding, request);
    expect([metadata(), world.at('id.example', '/token').length]).toEqual([1, 2]);
    now = 120_000;
    await provider.resolve(binding, request);
    expect([metadata(), world.at('id.example', '/token').length]).toEqual([2, 3]);
  });
});

describe('§6 discovery of the resource (RFC 9728)', () => {
  const wellKnown = 'api.example /.well-known/oauth-protected-resource/hooks';
  const good = { resource: 'https://api.example/hooks', authorization_servers: ['https://id.example'] };

  it.each([
    ['https://api.example/hooks', '/.well-known/oauth-protected-resource/hooks'],
    ['https://api.example/hooks/', '/.well-known/oauth-protected-resource/hooks/'],
    ['https://api.example/hooks?tenant=a', '/.well-known/oauth-protected-resource/hooks?tenant=a'],
    ['https://api.example/', '/.well-known/oauth-protected-resource'],
    ['https://api.example', '/.well-known/oauth-protected-resource'],
  ])('looks for %s at %s', async (resource, path) => {
    const world = await buildOAuthWorld();
    serveIssuer(world, () => token);
    world.routes.set(`api.example ${path}`, () => ({ body: { ...good, resource } }));
    expect(await resolve(world, { changes: { resource } })).toEqual({ token: 'tok-1' });
    expect(world.at('api.example', path)).toHaveLength(1);
  });

  it('goes on with the configured issuer when the resource has no metadata, or is no URL', async () => {
    const world = await buildOAuthWorld();
    serveIssuer(world, () => token);
    expect(await resolve(world)).toEqual({ token: 'tok-1' });
    expect(await resolve(world, { changes: { resource: 'urn:example:hooks' } })).toEqual({ token: 'tok-1' });
    expect(world.at('id.example', '/token').map(({ form }) => form.get('resource'))).toEqual([
      'https://api.example/hooks',
      'urn:example:hooks',
    ]);
  });

  it.each([{ status: 401 }, { status: 403 }, { status: 410 }, 'reset' as const])(
    'goes on when the well-known path answers %j, but not when the place that a challenge named does',
    async (reply) => {
      const world = await buildOAuthWorld();
      serveIssuer(world, () => token);
      world.routes.set(wellKnown, () => reply);
      world.routes.set('api.example /meta', () => reply);
      expect(await resolve(world)).toEqual({ token: 'tok-1' });
      const challenge = 'Bearer resource_metadata="https://api.example/meta"';
      const code = reply === 'reset' ? 'connection' : 'discovery';
      await credentialsErrorOf(resolve(world, { challenge }), code);
      expect(world.at('id.example', '/token')).toHaveLength(1);
    },
  );

  const judged: readonly (readonly [string, object, string | null])[] = [
    ['names issuer and resource', good, null],
    [
      'names the issuer among others',
      { ...good, authorization_servers: ['https://x.example', 'https://id.example/'] },
      null,
    ],
    ['names no authorization servers', { resource: good.resource }, null],
    ['names another resource', { ...good, resource: 'https://api.example/other' }, 'resource'],
    ['names a resource with a closing slash', { ...good, resource: 'https://api.example/hooks/' }, 'resource'],
    ['names a resource of another host', { ...good, resource: 'https://other.example/hooks' }, 'resource'],
    ['names another issuer', { ...good, authorization_servers: ['https://id.example.evil/'] }, 'issuer'],
    ['names the issuer over plain http', { ...good, authorization_servers: ['http://id.example'] }, 'issuer'],
    ['names nobody', { ...good, authorization_servers: [] }, 'issuer'],
    ['is no document', { authorization_servers: ['https://id.example'] }, 'discovery'],
  ];
  it.each(judged)('that %s, by its well-known path and by challenge alike', async (_name, body, code) => {
    const challenge = 'Bearer error="invalid_token", resource_metadata="https://api.example/meta"';
    for (const [route, more] of [
      [wellKnown, {}],
      ['api.example /meta', { challenge }],
    ] as const) {
      const world = await buildOAuthWorld();
      serveIssuer(world, () => token);
      world.routes.set(route, () => ({ body }));
      if (code === null) expect(await resolve(world, more)).toEqual({ token: 'tok-1' });
      else await credentialsErrorOf(resolve(world, more), code);
      expect(world.at('id.example', '/token')).toHaveLength(code === null ? 1 : 0);
    }
  });

  it.each([[{ status: 302, headers: { location: 'https://api.example/meta2' } }], [{ status: 500 }], [{ body: 'x' }]])(
    'that answers %j is refused',
    async (reply) => {
      const world = await buildOAuthWorld();
      serveIssuer(world, () => token);
      world.routes.set(wellKnown, () => reply);
      world.routes.set('api.example /meta2', () => ({ body: good }));
      await credentialsErrorOf(resolve(world), 'discovery');
      expect(world.at('id.example', '/token')).toEqual([]);
    },
  );

  it('takes the URL of a challenge over the well-known path, and no scope from it', async () => {
    const world = await buildOAuthWorld();
    serveIssuer(world, () => token);
    world.routes.set('api.example /meta', () => ({ body: { ...good, scopes_supported: ['admin'] } }));
    const challenge = 'Basic realm="x", Bearer scope="admin", resource_metadata="https://api.example/meta"';
    await resolve(world, { challenge });
    expect(world.at('api.example', '/meta')).toHaveLength(1);
    expect(world.at('api.example', '/.well-known/oauth-protected-resource/hooks')).toHaveLength(0);
    expect(world.at('id.example', '/token')[0]?.form.has('scope')).toBe(false);
  });

  it.each(['Bearer', 'Basic realm="x"', 'nonsense"', '', 'Bearer resource_metadata'])(
    'falls back to the well-known path for the challenge %j',
    async (challenge) => {
      const world = await buildOAuthWorld();
      serveIssuer(world, () => token);
      expect(await resolve(world, { challenge })).toEqual({ token: 'tok-1' });
      expect(world.at('api.example', '/.well-known/oauth-protected-resource/hooks')).toHaveLength(1);
    },
  );
});

describe('§6 destinations that discovery found', () => {
  const challengeTo = (url: string): string => `Bearer resource_metadata="${url}"`;
  const places: readonly (readonly [string, string])[] = [
    ['loopback', '127.0.0.1'],
    ['loopback of IPv6', '::1'],
    ['a private network', '10.0.0.5'],
    ['another private network', '192.168.1.1'],
    ['a third', '172.16.9.9'],
    ['carrier-grade NAT', '100.64.0.1'],
    ['a unique local address', 'fd00::1'],
    ['a link-local address', '169.254.169.254'],
    ['a link-local address of IPv6', 'fe80::1'],
    ['the unspecified address', '0.0.0.0'],
    ['a mapped private address', '::ffff:10.0.0.5'],
    ['a mapped loopback address', '::ffff:127.0.0.1'],
    ['a translated private address', '64:ff9b::10.0.0.5'],
    ['a prefix of a network’s own translator', '64:ff9b:1::8.8.8.8'],
    ['a private address in 6to4', '2002:a00:5::1'],
    ['multicast', '224.0.0.1'],
  ];

  it.each(places)('that lead to %s are never dialled: token endpoint', async (_name, address) => {
    const world = await buildOAuthWorld();
    serveIssuer(world, () => token, { token_endpoint: 'https://inner.example/token' });
    world.routes.set('inner.example /token', () => token);
    world.addresses.set('inner.example', [address]);
    const error = await credentialsErrorOf(resolve(world), 'destination');
    expect(printed(error)).not.toContain('client-s3cr3t');
    expect(world.dialled.some(({ host }) => host === 'inner.example')).toBe(false);
    expect(world.at('inner.example', '/token')).toEqual([]);
  });

  it.each(places)('that lead to %s are never dialled: metadata of a challenge', async (_name, address) => {
    const world = await buildOAuthWorld();
    serveIssuer(world, () => token);
    world.addresses.set('inner.example', [address]);
    await credentialsErrorOf(resolve(world, { challenge: challengeTo('https://inner.example/meta') }), 'destination');
    expect(world.dialled).toEqual([]);
  });

  it.each(places)('that lead to %s are never shown to a user: authorization endpoint', async (_name, address) => {
    const world = await buildOAuthWorld();
    serveIssuer(world, () => token, { authorization_endpoint: 'https://inner.example/authorize' });
    world.addresses.set('inner.example', [address]);
    const options: OAuthOptions = {
      redirectUri: 'https://app.example/back',
      authorize: () => {
        throw new Error('must not be asked');
      },
    };
    const changes = { flow: 'authorization_code_pkce' };
    await credentialsErrorOf(resolve(world, { options, changes }), 'destination');
    expect(world.dialled.some(({ host }) => host === 'inner.example')).toBe(false);
  });

  it('are refused when one address of several is refused', async () => {
    const world = await buildOAuthWorld();
    serveIssuer(world, () => token, { token_endpoint: 'https://inner.example/token' });
    world.addresses.set('inner.example', ['8.8.8.8', '10.0.0.5']);
    await credentialsErrorOf(resolve(world), 'destination');
    expect(world.dialled.some(({ host }) => host === 'inner.example')).toBe(false);
  });

  it.each([
    'http://id.example/token',
    'http://127.0.0.1/token',
    'https://u:s3cr3t@id.example/token',
    'ftp://id.example/token',
    // Addresses for a browser; the look-up of this world knows a public one for each.
    'https://2130706433/token',
    'https://0x7f000001/token',
    'https://0x7f.1/token',
    'https://017700000001/token',
    'https://127.1/token',
    'https://127.0.0.1./token',
    'https://127.0.0.1\\@id.example/token',
    'https://id.example#@127.0.0.1/token',
  ])('are refused as %s', async (endpoint) => {
    const world = await buildOAuthWorld();
    serveIssuer(world, () => token, { token_endpoint: endpoint });
    const error = await credentialsErrorOf(resolve(world), 'destination');
    expect(printed(error)).not.toContain('s3cr3t');
    expect(world.dialled.filter(({ port }) => port !== 443)).toEqual([]);
    expect(world.dialled.filter(({ host }) => host !== 'id.example' && host !== 'api.example')).toEqual([]);
    await credentialsErrorOf(resolve(world, { challenge: challengeTo(endpoint.replace('\\', '\\\\')) }), 'destination');
  });

  it.each(['https://2130706433/authorize', 'https://0x7f.1/authorize', 'https://127.0.0.1./authorize'])(
    'are not shown to a user as %s',
    async (endpoint) => {
      const world = await buildOAuthWorld();
      serveIssuer(world, () => token, { authorization_endpoint: endpoint });
      const options: OAuthOptions = {
        redirectUri: 'https://app.example/back',
        authorize: () => {
          throw new Error('must not be asked');
        },
      };
      await credentialsErrorOf(
        resolve(world, { options, changes: { flow: 'authorization_code_pkce' } }),
        'destination',
      );
    },
  );

  it("lead to loopback, and to further classes, only with the host's leave", async () => {
    const world = await buildOAuthWorld();
    serveIssuer(world, () => token, { token_endpoint: 'https://inner.example/token' });
    world.routes.set('inner.example /token', () => token);
    world.addresses.set('inner.example', ['127.0.0.1']);
    expect(await resolve(world, { options: { allowLoopback: true } })).toEqual({ token: 'tok-1' });
    world.addresses.set('inner.example', ['10.0.0.5']);
    await credentialsErrorOf(resolve(world, { options: { allowLoopback: true } }), 'destination');
    expect(await resolve(world, { options: { allowAddresses: ['private'] } })).toEqual({ token: 'tok-1' });
    world.addresses.set('inner.example', ['169.254.169.254']);
    await credentialsErrorOf(resolve(world, { options: { allowAddresses: ['private'] } }), 'destination');
  });

  it('are dialled at the address that was checked, when a name changes between look-ups', async () => {
    const world = await buildOAuthWorld();
    serveIssuer(world, () => token, { token_endpoint: 'https://inner.example/token' });
    world.routes.set('inner.example /token', () => token);
    let lookups = 0;
    const lookup: OAuthOptions['lookup'] = async (hostname) => {
      if (hostname !== 'inner.example') return [{ address: '8.8.4.4', family: 4 }];
      lookups += 1;
      return [{ address: lookups === 1 ? '8.8.8.8' : '127.0.0.1', family: 4 }];
    };
    await resolve(world, { options: { lookup } });
    expect(world.dialled.filter(({ host }) => host === 'inner.example').map(({ address }) => address)).toEqual([
      '8.8.8.8',
    ]);
    expect(lookups).toBe(1);
    await credentialsErrorOf(resolve(world, { options: { lookup } }), 'destination');
    expect(world.dialled.filter(({ host }) => host === 'inner.example')).toHaveLength(1);
  });

  it('do not bind what the host configured itself: an issuer in a private network', async () => {
    const world = await buildOAuthWorld();
    serveIssuer(world, () => token, { token_endpoint: 'https://other.example/token' });
    world.routes.set('other.example /token', () => token);
    world.addresses.set('id.example', ['10.0.0.5']);
    expect(await resolve(world)).toEqual({ token: 'tok-1' });
  });
});
