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
  /** Serves one stdio link until its input ends, or the receiver closes. */
  serveStdio(input: Readable, output: Writable, identity: StdioIdentity): Promise<void>;
  /**
   * Admits nothing more, anywhere, lets what is under way end within `limits.closeTimeoutMs`, aborts the rest, and ends
   * what listens. The store stays open.
   */
  close(): Promise<void>;
}

const UNKNOWN_PEER: Peer = Object.freeze({ address: null, port: null, certificateSubject: null });

/**
 * Makes a receiver (Semantics §8): discovery, interceptions, observations and uploads, over HTTP and stdio.
 * Throws `ReceiverError` `configuration` for a manifest that is not canonical, for handlers of events that the manifest
 * does not have, and for other options that cannot be used.
 */
export function createReceiver(options: ReceiverOptions): Receiver {
  const core = new ReceiverCore(options);
  const listening = new Set<Listening>();
  return {
    handle: (request, { peer = UNKNOWN_PEER } = {}) => handle(core, request, peer),
    async listen(port, listenOptions) {
      const server = await listen(core, port, listenOptions);
      const entry: Listening = {
        url: server.url,
        close: () => server.close().finally(() => listening.delete(entry)),
      };
      listening.add(entry);
      return entry;
    },
    serveStdio: (input, output, identity) => serveStdio(core, input, output, identity),
    async close() {
      const servers = [...listening].map((server) => server.close());
      await Promise.all([...servers, core.admission.close(core.limits.closeTimeoutMs)]);
    },
  };
}

async function handle(core: ReceiverCore, request: Request, peer: Peer): Promise<Response> {
  const { method, url, headers, signal } = request;
  const body = request.body === null ? null : readStream(request.body);
  const { admission } = core;
  const answer = await answerHttp(core, { method, url, headers, body, peer, signal, admission });
  const response = new Headers(Object.entries(answer.headers));
  if (!answer.isBodyRead && body !== null) {
    response.set('connection', 'close');
    body.cancel();
  }
  return new Response(answer.body, { status: answer.status, headers: response });
}

interface CancellableBody extends AsyncIterable<Uint8Array> {
  /** Tells the server around us that nobody will read on, also while a read is pending. */
  cancel(): void;
}

function readStream(stream: ReadableStream<Uint8Array>): CancellableBody {
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  return {
    async *[Symbol.asyncIterator]() {
      reader = stream.getReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        if (!(value instanceof Uint8Array)) throw new TypeError('Request: expected a body of bytes, got another');
        yield value;
      }
    },
    cancel() {
      const cancelled = reader === undefined && stream.locked ? undefined : (reader ?? stream).cancel();
      cancelled?.catch(() => undefined);
    },
  };
}
