import { createServer, type Server } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach } from 'vitest';
import type { OAuthOptions } from '../../../runtime/credentials/index.js';
import type { ConnectTarget } from '../../../runtime/net/index.js';
import { createAuthority } from '../../support/certificates.js';

/** One request as it arrived at a host of the world. */
export interface SeenRequest {
  readonly host: string;
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly form: URLSearchParams;
}

export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, unless it is text. */
  readonly body?: unknown;
}

/** Answers one request; `reset` cuts the connection instead. */
export type Route = (request: SeenRequest) => Promise<Reply | 'reset'> | Reply | 'reset';

/** A network of made-up hosts that all lead to one loopback server. */
export interface OAuthWorld {
  /** `host target` to route, such as `id.example /token`. Unknown ones answer 404. */
  readonly routes: Map<string, Route>;
  readonly seen: SeenRequest[];
  /** Addresses by host name; a public one for every other host. */
  readonly addresses: Map<string, readonly string[]>;
  readonly dialled: ConnectTarget[];
  /** Look-up, connector and roots for the provider. */
  readonly network: Required<Pick<OAuthOptions, 'lookup' | 'connect' | 'tls'>>;
  /** What arrived at one host and path. */
  at(host: string, path: string): SeenRequest[];
}

const HOSTS = [
  'id.example',
  'id.example.evil',
  'api.example',
  'other.example',
  'localhost',
  '127.0.0.1',
  'inner.example',
];
const authority = createAuthority();
const identity = authority.issue('world', HOSTS);
const open: (() => Promise<void>)[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((close) => close()));
});

/** Builds the world. Whatever address a name has, what is dialled is the loopback server. */
export async function buildOAuthWorld(): Promise<OAuthWorld> {
  const routes = new Map<string, Route>();
  const seen: SeenRequest[] = [];
  const addresses = new Map<string, readonly string[]>();
  const dialled: ConnectTarget[] = [];
  const sockets = new Set<Socket>();
  const server: Server = createServer({ ...identity }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const host = (request.headers.host ?? '').replace(/:\d+$/, '');
      const target = request.url ?? '';
      const form = new URLSearchParams(Buffer.concat(chunks).toString('utf8'));
      const arrived = { host, method: request.method ?? '', target, headers: request.headers, form };
      seen.push(arrived);
      const route: Route = routes.get(`${host} ${target}`) ?? (() => ({ status: 404 }));
      void Promise.resolve(route(arrived)).then((reply) => {
        if (reply === 'reset') {
          request.socket.destroy();
          return;
        }
        const text = typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body ?? {});
        response.writeHead(reply.status ?? 200, { 'content-type': 'application/json', ...reply.headers });
        response.end(text);
      });
    });
  });
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  open.push(async () => {
    for (const socket of sockets) socket.destroy();
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });
  return {
    routes,
    seen,
    addresses,
    dialled,
    at: (host, path) => seen.filter((request) => request.host === host && request.target === path),
    network: {
      tls: { ca: authority.cert },
      lookup: async (hostname) =>
        (addresses.get(hostname) ?? ['8.8.4.4']).map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      connect: (target) => {
        dialled.push(target);
        const socket = connect({ host: '127.0.0.1', port });
        sockets.add(socket);
        return socket;
      },
    },
  };
}

/** Metadata of `https://id.example` with what tests change. */
export function serverMetadata(issuer = 'https://id.example', more: object = {}): Record<string, unknown> {
  return {
    issuer,
    token_endpoint: 'https://id.example/token',
    authorization_endpoint: 'https://id.example/authorize',
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'none'],
    ...more,
  };
}

/** Puts an issuer with metadata at `https://id.example`, and a token endpoint with this route. */
export function serveIssuer(world: OAuthWorld, token: Route, more: object = {}): void {
  world.routes.set('id.example /.well-known/oauth-authorization-server', () => ({
    body: serverMetadata('https://id.example', more),
  }));
  world.routes.set('id.example /token', token);
}
