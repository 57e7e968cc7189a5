import { isIP } from 'node:net';
import { classifyAddress } from './address.js';
import { NetError } from './errors.js';

/** An `http` or `https` URL taken apart as text, so that its target goes out exactly as it was configured. */
export interface Endpoint {
  /** The URL text that was parsed. */
  readonly url: string;
  readonly secure: boolean;
  /** Host name or address; IPv6 literals without brackets. */
  readonly host: string;
  readonly port: number;
  /** The `Host` header: host and port as written. */
  readonly authority: string;
  /** The request target (path and query) as written, `/` before an empty path; never normalized. */
  readonly target: string;
  /** `scheme://host:port` in lower case with the port always present; for comparing origins and for pools. */
  readonly origin: string;
}

const URL_PARTS = /^(https?):\/\/([^/?#]*)([^#]*)(#.*)?$/i;
const AUTHORITY_PARTS = /^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._~!$&'()*+,;=-]+)(?::([0-9]*))?$/;
const VISIBLE_ASCII = /^[\x21-\x7e]*$/;

/**
 * Takes an endpoint URL apart without normalizing anything (Semantics §7: the target goes out text for text).
 * Throws `NetError` `endpoint` for another scheme, userinfo, a fragment, an unusable host or port, or a character
 * that a request line cannot carry. The message does not quote the URL, since userinfo may be in it.
 */
export function parseEndpoint(url: string): Endpoint {
  const parts = URL_PARTS.exec(url);
  if (parts === null || !VISIBLE_ASCII.test(url)) {
    throw new NetError('endpoint', 'endpoint: expected an absolute http or https URL of visible ASCII characters');
  }
  const [, scheme = '', authority = '', rest = '', fragment] = parts;
  if (fragment !== undefined) throw new NetError('endpoint', 'endpoint: expected no fragment, got one');
  if (authority.includes('@')) throw new NetError('endpoint', 'endpoint: expected no userinfo, got some');
  const named = AUTHORITY_PARTS.exec(authority);
  if (named === null) throw new NetError('endpoint', 'endpoint: expected a host name or address with an optional port');
  const [, bracketed = '', portText = ''] = named;
  const host = bracketed.startsWith('[') ? bracketed.slice(1, -1) : bracketed;
  if (bracketed.startsWith('[') && isIP(host) !== 6) {
    throw new NetError('endpoint', 'endpoint: expected an IPv6 address within brackets');
  }
  const secure = scheme.toLowerCase() === 'https';
  const port = portText === '' ? (secure ? 443 : 80) : Number(portText);
  if (port < 1 || port > 65_535) throw new NetError('endpoint', 'endpoint: expected a port from 1 to 65535');
  return {
    url,
    secure,
    host,
    port,
    authority: portText === '' ? bracketed : `${bracketed}:${portText}`,
    target: rest.startsWith('/') ? rest : `/${rest}`,
    origin: `${secure ? 'https' : 'http'}://${bracketed.toLowerCase()}:${port}`,
  };
}

/**
 * Tells whether a host, as written, claims to be loopback: `localhost`, `127.0.0.0/8` or `::1`. What it resolves to is
 * checked again when it is dialled.
 */
export function isLoopbackHost(host: string): boolean {
  if (isIP(host) !== 0) return classifyAddress(host) === 'loopback';
  const name = host.toLowerCase().replace(/\.$/, '');
  return name === 'localhost' || name.endsWith('.localhost');
}
