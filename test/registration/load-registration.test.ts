import { describe, expect, it } from 'vitest';
import { loadRegistration, RegistrationError } from '../../runtime/registration/index.js';

type Json = Record<string, unknown>;

const subscription: Json = {
  events: ['tool.before'],
  mode: 'intercept',
  content: { default: 'omit' },
  timeoutMs: 1_000,
  failurePolicy: 'fail-open',
};

function withSubscription(members: Json): Json {
  return withBackend({ subscriptions: [{ ...subscription, ...members }] });
}

function withBackend(members: Json): Json {
  const transport = { type: 'http', url: 'https://hooks.example/hooks' };
  return {
    protocolVersion: 'draft',
    hooks: [{ id: 'com.example.policy', transport, subscriptions: [subscription], ...members }],
  };
}

function errorOf(source: unknown, options?: { managed?: boolean }): RegistrationError {
  try {
    loadRegistration(source, options);
  } catch (error) {
    if (error instanceof RegistrationError) return error;
    throw error;
  }
  throw new Error('expected a RegistrationError, got a registration');
}

describe('§6 loading a registration', () => {
  it('takes time-outs of any length, also of more than a timer holds', () => {
    const { registration } = loadRegistration(withSubscription({ timeoutMs: 2_592_000_000 }));
    expect(registration.hooks[0]?.subscriptions[0]).toMatchObject({ timeoutMs: 2_592_000_000 });
  });

  it('takes text, bytes and a decoded value, and gives the same', () => {
    const document = withBackend({});
    const text = JSON.stringify(document);
    for (const source of [document, text, Buffer.from(text)]) {
      const loaded = loadRegistration(source);
      expect(loaded.registration).toEqual(document);
      expect(loaded.warnings).toEqual([]);
    }
  });

  it.each([
    ['half a document', '{"protocolVersion":"draft"'],
    ['no JSON', 'hooks: []'],
    ['nothing', ''],
    ['a byte-order mark', `\ufeff${JSON.stringify(withBackend({}))}`],
    ['invalid UTF-8', Buffer.from([0x7b, 0xff, 0x7d])],
    ['the same member twice', '{"protocolVersion":"draft","protocolVersion":"draft","hooks":[]}'],
    ['the same member spelt two ways', '{"protocolVersion":"draft","h\\u006foks":[],"hooks":[]}'],
  ])('refuses %s as not-json', (_name, source) => {
    expect(errorOf(source).code).toBe('not-json');
  });

  it.each([
    ['no object', [1]],
    ['another version', { ...withBackend({}), protocolVersion: '1.0' }],
    ['no hooks', { protocolVersion: 'draft', hooks: [] }],
    ['an id without a dot', withBackend({ id: 'policy' })],
    ['no subscriptions', withBackend({ subscriptions: [] })],
    ['an unknown transport', withBackend({ transport: { type: 'pipe', path: '/x' } })],
    [
      'stdio with authentication',
      withBackend({
        transport: { type: 'stdio', command: 'x', lifecycle: 'persistent' },
        authentication: { type: 'bearer', tokenEnv: 'T' },
      }),
    ],
    ['two tokens', withBackend({ authentication: { type: 'bearer', tokenEnv: 'T', tokenRef: 'r' } })],
    [
      'an issuer of plain http',
      withBackend({
        authentication: {
          type: 'oauth',
          resource: 'r',
          issuer: 'http://id.example',
          clientId: 'c',
          flow: 'client_credentials',
        },
      }),
    ],
    ['an event that cannot be intercepted', withSubscription({ events: ['session.end'] })],
    ['an unknown event', withSubscription({ events: ['tool.sideways'] })],
    ['a wildcard of two families', withSubscription({ events: ['tool.batch.*'] })],
    ['the same event twice', withSubscription({ events: ['tool.before', 'tool.before'] })],
    ['a time-out of 0', withSubscription({ timeoutMs: 0 })],
    ['a fraction of a millisecond', withSubscription({ timeoutMs: 0.5 })],
    ['no time-out', withSubscription({ timeoutMs: undefined })],
    ['no failure policy', withSubscription({ failurePolicy: undefined })],
    ['an observer with a time-out', withSubscription({ mode: 'observe', failurePolicy: undefined })],
    ['no default selection', withSubscription({ content: { text: 'body' } })],
    ['an unknown selection', withSubscription({ content: { default: 'all' } })],
    ['a managed subscription that users may disable', withSubscription({ scope: 'managed', disableable: true })],
    [
      'uploads over plain http',
      withSubscription({ upload: { endpoint: 'http://u.example/', timeoutMs: 1, maxBytes: 1 } }),
    ],
  ])('refuses %s as not-canonical', (_name, document) => {
    const stripped: unknown = JSON.parse(JSON.stringify(document));
    const error = errorOf(stripped, { managed: true });
    expect(error.code).toBe('not-canonical');
    expect(error.issues.length).toBeGreaterThan(0);
    expect(errorOf(JSON.stringify(document), { managed: true }).code).toBe('not-canonical');
  });

  it('names the place of a fault and not what stands there', () => {
    const error = errorOf(withSubscription({ timeoutMs: 's3cr3t' }));
    expect(error.issues.some(({ pointer }) => pointer.startsWith('/hooks/0/subscriptions/0'))).toBe(true);
    expect(JSON.stringify([error.message, error.issues])).not.toContain('s3cr3t');
  });

  it('refuses two backends of one id and names the second', () => {
    const [backend] = withBackend({}).hooks as Json[];
    const error = errorOf({
      protocolVersion: 'draft',
      hooks: [backend, { ...backend, id: 'com.example.other' }, backend],
    });
    expect(error.code).toBe('duplicate-backend');
    expect(error.pointer).toBe('/hooks/2/id');
    expect(error.message).toBe(
      'registration at /hooks/2/id: expected an id that no other backend has, got the one of /hooks/0',
    );
  });

  it.each([
    'http://hooks.example/hooks',
    'http://10.0.0.1/hooks',
    'http://localhost.example/hooks',
    'http://127.0.0.1.example/hooks',
    'https://user:s3cr3t@hooks.example/hooks',
    'https://s3cr3t@hooks.example/hooks',
    'http://s3cr3t@127.0.0.1/hooks',
  ])('refuses the event URL %s', (url) => {
    const error = errorOf(withBackend({ transport: { type: 'http', url } }));
    expect(error).toMatchObject({ code: 'endpoint', pointer: '/hooks/0/transport/url' });
    expect(JSON.stringify([error.message, error.issues])).not.toContain('s3cr3t');
  });

  it.each([
    'https://hooks.example/a/../b?x=1',
    'http://127.0.0.1:8080/hooks',
    'http://127.8.9.10/',
    'http://localhost:1/',
    'http://[::1]:8080/hooks',
  ])('takes the event URL %s', (url) => {
    expect(loadRegistration(withBackend({ transport: { type: 'http', url } })).warnings).toEqual([]);
  });

  it.each([
    'https://user:s3cr3t@u.example/',
    'http://s3cr3t@localhost/',
    'https://u.example/#part',
    'http://127.0.0.1:0/',
  ])('refuses the upload endpoint %s', (endpoint) => {
    const error = errorOf(withSubscription({ upload: { endpoint, timeoutMs: 1, maxBytes: 1 } }));
    expect(['endpoint', 'not-canonical']).toContain(error.code);
    expect(error.pointer).toContain('/hooks/0/subscriptions/0');
    expect(JSON.stringify([error.message, error.issues])).not.toContain('s3cr3t');
  });

  it('takes the managed scope from a managed source only', () => {
    const document = withSubscription({ scope: 'managed', disableable: false });
    expect(errorOf(document)).toMatchObject({ code: 'scope', pointer: '/hooks/0/subscriptions/0/scope' });
    expect(errorOf(document, { managed: false }).code).toBe('scope');
    expect(loadRegistration(document, { managed: true }).warnings).toEqual([]);
    for (const scope of ['project', 'user']) loadRegistration(withSubscription({ scope }));
  });
});

describe('§6 unknown members', () => {
  it('are ignored and kept, with a warning each that names the place and not the value', () => {
    const document: Json = {
      ...withBackend({
        note: 's3cr3t',
        transport: { type: 'http', url: 'https://hooks.example/hooks', command: 's3cr3t' },
        authentication: { type: 'bearer', tokenEnv: 'T', token: 's3cr3t', issuer: 's3cr3t' },
        subscriptions: [
          {
            ...subscription,
            'a/b~c': 's3cr3t',
            content: { default: 'omit', anything: 'body' },
            filters: { toolKinds: ['shell'], hosts: ['s3cr3t'] },
            upload: {
              endpoint: 'https://u.example/',
              timeoutMs: 1,
              maxBytes: 1,
              ref: 's3cr3t',
              auth: {
                type: 'oauth',
                resource: 'r',
                issuer: 'https://id.example',
                clientId: 'c',
                flow: 'client_credentials',
                clientSecret: 's3cr3t',
              },
            },
          },
        ],
      }),
      version: 's3cr3t',
    };
    const { registration, warnings } = loadRegistration(document);
    expect(registration).toEqual(document);
    expect(warnings.map(({ pointer, name }) => [pointer, name])).toEqual(
      [
        ['/hooks/0/transport/command', 'command'],
        ['/hooks/0/subscriptions/0/a~1b~0c', 'a/b~c'],
        ['/hooks/0/subscriptions/0/filters/hosts', 'hosts'],
        ['/hooks/0/subscriptions/0/upload/ref', 'ref'],
        ['/hooks/0/subscriptions/0/upload/auth/clientSecret', 'clientSecret'],
        ['/hooks/0/note', 'note'],
        ['/hooks/0/authentication/token', 'token'],
        ['/hooks/0/authentication/issuer', 'issuer'],
        ['/version', 'version'],
      ].sort(byDocumentOrder(document)),
    );
    expect(JSON.stringify(warnings)).not.toContain('s3cr3t');
    expect(warnings.every(({ code }) => code === 'unknown-member')).toBe(true);
  });

  it.each(['__proto__', 'constructor', 'toString'])('are warned of under the name %s too', (name) => {
    const text = JSON.stringify(withBackend({})).replace(
      '{"protocolVersion"',
      `{"${name}":{"hooks":1},"protocolVersion"`,
    );
    const { warnings } = loadRegistration(text);
    expect(warnings).toEqual([
      { code: 'unknown-member', pointer: `/${name}`, name, message: `member /${name}: not known, ignored` },
    ]);
  });

  it('do not count the member by which editors find the schema', () => {
    expect(loadRegistration({ $schema: './registration.schema.json', ...withBackend({}) }).warnings).toEqual([]);
  });
});

/** Orders warnings as a walk of the document meets them. */
function byDocumentOrder(document: unknown): (left: string[], right: string[]) => number {
  const order: string[] = [];
  const walk = (value: unknown, pointer: string): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, member] of Object.entries(value)) {
      const place = `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      order.push(place);
      walk(member, place);
    }
  };
  walk(document, '');
  return ([left = ''], [right = '']) => order.indexOf(left) - order.indexOf(right);
}
