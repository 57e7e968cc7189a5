import type {
  catalogue,
  KnownContentItem,
  KnownEvent,
  EventFor,
  EventName,
  InterceptableEventName,
  InterceptRequest,
  Manifest,
} from '../../generated/index.js';
import type { JsonValue } from '../../generated/json/index.js';
import type { ChainOutcome } from '../chain/index.js';
import type { ContentSource, SpoolOptions } from '../content/index.js';
import type { CredentialProvider } from '../credentials/index.js';
import type { ResolveBody } from '../elicitation/index.js';
import type { ObservationHandle } from '../observation/index.js';
import type { RegistrationWarning } from '../registration/index.js';
import type { Connector, Lookup, TlsOptions } from '../transports/index.js';
import type { TransportOverrides } from './backends.js';
import type { Continuations } from './grants.js';
import type { RecordStream } from './records.js';
import type { HookSubscription } from './subscriptions.js';

/** Bytes behind the items of one event: by item id, or by the item's JSON Pointer where an id occurs twice. */
export type EventContent = Readonly<Record<string, ContentSource>>;

export type InterceptableEvent = EventFor<InterceptableEventName>;

/** Names of the `modify` targets of an event that live behind content descriptors, such as `summary`. */
export type ContentTargetFor<N extends EventName> = N extends EventName
  ? ContentTargetsIn<(typeof catalogue.events)[N]['targets']>
  : never;

type ContentTargetsIn<T> = {
  [K in keyof T]: T[K] extends { readonly content: true } ? K : never;
}[keyof T] &
  string;

/** A chain's outcome with its event typed by name. */
export type InterceptOutcome<E extends InterceptableEvent = InterceptableEvent> = Omit<ChainOutcome, 'event'> & {
  /** The effective event, canonically valid and frozen. */
  readonly event: EventFor<E['type']>;
};

/** Decides whether a subscription may be given an item's body. Throwing withholds it. */
export type AuthorizeContent = (
  item: KnownContentItem,
  context: { readonly event: KnownEvent; readonly subscription: HookSubscription; readonly signal: AbortSignal },
) => boolean | Promise<boolean>;

export interface HooksOptions {
  /** A registration document: JSON text, bytes, or a decoded value. It may run commands, so it must be trusted. */
  readonly registration: unknown;
  /** Whether the document came from a managed source, so that `scope: "managed"` may stand in it. Default false. */
  readonly managed?: boolean;
  /** What this host supports; it alone decides what is granted. */
  readonly manifest: Manifest;
  /** Where the tokens come from that the registration names. */
  readonly credentials?: CredentialProvider;
  /** Transports of the host's own, by backend id, or for all of a kind: `http`, `stdio`. */
  readonly transports?: TransportOverrides;
  /** Private roots and the client certificate of event connections; uploads get the roots alone. */
  readonly tls?: TlsOptions;
  /** Added to the small environment of child processes. */
  readonly env?: Readonly<Record<string, string>>;
  /** Absolute working directory of child processes that name none. */
  readonly cwd?: string;
  /** Without it every selected body may be sent. */
  readonly authorize?: AuthorizeContent;
  /** Allows plain-http uploads to loopback. Default false. OAuth discovery has an option of its own. */
  readonly allowLoopback?: boolean;
  /** Repetitions of a delivery without any response; 0 by default. */
  readonly retries?: number;
  /** Milliseconds for all preparation of one delivery; 30,000 by default. */
  readonly prepareTimeoutMs?: number;
  /** Where large bodies wait. */
  readonly spool?: SpoolOptions;
  readonly lookup?: Lookup;
  readonly connect?: Connector;
}

/** What a host makes of a changed value: the event with new descriptors of the same logical ids, and their bytes. */
export interface Materialized<E extends InterceptableEvent = InterceptableEvent> {
  readonly event: EventFor<E['type']>;
  readonly content: EventContent;
}

/**
 * Makes descriptors and bytes of a changed value. The bytes of every item that changed belong into `content`: an item
 * without an entry there keeps the bytes that it had. Throwing, or giving no bytes at all, is the responder's failure.
 */
export type Materialize<E extends InterceptableEvent = InterceptableEvent> = (change: {
  /** The effective event before the change. Frozen. */
  readonly event: EventFor<E['type']>;
  readonly target: ContentTargetFor<E['type']>;
  readonly value: JsonValue;
  readonly signal: AbortSignal;
}) => Materialized<E> | Promise<Materialized<E>>;

/** How elicitation effects are checked; giving it, even empty, is what offers them to backends. */
export interface InterceptElicitation {
  /** The request envelope that a result belongs to. */
  readonly request?: InterceptRequest;
  /** Bodies that are not in `content`; those are found by item id. */
  readonly resolveBody?: ResolveBody;
  /** The authenticated supplier behind a subscription; by default the id of its backend. */
  readonly principal?: (subscription: HookSubscription) => string;
}

export interface InterceptOptions<E extends InterceptableEvent = InterceptableEvent> {
  readonly content?: EventContent;
  /** What the host holds now for targets behind content descriptors, by target; others are not offered. */
  readonly values?: { readonly [T in ContentTargetFor<E['type']>]?: JsonValue };
  readonly materialize?: Materialize<E>;
  readonly elicitation?: InterceptElicitation;
  /** Without it `continue` is not offered. */
  readonly continuations?: Continuations;
  /** Interrupts the chain. */
  readonly signal?: AbortSignal;
}

export interface ObserveOptions {
  readonly content?: EventContent;
  /** Cancels the deliveries. */
  readonly signal?: AbortSignal;
}

export interface DiscoverOptions {
  readonly signal?: AbortSignal;
  /** 10,000 by default. */
  readonly timeoutMs?: number;
}

/** The harness side of the protocol. */
export interface Hooks {
  /**
   * Asks the matching interceptors in document order and settles; then tells the observers, without waiting.
   * Failures, denials and interruptions are outcomes. Rejects with `HooksError`: `closed`, `event-invalid`,
   * `configuration`.
   */
  intercept<E extends InterceptableEvent>(event: E, options?: InterceptOptions<E>): Promise<InterceptOutcome<E>>;
  /** Tells every matching subscription of an event that nobody is asked about. Throws as `intercept` rejects. */
  observe(event: KnownEvent, options?: ObserveOptions): ObservationHandle;
  /**
   * Asks a backend what it supports. Changes nothing. Rejects with `HooksError`: `unknown-backend`, `closed`, or
   * `discovery-failed`, whose `detail` is the failure's code, or `aborted`.
   */
  discover(backendId: string, options?: DiscoverOptions): Promise<Manifest>;
  /** Decisions, failures and transport events: ids, codes and milliseconds. */
  readonly records: RecordStream;
  /** What the registration has that this version does not know. */
  readonly warnings: readonly RegistrationWarning[];
  /** Admits nothing more, interrupts what is pending, ends processes and connections; at most 2 s. May be called twice. */
  close(): Promise<void>;
}
