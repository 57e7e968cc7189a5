import type { Readable, Writable } from 'node:stream';
import { ReceiverCore } from './core.js';
import { answerHttp } from './http.js';
import { type Listening, type ListenOptions, listen } from './node-server.js';
import type { Peer, ReceiverOptions } from './options.js';
import { type StdioIdentity, serveStdio } from './stdio.js';

/** The backend side of the protocol. */
export interface Receiver {
  /** Answers a web-standard request. The peer is what the server around it knows. Never rejects. */
  handle(request: Request, context?: { readonly peer?: Peer }): Promise<Response>;
  /** Serves over HTTP. */
  listen(port: number, options?: ListenOptions): Promise<Listening>;
  /** Serves one stdio link until its input ends. */
  serveStdio(input: Readable, output: Writable, identity: StdioIdentity): Promise<void>;
  /** Admits nothing more and lets what is under way end within `limits.closeTimeoutMs`. The store stays open. */
  close(): Promise<void>;
}

const UNKNOWN_PEER: Peer = Object.freeze({ address: null, port: null, certificateSubject: null });

/**
 * Makes a receiver (Semantics §8): discovery, interceptions, observations and uploads, over HTTP and stdio.
 * Throws `ReceiverError` `configuration` for a manifest that is not canonical, for handlers of events that the manifest
 * does not have, and for limits out of range.
 */
export function createReceiver(options: ReceiverOptions): Receiver {
  const core = new ReceiverCore(options);
  return {
    handle: (request, { peer = UNKNOWN_PEER } = {}) => handle(core, request, peer),
    listen: (port, listenOptions) => listen(core, port, listenOptions),
    serveStdio: (input, output, identity) => serveStdio(core, input, output, identity),
    close: () => core.close(),
  };
}

async function handle(core: ReceiverCore, request: Request, peer: Peer): Promise<Response> {
  const { method, url, headers, body, signal } = request;
  const answer = await answerHttp(core, { method, url, headers, body, peer, signal });
  const response = new Headers(Object.entries(answer.headers));
  if (!answer.isBodyRead && body !== null) {
    response.set('connection', 'close');
    // Cancelling tells the server around us that nobody will read on; a body that is locked tells it already.
    if (!body.locked) await body.cancel().catch(() => undefined);
  }
  return new Response(answer.body, { status: answer.status, headers: response });
}
