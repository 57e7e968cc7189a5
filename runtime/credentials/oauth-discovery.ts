import * as oauth from 'oauth4webapi';
import { CredentialsError } from './errors.js';
import type { OAuthHttp, UrlOrigin } from './oauth-http.js';

/** Fetches and checks the two metadata documents of OAuth. */
export interface OAuthDiscovery {
  /**
   * Checks that the resource names the issuer as one of its authorization servers (RFC 9728): by the URL of a
   * challenge, or else by the resource's well-known path, where a document that is absent (4xx, no connection) proves
   * and forbids nothing.
   */
  checkResource(binding: ResourceClaim, challenge: string | null, signal: AbortSignal): Promise<void>;
  /** The issuer's own metadata (RFC 8414), from the first of its well-known paths that answers. */
  findServer(issuer: string, signal: AbortSignal): Promise<oauth.AuthorizationServer>;
}

/** What a registration says about a resource and who speaks for it. */
export interface ResourceClaim {
  readonly resource: string;
  readonly issuer: string;
}

/** Makes the discovery of one provider. */
export function createOAuthDiscovery(http: OAuthHttp): OAuthDiscovery {
  async function get(url: string, origin: UrlOrigin, signal: AbortSignal): Promise<Response> {
    return http.fetcher(origin)(url, { method: 'GET', headers: { accept: 'application/json' }, signal });
  }

  async function getIfReachable(url: string, signal: AbortSignal): Promise<Response | null> {
    try {
      return await get(url, 'configured', signal);
    } catch (error) {
      if (error instanceof CredentialsError && error.code === 'connection') return null;
      throw error;
    }
  }

  return {
    async checkResource(claim, challenge, signal) {
      const challengeUrl = challenge === null ? null : await readMetadataUrl(challenge);
      if (challengeUrl !== null) {
        const response = await get(challengeUrl, 'discovered', signal);
        judgeResource(await readResource(claim.resource, response), claim);
        return;
      }
      const url = resourceMetadataUrl(claim.resource);
      const response = url === null ? null : await getIfReachable(url, signal);
      // A resource may be a mere name, or guard every path: only what it does say is judged.
      if (response === null || isClientError(response)) return;
      judgeResource(await readResource(claim.resource, response), claim);
    },
    async findServer(issuer, signal) {
      for (const url of serverMetadataUrls(issuer)) {
        const response = await get(url, 'configured', signal);
        if (isClientError(response)) continue;
        const server = await readServer(issuer, response);
        if (!isSameIdentifier(server.issuer, issuer)) throw wrongIssuer();
        return server;
      }
      throw new CredentialsError('discovery', 'issuer: expected metadata at a well-known path, got none');
    },
  };
}

/**
 * Tells whether two issuer or resource identifiers are the same: equal text, save that an empty path may be written
 * with or without its slash. Nothing else is normalized, a closing slash after a path least of all.
 */
export function isSameIdentifier(left: string, right: string): boolean {
  return dropEmptyPath(left) === dropEmptyPath(right);
}

function dropEmptyPath(identifier: string): string {
  return /^(https?:\/\/[^/?#]+)\/$/.exec(identifier)?.[1] ?? identifier;
}

/** The `resource_metadata` URL of a challenge's Bearer part, or null when it has none or cannot be read. */
async function readMetadataUrl(challenge: string): Promise<string | null> {
  try {
    const headers = new Headers({ 'www-authenticate': challenge });
    // The library's parser of challenges is reached through any function that judges a response.
    await oauth.processRevocationResponse(new Response(null, { status: 401, headers }));
  } catch (error) {
    if (!(error instanceof oauth.WWWAuthenticateChallengeError)) return null;
    const bearer = error.cause.find(({ scheme }) => scheme.toLowerCase() === 'bearer');
    return bearer?.parameters.resource_metadata ?? null;
  }
  return null;
}

/** RFC 9728, section 3.1: the well-known part goes between host and path. Null when the resource is no such URL. */
function resourceMetadataUrl(resource: string): string | null {
  const parts = /^(https?:\/\/[^/?#]+)(\/[^?#]*)?(\?[^#]*)?$/i.exec(resource);
  if (parts === null) return null;
  const [, origin = '', path = '', query = ''] = parts;
  return `${origin}/.well-known/oauth-protected-resource${path === '/' ? '' : path}${query}`;
}

/** RFC 8414, sections 3.1 and 5, and OpenID Connect Discovery, in the order in which they are tried. */
function serverMetadataUrls(issuer: string): readonly string[] {
  const parts = /^(https:\/\/[^/?#]+)(\/[^?#]*)?$/i.exec(issuer);
  if (parts === null) {
    throw new CredentialsError(
      'configuration',
      'issuer: expected an https URL without query and fragment, got another',
    );
  }
  const [, origin = '', fullPath = ''] = parts;
  const path = fullPath.replace(/\/$/, '');
  const urls = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
  ];
  if (path !== '') urls.push(`${origin}${path}/.well-known/openid-configuration`);
  return urls;
}

async function readResource(resource: string, response: Response): Promise<oauth.ResourceServer> {
  try {
    return await oauth.processResourceDiscoveryResponse(new URL(resource), response);
  } catch (error) {
    if (isMismatch(error)) throw wrongResource();
    throw unusable('resource metadata', response);
  }
}

async function readServer(issuer: string, response: Response): Promise<oauth.AuthorizationServer> {
  try {
    return await oauth.processDiscoveryResponse(new URL(issuer), response);
  } catch (error) {
    if (isMismatch(error)) throw wrongIssuer();
    throw unusable('issuer metadata', response);
  }
}

function isClientError({ status }: Response): boolean {
  return status >= 400 && status < 500;
}

function isMismatch(error: unknown): boolean {
  return error instanceof oauth.OperationProcessingError && error.code === oauth.JSON_ATTRIBUTE_COMPARISON;
}

function judgeResource(metadata: oauth.ResourceServer, claim: ResourceClaim): void {
  if (!isSameIdentifier(metadata.resource, claim.resource)) throw wrongResource();
  const servers: unknown = metadata.authorization_servers;
  if (servers === undefined) return;
  const named =
    Array.isArray(servers) && servers.some((name) => typeof name === 'string' && isSameIdentifier(name, claim.issuer));
  if (!named) throw wrongIssuer();
}

function wrongIssuer(): CredentialsError {
  return new CredentialsError('issuer', 'metadata: expected the issuer of the registration, got another');
}

function wrongResource(): CredentialsError {
  return new CredentialsError('resource', 'resource metadata: expected the resource of the registration, got another');
}

function unusable(subject: string, response: Response): CredentialsError {
  const got = response.status === 200 ? 'a document that is none' : `status ${response.status}`;
  return new CredentialsError('discovery', `${subject}: expected a JSON metadata document with status 200, got ${got}`);
}
