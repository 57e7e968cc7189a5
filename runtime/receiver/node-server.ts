import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { ReceiverCore } from './core.js';
import { answerHttp, type OutgoingResponse } from './http.js';
import type { Peer } from './options.js';

export interface ListenOptions {
  /** `127.0.0.1` by default. */
  readonly host?: string;
  /** Serves HTTPS. With `ca` and `requestCert`, client certificates are verified and shown to `authenticate`. */
  readonly tls?: {
    readonly cert: string | Buffer;
    readonly key: string | Buffer;
    readonly ca?: string | Buffer;
    readonly requestCert?: boolean;
  };
}

export interface Listening {
  /** Origin, without a path: `http://127.0.0.1:4100`. */
  readonly url: string;
  /** Takes no more connections, lets what is under way end within `limits.closeTimeoutMs`, then cuts the rest. */
  close(): Promise<void>;
}

/** How long a connection may linger so that a refused caller can read why. */
const LINGER_MS = 1_000;

/** Serves a receiver over `node:http`, or `node:https`. Port 0 takes a free one. Rejects when it cannot listen. */
export async function listen(core: ReceiverCore, port: number, options: ListenOptions = {}): Promise<Listening> {
  const { host = '127.0.0.1', tls } = options;
  const { limits } = core;
  const settings = {
    maxHeaderSize: limits.maxHeaderBytes,
    headersTimeout: limits.headersTimeoutMs,
    // Bodies have limits of their own, by route.
    requestTimeout: Math.max(limits.messageTimeoutMs, limits.uploadTimeoutMs) + limits.headersTimeoutMs,
    keepAliveTimeout: 60_000,
    connectionsCheckingInterval: 1_000,
  };
  const server = tls === undefined ? createServer(settings) : createTlsServer({ ...settings, ...tls });
  server.maxConnections = limits.maxConnections;
  server.on('request', (request, response) => void serve(core, request, response, false));
  // Nothing is asked of the caller before it is known to be welcome.
  server.on('checkContinue', (request, response) => void serve(core, request, response, true));
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => refuseUnreadable(error, socket));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  server.on('error', (error) => core.report(error, { event: null, place: 'store' }));
  const { port: taken } = server.address() as AddressInfo;
  const name = host.includes(':') ? `[${host}]` : host;
  let closed: Promise<void> | undefined;
  return {
    url: `${tls === undefined ? 'http' : 'https'}://${name}:${taken}`,
    close: () => {
      closed ??= closeServer(core, server);
      return closed;
    },
  };
}

async function closeServer(core: ReceiverCore, server: Server): Promise<void> {
  const ended = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  await core.close();
  server.closeIdleConnections();
  const linger = setTimeout(() => server.closeAllConnections(), LINGER_MS);
  await ended;
  clearTimeout(linger);
}

async function serve(
  core: ReceiverCore,
  request: IncomingMessage,
  response: ServerResponse,
  expectsContinue: boolean,
): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort(new Error('The caller is gone'));
  });
  request.on('error', () => gone.abort(new Error('The caller is gone')));
  response.on('error', () => undefined);
  const answer = await answerHttp(core, {
    method: request.method ?? '',
    url: request.url ?? '/',
    headers: headersOf(request),
    body: readBody(request, response, expectsContinue),
    peer: peerOf(request.socket),
    signal: gone.signal,
  });
  send(request, response, answer);
}

/** Reads without ending the connection when reading stops early: the answer still has to go out. */
async function* readBody(
  request: IncomingMessage,
  response: ServerResponse,
  expectsContinue: boolean,
): AsyncGenerator<Uint8Array> {
  if (expectsContinue) response.writeContinue();
  yield* request.iterator({ destroyOnReturn: false });
}

function send(request: IncomingMessage, response: ServerResponse, answer: OutgoingResponse): void {
  if (response.destroyed) return;
  const isBodyLeft = !answer.isBodyRead && !request.complete && hasBody(request);
  const length = answer.body?.byteLength ?? 0;
  const headers: Record<string, string> = { ...answer.headers };
  if (answer.status !== 204) headers['content-length'] = String(length);
  if (isBodyLeft) {
    headers.connection = 'close';
    lingerInClosing(request.socket);
  }
  response.writeHead(answer.status, headers);
  response.end(answer.body ?? undefined);
}

function hasBody(request: IncomingMessage): boolean {
  const { headers } = request;
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

/**
 * Closing at once with unread bytes would reset the connection, and the caller might never see its refusal. So this end
 * is closed, and the other end gets a moment.
 */
function lingerInClosing(socket: Socket): void {
  socket.destroySoon = () => {
    socket.end();
    const timer = setTimeout(() => socket.destroy(), LINGER_MS);
    timer.unref();
    socket.once('close', () => clearTimeout(timer));
  };
}

function refuseUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || socket.destroyed) {
    socket.destroy();
    return;
  }
  const status =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? '431 Request Header Fields Too Large'
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? '408 Request Timeout'
        : '400 Bad Request';
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

/** Every header line as it came, so that a repeated one stays visible. */
function headersOf(request: IncomingMessage): Headers {
  const headers = new Headers();
  const { rawHeaders } = request;
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '');
  }
  return headers;
}

function peerOf(socket: Socket): Peer {
  const isVerified = socket instanceof TLSSocket && socket.authorized;
  const subject = isVerified ? socket.getPeerCertificate().subject?.CN : undefined;
  return {
    address: socket.remoteAddress ?? null,
    port: socket.remotePort ?? null,
    certificateSubject: typeof subject === 'string' ? subject : null,
  };
}
