import type { MessageId, TransportErrorCode } from './transport.js';

/**
 * Why a line of a child was dropped: `not-json`; `no-id` (a JSON value that is no message with an id); `null-id`;
 * `unknown-id` (never asked, or answered before); `late` (its request had ended); `too-large`; `unasked` (output on a
 * notification).
 */
export type DroppedLineReason = 'not-json' | 'no-id' | 'null-id' | 'unknown-id' | 'late' | 'too-large' | 'unasked';

/**
 * What a transport tells its host about its own work: ids, codes, counts and milliseconds, never content
 * (Semantics §6, records of kind `transport`).
 */
export type TransportRecord =
  | { readonly event: 'answered'; readonly id: MessageId; readonly method: string; readonly ms: number }
  | { readonly event: 'notified'; readonly method: string; readonly ms: number }
  | {
      readonly event: 'failed';
      /** Null for a notification. */
      readonly id: MessageId | null;
      readonly method: string;
      readonly code: TransportErrorCode;
      readonly status: number | null;
      readonly ms: number;
    }
  | { readonly event: 'line-dropped'; readonly reason: DroppedLineReason; readonly bytes: number }
  | { readonly event: 'process-started'; readonly pid: number }
  | {
      readonly event: 'process-ended';
      readonly pid: number;
      readonly exitCode: number | null;
      readonly exitSignal: string | null;
      /** Bytes that the process wrote to stderr in all. */
      readonly stderrBytes: number;
      readonly ms: number;
    }
  | { readonly event: 'process-failed'; readonly reason: 'not-started' | 'too-many-starts' };

/** Receives records. What it throws is dropped. */
export type RecordListener = (record: TransportRecord) => void;

/** Wraps a listener so that its failures reach no call. */
export function createRecorder(listener: RecordListener | undefined): RecordListener {
  if (listener === undefined) return () => {};
  return (record) => {
    try {
      listener(record);
    } catch {
      // A host's listener must not decide about a delivery.
    }
  };
}
