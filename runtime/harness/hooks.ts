import { isAbsolute } from 'node:path';
import { catalogue, type KnownEvent, type Manifest, validateEvent, validateManifest } from '../../generated/index.js';
import { ChainError, type ChainFailure, type ChainOutcome, runInterceptionChain } from '../chain/index.js';
import { createUploader } from '../content/index.js';
import { DeliveryQueues, dispatchObservations, type ObservationHandle } from '../observation/index.js';
import { loadRegistration, type RegistrationWarning } from '../registration/index.js';
import { TransportError } from '../transports/index.js';
import { freezeDeep, linkAbort, snapshot, stripNative } from '../wire/index.js';
import { Backends } from './backends.js';
import { ContentSession } from './content-session.js';
import { Deliveries } from './deliveries.js';
import { discoverManifest } from './discovery.js';
import { HooksError } from './errors.js';
import { hookFailureEvent } from './failures.js';
import { grantsFor } from './grants.js';
import type {
  EventContent,
  DiscoverOptions,
  Hooks,
  HooksOptions,
  InterceptableEvent,
  InterceptOptions,
  InterceptOutcome,
  ObserveOptions,
} from './options.js';
import { RecordLog, type RecordStream } from './records.js';
import { type HookSubscription, listSubscriptions, matchingSubscriptions } from './subscriptions.js';
import { loadTracing, type Tracing } from './tracing.js';
import { withinTime } from './within-time.js';

/** What `close()` may take in all, in milliseconds. */
const CLOSE_TIMEOUT_MS = 2_000;

const DEFAULT_PREPARE_TIMEOUT_MS = 30_000;

/**
 * The harness side (Semantics §5 to §7): sends the host's events to the backends of a registration, asks and tells
 * them, and settles what they may decide. Processes and connections start at their first use.
 *
 * Throws `RegistrationError` for a registration that cannot be used, and `HooksError` `configuration`, with the option
 * as its `detail`, for a manifest that is not canonical and for options out of range.
 */
export function createHooks(options: HooksOptions): Hooks {
  return new HarnessHooks(options);
}

class HarnessHooks implements Hooks {
  readonly #options: HooksOptions;
  readonly #manifest: Manifest;
  readonly #subscriptions: readonly HookSubscription[];
  readonly #log = new RecordLog();
  readonly #queues = new DeliveryQueues<HookSubscription>();
  readonly #closing = new AbortController();
  readonly #sessions = new Set<ContentSession>();
  readonly #pending = new Set<Promise<unknown>>();
  readonly #prepareTimeoutMs: number;
  readonly #backends: Backends;
  readonly #deliveries: Deliveries;
  readonly #uploader: ReturnType<typeof createUploader>;
  readonly warnings: readonly RegistrationWarning[];
  #closed: Promise<void> | undefined;

  constructor(options: HooksOptions) {
    checkOptions(options);
    const { registration, warnings } = loadRegistration(options.registration, { managed: options.managed === true });
    const manifest = validateManifest(options.manifest);
    if (!manifest.ok) {
      throw new HooksError('configuration', 'Hooks: expected a canonical manifest, got one that is not', {
        detail: `manifest${manifest.issues[0]?.pointer ?? ''}`,
      });
    }
    this.#options = options;
    this.warnings = warnings;
    this.#prepareTimeoutMs = options.prepareTimeoutMs ?? DEFAULT_PREPARE_TIMEOUT_MS;
    this.#manifest = freezeDeep(snapshot(manifest.value as Manifest));
    this.#subscriptions = listSubscriptions(freezeDeep(snapshot(registration)));
    const { tls, lookup, connect, credentials } = options;
    this.#backends = new Backends({
      overrides: options.transports,
      credentials,
      tls,
      env: options.env,
      cwd: options.cwd,
      lookup,
      connect,
      onRecord: (backend, record) => this.#log.push({ ...record, kind: 'transport', backend }),
    });
    this.#deliveries = new Deliveries(this.#backends);
    // The client certificate stays behind: it belongs to event connections alone.
    this.#uploader = createUploader({
      credentials,
      lookup,
      connect,
      allowLoopback: options.allowLoopback === true,
      tls: tls?.ca === undefined ? undefined : { ca: tls.ca },
    });
  }

  get records(): RecordStream {
    return this.#log;
  }

  async intercept<E extends InterceptableEvent>(event: E, options?: InterceptOptions<E>): Promise<InterceptOutcome<E>> {
    this.#refuseWhenClosed();
    // Within, events are told apart by their type member; the types per name are for callers.
    const pending = this.#intercept(event, (options ?? {}) as unknown as InterceptOptions);
    this.#pending.add(pending);
    try {
      return (await pending) as InterceptOutcome<E>;
    } finally {
      this.#pending.delete(pending);
    }
  }

  async #intercept(event: InterceptableEvent, options: InterceptOptions): Promise<ChainOutcome> {
    if (!isInterceptable(event)) {
      throw new HooksError('event-invalid', 'Hooks: expected a canonical, interceptable event, got another');
    }
    const tracing = await loadTracing();
    const attributes = { 'ahp.event.type': event.type, 'ahp.event.id': event.id };
    return tracing.span(
      'ahp.intercept',
      attributes,
      () => this.#runChain(snapshot(event), options, tracing),
      (outcome) => ({
        'ahp.decision': outcome.decision,
        'ahp.called': outcome.called.length,
        'ahp.failures': outcome.failures.length,
      }),
    );
  }

  observe(event: KnownEvent, options: ObserveOptions = {}): ObservationHandle {
    this.#refuseWhenClosed();
    if (!validateEvent(event).ok) {
      throw new HooksError('event-invalid', 'Hooks: expected a canonical event, got one that is not');
    }
    const own = snapshot(event);
    const subscriptions = matchingSubscriptions(this.#subscriptions, own);
    const session = this.#openSession(own, options.content);
    const ready = session.takeSelected(subscriptions, this.#closing.signal);
    const handle = this.#dispatch(
      own,
      subscriptions,
      options.signal,
      async ({ event: settled, subscription, signal }) => {
        await ready;
        const event = subscription.includeNative ? settled : stripNative(settled, catalogue.events[settled.type].optIn);
        return this.#observersView(session, settled, event, subscription, signal);
      },
    );
    void handle.done.then(() => this.#endSession(session));
    return handle;
  }

  async discover(backendId: string, options: DiscoverOptions = {}): Promise<Manifest> {
    this.#refuseWhenClosed();
    const backend = this.#subscriptions.find((one) => one.backend.id === backendId)?.backend;
    if (backend === undefined) {
      throw new HooksError('unknown-backend', 'Hooks: expected the id of a registered backend, got another');
    }
    const { timeoutMs, signal } = options;
    requireMilliseconds(timeoutMs, 'timeoutMs');
    const startedMs = performance.now();
    const tracing = await loadTracing();
    try {
      const manifest = await tracing.span('ahp.discover', { 'ahp.backend': backendId }, async () => {
        const transport = this.#backends.transportOf(backend);
        return discoverManifest({ transport, timeoutMs, signals: [this.#closing.signal, signal] });
      });
      this.#recordDiscovery(backendId, 'ok', startedMs);
      return manifest;
    } catch (reason) {
      const error = this.#asDiscoveryError(reason);
      this.#recordDiscovery(backendId, error.detail ?? error.code, startedMs);
      throw error;
    }
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#closing.abort(new HooksError('closed', 'Hooks: closed while this was under way'));
    this.#uploader.close();
    const ending = Promise.allSettled([
      this.#backends.close(),
      ...this.#pending,
      ...[...this.#sessions].map((session) => session.close()),
    ]);
    let timer: NodeJS.Timeout | undefined;
    const bound = new Promise((resolve) => {
      timer = setTimeout(resolve, CLOSE_TIMEOUT_MS);
    });
    await Promise.race([ending, bound]);
    clearTimeout(timer);
    this.#log.close();
  }

  async #runChain(event: KnownEvent, options: InterceptOptions, tracing: Tracing): Promise<ChainOutcome> {
    const startedMs = performance.now();
    const subscriptions = matchingSubscriptions(this.#subscriptions, event);
    const session = this.#openSession(event, options.content);
    const link = linkAbort(this.#closing.signal, options.signal);
    try {
      await session.takeSelected(subscriptions, link.signal);
      const notify = this.#notifier(tracing);
      const outcome = await runInterceptionChain<HookSubscription>({
        event,
        subscriptions,
        capabilities: grantsFor(this.#manifest, event, options.continuations),
        signal: link.signal,
        observationSignal: this.#closing.signal,
        schedule: this.#queues.schedule,
        ...(options.values === undefined ? {} : { values: options.values }),
        ...(options.materialize === undefined ? {} : { materialize: session.materializeWith(options.materialize) }),
        ...(options.elicitation === undefined ? {} : { elicitation: session.elicitationWith(options.elicitation) }),
        ...(this.#options.retries === undefined ? {} : { retries: this.#options.retries }),
        prepareTimeoutMs: this.#prepareTimeoutMs,
        prepare: ({ effective, event: view, subscription, purpose, signal }) => {
          if (purpose === 'observe') return this.#observersView(session, effective, view, subscription, signal);
          const gapFails = subscription.mode === 'intercept' && subscription.failurePolicy === 'fail-closed';
          return session.viewFor({ effective, event: view, subscription, signal, gapFails });
        },
        deliver: (delivery) =>
          tracing.span('ahp.deliver', { 'ahp.backend': delivery.subscription.backend.id }, () =>
            this.#deliveries.request(delivery),
          ),
        notify,
        onFailure: (failure) => this.#onFailure(event, failure, subscriptions),
        onObservationFailure: ({ subscription, error }) => this.#onObservationFailure(event, subscription, error.code),
      });
      this.#log.push({
        kind: 'decision',
        ...identityOf(event),
        decision: outcome.decision,
        ended: outcome.ended?.kind ?? null,
        by: outcome.ended?.by ?? null,
        called: outcome.called.length,
        elapsedMs: performance.now() - startedMs,
      });
      if (outcome.observations === null) this.#endSession(session);
      else void outcome.observations.done.then(() => this.#endSession(session));
      return outcome;
    } catch (error) {
      this.#endSession(session);
      throw asHooksError(error);
    } finally {
      link.release();
    }
  }

  /** Bounded here, since observations have no deadline and the next ones of the subscription wait behind this one. */
  #observersView(
    session: ContentSession,
    effective: KnownEvent,
    event: KnownEvent,
    subscription: HookSubscription,
    parent: AbortSignal,
  ): Promise<KnownEvent> {
    return withinTime(this.#prepareTimeoutMs, [parent], (signal) =>
      session.viewFor({ effective, event, subscription, signal, gapFails: false }),
    );
  }

  #notifier(tracing: Tracing): Deliveries['notify'] {
    return (delivery) =>
      tracing.span('ahp.observe', { 'ahp.backend': delivery.subscription.backend.id }, () =>
        this.#deliveries.notify(delivery),
      );
  }

  /** Every operational failure is recorded and told to whoever observes `hook.failure`, the failing one left out. */
  #onFailure(event: KnownEvent, failure: ChainFailure, subscriptions: readonly HookSubscription[]): void {
    const failing = subscriptions.find(({ id, mode }) => mode === 'intercept' && id === failure.subscription);
    if (failing === undefined) return;
    this.#log.push({ kind: 'failure', ...identityOf(event), ...failure, backend: failing.backend.id });
    const told = hookFailureEvent(event, failure, failing);
    const observers = matchingSubscriptions(this.#subscriptions, told).filter(({ id }) => id !== failing.id);
    this.#dispatch(told, observers, undefined, async ({ event: settled }) => settled);
  }

  #onObservationFailure(event: KnownEvent, { id, backend }: HookSubscription, code: string): void {
    this.#log.push({ kind: 'observation-failed', ...identityOf(event), subscription: id, backend: backend.id, code });
  }

  #dispatch(
    event: KnownEvent,
    subscriptions: readonly HookSubscription[],
    signal: AbortSignal | undefined,
    prepare: (delivery: {
      event: KnownEvent;
      subscription: HookSubscription;
      signal: AbortSignal;
    }) => Promise<KnownEvent>,
  ): ObservationHandle {
    const link = linkAbort(this.#closing.signal, signal);
    const handle = dispatchObservations<HookSubscription>({
      event,
      subscriptions,
      called: [],
      prepare,
      notify: async (delivery) => this.#notifier(await loadTracing())(delivery),
      schedule: this.#queues.schedule,
      signal: link.signal,
      onFailure: ({ subscription, error }) => this.#onObservationFailure(event, subscription, error.code),
    });
    void handle.done.then(() => link.release());
    return handle;
  }

  #openSession(event: KnownEvent, content: EventContent | undefined): ContentSession {
    const session = new ContentSession({
      event,
      content: content ?? {},
      authorize: this.#options.authorize,
      upload: (config, source, signal) => this.#uploader.upload(config, source, { signal }),
      spool: this.#options.spool,
      takeTimeoutMs: this.#prepareTimeoutMs,
    });
    this.#sessions.add(session);
    return session;
  }

  /** Freeing memory and disk is nobody's decision to wait for, `close()` excepted. */
  #endSession(session: ContentSession): void {
    session
      .close()
      .catch(() => undefined)
      .finally(() => this.#sessions.delete(session));
  }

  #asDiscoveryError(reason: unknown): HooksError {
    if (this.#closing.signal.aborted) return closedError();
    if (reason instanceof HooksError) return reason;
    // A transport that could not even be made.
    const detail = reason instanceof TransportError ? reason.code : 'connection';
    const message = `Discovery: expected a transport, got a failure of code ${detail}`;
    return new HooksError('discovery-failed', message, { detail, cause: reason });
  }

  #recordDiscovery(backend: string, code: string, startedMs: number): void {
    this.#log.push({ kind: 'discovery', backend, code, elapsedMs: performance.now() - startedMs });
  }

  #refuseWhenClosed(): void {
    if (this.#closed !== undefined) throw closedError();
  }
}

function closedError(): HooksError {
  return new HooksError('closed', 'Hooks: expected open hooks, got closed ones');
}

/** What a chain refuses before anybody is asked is what the host gave for it. */
function asHooksError(error: unknown): unknown {
  if (!(error instanceof ChainError)) return error;
  return new HooksError('configuration', `Hooks: expected options that fit the event, got others (${error.code})`, {
    detail: error.place,
    cause: error,
  });
}

function checkOptions({ prepareTimeoutMs, retries, cwd }: HooksOptions): void {
  requireMilliseconds(prepareTimeoutMs, 'prepareTimeoutMs');
  if (retries !== undefined && (!Number.isSafeInteger(retries) || retries < 0)) throw unusable('retries');
  if (cwd !== undefined && !isAbsolute(cwd)) throw unusable('cwd');
}

function requireMilliseconds(value: number | undefined, option: string): void {
  if (value !== undefined && !(value > 0)) throw unusable(option);
}

function unusable(option: string): HooksError {
  return new HooksError('configuration', `Hooks: expected ${option} within its range, got another value`, {
    detail: option,
  });
}

function identityOf({ id, source, type }: KnownEvent): {
  readonly event: string;
  readonly source: string;
  readonly type: string;
} {
  return { event: id, source, type };
}

const interceptable: ReadonlySet<string> = new Set(catalogue.interceptableEventNames);

function isInterceptable(event: KnownEvent): boolean {
  return validateEvent(event).ok && interceptable.has(event.type);
}
