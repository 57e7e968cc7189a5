import { lookup as resolveName } from 'node:dns/promises';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { type AddressPolicy, classifyAddress, isAddressAllowed, LOOPBACK_ONLY } from './address.js';
import { NetError, withoutPeerText } from './errors.js';

/** One address that a name resolved to. */
export interface ResolvedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** Resolves a host name; literals are never looked up. The default asks the operating system for all addresses. */
export type Lookup = (hostname: string) => Promise<readonly ResolvedAddress[]>;

/** What a connector is to dial: the address that was checked, and the name it came from. */
export interface ConnectTarget extends ResolvedAddress {
  readonly host: string;
  readonly port: number;
}

/** Opens a TCP connection to exactly `target.address`; TLS is laid over it here. May return it while it connects. */
export type Connector = (target: ConnectTarget) => Socket;

/** Trust and client identity of one purpose. Nothing of it is shared with another client, no TLS session either. */
export interface TlsOptions {
  /** Roots in PEM, instead of the ones that come with Node. */
  readonly ca?: string | Uint8Array | readonly (string | Uint8Array)[];
  /** Client certificate chain in PEM. */
  readonly cert?: string | Uint8Array;
  /** Its private key in PEM. */
  readonly key?: string | Uint8Array;
  readonly passphrase?: string;
}

/** What opening connections depends on. */
export interface ConnectOptions {
  readonly lookup?: Lookup | undefined;
  readonly connect?: Connector | undefined;
  readonly tls?: TlsOptions | undefined;
  readonly addressPolicy: AddressPolicy;
}

const lookupAll: Lookup = async (hostname) => {
  const found = await resolveName(hostname, { all: true, verbatim: true });
  return found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
};

const dial: Connector = (target) =>
  connectTcp({ host: target.address, port: target.port, family: target.family, noDelay: true, keepAlive: true });

/**
 * Resolves a host and checks every address that it leads to: all must pass the policy, and with plain `http` be
 * loopback besides (Semantics §6). Dials nothing. Rejects with `NetError` `address`, `connection` or `aborted`.
 */
export async function resolveAllowed(
  origin: { readonly host: string; readonly secure: boolean },
  options: Pick<ConnectOptions, 'lookup' | 'addressPolicy'>,
  signal: AbortSignal,
): Promise<readonly ResolvedAddress[]> {
  const addresses = await resolveAddresses(origin.host, options, signal);
  for (const { address } of addresses) {
    if (!isAddressAllowed(options.addressPolicy, address)) {
      throw new NetError('address', `address: expected one that the policy allows, got a ${describe(address)} one`);
    }
    if (!origin.secure && !isAddressAllowed(LOOPBACK_ONLY, address)) {
      throw new NetError('address', `address: expected loopback for plain http, got a ${describe(address)} one`);
    }
  }
  return addresses;
}

/**
 * Resolves, checks and dials one origin; the address that was checked is the one that is dialled. Addresses are tried
 * in order. Rejects with `NetError` `address`, `connection` or `aborted`.
 */
export async function openConnection(
  origin: { readonly host: string; readonly port: number; readonly secure: boolean },
  options: ConnectOptions,
  signal: AbortSignal,
): Promise<Socket> {
  const addresses = await resolveAllowed(origin, options, signal);
  let failure: unknown = new Error('no address');
  for (const resolved of addresses) {
    try {
      return await connectOne({ ...resolved, host: origin.host, port: origin.port }, origin.secure, options, signal);
    } catch (error) {
      if (signal.aborted) throw aborted(signal);
      failure = error;
    }
  }
  throw new NetError('connection', 'connection: expected one to open, got an error', {
    cause: withoutPeerText(failure),
  });
}

function describe(address: string): string {
  const found = classifyAddress(address);
  return found === 'public' ? 'public' : found;
}

async function resolveAddresses(
  host: string,
  options: Pick<ConnectOptions, 'lookup'>,
  signal: AbortSignal,
): Promise<readonly ResolvedAddress[]> {
  const family = isIP(host);
  if (family !== 0) return [{ address: host, family: family === 6 ? 6 : 4 }];
  let found: readonly ResolvedAddress[];
  try {
    found = await untilAborted((options.lookup ?? lookupAll)(host), signal);
  } catch (error) {
    if (signal.aborted) throw aborted(signal);
    throw new NetError('connection', 'look-up: expected the host name to resolve, got an error', { cause: error });
  }
  if (found.length === 0) throw new NetError('connection', 'look-up: expected an address, got none');
  return found;
}

function connectOne(
  target: ConnectTarget,
  secure: boolean,
  options: ConnectOptions,
  signal: AbortSignal,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(aborted(signal));
      return;
    }
    const raw = (options.connect ?? dial)(target);
    const socket = secure ? layTls(raw, target, options.tls ?? {}) : raw;
    const settle = (): void => {
      socket.removeListener(secure ? 'secureConnect' : 'connect', onReady);
      socket.removeListener('error', onError);
      socket.removeListener('close', onClose);
      signal.removeEventListener('abort', onAbort);
    };
    const fail = (error: unknown): void => {
      settle();
      // A late error of a socket that nobody waits for must not become an uncaught one.
      socket.on('error', () => {});
      raw.on('error', () => {});
      socket.destroy();
      raw.destroy();
      reject(error);
    };
    const onReady = (): void => {
      settle();
      resolve(socket);
    };
    const onError = (error: Error): void => fail(error);
    const onClose = (): void => fail(new Error('closed while connecting'));
    const onAbort = (): void => fail(aborted(signal));
    socket.once('error', onError);
    socket.once('close', onClose);
    signal.addEventListener('abort', onAbort, { once: true });
    if (!secure && !raw.connecting && raw.readyState === 'open') onReady();
    else socket.once(secure ? 'secureConnect' : 'connect', onReady);
  });
}

function layTls(raw: Socket, target: ConnectTarget, tls: TlsOptions): Socket {
  return connectTls({
    socket: raw,
    host: target.host,
    ...(isIP(target.host) === 0 ? { servername: target.host.replace(/\.$/, '') } : {}),
    // Said here so that NODE_TLS_REJECT_UNAUTHORIZED cannot switch it off.
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
    ...(tls.ca === undefined ? {} : { ca: mutableCa(tls.ca) }),
    ...(tls.cert === undefined ? {} : { cert: toPem(tls.cert) }),
    ...(tls.key === undefined ? {} : { key: toPem(tls.key) }),
    ...(tls.passphrase === undefined ? {} : { passphrase: tls.passphrase }),
  });
}

function mutableCa(ca: string | Uint8Array | readonly (string | Uint8Array)[]): (string | Buffer)[] {
  return (typeof ca === 'string' || ca instanceof Uint8Array ? [ca] : [...ca]).map(toPem);
}

function toPem(value: string | Uint8Array): string | Buffer {
  return typeof value === 'string' ? value : Buffer.from(value);
}

/** The error of a call that its own signal ended; the signal's reason is the cause. */
export function aborted(signal: AbortSignal): NetError {
  return new NetError('aborted', 'exchange: ended by its signal', { cause: signal.reason });
}

/** Waits for a promise that cannot be cancelled, but no longer than the signal allows. */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(aborted(signal));
    if (signal.aborted) {
      promise.catch(() => {});
      onAbort();
      return;
    }
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
