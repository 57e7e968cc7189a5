import { createHash } from 'node:crypto';
import type { ContentUpload, ContentUploadReceipt } from '../../generated/index.js';
import { CredentialsError } from '../credentials/errors.js';
import { exchangeWithCredential } from '../credentials/exchange-with-credential.js';
import type { CredentialProvider } from '../credentials/types.js';
import { createHttpClient, type ExchangeResponse, type HttpClient } from '../net/client.js';
import type { Connector, Lookup, TlsOptions } from '../net/connect.js';
import type { Endpoint } from '../net/endpoint.js';
import { NetError } from '../net/errors.js';
import { headerValues } from '../net/headers.js';
import { linkSignals } from '../net/timers.js';
import { UploadError } from './errors.js';
import { createPacer, takeTurn } from './pieces.js';
import { judgeUploadResponse, MAX_RECEIPT_BYTES, type SentBytes } from './receipt.js';
import { type ContentSource, hashSource, openSource, type OpenedSource } from './source.js';
import type { SpoolOptions } from './spool.js';
import { readUploadTarget, type UploadTarget } from './upload-target.js';

/** Settings of uploads. Nothing here is shared with event delivery; there is no client certificate (Semantics §6). */
export interface UploaderOptions {
  /** Asked for the credential of `config.auth`, with purpose `upload`. */
  readonly credentials?: CredentialProvider | undefined;
  /** Allows plain `http` to loopback. Default false. */
  readonly allowLoopback?: boolean | undefined;
  /** Roots to trust, instead of the ones that come with Node. */
  readonly tls?: Pick<TlsOptions, 'ca'> | undefined;
  /** Where streams that can be read once only wait. */
  readonly spool?: SpoolOptions | undefined;
  readonly lookup?: Lookup | undefined;
  readonly connect?: Connector | undefined;
}

/** Settings of one upload. */
export interface UploadOptions extends UploaderOptions {
  readonly signal?: AbortSignal | undefined;
}

/** Uploads over connections of its own, which it keeps. */
export interface Uploader {
  /** Uploads one body; see {@link uploadContent}. */
  upload(
    config: ContentUpload,
    source: ContentSource,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<ContentUploadReceipt>;
  /** Ends connections and uploads under way, which reject with `aborted`; later uploads do too. */
  close(): void;
}

/**
 * Uploads exactly the bytes of `source` to the endpoint of `config` and gives the receiver's receipt, whose size and
 * digest were compared with what was sent (Semantics §7). One pass hashes, a second one sends and hashes again; memory
 * does not grow with the size. `config.timeoutMs` covers everything from the call to the receipt. A connection that
 * breaks with no status is tried once more; after a 401 another credential is tried once; every other status is final.
 * Rejects with `UploadError`. A receipt is no proof of durable storage.
 */
export async function uploadContent(
  config: ContentUpload,
  source: ContentSource,
  options: UploadOptions = {},
): Promise<ContentUploadReceipt> {
  const uploader = makeUploader(options, false);
  try {
    return await uploader.upload(config, source, { signal: options.signal });
  } finally {
    uploader.close();
  }
}

/** Makes an uploader, for hosts that upload often: it keeps its connections. */
export function createUploader(options: UploaderOptions = {}): Uploader {
  return makeUploader(options, true);
}

function makeUploader(options: UploaderOptions, keepAlive: boolean): Uploader {
  const connection = {
    lookup: options.lookup,
    connect: options.connect,
    // Taken apart, so that a client certificate that somebody passes along is not presented here.
    tls: options.tls?.ca === undefined ? undefined : { ca: options.tls.ca },
  };
  const client = createHttpClient({ ...connection, keepAlive });
  const closing = new AbortController();
  return {
    async upload(config, source, { signal } = {}) {
      const target = readUploadTarget(config, options.allowLoopback === true);
      const { timeoutMs } = target.config;
      const linked = linkSignals([signal, closing.signal], { timeoutMs, reason: () => new UploadTimeout(timeoutMs) });
      const send = (request: SendRequest): Promise<UploadResponse> => {
        const retryClient = (): HttpClient => createHttpClient({ ...connection, keepAlive: false });
        return sendWithRetry(client, retryClient, request);
      };
      try {
        return await uploadOnce(target, source, options, send, linked.signal);
      } catch (error) {
        throw asUploadError(error, linked.signal);
      } finally {
        linked.dispose();
      }
    },
    close() {
      closing.abort(new UploadError('aborted', 'upload: expected an open uploader, got a closed one'));
      client.close();
    },
  };
}

interface SendRequest {
  readonly endpoint: Endpoint;
  readonly source: OpenedSource;
  readonly sent: SentBytes;
  readonly authorization: string | null;
  readonly signal: AbortSignal;
}

interface UploadResponse extends ExchangeResponse {
  readonly challenge: string | null;
}

/** Internal: the reason with which the time-out aborts, so that it can be told from the caller's own. */
class UploadTimeout extends Error {
  constructor(timeoutMs: number) {
    super(`upload: expected a receipt within ${timeoutMs} ms`);
  }
}

async function uploadOnce(
  { endpoint, config }: UploadTarget,
  given: ContentSource,
  options: UploaderOptions,
  send: (request: SendRequest) => Promise<UploadResponse>,
  signal: AbortSignal,
): Promise<ContentUploadReceipt> {
  const source = await openSource(given, { maxBytes: config.maxBytes, spool: options.spool, signal });
  try {
    const sent = { size: source.size, sha256: await hashSource(source, signal) };
    const use = {
      binding: config.auth,
      credentials: options.credentials,
      endpoint: config.endpoint,
      purpose: 'upload' as const,
      signal,
    };
    const response = await exchangeWithCredential(use, (authorization) =>
      send({ endpoint, source, sent, authorization, signal }),
    );
    return judgeUploadResponse(response, sent);
  } finally {
    await source.close();
  }
}

async function sendWithRetry(
  client: HttpClient,
  retryClient: () => HttpClient,
  request: SendRequest,
): Promise<UploadResponse> {
  try {
    return await sendBody(client, request);
  } catch (error) {
    const broke = error instanceof NetError && error.code === 'connection' && error.status === null;
    if (!broke || request.signal.aborted) throw error;
  }
  // On a connection of its own: others that were kept may be as dead as the first.
  const fresh = retryClient();
  try {
    return await sendBody(fresh, request);
  } finally {
    fresh.close();
  }
}

async function sendBody(client: HttpClient, request: SendRequest): Promise<UploadResponse> {
  const { endpoint, source, sent, authorization, signal } = request;
  const reading = linkSignals([signal]);
  const headers: [string, string][] = [
    ['Content-Type', 'application/octet-stream'],
    ['AHP-Content-SHA256', sent.sha256],
  ];
  if (authorization !== null) headers.push(['Authorization', authorization]);
  try {
    const response = await client.exchange({
      endpoint,
      method: 'POST',
      headers,
      body: { size: sent.size, chunks: readUnchanged(source, sent.sha256, reading.signal) },
      maxResponseBytes: MAX_RECEIPT_BYTES,
      signal,
    });
    return { ...response, challenge: headerValues(response.headers, 'www-authenticate').join(', ') || null };
  } catch (error) {
    // The status had come, and is final, although what followed it broke.
    if (error instanceof NetError && error.code !== 'aborted' && error.status !== null && error.status !== 201) {
      return { status: error.status, headers: [], body: new Uint8Array(0), bodySent: false, challenge: null };
    }
    throw error;
  } finally {
    // An answer that came early leaves the source in the middle; whoever waits for its next chunk is let go.
    reading.abort(new Error('sending has ended'));
  }
}

/** The second pass: what goes out is hashed again, and the last piece is not given away when it is not the same. */
async function* readUnchanged(source: OpenedSource, sha256: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  const pace = createPacer();
  let count = 0;
  try {
    for await (const piece of source.read(signal)) {
      // The producer may use its memory again while this piece waits for the socket.
      const own = source.isReused ? Buffer.from(piece) : piece;
      hash.update(own);
      count += 1;
      yield own;
      await pace(own.byteLength);
    }
  } catch (error) {
    if (error instanceof UploadError && error.code === 'source-length') {
      throw new UploadError('source-changed', 'source: expected the length of the first pass, got another');
    }
    throw error;
  }
  if (hash.digest('hex') !== sha256) {
    throw new UploadError('source-changed', 'source: expected the bytes of the first pass, got others');
  }
  // An answer that is there already came before the last piece, and shall be seen before that goes out. Reading it
  // takes the turn in which it arrives and the one in which it is parsed.
  if (count < 2) return;
  for (let turn = 0; turn < 3; turn += 1) await takeTurn();
}

function asUploadError(error: unknown, signal: AbortSignal): UploadError {
  if (signal.aborted) return asEnded(signal.reason);
  if (error instanceof UploadError) return error;
  if (error instanceof CredentialsError) {
    return new UploadError('authentication', `upload: expected a credential, got none (${error.code})`, {
      cause: error,
    });
  }
  if (error instanceof NetError) return fromNetError(error);
  return new UploadError('connection', 'upload: expected an answer, got an error', { cause: error });
}

function asEnded(reason: unknown): UploadError {
  if (reason instanceof UploadTimeout) return new UploadError('timeout', reason.message);
  if (reason instanceof UploadError) return reason;
  return new UploadError('aborted', 'upload: ended by its signal', { cause: reason });
}

function fromNetError(error: NetError): UploadError {
  const { status } = error;
  switch (error.code) {
    case 'body':
      if (error.cause instanceof UploadError) return error.cause;
      return new UploadError('source', error.message, { cause: error.cause });
    case 'endpoint':
    case 'address':
      return new UploadError('endpoint', error.message, { cause: error });
    case 'header':
      return new UploadError('authentication', error.message, { cause: error });
    case 'response-too-large':
      return new UploadError('receipt', error.message, { cause: error, status });
    case 'connection':
    case 'aborted':
      return new UploadError('connection', error.message, { cause: error, status });
  }
}
