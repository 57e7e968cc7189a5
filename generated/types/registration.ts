import type { EventName, InterceptableEventName, ReverseDnsName } from './common.js';
import type { ContentSelection, ContentUpload } from './content.js';
import type { UnknownVariant } from '../support/results.js';

/**
 * How a client authenticates, told by `type`.
 * @see registration.json#/$defs/Authentication
 */
export type Authentication = KnownAuthentication | UnknownAuthentication;

/**
 * The variants of `Authentication` that this revision knows. `isKnownAuthentication` tells them from the others.
 * @see registration.json#/$defs/Authentication
 */
export type KnownAuthentication = BearerAuthentication | OAuthAuthentication;

/**
 * A value of `Authentication` whose tag this revision does not know, kept whole.
 * @see registration.json#/$defs/Authentication
 */
export type UnknownAuthentication = UnknownVariant & { readonly type: string };

/**
 * A hook backend and what it subscribes to. Open object. A stdio backend has no authentication. That ids are unique is a runtime rule.
 * @see registration.json#/$defs/Backend
 */
export interface Backend {
  /** The backend's id, a reverse-DNS name. */
  readonly id: ReverseDnsName;
  /** How it is reached. */
  readonly transport: BackendTransport;
  /** How the harness authenticates to it. */
  readonly authentication?: Authentication;
  /**
   * Its subscriptions, at least one, in chain order.
   * Valid: at least 1 elements.
   */
  readonly subscriptions: readonly Subscription[];
  readonly [member: string]: unknown;
}

/**
 * How a backend is reached, told by `type`.
 * @see registration.json#/$defs/BackendTransport
 */
export type BackendTransport = KnownBackendTransport | UnknownBackendTransport;

/**
 * The variants of `BackendTransport` that this revision knows. `isKnownBackendTransport` tells them from the others.
 * @see registration.json#/$defs/BackendTransport
 */
export type KnownBackendTransport = StdioTransport | HttpTransport;

/**
 * A value of `BackendTransport` whose tag this revision does not know, kept whole.
 * @see registration.json#/$defs/BackendTransport
 */
export type UnknownBackendTransport = UnknownVariant & { readonly type: string };

/**
 * A bearer token from exactly one place. Open object. The token itself never stands here.
 * @see registration.json#/$defs/BearerAuthentication
 */
export type BearerAuthentication =
  | {
      /** A bearer token. */
      readonly type: 'bearer';
      /**
       * Name of the environment variable that holds the token.
       * Valid: pattern ^[A-Za-z_][A-Za-z0-9_]*$.
       */
      readonly tokenEnv: string;
      /**
       * Name of the token in the host's credential provider.
       * Valid: length at least 1.
       */
      readonly tokenRef?: never;
      readonly [member: string]: unknown;
    }
  | {
      /** A bearer token. */
      readonly type: 'bearer';
      /**
       * Name of the environment variable that holds the token.
       * Valid: pattern ^[A-Za-z_][A-Za-z0-9_]*$.
       */
      readonly tokenEnv?: never;
      /**
       * Name of the token in the host's credential provider.
       * Valid: length at least 1.
       */
      readonly tokenRef: string;
      readonly [member: string]: unknown;
    };

/**
 * A wildcard: `*` for all events or one family such as `tool.*`. For interception it selects interceptable events only (a runtime rule).
 * Valid: pattern ^(?:\*|[a-z][a-z0-9]*\.\*)$.
 * @see registration.json#/$defs/EventPattern
 */
export type EventPattern = string;

/**
 * A backend that is reached over HTTP. Open object. Plain `http` is for loopback only (a runtime rule).
 * @see registration.json#/$defs/HttpTransport
 */
export interface HttpTransport {
  /** HTTP. */
  readonly type: 'http';
  /**
   * Exact URL to `POST` messages to, without userinfo (a runtime rule).
   * Valid: format uri, pattern ^https?://.
   */
  readonly url: string;
  readonly [member: string]: unknown;
}

/**
 * A subscription that decides. Open object.
 * @see registration.json#/$defs/InterceptSubscription
 */
export interface InterceptSubscription extends SubscriptionFields {
  /**
   * Interceptable events or wildcards, at least one, no repeats.
   * Valid: at least 1 elements, no repeats.
   */
  readonly events: readonly InterceptableEventName[];
  /** The subscription decides. */
  readonly mode: 'intercept';
  /**
   * Longest time for one decision, in milliseconds.
   * Valid: at least 1.
   */
  readonly timeoutMs: number;
  /** What a failure means: go on unchanged, or deny. */
  readonly failurePolicy: 'fail-open' | 'fail-closed' | (string & {});
}

/**
 * A token from an OAuth 2 authorization server. Open object. Discovery and resource binding are runtime rules.
 * @see registration.json#/$defs/OAuthAuthentication
 */
export interface OAuthAuthentication {
  /** An OAuth 2 token. */
  readonly type: 'oauth';
  /**
   * The resource the token is for.
   * Valid: length at least 1.
   */
  readonly resource: string;
  /**
   * The authorization server's issuer, an HTTPS URL.
   * Valid: format uri, pattern ^https://.
   */
  readonly issuer: string;
  /**
   * The client's id.
   * Valid: length at least 1.
   */
  readonly clientId: string;
  /** How the token is obtained. */
  readonly flow: 'authorization_code_pkce' | 'client_credentials' | (string & {});
  /**
   * Name of the client's secret in the host's credential provider.
   * Valid: length at least 1.
   */
  readonly clientSecretRef?: string;
  /**
   * Scopes asked for, no repeats.
   * Valid: no repeats.
   */
  readonly scopes?: readonly string[];
  readonly [member: string]: unknown;
}

/**
 * A subscription that only watches. Open object, without a time-out or failure policy.
 * @see registration.json#/$defs/ObserveSubscription
 */
export interface ObserveSubscription extends SubscriptionFields {
  /**
   * Events or wildcards, at least one, no repeats.
   * Valid: at least 1 elements, no repeats.
   */
  readonly events: readonly EventName[];
  /** The subscription only watches. */
  readonly mode: 'observe';
  readonly timeoutMs?: never;
  readonly failurePolicy?: never;
}

/**
 * A registration document. Open object. Document order is chain order.
 * @see registration.json#/$defs/Registration
 */
export interface Registration {
  /** The protocol version. */
  readonly protocolVersion: 'draft';
  /**
   * The backends, at least one.
   * Valid: at least 1 elements.
   */
  readonly hooks: readonly Backend[];
  readonly [member: string]: unknown;
}

/**
 * A backend that is run as a child process. Open object. The command is run with its argument list, never through a shell.
 * @see registration.json#/$defs/StdioTransport
 */
export interface StdioTransport {
  /** Standard input and output. */
  readonly type: 'stdio';
  /**
   * The program.
   * Valid: length at least 1.
   */
  readonly command: string;
  /** Its arguments, in order. */
  readonly args?: readonly string[];
  /** One process for many messages, or one for each. */
  readonly lifecycle: 'persistent' | 'per_event' | (string & {});
  /** Its working directory; absolute at run time. */
  readonly cwd?: string;
  readonly [member: string]: unknown;
}

/**
 * One subscription of a backend, told by `mode`.
 * @see registration.json#/$defs/Subscription
 */
export type Subscription = KnownSubscription | UnknownSubscription;

/**
 * The variants of `Subscription` that this revision knows. `isKnownSubscription` tells them from the others.
 * @see registration.json#/$defs/Subscription
 */
export type KnownSubscription = InterceptSubscription | ObserveSubscription;

/**
 * A value of `Subscription` whose tag this revision does not know, kept whole.
 * @see registration.json#/$defs/Subscription
 */
export type UnknownSubscription = UnknownVariant & { readonly mode: string };

/**
 * What both kinds of subscription carry. A part of other definitions. With the scope `managed`, `disableable` is present and false.
 * @see registration.json#/$defs/SubscriptionFields
 */
export interface SubscriptionFields {
  /** What the subscription gets of content. */
  readonly content: ContentSelection;
  /** Whether events keep `native`; off by default. */
  readonly includeNative?: boolean;
  /** Where bodies are uploaded. */
  readonly upload?: ContentUpload;
  /** Hints that narrow what is delivered. */
  readonly filters?: SubscriptionFilters;
  /** Where the subscription comes from; a label that the host acts on. */
  readonly scope?: 'managed' | 'project' | 'user' | (string & {});
  /** Whether users may disable it. */
  readonly disableable?: boolean;
  readonly [member: string]: unknown;
}

/**
 * Hints that narrow what is delivered, compared as exact text. Open object. An event without the member is delivered (a runtime rule).
 * @see registration.json#/$defs/SubscriptionFilters
 */
export interface SubscriptionFilters {
  /**
   * Kinds of tools, no repeats.
   * Valid: no repeats.
   */
  readonly toolKinds?: readonly string[];
  /**
   * Tool paths, no repeats.
   * Valid: no repeats.
   */
  readonly paths?: readonly string[];
  readonly [member: string]: unknown;
}
