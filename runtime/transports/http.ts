import type { AddressPolicy } from '../net/address.js';
import { createHttpClient, type ExchangeResponse, type HttpClient } from '../net/client.js';
import type { Connector, Lookup, TlsOptions } from '../net/connect.js';
import { isLoopbackHost, parseEndpoint, type Endpoint } from '../net/endpoint.js';
import { NetError } from '../net/errors.js';
import { bearerAuthorization, headerValues } from '../net/headers.js';
import { createTransport } from './call.js';
import { judgeAcknowledgement, judgeAnswer, judgeFailure } from './http-judge.js';
import { createRecorder, type RecordListener } from './records.js';
import { DEFAULT_MAX_MESSAGE_BYTES, DEFAULT_NOTIFY_TIMEOUT_MS, TransportError, type Transport } from './transport.js';

/** For whom a token is asked. */
export interface AuthorizeRequest {
  /** The URL as configured. */
  readonly endpoint: string;
  readonly purpose: 'event';
  readonly signal: AbortSignal;
  /** The token that the backend answered with 401, and its `WWW-Authenticate` text. */
  readonly rejected?: { readonly token: string; readonly challenge: string | null };
}

/** Gives the bearer token for a call; null or a rejection means that nothing may be sent. */
export type Authorize = (request: AuthorizeRequest) => Promise<{ readonly token: string } | null>;

/** Settings of an HTTP transport. */
export interface HttpTransportOptions {
  /** Absolute `https` URL, or `http` on loopback. Its path and query go out text for text. */
  readonly url: string;
  /** Without it no `Authorization` header is sent, and a 401 is final. */
  readonly authorize?: Authorize | undefined;
  /** Private roots and the client certificate of this event connection. */
  readonly tls?: TlsOptions | undefined;
  readonly lookup?: Lookup | undefined;
  readonly connect?: Connector | undefined;
  readonly addressPolicy?: AddressPolicy | undefined;
  /** Bound of a response body, 64 MiB by default. */
  readonly maxMessageBytes?: number | undefined;
  /** 30,000 by default. */
  readonly notifyTimeoutMs?: number | undefined;
  /** Exchanges under way at once, 256 by default; more wait under their own deadline. */
  readonly maxConcurrent?: number | undefined;
  readonly onRecord?: RecordListener | undefined;
}

// An acknowledgement has no body at all; this much is read to tell.
const MAX_ACKNOWLEDGEMENT_BYTES = 4096;

/**
 * A transport over HTTP/1.1 with kept-alive connections (wire page, HTTP binding): one message per `POST`, no
 * redirects, no content codings, no proxies. The token is asked for within each call; after a 401 once more, and only
 * another token is tried, once (Semantics §6).
 * Throws `NetError` `endpoint` for a URL with userinfo, a fragment or another scheme, and for plain `http` to a host
 * that is not loopback.
 */
export function createHttpTransport(options: HttpTransportOptions): Transport {
  const endpoint = parseEndpoint(options.url);
  if (!endpoint.secure && !isLoopbackHost(endpoint.host)) {
    throw new NetError('endpoint', 'endpoint: expected https, or http on loopback, got http elsewhere');
  }
  const maxMessageBytes = options.maxMessageBytes ?? DEFAULT_MAX_MESSAGE_BYTES;
  const client = createHttpClient(options);
  const exchange = (bytes: Uint8Array, maxResponseBytes: number, signal: AbortSignal): Promise<ExchangeResponse> =>
    post({ client, endpoint, authorize: options.authorize, bytes, maxResponseBytes, signal });
  return createTransport(
    {
      request: async ({ bytes }, signal) => judgeAnswer(await exchange(bytes, maxMessageBytes, signal)),
      notify: async ({ bytes }, signal) =>
        judgeAcknowledgement(await exchange(bytes, MAX_ACKNOWLEDGEMENT_BYTES, signal)),
      close: async () => client.close(),
    },
    {
      record: createRecorder(options.onRecord),
      notifyTimeoutMs: options.notifyTimeoutMs ?? DEFAULT_NOTIFY_TIMEOUT_MS,
    },
  );
}

interface Post {
  readonly client: HttpClient;
  readonly endpoint: Endpoint;
  readonly authorize: Authorize | undefined;
  readonly bytes: Uint8Array;
  readonly maxResponseBytes: number;
  readonly signal: AbortSignal;
}

/** Sends one message, with a second token after a 401 when there is one. */
async function post(order: Post): Promise<ExchangeResponse> {
  const { authorize } = order;
  if (authorize === undefined) return send(order, null);
  const first = await resolveToken(order, authorize);
  if (first === null) throw noCredential();
  const response = await send(order, first);
  if (response.status !== 401) return response;
  const challenges = headerValues(response.headers, 'www-authenticate');
  const challenge = challenges.length === 0 ? null : challenges.join(', ');
  const second = await resolveToken(order, authorize, { token: first, challenge });
  return second === null || second === first ? response : send(order, second);
}

async function resolveToken(
  order: Post,
  authorize: Authorize,
  rejected?: { readonly token: string; readonly challenge: string | null },
): Promise<string | null> {
  const { endpoint, signal } = order;
  const request: AuthorizeRequest = { endpoint: endpoint.url, purpose: 'event', signal };
  try {
    const found: { readonly token: unknown } | null = await authorize(
      rejected === undefined ? request : { ...request, rejected },
    );
    return typeof found?.token === 'string' ? found.token : null;
  } catch (error) {
    throw noCredential(error);
  }
}

function noCredential(cause?: unknown): TransportError {
  return new TransportError('authentication', 'credential: expected a token, got none', { cause });
}

async function send(order: Post, token: string | null): Promise<ExchangeResponse> {
  const { client, endpoint, bytes, maxResponseBytes, signal } = order;
  try {
    const headers: (readonly [string, string])[] = [
      ['Content-Type', 'application/json'],
      ['Accept', 'application/json'],
    ];
    if (token !== null) headers.push(['Authorization', bearerAuthorization(token)]);
    return await client.exchange({ endpoint, method: 'POST', headers, body: bytes, maxResponseBytes, signal });
  } catch (error) {
    throw judgeFailure(error);
  }
}
