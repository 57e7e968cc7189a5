import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { Backend, InterceptRequest, KnownEvent, ObserveNotification } from '../../../generated/index.js';
import { createHooks, type HookRecord, type Hooks, type HooksOptions } from '../../../runtime/harness/index.js';
import { MANIFEST } from './events.js';

export { eventOf, MANIFEST } from './events.js';

const CHILD_KIT = fileURLToPath(new URL('../../transports/support/child-kit.cjs', import.meta.url));

export interface TestHooks {
  readonly hooks: Hooks;
  /** Every record so far. */
  readonly records: HookRecord[];
  of<K extends HookRecord['kind']>(kind: K): Extract<HookRecord, { kind: K }>[];
}

/** Hooks over these backends; closed after the test. */
export function makeHooks(backends: readonly object[], options: Partial<HooksOptions> = {}): TestHooks {
  const hooks = createHooks({
    registration: { protocolVersion: 'draft', hooks: backends },
    manifest: MANIFEST,
    allowLoopback: true,
    ...options,
  });
  const records: HookRecord[] = [];
  const reading = (async () => {
    for await (const record of hooks.records) records.push(record);
  })();
  onTestFinished(async () => {
    await hooks.close();
    await reading;
  });
  return {
    hooks,
    records,
    of: (kind) => records.filter((record) => record.kind === kind) as never,
  };
}

export interface Subscribed {
  readonly mode?: 'intercept' | 'observe';
  readonly events?: readonly string[];
  readonly timeoutMs?: number;
  readonly failurePolicy?: 'fail-open' | 'fail-closed';
  readonly content?: object;
  readonly upload?: object;
  readonly includeNative?: boolean;
}

/** A subscription as it stands in a registration: fail-closed interception of everything, by default. */
export function subscription(options: Subscribed = {}): object {
  const {
    mode = 'intercept',
    events = ['*'],
    content = { default: 'metadata' },
    timeoutMs,
    failurePolicy,
    ...rest
  } = options;
  if (mode === 'observe') return { mode, events, content, ...rest };
  return {
    mode,
    events,
    content,
    timeoutMs: timeoutMs ?? 60_000,
    failurePolicy: failurePolicy ?? 'fail-closed',
    ...rest,
  };
}

/** A backend whose child runs a program text with the helpers of the transports' child kit. */
export function stdioBackend(
  id: string,
  code: string,
  subscriptions: readonly object[],
  lifecycle: 'persistent' | 'per_event' = 'persistent',
): Backend {
  const transport = { type: 'stdio', lifecycle, command: process.execPath, args: ['--require', CHILD_KIT, '-e', code] };
  return { id, transport, subscriptions } as unknown as Backend;
}

export type WireMessage = InterceptRequest | ObserveNotification;

/** A message as it arrived, and whose event it carries. */
export interface Arrived {
  readonly message: WireMessage;
  readonly event: KnownEvent;
  readonly text: string;
}

export interface HttpPeer {
  readonly url: string;
  readonly arrived: Arrived[];
  /** Those of one method. */
  asked(): Arrived[];
  told(): Arrived[];
  close(): Promise<void>;
}

export type Handle = (exchange: {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: Buffer;
  /** The decoded message. */
  readonly message: WireMessage;
}) => void;

/** Answers an interception with these effects, and takes what it is told. */
export function answering(effects: readonly object[] = []): Handle {
  return ({ response, message }) => {
    if (message.method === 'hooks/observe') {
      response.writeHead(202).end();
      return;
    }
    const answer = {
      jsonrpc: '2.0',
      id: (message as InterceptRequest).id,
      result: { protocolVersion: 'draft', effects },
    };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  };
}

/** A server on loopback that notes what arrives; closed after the test. */
export async function httpPeer(handle: Handle = answering()): Promise<HttpPeer> {
  const arrived: Arrived[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const text = body.toString('utf8');
      const message = JSON.parse(text) as WireMessage;
      arrived.push({ message, event: message.params.event as KnownEvent, text });
      handle({ request, response, body, message });
    });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  onTestFinished(close);
  return {
    url: `http://127.0.0.1:${port}/hooks`,
    arrived,
    asked: () => arrived.filter(({ message }) => message.method === 'hooks/intercept'),
    told: () => arrived.filter(({ message }) => message.method === 'hooks/observe'),
    close,
  };
}

export function httpBackend(id: string, url: string, subscriptions: readonly object[], extra: object = {}): Backend {
  return { id, transport: { type: 'http', url }, subscriptions, ...extra } as unknown as Backend;
}
