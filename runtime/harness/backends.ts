import { type Backend, isKnownBackendTransport } from '../../generated/index.js';
import { type CredentialProvider, resolveCredential } from '../credentials/index.js';
import {
  type Authorize,
  createHttpTransport,
  createStdioTransport,
  type Lookup,
  type Connector,
  type RecordListener,
  type TlsOptions,
  type Transport,
} from '../transports/index.js';
import { HooksError } from './errors.js';

/** What a transport of the host's own is made with. */
export interface TransportContext {
  /** Takes the transport's records into the harness's stream. */
  readonly onRecord: RecordListener;
  /** Gives the backend's event token; absent when its registration names no authentication. */
  readonly authorize?: Authorize;
}

export type TransportFactory = (backend: Backend, context: TransportContext) => Transport;

/** Transports of the host's own: for one backend by its id, or for all of a kind. */
export type TransportOverrides = Readonly<Record<string, Transport | TransportFactory>>;

export interface BackendSettings {
  readonly overrides: TransportOverrides | undefined;
  readonly credentials: CredentialProvider | undefined;
  readonly tls: TlsOptions | undefined;
  readonly env: Readonly<Record<string, string>> | undefined;
  readonly cwd: string | undefined;
  readonly lookup: Lookup | undefined;
  readonly connect: Connector | undefined;
  onRecord(backend: string, record: Parameters<RecordListener>[0]): void;
}

/** One transport per backend, made at its first use. */
export class Backends {
  readonly #settings: BackendSettings;
  readonly #open = new Map<string, Transport>();
  #closing: Promise<void> | undefined;

  constructor(settings: BackendSettings) {
    this.#settings = settings;
  }

  /** Throws what the transport's own maker throws, and a HooksError `closed` after `close`. */
  transportOf(backend: Backend): Transport {
    const known = this.#open.get(backend.id);
    if (known !== undefined) return known;
    if (this.#closing !== undefined) throw new HooksError('closed', 'Hooks: expected open hooks, got closed ones');
    const made = this.#make(backend);
    this.#open.set(backend.id, made);
    return made;
  }

  /** Closes every transport that was made. */
  close(): Promise<void> {
    this.#closing ??= Promise.allSettled([...this.#open.values()].map(async (transport) => transport.close())).then(
      () => undefined,
    );
    return this.#closing;
  }

  #make(backend: Backend): Transport {
    const { overrides, tls, lookup, connect, env, cwd } = this.#settings;
    const onRecord: RecordListener = (record) => this.#settings.onRecord(backend.id, record);
    const authorize = this.#authorizeFor(backend);
    const own = ownEntry(overrides, backend.id) ?? ownEntry(overrides, backend.transport.type);
    if (own !== undefined) {
      return typeof own === 'function' ? own(backend, { onRecord, ...(authorize && { authorize }) }) : own;
    }
    const { transport } = backend;
    if (!isKnownBackendTransport(transport)) {
      throw new HooksError('configuration', 'Hooks: expected a transport of this revision, got another');
    }
    if (transport.type === 'http') {
      return createHttpTransport({ url: transport.url, authorize, tls, lookup, connect, onRecord });
    }
    return createStdioTransport({
      command: transport.command,
      args: transport.args,
      lifecycle: transport.lifecycle === 'per_event' ? 'per_event' : 'persistent',
      cwd: transport.cwd ?? cwd,
      env,
      onRecord,
    });
  }

  #authorizeFor(backend: Backend): Authorize | undefined {
    const binding = backend.authentication;
    if (binding === undefined) return undefined;
    const { credentials } = this.#settings;
    return async ({ endpoint, purpose, signal, rejected }) => ({
      token: await resolveCredential(binding, { credentials, endpoint, purpose, signal }, rejected),
    });
  }
}

function ownEntry(overrides: TransportOverrides | undefined, name: string): Transport | TransportFactory | undefined {
  return overrides !== undefined && Object.hasOwn(overrides, name) ? overrides[name] : undefined;
}
