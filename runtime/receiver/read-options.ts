import { catalogue, validateManifest } from '../../generated/index.js';
import { freezeDeep, snapshot } from '../wire/index.js';
import { ReceiverError } from './errors.js';
import type { ReceiverOptions } from './options.js';

type AnyHandler = (event: unknown, context: unknown) => unknown;

interface HandlerPair {
  readonly intercept?: AnyHandler;
  readonly observe?: AnyHandler;
}

/** Checks the options and keeps a manifest of its own. Throws `ReceiverError` `configuration`. */
export function readOptions(options: ReceiverOptions): ReceiverOptions {
  const manifest = validateManifest(options.manifest);
  if (!manifest.ok) {
    const place = manifest.issues[0]?.pointer ?? '';
    throw refuse(`manifest${place}: expected a canonical manifest, got one that is not`);
  }
  if (typeof options.authenticate !== 'function') {
    throw refuse(`authenticate: expected a function, got ${typeof options.authenticate}`);
  }
  for (const verb of ['begin', 'has', 'open'] as const) {
    if (typeof options.store?.[verb] !== 'function') throw refuse(`store.${verb}: expected a function, got none`);
  }
  const { hooks = '/hooks', content = '/content' } = options.paths ?? {};
  for (const [name, path] of Object.entries({ hooks, content })) {
    if (typeof path !== 'string' || !/^\/[!-~]*$/.test(path) || /[?#]/.test(path)) {
      throw refuse(`paths.${name}: expected a path that begins with a slash and has no query, got another text`);
    }
  }
  if (hooks === content) throw refuse('paths: expected two different paths, got one');
  if (options.challenge !== undefined && !/^[\t -~]+$/.test(options.challenge)) {
    throw refuse('challenge: expected a header value of printable ASCII, got another text');
  }
  return { ...options, paths: { hooks, content }, manifest: freezeDeep(snapshot(options.manifest)) };
}

/** The handlers by event name. Throws `ReceiverError` `configuration` for what no message could reach. */
export function readHandlers(options: ReceiverOptions): ReadonlyMap<string, HandlerPair> {
  const known = new Set<string>(catalogue.eventNames);
  const handlers = new Map<string, HandlerPair>();
  for (const [name, given] of Object.entries(options.handlers ?? {})) {
    const entry = options.manifest.events.find((row) => row.event === name);
    if (!known.has(name) || entry === undefined) {
      throw refuse(`handlers: expected events of the manifest, got ${JSON.stringify(name)}`);
    }
    const { intercept, observe } = (given ?? {}) as HandlerPair;
    for (const handler of [intercept, observe]) {
      if (handler !== undefined && typeof handler !== 'function') {
        throw refuse(`handlers: expected functions at ${name}, got ${typeof handler}`);
      }
    }
    if (intercept !== undefined && !entry.modes.includes('intercept')) {
      throw refuse(`handlers: expected ${name} to be interceptable by the manifest`);
    }
    handlers.set(name, { ...(intercept && { intercept }), ...(observe && { observe }) });
  }
  return handlers;
}

function refuse(message: string): ReceiverError {
  return new ReceiverError('configuration', message);
}
