import { isIP } from 'node:net';
import { ANY_ADDRESS, type AddressClass, type AddressPolicy } from '../net/address.js';
import { createHttpClient, type ExchangeResponse, type HttpClient } from '../net/client.js';
import { resolveAllowed } from '../net/connect.js';
import { type Endpoint, parseEndpoint } from '../net/endpoint.js';
import { NetError } from '../net/errors.js';
import { linkSignals } from '../net/timers.js';
import { CredentialsError } from './errors.js';
import type { OAuthOptions } from './oauth-options.js';

/** Who found a URL: the host, who may configure what it likes, or discovery, which the destination policy binds. */
export type UrlOrigin = 'configured' | 'discovered';

/** The requests that the OAuth library makes, over the project's own HTTP client. */
export interface OAuthHttp {
  /** A fetch for one kind of URL: no redirects, bounded answers, one connection per exchange. */
  fetcher(origin: UrlOrigin): (url: string, init: FetchInit) => Promise<Response>;
  /** Refuses a discovered URL that will be opened by somebody else, such as a user's browser. */
  checkDestination(url: string, signal: AbortSignal): Promise<void>;
  /** True for a discovered plain-`http` URL that the policy allows. */
  allowsInsecure(url: string): boolean;
  close(): void;
}

/** The part of a fetch call that the OAuth library uses. */
export interface FetchInit {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: URLSearchParams | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Makes the HTTP side of one provider, under the host's destination policy (Semantics §6). */
export function createOAuthHttp(options: OAuthOptions, closing: AbortSignal): OAuthHttp {
  const policy = destinationPolicy(options);
  const shared = {
    lookup: options.lookup,
    connect: options.connect,
    tls: options.tls?.ca === undefined ? undefined : { ca: options.tls.ca },
    // A reused connection may be resent to when it turns out stale, and a refresh token must not be sent twice.
    keepAlive: false,
  };
  const clients: Readonly<Record<UrlOrigin, HttpClient>> = {
    configured: createHttpClient({ ...shared, addressPolicy: ANY_ADDRESS }),
    discovered: createHttpClient({ ...shared, addressPolicy: policy }),
  };
  const timeoutMs = options.exchangeTimeoutMs ?? 10_000;
  const maxResponseBytes = options.maxResponseBytes ?? 262_144;
  const timedOut = (): NetError => new NetError('connection', `exchange: expected an answer within ${timeoutMs} ms`);

  async function send(client: HttpClient, endpoint: Endpoint, init: FetchInit): Promise<ExchangeResponse> {
    const linked = linkSignals([init.signal, closing], { timeoutMs, reason: timedOut });
    try {
      return await client.exchange({
        endpoint,
        method: init.method === 'POST' ? 'POST' : 'GET',
        headers: Object.entries(init.headers),
        ...(init.body === undefined ? {} : { body: Buffer.from(init.body.toString(), 'utf8') }),
        maxResponseBytes,
        signal: linked.signal,
      });
    } catch (error) {
      throw asCredentialsError(error, linked.signal);
    } finally {
      linked.dispose();
    }
  }

  return {
    fetcher: (origin) => async (url, init) => {
      const endpoint = readEndpoint(url, origin, options.allowLoopback === true);
      return toResponse(await send(clients[origin], endpoint, init));
    },
    async checkDestination(url, signal) {
      const endpoint = readEndpoint(url, 'discovered', options.allowLoopback === true);
      try {
        await resolveAllowed(endpoint, { addressPolicy: policy, lookup: options.lookup }, signal);
      } catch (error) {
        throw asCredentialsError(error, signal);
      }
    },
    allowsInsecure: (url) => options.allowLoopback === true && url.startsWith('http:'),
    close() {
      clients.configured.close();
      clients.discovered.close();
    },
  };
}

function destinationPolicy(options: OAuthOptions): AddressPolicy {
  const allowed = new Set<AddressClass>(['public', ...(options.allowAddresses ?? [])]);
  if (options.allowLoopback === true) allowed.add('loopback');
  return { allowed };
}

function readEndpoint(url: string, origin: UrlOrigin, allowLoopback: boolean): Endpoint {
  let endpoint: Endpoint;
  try {
    endpoint = parseEndpoint(url);
  } catch {
    throw new CredentialsError(
      'destination',
      `${origin} URL: expected an http or https URL without userinfo, got another`,
    );
  }
  if (!endpoint.secure && origin === 'discovered' && !allowLoopback) {
    throw new CredentialsError('destination', 'discovered URL: expected https, got plain http');
  }
  if (origin === 'discovered' && isDisguisedAddress(endpoint)) {
    throw new CredentialsError(
      'destination',
      'discovered URL: expected a name or a plain address, got another spelling',
    );
  }
  return endpoint;
}

/**
 * `2130706433`, `0x7f.1` and `10.1` are names here, but addresses for a browser and for some systems' look-ups. Nobody
 * publishes a server so.
 */
function isDisguisedAddress({ url, host }: Endpoint): boolean {
  if (isIP(host) !== 0) return false;
  return !URL.canParse(url) || isIP(new URL(url).hostname) !== 0;
}

function toResponse({ status, headers, body }: ExchangeResponse): Response {
  if (status < 200 || status > 599) {
    throw new CredentialsError(
      'discovery',
      'authorization server: expected an HTTP status from 200 to 599, got another',
    );
  }
  const isEmpty = status === 204 || status === 205 || status === 304;
  const response = new Response(isEmpty ? null : body, { status });
  for (const [name, value] of headers) {
    // A challenge beside an OAuth error would hide the error's own code from the library.
    if (name.toLowerCase() !== 'www-authenticate') response.headers.append(name, value);
  }
  return response;
}

/** Turns a failed exchange into the provider's own error. Network causes hold no peer text and are kept. */
export function asCredentialsError(error: unknown, signal?: AbortSignal): CredentialsError {
  if (error instanceof CredentialsError) return error;
  if (!(error instanceof NetError)) {
    return new CredentialsError('connection', 'authorization server: expected an answer, got an error', {
      cause: error,
    });
  }
  switch (error.code) {
    case 'endpoint':
    case 'address':
      return new CredentialsError('destination', `discovered URL: ${error.message}`, { cause: error });
    case 'header':
      return new CredentialsError('malformed', 'client credentials: expected text that a header can carry, got others');
    case 'response-too-large':
      return new CredentialsError('discovery', error.message, { cause: error });
    case 'aborted': {
      const reason: unknown = signal?.reason;
      if (reason instanceof NetError && reason.code === 'connection') {
        return new CredentialsError('connection', reason.message);
      }
      return new CredentialsError('aborted', 'credential: ended by its signal', { cause: reason });
    }
    case 'body':
    case 'connection':
      return new CredentialsError('connection', 'authorization server: expected an answer, got a connection failure', {
        cause: error,
      });
  }
}
