import {
  type Capabilities,
  type CapabilitiesResponse,
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
} from '../../generated/index.js';
import { areGranted } from '../chain/response.js';
import { linkSignals } from '../net/timers.js';
import { freezeDeep, PROTOCOL_ERRORS, raceAbort, snapshot } from '../wire/index.js';
import { Admission } from './admission.js';
import { hasAllBodies, openBody } from './bodies.js';
import { ReceiverError } from './errors.js';
import { judgeMessage, type MessageId, type Refusal } from './judge-message.js';
import { type ResolvedLimits, resolveLimits } from './limits.js';
import type { FailurePlace, Identity, ObserveContext, ReceiverOptions } from './options.js';
import { readHandlers, readOptions } from './read-options.js';
import { type Place, Places } from './places.js';

/** What becomes of one message. */
export type Answer =
  | { readonly kind: 'response'; readonly bytes: Uint8Array }
  /** A notification that was taken; `done` fulfils when its handler has ended. */
  | { readonly kind: 'accepted'; readonly done: Promise<void> }
  /** A notification that was not; it gets no answer. */
  | { readonly kind: 'refused' };

/** One message of an authenticated caller. */
export interface Order {
  readonly identity: Identity;
  /** Given back when everything about the message has ended, its observation handler included. */
  readonly place: Place;
  readonly admission: Admission;
  /** Fires when the caller is gone. */
  readonly signal: AbortSignal;
}

const encoder = new TextEncoder();

/** The three methods, whatever carries them (Semantics §8). */
export class ReceiverCore {
  readonly limits: ResolvedLimits;
  /** What may be under way at once, whoever asked for it. */
  readonly places: Places;
  readonly admission = new Admission();
  readonly #options: ReceiverOptions;
  readonly #handlers: ReturnType<typeof readHandlers>;

  constructor(options: ReceiverOptions) {
    this.#options = readOptions(options);
    this.#handlers = readHandlers(options);
    this.limits = resolveLimits(options.limits ?? {}, options.manifest);
    this.places = new Places(this.limits.maxConcurrent);
  }

  get options(): ReceiverOptions {
    return this.#options;
  }

  /** Answers one message. Never rejects. */
  async answer(bytes: Uint8Array, order: Order): Promise<Answer> {
    let isHandedOn = false;
    try {
      const judged = judgeMessage(bytes, this.#options.manifest, this.limits);
      if (judged.kind === 'refused') return refusalAnswer(judged.refusal);
      if (judged.kind === 'capabilities') return this.#manifestAnswer(judged.id);
      // Whatever a handler does to what it was given, the request stays what it was.
      freezeDeep(judged.message);
      const event = judged.message.params.event as KnownEvent;
      const isNotification = judged.kind === 'observe';
      const refusal = await this.#bodiesRefusal(event, order.identity, {
        id: isNotification ? null : judged.id,
        isNotification,
      });
      if (refusal !== null) return refusalAnswer(refusal);
      if (judged.kind === 'intercept') return await this.#intercept(judged.id, judged.message, order);
      isHandedOn = true;
      const done = this.#observe(judged.message, order).finally(order.place);
      order.admission.track(done);
      return { kind: 'accepted', done };
    } finally {
      if (!isHandedOn) order.place();
    }
  }

  report(error: unknown, about: FailurePlace): void {
    try {
      this.#options.onError?.(error, about);
    } catch {
      // The host's own record decides nothing.
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

  async #intercept(id: MessageId, message: Validated<InterceptRequest>, order: Order): Promise<Answer> {
    const { capabilities, state } = message.params;
    const event = message.params.event as KnownEvent;
    const handler = this.#handlers.get(event.type)?.intercept;
    try {
      const given =
        handler === undefined
          ? []
          : await this.#runHandler([order.admission.closing, order.signal], (running) =>
              handler(event, { ...this.#contextOf(order.identity, running), capabilities, state }),
            );
      return { kind: 'response', bytes: encodeEffects(id, given ?? [], message) };
    } catch (error) {
      if (!order.signal.aborted) this.report(error, { event: event.type, place: 'handler' });
      const refusal = { id, isNotification: false, code: PROTOCOL_ERRORS.backendError, message: 'the backend failed' };
      return refusalAnswer(refusal);
    }
  }

  /** Runs after the notification was taken; nothing of it reaches the caller, whose leaving ends nothing either. */
  async #observe(message: Validated<ObserveNotification>, { identity, admission }: Order): Promise<void> {
    const event = message.params.event as KnownEvent;
    const handler = this.#handlers.get(event.type)?.observe;
    if (handler === undefined) return;
    // The answer goes out first, however long the handler holds the thread.
    await new Promise((resolve) => setImmediate(resolve));
    try {
      await this.#runHandler([admission.closing], (running) => handler(event, this.#contextOf(identity, running)));
    } catch (error) {
      this.report(error, { event: event.type, place: 'handler' });
    }
  }

  /** Ends when the handler does, its time is over, or one of the signals fires. */
  async #runHandler(signals: readonly AbortSignal[], run: (signal: AbortSignal) => unknown): Promise<unknown> {
    const { handlerTimeoutMs: timeoutMs } = this.limits;
    const reason = (): ReceiverError =>
      new ReceiverError('handler-timeout', `Handler: expected an end within ${timeoutMs} ms, got none`);
    const link = linkSignals(signals, { timeoutMs, reason });
    try {
      return await raceAbort((async () => run(link.signal))(), link.signal);
    } finally {
      link.dispose();
    }
  }

  #contextOf({ principal, scope }: Identity, signal: AbortSignal): ObserveContext {
    return { principal, scope, signal, body: (ref) => openBody(this.#options.store, scope, ref) };
  }
}

/** Checks that a handler's effects may be sent, and encodes them. Throws `ReceiverError` `effects`. */
function encodeEffects(id: MessageId, given: unknown, { params }: Validated<InterceptRequest>): Uint8Array {
  const effects = copyEffects(given);
  const response = { jsonrpc: '2.0', id, result: { protocolVersion: PROTOCOL_VERSION, effects } };
  const valid = validateInterceptResponse(response);
  if (!valid.ok) {
    const place = valid.issues[0];
    const where = place === undefined ? '' : ` (${place.code} at ${place.pointer})`;
    throw new ReceiverError('effects', `Handler: expected canonical effects, got others${where}`);
  }
  const known = valid.value.result.effects as readonly KnownEffect[];
  if (!areGranted(known, params.capabilities) || exceedsAllowance(known, params.capabilities)) {
    throw new ReceiverError('effects', 'Handler: expected effects that the request grants, got others');
  }
  return encoder.encode(encodeInterceptResponse(valid.value));
}

/** What is checked is what is sent, whatever getters a handler's objects have. */
function copyEffects(given: unknown): unknown {
  try {
    return snapshot(given);
  } catch (cause) {
    throw new ReceiverError('effects', 'Handler: expected effects of JSON values, got others', { cause });
  }
}

function exceedsAllowance(effects: readonly KnownEffect[], { flow }: Capabilities): boolean {
  return flow?.remainingContinuations === 0 && effects.some((effect) => isContinue(effect));
}

function isContinue(effect: KnownEffect): boolean {
  return effect.type === 'flow' && effect.operation === 'continue';
}

function refusalAnswer({ id, code, message, isNotification }: Refusal): Answer {
  if (isNotification) return { kind: 'refused' };
  const response = { jsonrpc: '2.0', id, error: { code, message } } as JsonRpcErrorResponse;
  return { kind: 'response', bytes: encoder.encode(encodeJsonRpcErrorResponse(response)) };
}
