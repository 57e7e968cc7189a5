import type {
  Capabilities,
  EffectFor,
  EventFor,
  EventName,
  InterceptableEventName,
  InterceptState,
  Manifest,
} from '../../generated/index.js';
import type { ContentStore } from './store.js';

/** Who is on the other side of an HTTP connection, as the server saw it; null when the server cannot tell. */
export interface Peer {
  readonly address: string | null;
  readonly port: number | null;
  /** The verified client certificate's subject name, when the connection had one. */
  readonly certificateSubject: string | null;
}

export type ReceiverPermission = 'event' | 'upload';

/** What verified credentials stand for. */
export interface Identity {
  readonly principal: string;
  /** The storage tenant, in which an event's credential and an upload's meet. */
  readonly scope: string;
  readonly permissions: readonly ReceiverPermission[];
}

export interface AuthenticationRequest {
  /** A header that came twice has its values joined by a comma. */
  readonly headers: Headers;
  /** The request's target as it came: path and query from `listen`, a whole URL from `handle`. */
  readonly url: string;
  readonly purpose: ReceiverPermission;
  readonly peer: Peer;
  /** Fires when the caller is gone, the request has taken too long, or the receiver closes. */
  readonly signal: AbortSignal;
}

/** Null, or a throw, is a 401; a permission that is missing is a 403. */
export type Authenticate = (request: AuthenticationRequest) => Promise<Identity | null> | Identity | null;

/** A stored body as a handler reads it; each `stream` and each call reads from the start. */
export interface ReceivedBody {
  /** Bytes. */
  readonly size: number;
  readonly stream: AsyncIterable<Uint8Array>;
  bytes(): Promise<Uint8Array>;
  /** Decodes UTF-8; rejects with a TypeError for other bytes. */
  text(): Promise<string>;
}

export interface ObserveContext {
  readonly principal: string;
  readonly scope: string;
  /** Aborted when the caller is gone, the time is over, or the receiver closes. */
  readonly signal: AbortSignal;
  /** A body of the caller's own scope; null when there is none under this reference. */
  body(ref: string | { readonly ref: string }): Promise<ReceivedBody | null>;
}

export interface InterceptContext extends ObserveContext {
  /** What this request grants; other effects are not sent. */
  readonly capabilities: Capabilities;
  /** What the chain has decided so far. */
  readonly state: InterceptState | undefined;
}

/**
 * What a backend does at one event. Deliveries may come twice: `(source, id)` of the event is the identity to tell by.
 * There is no cancel message, so a handler may run on after the harness has decided.
 */
export type EventHandlers<N extends EventName> = {
  readonly observe?: (event: EventFor<N>, context: ObserveContext) => Promise<void> | void;
} & (N extends InterceptableEventName
  ? {
      readonly intercept?: (
        event: EventFor<N>,
        context: InterceptContext,
        // biome-ignore lint/suspicious/noConfusingVoidType: a handler without effects simply ends
      ) => Promise<readonly EffectFor<N>[] | void> | readonly EffectFor<N>[] | void;
    }
  : unknown);

export type Handlers = { readonly [N in EventName]?: EventHandlers<N> };

export interface ReceiverLimits {
  /** Largest message; 64 MiB by default. */
  readonly maxMessageBytes?: number;
  /** Largest upload; the manifest's `maxUploadBytes`, else 1 GiB. */
  readonly maxUploadBytes?: number;
  /** Deepest nesting of a message; 256 by default. */
  readonly maxDepth?: number;
  /** All headers of a request together; 16 KiB by default. */
  readonly maxHeaderBytes?: number;
  /** For the headers of a request to come; 10,000 by default. */
  readonly headersTimeoutMs?: number;
  /** For a message to be authenticated and to come whole; 60,000 by default. */
  readonly messageTimeoutMs?: number;
  /** For an upload to be authenticated and to come whole; 600,000 by default. */
  readonly uploadTimeoutMs?: number;
  /** For a handler; 120,000 by default. */
  readonly handlerTimeoutMs?: number;
  /** Open connections; 1,024 by default. */
  readonly maxConnections?: number;
  /**
   * Messages and uploads under way, from before their body is read until their handler has ended; 256 by default. Over
   * HTTP more are refused with 503, on stdio they wait unread.
   */
  readonly maxConcurrent?: number;
  /** For requests under way to end at `close()`; 5,000 by default. */
  readonly closeTimeoutMs?: number;
}

export interface ReceiverOptions {
  /** What this backend supports; discovery gives it out, and events beyond it are refused. */
  readonly manifest: Manifest;
  readonly handlers?: Handlers;
  readonly authenticate: Authenticate;
  readonly store: ContentStore;
  readonly limits?: ReceiverLimits;
  /** Default: `/hooks` and `/content`. Compared with the path as it came, text for text; queries are let through. */
  readonly paths?: { readonly hooks?: string; readonly content?: string };
  /** `WWW-Authenticate` of a 401, where OAuth discovery begins; `Bearer` by default. */
  readonly challenge?: string;
  /** Hears of what a handler threw, or of a store that failed; it reaches no peer. */
  onError?(error: unknown, about: FailurePlace): void;
}

/** Where something failed, and at which event when there was one. */
export interface FailurePlace {
  readonly event: string | null;
  readonly place: 'handler' | 'store' | 'authenticate' | 'server';
}
