import { createServer as createHttpsServer, type ServerOptions } from 'node:https';
import { connect as connectTcp } from 'node:net';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { inspect } from 'node:util';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import {
  createHttpClient,
  type ExchangeResponse,
  type HttpClient,
  type HttpClientOptions,
  NetError,
  parseEndpoint,
} from '../../runtime/net/index.js';
import { createAuthority } from '../support/certificates.js';
import { httpResponse, onRequest, startRawServer } from '../support/raw-server.js';

const authority = createAuthority();
const serverIdentity = authority.issue('server', ['localhost', 'hooks.example', '127.0.0.1']);
const clientIdentity = authority.issue('client-7');

interface Meeting {
  readonly client: string | null;
  readonly resumed: boolean;
  readonly servername: string | null;
}

interface TlsServer {
  readonly port: number;
  readonly meetings: readonly Meeting[];
  readonly requests: () => number;
}

async function startTlsServer(options: ServerOptions = {}): Promise<TlsServer> {
  const meetings: Meeting[] = [];
  let requests = 0;
  const server = createHttpsServer({ ...serverIdentity, ca: authority.cert, ...options }, (request, response) => {
    requests += 1;
    request.resume();
    request.on('end', () => response.end('ok'));
  });
  server.on('secureConnection', (socket: TLSSocket) => {
    const peer = socket.getPeerCertificate();
    const servername: unknown = Reflect.get(socket, 'servername');
    meetings.push({
      client: typeof peer.subject?.CN === 'string' ? peer.subject.CN : null,
      resumed: socket.isSessionReused(),
      servername: typeof servername === 'string' ? servername : null,
    });
  });
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('expected a TCP address');
  return { port: address.port, meetings, requests: () => requests };
}

const clients: HttpClient[] = [];

afterEach(() => {
  for (const client of clients.splice(0)) client.close();
});

function post(url: string, options: HttpClientOptions, size = 2): Promise<ExchangeResponse> {
  const client = createHttpClient(options);
  clients.push(client);
  return client.exchange({
    endpoint: parseEndpoint(url),
    method: 'POST',
    headers: [],
    body: new Uint8Array(size),
    maxResponseBytes: 1000,
    signal: new AbortController().signal,
  });
}

async function failure(promise: Promise<unknown>): Promise<NetError> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof NetError) return error;
    throw error;
  }
  throw new Error('expected a failure, got none');
}

describe('TLS', () => {
  it('§6 an error about the names in a certificate quotes none of them', async () => {
    const server = await startTlsServer(authority.issue('peer-words', ['peer-words.example']));
    const error = await failure(post(`https://127.0.0.1:${server.port}/`, { tls: { ca: authority.cert } }));
    expect(error.code).toBe('connection');
    expect(error.cause).toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
    expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/peer-words/i);
    expect(server.requests()).toBe(0);
  });

  it('trusts private roots that were given, by name and by address', async () => {
    const server = await startTlsServer();
    const tls = { ca: authority.cert };
    expect((await post(`https://127.0.0.1:${server.port}/`, { tls })).status).toBe(200);
    const named = await post('https://hooks.example:444/', {
      tls,
      lookup: async () => [{ address: '203.0.113.9', family: 4 }],
      connect: () => connectTcp(server.port, '127.0.0.1'),
    });
    expect(named.status).toBe(200);
    expect(server.meetings.map(({ servername }) => servername)).toEqual([null, 'hooks.example']);
  });

  it('refuses a root that nobody gave, another name and another authority, before any request', async () => {
    const server = await startTlsServer();
    const url = `https://127.0.0.1:${server.port}/`;
    expect((await failure(post(url, {}))).code).toBe('connection');
    expect((await failure(post(url, { tls: { ca: createAuthority('Other').cert } }))).code).toBe('connection');
    const elsewhere = post('https://other.example/', {
      tls: { ca: authority.cert },
      lookup: async () => [{ address: '203.0.113.9', family: 4 }],
      connect: () => connectTcp(server.port, '127.0.0.1'),
    });
    expect((await failure(elsewhere)).code).toBe('connection');
    expect(server.requests()).toBe(0);
  });

  it('no environment variable switches the check off', async () => {
    const server = await startTlsServer();
    const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    onTestFinished(() => {
      if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
      else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before;
    });
    expect((await failure(post(`https://127.0.0.1:${server.port}/`, {}))).code).toBe('connection');
    expect(server.requests()).toBe(0);
  });

  it('presents a client certificate only for the purpose that it was given for', async () => {
    const server = await startTlsServer({ requestCert: true, rejectUnauthorized: false });
    const url = `https://127.0.0.1:${server.port}/`;
    const eventTls = { ca: authority.cert, cert: clientIdentity.cert, key: clientIdentity.key };
    await post(url, { tls: eventTls });
    await post(url, { tls: { ca: authority.cert } });
    await post(url, { tls: eventTls });
    await post(url, { tls: { ca: authority.cert } });
    expect(server.meetings.map(({ client }) => client)).toEqual(['client-7', null, 'client-7', null]);
  });

  it('§6 resumes no session, which would carry the identity along', async () => {
    const server = await startTlsServer({ requestCert: true, rejectUnauthorized: false });
    const tls = { ca: authority.cert, cert: clientIdentity.cert, key: clientIdentity.key };
    const client = createHttpClient({ tls, keepAlive: false });
    clients.push(client);
    for (let call = 0; call < 3; call += 1) {
      await client.exchange({
        endpoint: parseEndpoint(`https://127.0.0.1:${server.port}/`),
        method: 'GET',
        headers: [],
        maxResponseBytes: 1000,
        signal: new AbortController().signal,
      });
    }
    expect(server.meetings.map(({ resumed }) => resumed)).toEqual([false, false, false]);
  });

  it('a server that wants a client certificate refuses those without', async () => {
    const server = await startTlsServer({ requestCert: true, rejectUnauthorized: true });
    const url = `https://127.0.0.1:${server.port}/`;
    expect((await failure(post(url, { tls: { ca: authority.cert } }))).code).toBe('connection');
    const tls = { ca: authority.cert, cert: clientIdentity.cert, key: clientIdentity.key };
    expect((await post(url, { tls })).status).toBe(200);
  });

  it('https never falls back to plain text', async () => {
    const seen: Buffer[] = [];
    const server = await startRawServer((socket) => {
      socket.on('data', (chunk: Buffer) => {
        seen.push(chunk);
        socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
      });
    });
    expect((await failure(post(`https://127.0.0.1:${server.port}/`, {}))).code).toBe('connection');
    expect(Buffer.concat(seen).toString('latin1')).not.toContain('POST');
  });

  it.each([
    ['with a close_notify', 'end'],
    ['by a reset', 'destroy'],
  ] as const)(
    '§6 a kept connection that the server drops %s gets the same bytes once more on a fresh one',
    async (_, how) => {
      const bodies: string[] = [];
      const perSocket = new Map<unknown, number>();
      const server = createHttpsServer(serverIdentity, (request, response) => {
        const count = (perSocket.get(request.socket) ?? 0) + 1;
        perSocket.set(request.socket, count);
        request.on('data', (chunk: Buffer) => bodies.push(chunk.toString()));
        request.on('end', () => {
          if (count === 2) request.socket[how]();
          else response.end('ok');
        });
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      onTestFinished(() => {
        server.closeAllConnections();
        server.close();
      });
      const address = server.address();
      if (address === null || typeof address === 'string') throw new Error('expected a TCP address');
      const client = createHttpClient({ tls: { ca: authority.cert } });
      clients.push(client);
      const endpoint = parseEndpoint(`https://127.0.0.1:${address.port}/`);
      const { signal } = new AbortController();
      for (const text of ['one', 'two']) {
        const body = Buffer.from(text);
        const response = await client.exchange({
          endpoint,
          method: 'POST',
          headers: [],
          body,
          maxResponseBytes: 9,
          signal,
        });
        expect(response.status).toBe(200);
      }
      expect(bodies).toEqual(['one', 'two', 'two']);
    },
  );

  it('§6 but not after the first byte of a response', async () => {
    let requests = 0;
    const server = createTlsServer(serverIdentity, (socket) => {
      socket.on('error', () => {});
      onRequest(socket, () => {
        requests += 1;
        if (requests === 1) socket.write(httpResponse(200, 'ok'));
        else socket.end('H');
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.close();
    });
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('expected a TCP address');
    const client = createHttpClient({ tls: { ca: authority.cert } });
    clients.push(client);
    const endpoint = parseEndpoint(`https://127.0.0.1:${address.port}/`);
    const { signal } = new AbortController();
    const order = {
      endpoint,
      method: 'POST',
      headers: [],
      body: Buffer.from('x'),
      maxResponseBytes: 9,
      signal,
    } as const;
    await client.exchange(order);
    expect((await failure(client.exchange(order))).code).toBe('connection');
    expect(requests).toBe(2);
  });

  it('a whole large body counts as sent when the answer comes after it', async () => {
    const server = await startTlsServer();
    const tls = { ca: authority.cert };
    for (let round = 0; round < 10; round += 1) {
      const response = await post(`https://127.0.0.1:${server.port}/`, { tls }, 3_000_000 + round);
      expect(response.bodySent).toBe(true);
    }
  });
});
