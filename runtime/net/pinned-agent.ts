import { Agent as HttpAgent, type ClientRequestArgs } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { openConnection, type ConnectOptions } from './connect.js';
import { linkSignals } from './timers.js';

/** Where and for whom an agent opens a connection; travels with the request so that its signal ends the opening. */
export interface ConnectionOrder {
  readonly origin: { readonly host: string; readonly port: number; readonly secure: boolean };
  readonly signal: AbortSignal;
}

/** Request options as our agents read them. */
export type OrderedRequestOptions = ClientRequestArgs & { order: ConnectionOrder };

type Created = (error: Error | null, socket?: Duplex) => void;

/** A pool of connections for one purpose: what `http.Agent` keeps alive, opened by our own look-up and policy. */
export interface ConnectionPool {
  agentFor(secure: boolean): HttpAgent;
  destroy(): void;
}

/** Makes the pool; `keepAlive: false` gives one connection per exchange. */
export function createConnectionPool(options: ConnectOptions, keepAlive: boolean): ConnectionPool {
  const settings = { keepAlive, maxFreeSockets: 32, scheduling: 'lifo' as const };
  const opened = new Set<Socket>();
  const closing = new AbortController();
  const create = (requestOptions: unknown, created: Created): void => {
    const { order } = requestOptions as OrderedRequestOptions;
    const linked = linkSignals([order.signal, closing.signal]);
    openConnection(order.origin, options, linked.signal)
      .then(
        (socket) => {
          opened.add(socket);
          socket.once('close', () => opened.delete(socket));
          created(null, socket);
        },
        (error: Error) => created(error),
      )
      .finally(linked.dispose);
  };
  let plain: HttpAgent | undefined;
  let secure: HttpsAgent | undefined;
  return {
    agentFor(wantsTls) {
      if (wantsTls) {
        // No cache of TLS sessions: a resumed session would carry the client's identity along (Semantics §6).
        secure ??= withCreate(new HttpsAgent({ ...settings, maxCachedSessions: 0 }), create);
        return secure;
      }
      plain ??= withCreate(new HttpAgent(settings), create);
      return plain;
    },
    destroy() {
      closing.abort();
      plain?.destroy();
      secure?.destroy();
      for (const socket of opened) socket.destroy();
    },
  };
}

function withCreate<A extends HttpAgent>(agent: A, create: (options: unknown, created: Created) => void): A {
  // The documented extension point of http.Agent; answering through the callback lets look-up and dialling take time.
  Object.defineProperty(agent, 'createConnection', { value: create });
  return agent;
}
