import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { MAX_TIMER_MS } from '../net/timers.js';
import { Admission } from './admission.js';
import type { ReceiverCore } from './core.js';
import { ReceiverError } from './errors.js';
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
  /**
   * Takes no more connections, lets what came by them end within `limits.closeTimeoutMs`, observation handlers included,
   * then aborts and cuts the rest. Other listeners and links of the receiver go on.
   */
  close(): Promise<void>;
}

/** How long a connection may linger so that a refused caller can read why. */
const LINGER_MS = 1_000;

/** What is thrown away of a refused body so that a short one does not reset the connection; then reading stops. */
const MOST_DISCARDED_BYTES = 64 * 1024;

/**
 * Serves a receiver over `node:http`, or `node:https`. Port 0 takes a free one. Rejects when it cannot listen, and with
 * `ReceiverError` `closed` when the receiver was closed. Plain HTTP carries credentials in the clear: beyond loopback
 * it belongs behind something that ends TLS.
 */
export async function listen(core: ReceiverCore, port: number, options: ListenOptions = {}): Promise<Listening> {
  if (!core.admission.admits)
    throw new ReceiverError('closed', 'Receiver: expected an open receiver, got a closed one');
  const { host = '127.0.0.1', tls } = options;
  const { limits } = core;
  const settings = {
    maxHeaderSize: limits.maxHeaderBytes,
    headersTimeout: limits.headersTimeoutMs,
    // Bodies have limits of their own, by route; this one is for what no route takes.
    requestTimeout: Math.max(limits.messageTimeoutMs, limits.uploadTimeoutMs) + limits.headersTimeoutMs,
    keepAliveTimeout: 60_000,
    connectionsCheckingInterval: CHECK_MS,
  };
  const server =
    tls === undefined
      ? createServer(settings)
      : createTlsServer({ ...settings, ...tls, handshakeTimeout: Math.min(limits.headersTimeoutMs, MAX_TIMER_MS) });
  server.maxConnections = limits.maxConnections;
  // Bytes are what is limited; a second digest must not hide behind a limit of names.
  server.maxHeadersCount = 0;
  const admission = new Admission(core.admission);
  const latest = new WeakMap<Socket, ServerResponse>();
  const ending = new WeakSet<Socket>();
  const serve = (request: IncomingMessage, response: ServerResponse, expectsContinue = false): void => {
    // What follows a request whose end is uncertain may be its body; more of it is not read.
    if (ending.has(request.socket)) {
      request.socket.pause();
      return;
    }
    latest.set(request.socket, response);
    if (hasUncertainEnd(request)) ending.add(request.socket);
    if (hasUnusableCoding(request)) {
      send(admission, request, response, REFUSED_CODING);
      return;
    }
    void answerRequest(core, admission, request, response, expectsContinue);
  };
  server.on('request', (request, response) => serve(request, response));
  // Nothing is asked of the caller before it is known to be welcome.
  server.on('checkContinue', (request, response) => serve(request, response, true));
  server.on('checkExpectation', (request, response) => send(admission, request, response, REFUSED_EXPECTATION));
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const response = latest.get(socket);
    // The connection ends with the answer that is on its way, whatever the rest looks like.
    if (ending.has(socket) || (response?.headersSent === true && !response.req.complete)) return;
    // A request that came whole gets its own answer first; what follows it is what cannot be read.
    if (response?.req.complete === true && !response.writableFinished && !response.destroyed) {
      response.once('close', () => refuseUnreadable(error, socket));
    } else {
      refuseUnreadable(error, socket);
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  server.on('error', (error) => core.report(error, { event: null, place: 'server' }));
  const { port: taken } = server.address() as AddressInfo;
  const name = host.includes(':') ? `[${host}]` : host;
  let closed: Promise<void> | undefined;
  return {
    url: `${tls === undefined ? 'http' : 'https'}://${name}:${taken}`,
    close: () => {
      closed ??= closeServer(admission, server, limits.closeTimeoutMs);
      return closed;
    },
  };
}

/** How often connections are looked at that are slow with their headers. */
const CHECK_MS = 500;

const REFUSED_EXPECTATION: OutgoingResponse = { status: 417, headers: {}, body: null, isBodyRead: false };
const REFUSED_CODING: OutgoingResponse = { status: 400, headers: {}, body: null, isBodyRead: false };

async function closeServer(admission: Admission, server: Server, timeoutMs: number): Promise<void> {
  const ended = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  await admission.close(timeoutMs);
  server.closeIdleConnections();
  const linger = setTimeout(() => server.closeAllConnections(), LINGER_MS);
  await ended;
  clearTimeout(linger);
}

async function answerRequest(
  core: ReceiverCore,
  admission: Admission,
  request: IncomingMessage,
  response: ServerResponse,
  expectsContinue: boolean,
): Promise<void> {
  const gone = new AbortController();
  const onGone = (): void => gone.abort(new Error('The caller is gone'));
  response.once('close', () => {
    if (!response.writableFinished) onGone();
  });
  request.on('error', onGone);
  response.on('error', () => undefined);
  try {
    const answer = await answerHttp(core, {
      method: request.method ?? '',
      url: request.url ?? '/',
      headers: headersOf(request),
      body: readBody(request, response, expectsContinue),
      peer: peerOf(request.socket),
      signal: gone.signal,
      admission,
    });
    send(admission, request, response, answer);
  } catch (error) {
    // Header text that no Headers object holds, for one. Whatever it is, only this connection pays for it.
    core.report(error, { event: null, place: 'server' });
    request.socket.destroy();
  }
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

function send(
  admission: Admission,
  request: IncomingMessage,
  response: ServerResponse,
  answer: OutgoingResponse,
): void {
  if (response.destroyed) return;
  const isBodyLeft = !answer.isBodyRead && hasBody(request);
  const headers: Record<string, string> = {
    ...answer.headers,
    'content-length': String(answer.body?.byteLength ?? 0),
    ...(isBodyLeft || !admission.admits || hasUncertainEnd(request) ? { connection: 'close' } : {}),
  };
  if (isBodyLeft) {
    lingerInClosing(request.socket);
    discardSome(request);
  }
  response.writeHead(answer.status, headers);
  response.end(answer.body ?? undefined);
}

function hasBody(request: IncomingMessage): boolean {
  const { headers } = request;
  if (headers['transfer-encoding'] !== undefined) return true;
  return hasUncertainEnd(request) || Number(headers['content-length'] ?? 0) !== 0;
}

/**
 * A POST that announces nothing may be followed by a body nonetheless, and chunks in HTTP/1.0 or in a coding that is not
 * ours may end elsewhere for whoever passed them on (RFC 9112, section 6.1). None of that must be taken for a request.
 */
function hasUncertainEnd(request: IncomingMessage): boolean {
  const { headers, method } = request;
  const isSilent = headers['transfer-encoding'] === undefined && headers['content-length'] === undefined;
  return hasUnusableCoding(request) || (isSilent && method === 'POST');
}

function hasUnusableCoding({ headers, httpVersion }: IncomingMessage): boolean {
  const coding = headers['transfer-encoding'];
  return coding !== undefined && (httpVersion === '1.0' || coding.trim().toLowerCase() !== 'chunked');
}

/** Takes over the reading of a refused body, which Node would read to its end; nothing of it is kept. */
function discardSome(request: IncomingMessage): void {
  let bytes = 0;
  // Node leaves a request alone that somebody has begun to read.
  request.read(0);
  request.on('data', (chunk: Uint8Array) => {
    bytes += chunk.byteLength;
    if (bytes >= MOST_DISCARDED_BYTES) request.pause();
  });
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
