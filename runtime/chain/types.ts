import type { Capabilities, KnownEvent, InterceptRequest, Manifest } from '../../generated/index.js';
import type { JsonValue } from '../../generated/json/index.js';
import type { ResolveBody } from '../elicitation/index.js';
import type { DeliveryScheduler, ObservationHandle, ObservationOptions } from '../observation/index.js';
import type { Clock } from '../wire/index.js';

export type FailurePolicy = 'fail-open' | 'fail-closed';

/** A subscription that is asked. Its id stays in the harness: no message carries it. */
export interface InterceptorSubscription {
  readonly id: string;
  readonly mode: 'intercept';
  /** Milliseconds for authentication, connection, sending, processing, parsing and acceptance together. */
  readonly timeoutMs: number;
  readonly failurePolicy: FailurePolicy;
  /** Whether declared `native` members reach this receiver; without it they are removed (Semantics §7). */
  readonly includeNative?: boolean;
}

/** A subscription that is told. */
export interface ObserverSubscription {
  readonly id: string;
  readonly mode: 'observe';
  readonly includeNative?: boolean;
}

export type ChainSubscription = InterceptorSubscription | ObserverSubscription;

/**
 * Why an interceptor's turn failed (Semantics §5).
 *
 * - `deadline`: no answer before the deadline. `late`: an answer after it, or found past it just before acceptance.
 * - `connection`, `process-exit`, `authentication`, `status`: the delivery was rejected.
 * - `invalid-utf8`, `invalid-json`, `invalid-message`: the answer is no JSON-RPC response of this protocol.
 * - `wrong-id`: it answers another request, or has a null id. `error-response`: it is an error.
 * - `unsupported-version`, `unsupported-event`: an error of that code, or a result of another protocol version.
 * - `effect-not-granted`, `effect-unknown`, `effect-malformed`, `effect-conflict`: the list was rejected whole.
 * - `event-invalid`: the effective event would not be canonical. `preparation`, `materialization`: the host's part failed.
 */
export type FailureCode =
  | 'deadline'
  | 'connection'
  | 'process-exit'
  | 'authentication'
  | 'status'
  | 'invalid-utf8'
  | 'invalid-json'
  | 'invalid-message'
  | 'wrong-id'
  | 'error-response'
  | 'unsupported-version'
  | 'unsupported-event'
  | 'effect-not-granted'
  | 'effect-unknown'
  | 'effect-malformed'
  | 'effect-conflict'
  | 'event-invalid'
  | 'preparation'
  | 'materialization'
  | 'late';

/** The host's record of one operational failure; it carries no content and no text of the peer. */
export interface ChainFailure {
  readonly subscription: string;
  readonly policy: FailurePolicy;
  readonly code: FailureCode;
}

export type Injection = {
  readonly deliverAt: 'now' | 'next_turn';
  readonly value: JsonValue;
};

export type Candidate = {
  readonly value: JsonValue;
};

export type Permission = 'none' | 'allow' | 'ask' | 'deny';
export type Flow = 'none' | 'stop' | 'continue';

/** What accepted responses have made of a boundary so far. Frozen all the way down; each change shares the rest. */
export interface ChainState {
  /** The effective event, canonically valid. */
  readonly event: KnownEvent;
  /** Current values of targets that live behind content descriptors, by target. */
  readonly values: Readonly<Record<string, JsonValue>>;
  readonly candidate: Candidate | null;
  readonly permission: Permission;
  readonly flow: Flow;
  readonly messages: readonly string[];
  readonly injections: readonly Injection[];
  readonly instructions: readonly string[];
}

/** Why the chain ended before its last interceptor. */
export interface ChainEnd {
  /** The subscription that ended it; null for an interruption. */
  readonly by: string | null;
  readonly kind: 'deny' | 'stop' | 'fail-closed' | 'interrupted';
  /** The peer's reason of a denial or a stop; a generic text for a failure. For the host, never for records. */
  readonly reason?: string;
  /** The denial's own code, or the failure's. */
  readonly code?: string;
}

/** What `runInterceptionChain` settles with. `event` and all that hangs on it are frozen. */
export interface ChainOutcome extends ChainState {
  readonly decision: 'proceed' | 'denied' | 'stopped' | 'interrupted';
  /** Null when every interceptor had its turn and none ended the chain. */
  readonly ended: ChainEnd | null;
  readonly failures: readonly ChainFailure[];
  /** Ids of the interceptors whose turn had begun. */
  readonly called: readonly string[];
  /** Ids of the subscriptions that are sent `hooks/observe` for this event. */
  readonly observed: readonly string[];
  /** The handle of those deliveries; null without `notify`. */
  readonly observations: ObservationHandle | null;
}

/** The interceptors among subscriptions of a type of the host's own. */
export type InterceptorOf<S extends ChainSubscription> = Extract<S, { readonly mode: 'intercept' }>;

export interface Delivery<S extends ChainSubscription = ChainSubscription> {
  readonly message: InterceptRequest;
  readonly subscription: InterceptorOf<S>;
  /** Aborted at the deadline and by an interruption. */
  readonly signal: AbortSignal;
  /** Milliseconds of the chain's clock. */
  readonly deadline: number;
}

export interface Preparation<S extends ChainSubscription = ChainSubscription> {
  /** The effective event, less `native` unless the subscription includes it. Frozen. */
  readonly event: KnownEvent;
  /** The effective event itself, the same object for all receivers until a response changes it. Frozen. */
  readonly effective: KnownEvent;
  readonly subscription: S;
  /** Whether this view is for a request or for an observation; an uncalled interceptor is an observer. */
  readonly purpose: 'intercept' | 'observe';
  readonly signal: AbortSignal;
}

export interface Materialization {
  /** The effective event before this change. Frozen. */
  readonly event: KnownEvent;
  readonly target: string;
  /** The target's new value. Frozen. */
  readonly value: JsonValue;
  readonly signal: AbortSignal;
}

export interface ChainElicitation<S extends ChainSubscription = ChainSubscription> {
  /** The request envelope that a result belongs to; needed at `user.elicitation.result` only. */
  readonly request?: InterceptRequest;
  readonly resolveBody: ResolveBody;
  /** The authenticated supplier behind a subscription; never taken from a payload. */
  principal(subscription: InterceptorOf<S>): string;
}

export interface ChainOptions<S extends ChainSubscription = ChainSubscription> {
  /** The host's event, canonically valid. It is snapshotted, never changed. */
  readonly event: KnownEvent;
  /** What the host can grant at this boundary. */
  readonly capabilities: Capabilities;
  /** In chain order. An id occurs once per mode. */
  readonly subscriptions: readonly S[];
  /** Sends one request; answers with bytes, text, or a decoded JSON value. Rejecting is a failure. */
  deliver(delivery: Delivery<S>): Promise<unknown> | unknown;
  /** Cuts the grants down to this manifest's entry for the event; no entry grants nothing. */
  readonly manifest?: Manifest;
  /** Makes one receiver's view of the event. Without it the event goes as it is, body references included. */
  prepare?(preparation: Preparation<S>): Promise<KnownEvent> | KnownEvent;
  /** What the host holds now for targets behind content descriptors, by target. */
  readonly values?: Readonly<Record<string, JsonValue>>;
  /** Uploads a changed value and returns the event with new descriptors of the same logical ids. */
  materialize?(materialization: Materialization): Promise<KnownEvent> | KnownEvent;
  readonly elicitation?: ChainElicitation<S>;
  /** Sends one observation. Without it nothing is dispatched. */
  notify?: ObservationOptions<S>['notify'];
  /** Starts the deliveries of observations; `immediateScheduler` by default. */
  readonly schedule?: DeliveryScheduler<S>;
  /** Hears of each observation that was dropped; observations have no failure policy. */
  onObservationFailure?: NonNullable<ObservationOptions<S>['onFailure']>;
  /** Called once for each operational failure; what it throws changes nothing. */
  onFailure?(failure: ChainFailure): void;
  /** How often a delivery without any response is repeated inside the original deadline. 0 by default. */
  readonly retries?: number;
  /** Budget of one preparation in milliseconds. 30,000 by default. */
  readonly prepareTimeoutMs?: number;
  readonly clock?: Clock;
  /** Interrupts the chain: pending decisions end at once. */
  readonly signal?: AbortSignal;
  /** Cancels the observations that the chain dispatched. */
  readonly observationSignal?: AbortSignal;
}
