/** `ahp serve`: runs a receiver from a handler module, over HTTP or as a stdio backend (Semantics §8). */

import { Console } from 'node:console';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type {
  ContentStore,
  ListenOptions,
  Receiver,
  ReceiverOptions,
  StdioIdentity,
} from '../runtime/receiver/index.js';
import { type Arguments, type Command, EXIT_FAILED, EXIT_OK, UsageError } from './command.js';

const HELP = `Usage: ahp serve [options] MODULE

Runs a receiver: discovery, interceptions, observations and uploads. MODULE's default export is an object, or a function
that gives one, with manifest, handlers and authenticate, and if it likes limits, paths, store and onError; they are
those of createReceiver. MODULE is code and runs with your rights.

Options:
  --port N          port of the HTTP server; 0, the default, takes a free one
  --host NAME       address to listen on; 127.0.0.1 by default
  --store DIR       keep uploads in this folder, one writer at a time; without it they are kept in memory.
                    With --stdio it is only read: the uploads are those that an HTTP receiver takes
  --tls-cert FILE   serve HTTPS with this certificate (PEM) ...
  --tls-key FILE    ... and this key
  --tls-ca FILE     ask for client certificates and verify them by these roots
  --stdio           serve standard input and output instead, one JSON object a line; nothing else is printed there
  --principal NAME  who the stdio link belongs to (with --stdio, required)
  --scope NAME      the storage tenant of the stdio link (with --stdio, required)
  --json            print where it listens as one JSON object
  -h, --help        this text
  -V, --version     the version

It prints where it listens, and ends on SIGINT, SIGTERM or, with --stdio, at the end of its input; what is under way may
end first, and a second signal ends it at once. With --stdio the module's console writes to standard error.
Exit codes: 0 ended as asked, 1 it could not run, 2 wrong usage.
`;

const HTTP_ONLY = ['port', 'host', 'tls-cert', 'tls-key', 'tls-ca'] as const;
const STDIO_ONLY = ['principal', 'scope'] as const;

export const serveCommand: Command = {
  help: HELP,
  options: {
    port: { type: 'string' },
    host: { type: 'string' },
    store: { type: 'string' },
    'tls-cert': { type: 'string' },
    'tls-key': { type: 'string' },
    'tls-ca': { type: 'string' },
    stdio: { type: 'boolean' },
    principal: { type: 'string' },
    scope: { type: 'string' },
    json: { type: 'boolean' },
  },
  async run(args) {
    const isStdio = args.flags.has('stdio');
    refuseTogether(args, isStdio);
    const [module, ...rest] = args.positionals;
    if (module === undefined || rest.length > 0) throw new UsageError('ahp serve needs exactly one handler module');
    const settings = isStdio ? stdioIdentity(args) : listenSettings(args);
    // Standard output belongs to the link; what a module logs must not stand between its lines.
    if (isStdio) globalThis.console = new Console(process.stderr, process.stderr);
    const options = await loadModule(module, isStdio);
    const { createMemoryStore, createReceiver, openFileStore } = await import('../runtime/receiver/index.js');
    const folder = args.texts.get('store');
    // Nothing is uploaded over stdio, and links come in numbers, so they only read what an HTTP receiver has stored.
    const mode = isStdio ? 'read' : 'write';
    const store =
      folder === undefined ? (options.store ?? createMemoryStore()) : await openFileStore(resolve(folder), { mode });
    try {
      const receiver = createReceiver({
        onError: (error, { event, place }) => reportError(error, event, place),
        ...options,
        store,
      } as ReceiverOptions);
      if ('principal' in settings) await serveLink(receiver, settings);
      else await serveHttp(receiver, settings, options, args.flags.has('json'));
      return EXIT_OK;
    } catch (error) {
      process.stderr.write(`ahp serve: ${error instanceof Error ? error.message : String(error)}\n`);
      return EXIT_FAILED;
    } finally {
      await (store as ContentStore).close?.();
    }
  },
};

type ModuleOptions = Partial<ReceiverOptions>;

/** The default export; what it must have is checked where it is used, what it must be is checked here. */
async function loadModule(path: string, isStdio: boolean): Promise<ModuleOptions> {
  let exported: unknown;
  try {
    const module = (await import(pathToFileURL(resolve(path)).href)) as { readonly default?: unknown };
    exported = typeof module.default === 'function' ? await module.default() : module.default;
  } catch (error) {
    throw new Error(`cannot load ${path}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
  if (typeof exported !== 'object' || exported === null || !('manifest' in exported)) {
    throw new Error(
      `${path}: expected a default export with a manifest, got ${exported === null ? 'null' : typeof exported}`,
    );
  }
  if (isStdio) return { authenticate: () => null, ...(exported as ModuleOptions) };
  if (!('authenticate' in exported) || typeof exported.authenticate !== 'function') {
    throw new Error(`${path}: expected an authenticate function, got none; over HTTP nobody is served without one`);
  }
  return exported as ModuleOptions;
}

interface ListenSettings extends ListenOptions {
  readonly port: number;
}

async function serveHttp(
  receiver: Receiver,
  { port, ...listenOptions }: ListenSettings,
  { paths }: ModuleOptions,
  asJson: boolean,
): Promise<void> {
  const { url, close } = await receiver.listen(port, listenOptions);
  const hooks = `${url}${paths?.hooks ?? '/hooks'}`;
  const content = `${url}${paths?.content ?? '/content'}`;
  process.stdout.write(
    asJson ? `${JSON.stringify({ url, hooks, content })}\n` : `hooks    ${hooks}\ncontent  ${content}\n`,
  );
  const host = listenOptions.host ?? '127.0.0.1';
  if (listenOptions.tls === undefined && !isLoopback(host)) {
    process.stderr.write(
      `ahp serve: plain HTTP on ${host} carries credentials in the clear; use --tls-cert or a proxy\n`,
    );
  }
  await new Promise<void>((stop) => onSignal(stop));
  await close();
}

async function serveLink(receiver: Receiver, identity: StdioIdentity): Promise<void> {
  onSignal(() => void receiver.close());
  await receiver.serveStdio(process.stdin, process.stdout, identity);
  // After a signal the input may still be open, which alone would keep the process.
  process.stdin.destroy();
}

/** The first signal stops; the next one has its usual effect. */
function onSignal(stop: () => void): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.[0-9]{1,3}){3}$/.test(host);
}

function refuseTogether(args: Arguments, isStdio: boolean): void {
  const [others, mode] = isStdio ? [HTTP_ONLY, 'without --stdio'] : [STDIO_ONLY, 'with --stdio'];
  for (const name of others) {
    if (args.texts.has(name)) throw new UsageError(`--${name} is used ${mode} only`);
  }
}

function stdioIdentity(args: Arguments): StdioIdentity {
  const principal = args.texts.get('principal');
  const scope = args.texts.get('scope');
  if (principal === undefined || scope === undefined) throw new UsageError('--stdio needs --principal and --scope');
  return { principal, scope };
}

function listenSettings(args: Arguments): ListenSettings {
  const text = args.texts.get('port') ?? '0';
  const port = Number(text);
  if (!/^[0-9]{1,5}$/.test(text) || port > 65_535) throw new UsageError(`--port takes 0 to 65535, got ${text}`);
  const host = args.texts.get('host');
  const cert = args.texts.get('tls-cert');
  const key = args.texts.get('tls-key');
  const ca = args.texts.get('tls-ca');
  if ((cert === undefined) !== (key === undefined)) throw new UsageError('--tls-cert and --tls-key go together');
  if (ca !== undefined && cert === undefined) throw new UsageError('--tls-ca needs --tls-cert and --tls-key');
  const tls =
    cert === undefined || key === undefined
      ? undefined
      : {
          cert: readPem(cert),
          key: readPem(key),
          ...(ca === undefined ? {} : { ca: readPem(ca), requestCert: true, rejectUnauthorized: true }),
        };
  return { port, ...(host === undefined ? {} : { host }), ...(tls === undefined ? {} : { tls }) };
}

function readPem(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new UsageError(`cannot read ${path}`, { cause: error });
  }
}

/** Only what is ours to tell: codes and places. A handler's own text may hold content. */
function reportError(error: unknown, event: string | null, place: string): void {
  const code: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined;
  const what = typeof code === 'string' ? code : error instanceof Error ? error.name : typeof error;
  process.stderr.write(`ahp serve: ${place} failed${event === null ? '' : ` at ${event}`}: ${what}\n`);
}
