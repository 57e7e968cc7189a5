import { createHash } from 'node:crypto';
import { createServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { expect, it, onTestFinished } from 'vitest';
import { createCredentials } from '../../runtime/credentials/index.js';
import { createAuthority } from '../support/certificates.js';
import { eventOf, httpBackend, makeHooks, subscription } from './support/kit.js';

interface Seen {
  readonly path: string;
  readonly client: string | undefined;
  readonly resumed: boolean;
  readonly authorization: string | undefined;
}

/** One HTTPS server for both, since that is where a certificate, a connection or a session could be shared. */
async function tlsServer(options: ServerOptions, seen: Seen[]): Promise<string> {
  const server = createServer(options, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const socket = request.socket as TLSSocket;
      const body = Buffer.concat(chunks);
      seen.push({
        path: request.url ?? '',
        client: socket.getPeerCertificate().subject?.CN as string | undefined,
        resumed: socket.isSessionReused(),
        authorization: request.headers.authorization,
      });
      if (request.url === '/content') {
        const sha256 = createHash('sha256').update(body).digest('hex');
        const receipt = JSON.stringify({ ref: `ref-${seen.length}`, size: body.byteLength, sha256 });
        response.writeHead(201, { 'content-type': 'application/json' }).end(receipt);
        return;
      }
      const { id } = JSON.parse(body.toString('utf8')) as { id: string };
      const answer = JSON.stringify({ jsonrpc: '2.0', id, result: { protocolVersion: 'draft', effects: [] } });
      response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return `https://localhost:${(server.address() as AddressInfo).port}`;
}

it('§6 the client certificate and the token of events are never shown at the upload origin, though it is the same', async () => {
  const authority = createAuthority();
  const seen: Seen[] = [];
  const settings = { ...authority.issue('server', ['localhost', '127.0.0.1']), ca: authority.cert };
  const origin = await tlsServer({ ...settings, requestCert: true, rejectUnauthorized: false }, seen);
  const upload = {
    endpoint: `${origin}/content`,
    timeoutMs: 60_000,
    maxBytes: 1_000,
    auth: { type: 'bearer', tokenEnv: 'UPLOADS' },
  };
  const { hooks } = makeHooks(
    [
      httpBackend('one.https', `${origin}/hooks?x=%2e../`, [subscription({ content: { default: 'body' }, upload })], {
        authentication: { type: 'bearer', tokenEnv: 'EVENTS' },
      }),
    ],
    {
      tls: { ca: authority.cert, ...authority.issue('harness') },
      credentials: createCredentials({ env: { EVENTS: 'event-token', UPLOADS: 'upload-token' } }),
    },
  );
  for (const id of ['e-1', 'e-2', 'e-3']) {
    const outcome = await hooks.intercept(eventOf('turn.start', id), { content: { i: Buffer.from('text') } });
    expect([outcome.decision, outcome.failures]).toEqual(['proceed', []]);
  }
  const uploads = { path: '/content', client: undefined, resumed: false, authorization: 'Bearer upload-token' };
  const events = { path: '/hooks?x=%2e../', client: 'harness', resumed: false, authorization: 'Bearer event-token' };
  expect(seen).toEqual([uploads, events, uploads, events, uploads, events]);
});
