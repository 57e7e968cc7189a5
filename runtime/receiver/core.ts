import {
  type CapabilitiesResponse,
  catalogue,
  encodeCapabilitiesResponse,
  encodeInterceptResponse,
  encodeJsonRpcErrorResponse,
  type InterceptRequest,
  type JsonRpcErrorResponse,
  type KnownEffect,
  type KnownEvent,
  type ObserveNotification,
  PROTOCOL_VERSION,
  type Validated,
  validateInterceptResponse,
  validateManifest,
} from '../../generated/index.js';
import { areGranted } from '../chain/response.js';
import {
  armDeadline,
  freezeDeep,
  linkAbort,
  PROTOCOL_ERRORS,
  raceAbort,
  snapshot,
  systemClock,
} from '../wire/index.js';
import { hasAllBodies, openBody } from './bodies.js';
import { ReceiverError } from './errors.js';
import { judgeMessage, type MessageId, type Refusal } from './judge-message.js';
import { type ResolvedLimits, resolveLimits } from './limits.js';
import type { Identity, InterceptContext, ObserveContext, ReceiverOptions } from './options.js';

/** What becomes of one message. */
export type Answer =
  | { readonly kind: 'response'; readonly bytes: Uint8Array }
  /** A notification that was taken; its handler runs on. */
  | { readonly kind: 'accepted' }
  /** A notification that was not; it gets no answer. */
  | { readonly kind: 'refused' }
  /** Too much is under way. */
  | { readonly kind: 'busy' };

type AnyHandler = (event: unknown, context: unknown) => unknown;

const encoder = new TextEncoder();

/** The three methods, whatever carries them (Semantics §8). */
export class ReceiverCore {
  readonly limits: ResolvedLimits;
  readonly #options: ReceiverOptions;
  readonly #handlers: ReadonlyMap<string, { readonly intercept?: AnyHandler; readonly observe?: AnyHandler }>;
  readonly #closing = new AbortController();
  readonly #underWay = new Set<Promise<unknown>>();
  #places = 0;
  #admits = true;

  constructor(options: ReceiverOptions) {
    const manifest = validateManifest(options.manifest);
    if (!manifest.ok) {
      const place = manifest.issues[0]?.pointer ?? '';
      throw new ReceiverError('configuration', `manifest${place}: expected a canonical manifest, got one that is not`);
    }
    this.#options = { ...options, manifest: freezeDeep(snapshot(options.manifest)) };
    this.#handlers = readHandlers(options);
    this.limits = resolveLimits(options.limits ?? {}, options.manifest);
  }

  get options(): ReceiverOptions {
    return this.#options;
  }

  /** Fires when the receiver closes. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** Takes a place among what may be under way at once; null when there is none. The result gives it back, once. */
  takePlace(): (() => void) | null {
    if (!this.#admits || this.#places >= this.limits.maxConcurrent) return null;
    this.#places += 1;
    let isHeld = true;
    return () => {
      if (isHeld) this.#places -= 1;
      isHeld = false;
    };
  }

  /** Answers one message of an authenticated caller. Never rejects. */
  async answer(bytes: Uint8Array, identity: Identity, signal?: AbortSignal): Promise<Answer> {
    const giveBack = this.takePlace();
    if (giveBack === null) return { kind: 'busy' };
    const work = this.#answer(bytes, identity, signal, giveBack);
    this.#track(work);
    return work;
  }

  /** Admits nothing more, waits for what is under way for so long, then aborts it. */
  async close(): Promise<void> {
    this.#admits = false;
    const settled = Promise.allSettled([...this.#underWay]);
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise((resolve) => {
      timer = setTimeout(resolve, this.limits.closeTimeoutMs);
    });
    await Promise.race([settled, patience]);
    clearTimeout(timer);
    this.#closing.abort(new ReceiverError('closed', 'Receiver: closed while this was under way'));
  }

  report(
    error: unknown,
    about: { readonly event: string | null; readonly place: 'handler' | 'store' | 'authenticate' },
  ): void {
    try {
      this.#options.onError?.(error, about);
    } catch {
      // The host's own record decides nothing.
    }
  }

  #track(work: Promise<unknown>): void {
    this.#underWay.add(work);
    void work.finally(() => this.#underWay.delete(work));
  }

  async #answer(
    bytes: Uint8Array,
    identity: Identity,
    signal: AbortSignal | undefined,
    giveBack: () => void,
  ): Promise<Answer> {
    let isHandedOn = false;
    try {
      const judged = judgeMessage(bytes, this.#options.manifest, this.limits);
      if (judged.kind === 'refused') return refusalAnswer(judged.refusal);
      if (judged.kind === 'capabilities') return this.#manifestAnswer(judged.id);
      const event = judged.message.params.event as KnownEvent;
      const isNotification = judged.kind === 'observe';
      const id = isNotification ? null : judged.id;
      const refusal = await this.#bodiesRefusal(event, identity, { id, isNotification });
      if (refusal !== null) return refusalAnswer(refusal);
      if (judged.kind === 'intercept') return await this.#intercept(judged.id, judged.message, identity, signal);
      isHandedOn = true;
      this.#track(this.#observe(judged.message, identity).finally(giveBack));
      return { kind: 'accepted' };
    } finally {
      if (!isHandedOn) giveBack();
    }
  }

  #manifestAnswer(id: MessageId): Answer {
    const { manifest } = this.#options;
    const response: CapabilitiesResponse = {
      jsonrpc: '2.0',
      id: id as CapabilitiesResponse['id'],
      result: { protocolVersion: PROTOCOL_VERSION, manifest },
    };
    return { kind: 'response', bytes: encoder.encode(encodeCapabilitiesResponse(response)) };
  }

  async #bodiesRefusal(
    event: KnownEvent,
    identity: Identity,
    envelope: Pick<Refusal, 'id' | 'isNotification'>,
  ): Promise<Refusal | null> {
    try {
      if (await hasAllBodies(this.#options.store, identity.scope, event)) return null;
    } catch (error) {
      this.report(error, { event: event.type, place: 'store' });
      return { ...envelope, code: PROTOCOL_ERRORS.backendError, message: 'the backend failed' };
    }
    return {
      ...envelope,
      code: PROTOCOL_ERRORS.invalidParams,
      message: 'expected bodies that were uploaded, got others',
    };
  }

  async #intercept(
    id: MessageId,
    message: Validated<InterceptRequest>,
    identity: Identity,
    signal: AbortSignal | undefined,
  ): Promise<Answer> {
    const { capabilities, state } = message.params;
    const event = message.params.event as KnownEvent;
    const handler = this.#handlers.get(event.type)?.intercept;
    try {
      const given =
        handler === undefined
          ? []
          : await this.#runHandler(signal, (running) => {
              const context: InterceptContext = { ...this.#contextOf(identity, running), capabilities, state };
              return handler(event, context);
            });
      return { kind: 'response', bytes: encodeEffects(id, given ?? [], message) };
    } catch (error) {
      this.report(error, { event: event.type, place: 'handler' });
      const refusal = { id, isNotification: false, code: PROTOCOL_ERRORS.backendError, message: 'the backend failed' };
      return refusalAnswer(refusal);
    }
  }

  /** Runs after the notification was taken; nothing of it reaches the caller. */
  async #observe(message: Validated<ObserveNotification>, identity: Identity): Promise<void> {
    const event = message.params.event as KnownEvent;
    const handler = this.#handlers.get(event.type)?.observe;
    if (handler === undefined) return;
    try {
      await this.#runHandler(undefined, (running) => handler(event, this.#contextOf(identity, running)));
    } catch (error) {
      this.report(error, { event: event.type, place: 'handler' });
    }
  }

  /** Ends when the handler, its time, its caller or the receiver does. */
  async #runHandler(caller: AbortSignal | undefined, run: (signal: AbortSignal) => unknown): Promise<unknown> {
    const link = linkAbort(this.#closing.signal, caller);
    const { handlerTimeoutMs } = this.limits;
    const timer = armDeadline(systemClock, systemClock.now() + handlerTimeoutMs, () =>
      link.abort(new ReceiverError('handler-timeout', `Handler: expected an end within ${handlerTimeoutMs} ms`)),
    );
    try {
      return await raceAbort((async () => run(link.signal))(), link.signal);
    } finally {
      timer.cancel();
      link.release();
    }
  }

  #contextOf({ principal, scope }: Identity, signal: AbortSignal): ObserveContext {
    return { principal, scope, signal, body: (ref) => openBody(this.#options.store, scope, ref) };
  }
}

/** Checks that a handler's effects may be sent, and encodes them. Throws `ReceiverError` `effects`. */
function encodeEffects(id: MessageId, given: unknown, { params }: Validated<InterceptRequest>): Uint8Array {
  const response = { jsonrpc: '2.0', id, result: { protocolVersion: PROTOCOL_VERSION, effects: given } };
  const valid = validateInterceptResponse(response);
  if (!valid.ok) {
    const place = valid.issues[0];
    const where = place === undefined ? '' : ` (${place.code} at ${place.pointer})`;
    throw new ReceiverError('effects', `Handler: expected canonical effects, got others${where}`);
  }
  if (!areGranted(valid.value.result.effects as readonly KnownEffect[], params.capabilities)) {
    throw new ReceiverError('effects', 'Handler: expected effects that the request grants, got others');
  }
  return encoder.encode(encodeInterceptResponse(valid.value));
}

function refusalAnswer({ id, code, message, isNotification }: Refusal): Answer {
  if (isNotification) return { kind: 'refused' };
  const response = { jsonrpc: '2.0', id, error: { code, message } } as JsonRpcErrorResponse;
  return { kind: 'response', bytes: encoder.encode(encodeJsonRpcErrorResponse(response)) };
}

function readHandlers(options: ReceiverOptions): Map<string, { intercept?: AnyHandler; observe?: AnyHandler }> {
  const known = new Set<string>(catalogue.eventNames);
  const handlers = new Map<string, { intercept?: AnyHandler; observe?: AnyHandler }>();
  for (const [name, given] of Object.entries(options.handlers ?? {})) {
    const entry = options.manifest.events.find((row) => row.event === name);
    if (!known.has(name) || entry === undefined) {
      throw new ReceiverError(
        'configuration',
        `handlers: expected events of the manifest, got ${JSON.stringify(name)}`,
      );
    }
    const { intercept, observe } = given as { intercept?: AnyHandler; observe?: AnyHandler };
    for (const handler of [intercept, observe]) {
      if (handler !== undefined && typeof handler !== 'function') {
        throw new ReceiverError('configuration', `handlers: expected functions at ${name}, got ${typeof handler}`);
      }
    }
    if (intercept !== undefined && !entry.modes.includes('intercept')) {
      throw new ReceiverError('configuration', `handlers: expected ${name} to be interceptable by the manifest`);
    }
    handlers.set(name, { ...(intercept && { intercept }), ...(observe && { observe }) });
  }
  return handlers;
}
