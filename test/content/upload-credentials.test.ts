import { describe, expect, it } from 'vitest';
import { uploadContent, type UploadOptions } from '../../runtime/content/index.js';
import type { CredentialProvider, CredentialRequest } from '../../runtime/credentials/index.js';
import { createEnvironmentCredentials } from '../../runtime/credentials/index.js';
import { createHttpClient, parseEndpoint } from '../../runtime/net/index.js';
import { createAuthority } from '../support/certificates.js';
import { printed, uploadErrorOf } from './support/expect-error.js';
import { acceptUpload, type RawReceiver, receiptOf, startRawReceiver } from './support/raw-receiver.js';

const hello = Buffer.from('hello');
const auth = { type: 'bearer' as const, tokenRef: 'upload-token' };

function upload(
  receiver: RawReceiver,
  credentials: CredentialProvider | undefined,
  more: UploadOptions = {},
): Promise<unknown> {
  const config = { endpoint: `${receiver.origin}/content?x=1`, timeoutMs: 10_000, maxBytes: 1_000_000, auth };
  return uploadContent(config, hello, { allowLoopback: true, credentials, ...more });
}

/** Answers 401 to the tokens given, and a receipt to others. */
function startGuarded(refused: readonly string[], challenge = 'Bearer realm="x"'): Promise<RawReceiver> {
  return startRawReceiver(async (connection) => {
    const { head, body } = await connection.request();
    const token = /\r\nauthorization: Bearer (.*?)\r\n/i.exec(`${head}\r\n`)?.[1] ?? '';
    if (refused.includes(token)) connection.answer(401, [`WWW-Authenticate: ${challenge}`]);
    else connection.answer(201, ['Content-Type: application/json'], receiptOf(body));
  });
}

function authorizations(receiver: RawReceiver): string[] {
  return receiver.connections.map(
    (connection) => /\r\nAuthorization: (.*?)\r\n/.exec(connection.bytes().toString('latin1'))?.[1] ?? '(none)',
  );
}

describe('§6 upload credentials', () => {
  it('are asked for the exact endpoint with purpose upload', async () => {
    const receiver = await startGuarded([]);
    const asked: [unknown, CredentialRequest][] = [];
    const credentials = {
      resolve: (binding: unknown, request: CredentialRequest) => {
        asked.push([binding, request]);
        return { token: 'tok-1' };
      },
    };
    await upload(receiver, credentials);
    expect(asked).toHaveLength(1);
    expect(asked[0]?.[0]).toEqual(auth);
    expect(asked[0]?.[1]).toMatchObject({ endpoint: `${receiver.origin}/content?x=1`, purpose: 'upload' });
    expect(asked[0]?.[1].signal).toBeInstanceOf(AbortSignal);
    expect(asked[0]?.[1]).not.toHaveProperty('rejected');
    expect(authorizations(receiver)).toEqual(['Bearer tok-1']);
  });

  const nothing: readonly (readonly [string, CredentialProvider | undefined])[] = [
    ['there is no provider', undefined],
    ['the provider has none', { resolve: () => null }],
    ['the provider answers with undefined', { resolve: () => undefined as unknown as null }],
    [
      'the provider throws',
      {
        resolve: () => {
          throw new Error('vault closed');
        },
      },
    ],
    ['the provider rejects', { resolve: () => Promise.reject(new Error('vault closed')) }],
    ['the variable is unset', createEnvironmentCredentials({})],
    ['the token is empty', { resolve: () => ({ token: '' }) }],
    ['the token is blank', { resolve: () => ({ token: ' \n' }) }],
  ];
  it.each(nothing)('send nothing when %s: no connection, no anonymous fallback', async (_name, credentials) => {
    const receiver = await startRawReceiver(acceptUpload);
    await uploadErrorOf(upload(receiver, credentials), 'authentication');
    expect(receiver.connections).toHaveLength(0);
  });

  it.each([
    's3cr3t\r\nx-evil: y',
    's3cr3t\nx-evil: y',
    's3cr3t\rx',
    's3cr3t\r\n\r\n',
    's3cr3t\u0000',
    's3cr3t\u0107',
    's3cr3t\u{1f600}',
  ])('refuse the token %j without sending or quoting it', async (token) => {
    const receiver = await startRawReceiver(acceptUpload);
    const error = await uploadErrorOf(upload(receiver, { resolve: () => ({ token }) }), 'authentication');
    expect(receiver.connections).toHaveLength(0);
    expect(printed(error)).not.toContain('s3cr3t');
  });

  it('drop one line end at the end of a token', async () => {
    const receiver = await startGuarded([]);
    await upload(receiver, { resolve: () => ({ token: 's3cr3t\n' }) });
    await upload(receiver, { resolve: () => ({ token: 's3cr3t\r\n' }) });
    expect(authorizations(receiver)).toEqual(['Bearer s3cr3t', 'Bearer s3cr3t']);
  });

  it('after a 401 are asked for once more, with the refused token and the challenge, and tried once', async () => {
    const receiver = await startGuarded(['old'], 'Bearer error="invalid_token"');
    const rejected: unknown[] = [];
    const credentials = {
      resolve: (_binding: unknown, request: CredentialRequest) => {
        rejected.push(request.rejected);
        return { token: request.rejected === undefined ? 'old' : 'new' };
      },
    };
    expect(await upload(receiver, credentials)).toMatchObject({ ref: 'ref-1' });
    expect(rejected).toEqual([undefined, { token: 'old', challenge: 'Bearer error="invalid_token"' }]);
    expect(authorizations(receiver)).toEqual(['Bearer old', 'Bearer new']);
  });

  it('that stay the same are not sent again after a 401', async () => {
    const receiver = await startGuarded(['same']);
    const error = await uploadErrorOf(upload(receiver, { resolve: () => ({ token: 'same' }) }), 'authentication');
    expect(error.status).toBe(401);
    expect(authorizations(receiver)).toEqual(['Bearer same']);
  });

  it.each([
    ['has none any more', () => null],
    ['fails', () => Promise.reject(new Error('gone'))],
  ])('end with the 401 when the provider %s', async (_name, second) => {
    const receiver = await startGuarded(['old']);
    const credentials: CredentialProvider = {
      resolve: (_binding, request) => (request.rejected === undefined ? { token: 'old' } : second()),
    };
    const error = await uploadErrorOf(upload(receiver, credentials), 'authentication');
    expect(error.status).toBe(401);
    expect(receiver.connections).toHaveLength(1);
  });

  it('are tried twice at most', async () => {
    const receiver = await startRawReceiver(async (connection) => {
      await connection.request();
      connection.answer(401, []);
    });
    let count = 0;
    const credentials = { resolve: () => ({ token: `t${++count}` }) };
    await uploadErrorOf(upload(receiver, credentials), 'authentication');
    expect(authorizations(receiver)).toEqual(['Bearer t1', 'Bearer t2']);
  });

  it('are not asked for again after a 403, which is final', async () => {
    const receiver = await startRawReceiver(async (connection) => {
      await connection.request();
      connection.answer(403, ['WWW-Authenticate: Bearer error="insufficient_scope"']);
    });
    let count = 0;
    const credentials = { resolve: () => ({ token: `t${++count}` }) };
    await uploadErrorOf(upload(receiver, credentials), 'status');
    expect(count).toBe(1);
    expect(receiver.connections).toHaveLength(1);
  });

  it('are asked for again, and the whole body sent again, after an early 401', async () => {
    const big = Buffer.alloc(900_000, 'b');
    const receiver = await startRawReceiver(async (connection, index) => {
      if (index === 0) {
        await connection.head();
        connection.answer(401, []);
        return;
      }
      const { body } = await connection.request();
      connection.answer(201, ['Content-Type: application/json'], receiptOf(body));
    });
    const config = { endpoint: `${receiver.origin}/content`, timeoutMs: 10_000, maxBytes: 1_000_000, auth };
    const credentials: CredentialProvider = {
      resolve: (_binding, request) => ({ token: request.rejected === undefined ? 'a' : 'b' }),
    };
    const receipt = await uploadContent(config, big, { allowLoopback: true, credentials });
    expect(receipt.size).toBe(900_000);
    expect(authorizations(receiver)).toEqual(['Bearer a', 'Bearer b']);
  });

  it('do not appear in any error, whatever the receiver does with them', async () => {
    const credentials = { resolve: () => ({ token: 's3cr3t-token' }) };
    for (const status of [401, 403, 500, 302, 201]) {
      const receiver = await startRawReceiver(async (connection) => {
        const { head } = await connection.request();
        connection.answer(
          status,
          ['Location: /s3cr3t-token', 'Content-Type: application/json'],
          JSON.stringify({ head }),
        );
      });
      const error: unknown = await upload(receiver, credentials).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(Error);
      expect(printed(error)).not.toContain('s3cr3t-token');
    }
  });
});

describe('§6 the client certificate of events is not presented to uploads', () => {
  const authority = createAuthority();
  const server = authority.issue('receiver', ['127.0.0.1', 'localhost']);
  const client = authority.issue('event-client');
  const tls = { ...server, ca: authority.cert, requestCert: true, rejectUnauthorized: false };

  it('over a connection of its own, without certificate and without a resumed session', async () => {
    const presented: string[] = [];
    const resumed: boolean[] = [];
    const receiver = await startRawReceiver(async (connection) => {
      const socket = connection.socket as import('node:tls').TLSSocket;
      const peer = socket.getPeerCertificate();
      presented.push(String(peer?.subject?.CN));
      resumed.push(socket.isSessionReused());
      const { head, body } = await connection.request();
      if (head.startsWith('POST /hooks ')) connection.answer(200, ['Content-Type: application/json'], '{}');
      else connection.answer(201, ['Content-Type: application/json'], receiptOf(body));
    }, tls);
    const events = createHttpClient({ tls: { ca: authority.cert, ...client } });
    const deliver = (): Promise<unknown> =>
      events.exchange({
        endpoint: parseEndpoint(`${receiver.origin}/hooks`),
        method: 'POST',
        headers: [],
        body: hello,
        maxResponseBytes: 100,
        signal: new AbortController().signal,
      });
    const config = { endpoint: `${receiver.origin}/content`, timeoutMs: 10_000, maxBytes: 100 };
    // A host that passes its event options on, as a cast or plain JavaScript allows.
    const careless = { tls: { ca: authority.cert, ...client } };

    await deliver();
    await uploadContent(config, hello, careless);
    await deliver();
    await uploadContent(config, hello, { tls: { ca: authority.cert } });

    expect(presented).toEqual(['event-client', 'undefined', 'event-client', 'undefined']);
    expect(resumed).toEqual([false, false, false, false]);
    events.close();
  });

  it('fails when the receiver insists on one', async () => {
    const receiver = await startRawReceiver(acceptUpload, { ...tls, rejectUnauthorized: true });
    const config = { endpoint: `${receiver.origin}/content`, timeoutMs: 10_000, maxBytes: 100 };
    await uploadErrorOf(uploadContent(config, hello, { tls: { ca: authority.cert } }), 'connection');
  });

  it('trusts no receiver whose root it was not given, and sends it nothing', async () => {
    const receiver = await startRawReceiver(acceptUpload, tls);
    const config = { endpoint: `${receiver.origin}/content`, timeoutMs: 10_000, maxBytes: 100 };
    await uploadErrorOf(uploadContent(config, hello), 'connection');
    expect(receiver.connections.every((connection) => connection.bytes().byteLength === 0)).toBe(true);
  });
});
