/**
 * - `configuration`: an option cannot be used; the message names it.
 * - `effects`: a handler gave effects that are malformed or not granted; they were not sent.
 * - `handler-timeout`: a handler took longer than it may.
 * - `closed`: the receiver was closed.
 */
export type ReceiverErrorCode = 'configuration' | 'effects' | 'handler-timeout' | 'closed';

/** What a receiver refuses to do, and what it tells `onError` of handlers. Nothing of it reaches a peer. */
export class ReceiverError extends Error {
  override readonly name = 'ReceiverError';
  readonly code: ReceiverErrorCode;

  constructor(code: ReceiverErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
