/** A JSON-RPC id as requests carry it. */
export type MessageId = string | number;

/** One encoded request. `id` and `method` repeat what stands in `bytes`, so that no transport has to parse them. */
export interface TransportRequest {
  readonly id: MessageId;
  readonly method: string;
  /** One JSON-RPC object in UTF-8, with no line feed in it. */
  readonly bytes: Uint8Array;
}

/** One encoded notification, without a line feed in it. */
export interface TransportNotification {
  readonly method: string;
  readonly bytes: Uint8Array;
}

/** What bounds one request. */
export interface RequestContext {
  /** What ends the call: its deadline, or an interruption. */
  readonly signal: AbortSignal;
  /** Milliseconds of `performance.now()`. For information only; the signal decides. */
  readonly deadline: number;
}

/**
 * Carries encoded messages to one backend and gives bytes back as they came, so that no number is lost on the way
 * (Semantics §6). Every rejection is a {@link TransportError}; any other rejection counts as `connection`.
 */
export interface Transport {
  /** Resolves with the bytes of the response to this very request. */
  request(message: TransportRequest, context: RequestContext): Promise<Uint8Array>;
  /** Resolves when the message is written (stdio) or acknowledged (HTTP); never with an answer. */
  notify(message: TransportNotification, context: { readonly signal: AbortSignal }): Promise<void>;
  /** Ends pending calls and everything that was started, in at most 2 s. Later calls reject. May be called twice. */
  close(): Promise<void> | void;
}

/**
 * Why a message was not delivered or not answered (Semantics §6):
 *
 * - `deadline`: the call's signal fired first, or a notification took longer than it may.
 * - `connection`: the link failed, was closed, or the id is spent; for HTTP also look-up, TLS and framing.
 * - `process-exit`: the child could not start, has left without an answer, or was started too often.
 * - `authentication`: no credential came (nothing was sent), or the backend refused the one that did.
 * - `status`: an HTTP status other than the binding's; `status` tells which.
 * - `invalid-utf8`, `invalid-json`: the answer is no UTF-8 or no JSON.
 * - `invalid-message`: the answer has a wrong media type, a content coding, more than one line or too many bytes.
 */
export type TransportErrorCode =
  | 'deadline'
  | 'connection'
  | 'process-exit'
  | 'authentication'
  | 'status'
  | 'invalid-utf8'
  | 'invalid-json'
  | 'invalid-message';

/**
 * A delivery that failed. The message says what was expected and what came; it quotes no header value, no body, no
 * output of a process and no credential. `cause` is for the host alone.
 */
export class TransportError extends Error {
  readonly code: TransportErrorCode;
  /** The HTTP status, when one came. */
  readonly status: number | null;

  constructor(code: TransportErrorCode, message: string, options: { cause?: unknown; status?: number | null } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'TransportError';
    this.code = code;
    this.status = options.status ?? null;
  }

  /** Makes any caught value a `TransportError`; what is none already counts as `connection` and becomes the cause. */
  static from(reason: unknown): TransportError {
    if (reason instanceof TransportError) return reason;
    return new TransportError('connection', 'transport: expected a delivery, got an error', { cause: reason });
  }
}

/** The largest message that a transport takes from a backend unless it is told otherwise: 64 MiB. */
export const DEFAULT_MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

/** What a notification may take: 30 s (Semantics §6). */
export const DEFAULT_NOTIFY_TIMEOUT_MS = 30_000;

/** The error of a call whose signal fired. */
export function deadlineError(signal: AbortSignal): TransportError {
  return new TransportError('deadline', 'call: expected an answer in time, got the end of its signal', {
    cause: signal.reason,
  });
}

/** The error of a call that was pending, or was made, when the transport had been closed. */
export function closedError(): TransportError {
  return new TransportError('connection', 'transport: expected an open one, got a closed one');
}
