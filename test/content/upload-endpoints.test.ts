import { connect, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { uploadContent } from '../../runtime/content/index.js';
import type { ConnectTarget } from '../../runtime/net/index.js';
import { createAuthority } from '../support/certificates.js';
import { printed, uploadErrorOf } from './support/expect-error.js';
import { acceptUpload, startRawReceiver } from './support/raw-receiver.js';

const hello = Buffer.from('hello');

function config(endpoint: string): { endpoint: string; timeoutMs: number; maxBytes: number } {
  return { endpoint, timeoutMs: 5_000, maxBytes: 100 };
}

/** A look-up and a connector that remember, and dial loopback whatever they are told. */
function spyNetwork(addresses: readonly string[], port = 1) {
  const lookedUp: string[] = [];
  const dialled: ConnectTarget[] = [];
  return {
    lookedUp,
    dialled,
    lookup: async (hostname: string) => {
      lookedUp.push(hostname);
      return addresses.map((address) => ({ address, family: address.includes(':') ? (6 as const) : (4 as const) }));
    },
    connect: (target: ConnectTarget): Socket => {
      dialled.push(target);
      return connect({ host: '127.0.0.1', port });
    },
  };
}

describe('§7 upload endpoints', () => {
  it.each([
    'http://uploads.example/content',
    'http://10.0.0.1/content',
    'http://127.0.0.1.evil.example/content',
    'http://localhost.evil.example/content',
    'http://localhost@evil.example/content',
    'http://[::2]/content',
    'https://user:s3cr3t@uploads.example/content',
    'https://s3cr3t@uploads.example/content',
    'https://@uploads.example/content',
    'https://uploads.example/content#part',
    'https://uploads.example/content#',
    'ftp://uploads.example/content',
    'ws://127.0.0.1/content',
    '//uploads.example/content',
    '/content',
    '',
    'https://',
    'https:///content',
    'https://uploads.example:99999/content',
    'https://uploads.example/con tent',
    'https://uploads.example/con\r\ntent',
    'https://uploads.example/contént',
  ])('refuses %j without looking anything up', async (endpoint) => {
    const network = spyNetwork(['127.0.0.1']);
    const error = await uploadErrorOf(
      uploadContent(config(endpoint), hello, { allowLoopback: true, ...network }),
      'endpoint',
    );
    expect(network.lookedUp).toEqual([]);
    expect(network.dialled).toEqual([]);
    expect(printed(error)).not.toContain('s3cr3t');
  });

  it.each(['http://127.0.0.1:8/content', 'http://localhost:8/content', 'http://[::1]:8/content'])(
    'refuses plain http to %s unless the host allows it',
    async (endpoint) => {
      const network = spyNetwork(['127.0.0.1']);
      await uploadErrorOf(uploadContent(config(endpoint), hello, network), 'endpoint');
      await uploadErrorOf(uploadContent(config(endpoint), hello, { ...network, allowLoopback: false }), 'endpoint');
      expect(network.dialled).toEqual([]);
    },
  );

  it.each([
    [['10.0.0.5']],
    [['192.168.1.1']],
    [['169.254.169.254']],
    [['8.8.8.8']],
    [['0.0.0.0']],
    [['::ffff:10.0.0.5']],
    [['fe80::1']],
    [['127.0.0.1', '10.0.0.5']],
  ])('refuses plain http whose name leads to %j, and dials none of it', async (addresses) => {
    const network = spyNetwork(addresses);
    const promise = uploadContent(config('http://localhost:8080/content'), hello, { allowLoopback: true, ...network });
    await uploadErrorOf(promise, 'endpoint');
    expect(network.lookedUp).toEqual(['localhost']);
    expect(network.dialled).toEqual([]);
  });

  it('dials the address that was checked, with the name in the Host header', async () => {
    const receiver = await startRawReceiver(acceptUpload);
    const network = spyNetwork(['127.0.0.9'], receiver.port);
    await uploadContent(config('http://localhost:8080/content'), hello, { allowLoopback: true, ...network });
    expect(network.dialled).toMatchObject([{ address: '127.0.0.9', port: 8080 }]);
    expect(receiver.connections[0]?.bytes().toString('latin1')).toContain('\r\nHost: localhost:8080\r\n');
  });

  it('lets https lead where the host configured it', async () => {
    const authority = createAuthority();
    const receiver = await startRawReceiver(acceptUpload, authority.issue('uploads', ['uploads.internal']));
    const network = spyNetwork(['10.1.2.3'], receiver.port);
    const options = { tls: { ca: authority.cert }, ...network };
    await uploadContent(config('https://uploads.internal/content'), hello, options);
    expect(network.dialled).toMatchObject([{ address: '10.1.2.3', port: 443 }]);
  });

  it('refuses a certificate of another name', async () => {
    const authority = createAuthority();
    const receiver = await startRawReceiver(acceptUpload, authority.issue('other', ['other.internal']));
    const network = spyNetwork(['10.1.2.3'], receiver.port);
    const options = { tls: { ca: authority.cert }, ...network };
    await uploadErrorOf(uploadContent(config('https://uploads.internal/content'), hello, options), 'connection');
    expect(receiver.connections.every((connection) => connection.bytes().byteLength === 0)).toBe(true);
  });

  it.each([
    ['no object', null],
    ['no endpoint', { timeoutMs: 1, maxBytes: 1 }],
    ['no time-out', { endpoint: 'https://u.example/', maxBytes: 1 }],
    ['a time-out of 0', { endpoint: 'https://u.example/', timeoutMs: 0, maxBytes: 1 }],
    ['a time-out of half a millisecond', { endpoint: 'https://u.example/', timeoutMs: 0.5, maxBytes: 1 }],
    ['no bound', { endpoint: 'https://u.example/', timeoutMs: 1 }],
    ['a negative bound', { endpoint: 'https://u.example/', timeoutMs: 1, maxBytes: -1 }],
    [
      'an unknown authentication',
      { endpoint: 'https://u.example/', timeoutMs: 1, maxBytes: 1, auth: { type: 'basic' } },
    ],
    [
      'two tokens',
      {
        endpoint: 'https://u.example/',
        timeoutMs: 1,
        maxBytes: 1,
        auth: { type: 'bearer', tokenEnv: 'A', tokenRef: 'b' },
      },
    ],
  ])('refuses a configuration with %s', async (_name, value) => {
    const network = spyNetwork(['127.0.0.1']);
    const given = value as unknown as ReturnType<typeof config>;
    await uploadErrorOf(uploadContent(given, hello, network), 'configuration');
    expect(network.lookedUp).toEqual([]);
  });
});
