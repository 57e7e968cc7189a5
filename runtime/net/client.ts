import { request as requestHttp, type ClientRequest, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { ANY_ADDRESS, type AddressPolicy } from './address.js';
import { ByteCollector } from './byte-collector.js';
import { aborted, type ConnectOptions, type Connector, type Lookup, type TlsOptions } from './connect.js';
import type { Endpoint } from './endpoint.js';
import { NetError, withoutPeerText } from './errors.js';
import { createGate } from './gate.js';
import { checkHeader, headerValues } from './headers.js';
import { createConnectionPool, type ConnectionPool, type OrderedRequestOptions } from './pinned-agent.js';
import { sendBody } from './send-body.js';
import { allowManyListeners } from './timers.js';

/** A request body: bytes, or a stream of exactly `size` bytes. Either goes out with an exact `Content-Length`. */
export type RequestBody =
  Uint8Array | { readonly size: number; readonly chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array> };

/** One HTTP request; its header names and values are checked before anything is sent. */
export interface ExchangeRequest {
  readonly endpoint: Endpoint;
  readonly method: 'GET' | 'POST';
  /** Beside `Host` and `Content-Length`, which are set here. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: RequestBody;
  /** Bound of the response body in bytes. */
  readonly maxResponseBytes: number;
  readonly signal: AbortSignal;
}

/** One HTTP response, of any status: nothing is followed, decoded or judged here. */
export interface ExchangeResponse {
  readonly status: number;
  /** As sent, in order, repeated ones too. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
  /**
   * True when every byte of the request body had gone out before the response head came. An early response (false)
   * ended the sending: it cannot speak of the whole body.
   */
  readonly bodySent: boolean;
}

/** Settings of one client. One client serves one purpose: no connection or TLS session is shared with another. */
export interface HttpClientOptions {
  readonly lookup?: Lookup | undefined;
  readonly connect?: Connector | undefined;
  readonly tls?: TlsOptions | undefined;
  /** Which addresses may be dialled; any by default. Plain `http` is held to loopback whatever it says. */
  readonly addressPolicy?: AddressPolicy | undefined;
  /** Keeps connections for later exchanges (true by default). */
  readonly keepAlive?: boolean | undefined;
  /** Exchanges under way at once; others wait for their turn under their own signal. 256 by default. */
  readonly maxConcurrent?: number | undefined;
  /** Bound of the response head in bytes, 16,384 by default. */
  readonly maxHeaderBytes?: number | undefined;
}

/** A small HTTP/1.1 client over `node:http`: no redirects, no proxies, no cookies, no content codings. */
export interface HttpClient {
  /** Sends one request and gives the whole response. Rejects with `NetError` only. */
  exchange(request: ExchangeRequest): Promise<ExchangeResponse>;
  /** Ends every connection and exchange; later exchanges reject with `NetError` `aborted`. */
  close(): void;
}

/** Makes a client for one purpose (see {@link HttpClientOptions}). */
export function createHttpClient(options: HttpClientOptions = {}): HttpClient {
  const connectOptions: ConnectOptions = {
    lookup: options.lookup,
    connect: options.connect,
    tls: options.tls,
    addressPolicy: options.addressPolicy ?? ANY_ADDRESS,
  };
  const maxHeaderBytes = options.maxHeaderBytes ?? 16_384;
  const pool = createConnectionPool(connectOptions, options.keepAlive ?? true);
  const gate = createGate(options.maxConcurrent ?? 256);
  const live = new Set<EndExchange>();
  let closed = false;

  async function exchange(request: ExchangeRequest): Promise<ExchangeResponse> {
    for (const [name, value] of request.headers) checkHeader(name, value);
    if (closed) throw closedError();
    const leave = gate.tryEnter() ?? (await gate.enter(request.signal));
    try {
      return await exchangeOnPool(request);
    } finally {
      leave();
    }
  }

  async function exchangeOnPool(request: ExchangeRequest): Promise<ExchangeResponse> {
    const buffered = request.body === undefined || request.body instanceof Uint8Array;
    try {
      return await exchangeOnce(request, pool, maxHeaderBytes, live);
    } catch (error) {
      // The peer dropped an idle connection while we took it up: the bytes met nobody (Semantics §6). Sent once more
      // on a connection of its own, since others of the pool may be as stale.
      if (!(error instanceof StaleConnection)) throw error;
      if (!buffered) throw error.failure;
    }
    if (closed) throw closedError();
    const fresh = createConnectionPool(connectOptions, false);
    try {
      return await exchangeOnce(request, fresh, maxHeaderBytes, live);
    } finally {
      fresh.destroy();
    }
  }

  return {
    exchange,
    close() {
      closed = true;
      for (const end of [...live]) end(closedError());
      gate.close(closedError());
      pool.destroy();
    },
  };
}

/** Ends one exchange under way with this error. */
type EndExchange = (error: NetError) => void;

function closedError(): NetError {
  return new NetError('aborted', 'exchange: expected an open client, got a closed one');
}

/** Internal: a reused connection ended before any byte of the response. */
class StaleConnection extends Error {
  readonly failure: NetError;
  constructor(failure: NetError) {
    super('reused connection closed before the response');
    this.failure = failure;
  }
}

function exchangeOnce(
  request: ExchangeRequest,
  pool: ConnectionPool,
  maxHeaderBytes: number,
  live: Set<EndExchange>,
): Promise<ExchangeResponse> {
  return new Promise((resolve, reject) => {
    const { endpoint, body, signal } = request;
    if (signal.aborted) {
      reject(aborted(signal));
      return;
    }
    const options: OrderedRequestOptions = {
      method: request.method,
      host: endpoint.host,
      port: endpoint.port,
      path: endpoint.target,
      headers: flattenHeaders(request),
      agent: pool.agentFor(endpoint.secure),
      maxHeaderSize: maxHeaderBytes,
      insecureHTTPParser: false,
      setHost: false,
      order: { origin: endpoint, signal },
    };
    const outgoing = (endpoint.secure ? requestHttps : requestHttp)(options);
    let status: number | null = null;
    let bytesReadBefore = 0;
    let settled = false;

    const settle = (): boolean => {
      if (settled) return false;
      settled = true;
      live.delete(fail);
      signal.removeEventListener('abort', onAbort);
      return true;
    };
    const fail = (error: Error): void => {
      if (!settle()) return;
      outgoing.on('error', () => {});
      outgoing.destroy();
      reject(error);
    };
    const failConnection = (message: string, cause?: Error): void => {
      if (cause instanceof NetError) {
        fail(cause);
        return;
      }
      const failure = new NetError('connection', message, { cause: withoutPeerText(cause), status });
      const untouched = outgoing.reusedSocket && status === null && bytesRead(outgoing) === bytesReadBefore;
      fail(untouched ? new StaleConnection(failure) : failure);
    };
    const onAbort = (): void => fail(aborted(signal));

    live.add(fail);
    allowManyListeners(signal);
    signal.addEventListener('abort', onAbort, { once: true });
    outgoing.on('socket', (socket) => {
      bytesReadBefore = socket.bytesRead;
    });
    outgoing.on('error', (error) => failConnection('connection: expected an HTTP response, got an error', error));
    outgoing.on('close', () => {
      if (status === null) failConnection('connection: expected an HTTP response, got the end of the connection');
    });
    outgoing.on('upgrade', (_response, socket) => {
      socket.destroy();
      failConnection('connection: expected an HTTP response, got a change of protocol');
    });
    outgoing.on('response', (response) => {
      status = response.statusCode ?? 0;
      const headers = pairHeaders(response.rawHeaders);
      const coding = headerValues(headers, 'transfer-encoding').join();
      if (coding !== '' && coding.trim().toLowerCase() !== 'chunked') {
        failConnection('connection: expected no transfer coding but chunked, got another');
        return;
      }
      const bodySent = outgoing.writableFinished;
      // What is still unsent can no longer change the answer: stop sending, keep reading.
      if (!bodySent) stopSending?.abort();
      const declaredBytes = Number(headerValues(headers, 'content-length')[0] ?? '0');
      readBody(response, declaredBytes, request.maxResponseBytes, (error, bytes) => {
        if (error !== null) {
          if (error instanceof NetError) fail(error);
          else failConnection('connection: expected the whole response body, got an error', error);
          return;
        }
        if (!settle()) return;
        if (!bodySent) outgoing.destroy();
        resolve({ status: response.statusCode ?? 0, headers, body: bytes, bodySent });
      });
    });
    let stopSending: AbortController | undefined;
    if (body === undefined || body instanceof Uint8Array) outgoing.end(body);
    else {
      stopSending = new AbortController();
      sendBody(outgoing, body, stopSending.signal).catch((error: unknown) => {
        fail(
          error instanceof NetError
            ? error
            : new NetError('body', 'body: expected bytes, got an error', { cause: error }),
        );
      });
    }
  });
}

function flattenHeaders(request: ExchangeRequest): string[] {
  const flat = ['Host', request.endpoint.authority];
  for (const [name, value] of request.headers) flat.push(name, value);
  const { body } = request;
  if (body !== undefined) flat.push('Content-Length', String(body instanceof Uint8Array ? body.byteLength : body.size));
  return flat;
}

function pairHeaders(raw: readonly string[]): (readonly [string, string])[] {
  const pairs: (readonly [string, string])[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) pairs.push([raw[at] ?? '', raw[at + 1] ?? '']);
  return pairs;
}

function bytesRead(outgoing: ClientRequest): number {
  return outgoing.socket?.bytesRead ?? 0;
}

function readBody(
  response: IncomingMessage,
  declaredBytes: number,
  maxBytes: number,
  done: (error: Error | null, bytes: Uint8Array) => void,
): void {
  // Most bodies are one chunk, which is given as it came. Of many, however small, memory holds little more than bytes.
  let first: Uint8Array | null = null;
  let collector: ByteCollector | null = null;
  let total = 0;
  const empty = new Uint8Array(0);
  const refuse = (came: string): void => {
    response.destroy();
    const message = `response body: expected at most ${maxBytes} bytes, got ${came}`;
    done(new NetError('response-too-large', message, { status: response.statusCode ?? null }), empty);
  };
  response.on('error', (error) => done(error, empty));
  if (declaredBytes > maxBytes) {
    refuse(`${declaredBytes}`);
    return;
  }
  response.on('data', (chunk: Buffer) => {
    total += chunk.byteLength;
    if (total > maxBytes) {
      refuse('more');
    } else if (first === null) {
      first = chunk;
    } else {
      if (collector === null) {
        collector = new ByteCollector();
        collector.add(first);
      }
      collector.add(chunk);
    }
  });
  response.on('end', () => {
    if (!response.complete) return;
    const whole = collector?.view() ?? first ?? empty;
    // A plain view: the slice() of a Buffer shares memory, which nobody expects of a Uint8Array.
    done(null, new Uint8Array(whole.buffer, whole.byteOffset, whole.byteLength));
  });
  response.on('close', () => {
    if (!response.complete) done(new Error('closed before the end of the body'), empty);
  });
}
