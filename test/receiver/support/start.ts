import { onTestFinished } from 'vitest';
import {
  type Authenticate,
  type ContentStore,
  createMemoryStore,
  createReceiver,
  type FailurePlace,
  type Listening,
  type ListenOptions,
  type Receiver,
  type ReceiverOptions,
} from '../../../runtime/receiver/index.js';
import { fullManifest } from './manifest.js';

/** `Bearer NAME` is a principal of that name in the tenant before its dash; `Bearer x-event` may not upload, and so on. */
export const byBearer: Authenticate = ({ headers }) => {
  const token = /^Bearer (\S+)$/.exec(headers.get('authorization') ?? '')?.[1];
  if (token === undefined || token === 'bad') return null;
  const [scope = '', only] = token.split('-');
  const permissions = only === 'event' || only === 'upload' ? ([only] as const) : (['event', 'upload'] as const);
  return { principal: token, scope, permissions };
};

export interface Failure extends FailurePlace {
  readonly error: unknown;
}

export interface Started {
  readonly receiver: Receiver;
  readonly store: ContentStore;
  readonly failures: Failure[];
}

export interface StartedServer extends Started {
  readonly server: Listening;
  readonly port: number;
}

/** A receiver of every event, with bearer names as identities and a memory store. */
export function makeReceiver(options: Partial<ReceiverOptions> = {}): Started {
  const store = options.store ?? createMemoryStore();
  const failures: Failure[] = [];
  const receiver = createReceiver({
    manifest: fullManifest,
    authenticate: byBearer,
    onError: (error, place) => failures.push({ error, ...place }),
    ...options,
    store,
  });
  onTestFinished(() => receiver.close());
  return { receiver, store, failures };
}

export async function startServer(
  options: Partial<ReceiverOptions> = {},
  listenOptions: ListenOptions = {},
): Promise<StartedServer> {
  const started = makeReceiver({ ...options, limits: { closeTimeoutMs: 200, ...options.limits } });
  const server = await started.receiver.listen(0, listenOptions);
  return { ...started, server, port: Number(new URL(server.url).port) };
}
