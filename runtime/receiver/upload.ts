import { createHash } from 'node:crypto';
import { encodeContentUploadReceipt } from '../../generated/index.js';
import { raceAbort } from '../wire/index.js';
import type { ReceiverCore } from './core.js';
import type { IncomingRequest } from './http.js';
import type { StoreWriter } from './store.js';

/** What the headers of an upload promise. */
export interface Framing {
  /** Bytes. */
  readonly size: number;
  /** Lowercase hex. */
  readonly sha256: string;
}

/** Reads the promise (wire page, upload binding), or gives the status to refuse it with, before any byte is read. */
export function judgeFraming(headers: Headers, maxBytes: number): Framing | 400 | 413 | 415 {
  if (headers.has('transfer-encoding')) return 400;
  const length = headers.get('content-length');
  const digest = headers.get('ahp-content-sha256');
  // A repeated header comes joined by a comma, and so fails here too.
  if (length === null || !/^[0-9]{1,16}$/.test(length)) return 400;
  if (digest === null || !/^[a-f0-9]{64}$/.test(digest)) return 400;
  if (headers.has('content-encoding')) return 415;
  if (headers.get('content-type')?.trim().toLowerCase() !== 'application/octet-stream') return 415;
  const size = Number(length);
  return size > maxBytes ? 413 : { size, sha256: digest };
}

export type StoredUpload =
  | { readonly kind: 'stored'; readonly receipt: string }
  | { readonly kind: 'refused'; readonly status: 400 | 408 | 500; readonly isBodyRead: boolean };

/**
 * Stores one body: hashes while it writes, compares length and digest, and commits before the receipt is made. Whatever
 * goes wrong, nothing of the body is left.
 */
export async function storeUpload(
  core: ReceiverCore,
  { body, signal: caller }: IncomingRequest,
  order: Framing & { readonly scope: string; readonly signal: AbortSignal },
): Promise<StoredUpload> {
  const { size, sha256, scope, signal } = order;
  let writer: StoreWriter;
  try {
    writer = await core.options.store.begin();
  } catch (error) {
    core.report(error, { event: null, place: 'store' });
    return { kind: 'refused', status: 500, isBodyRead: false };
  }
  const received = await receive(core, writer, body, { size, sha256, signals: [caller, signal, core.closing] });
  if (received !== 'complete') {
    await abandon(core, writer);
    const status = received === 'store-failed' ? 500 : signal.aborted ? 408 : 400;
    return { kind: 'refused', status, isBodyRead: received === 'other-digest' };
  }
  try {
    const ref = await writer.commit({ scope, size, sha256 });
    return { kind: 'stored', receipt: encodeContentUploadReceipt({ ref, size, sha256 }) };
  } catch (error) {
    core.report(error, { event: null, place: 'store' });
    await abandon(core, writer);
    return { kind: 'refused', status: 500, isBodyRead: true };
  }
}

type Received = 'complete' | 'other-length' | 'other-digest' | 'store-failed';

async function receive(
  core: ReceiverCore,
  writer: StoreWriter,
  body: AsyncIterable<Uint8Array> | null,
  promise: Framing & { readonly signals: readonly AbortSignal[] },
): Promise<Received> {
  const hash = createHash('sha256');
  let size = 0;
  const iterator = body?.[Symbol.asyncIterator]();
  for (; iterator !== undefined;) {
    let step: IteratorResult<Uint8Array>;
    try {
      step = await promise.signals.reduce((next, signal) => raceAbort(next, signal), iterator.next());
    } catch {
      return 'other-length';
    }
    if (step.done === true) break;
    size += step.value.byteLength;
    if (size > promise.size) return 'other-length';
    hash.update(step.value);
    try {
      await writer.write(step.value);
    } catch (error) {
      core.report(error, { event: null, place: 'store' });
      return 'store-failed';
    }
  }
  if (size !== promise.size) return 'other-length';
  return hash.digest('hex') === promise.sha256 ? 'complete' : 'other-digest';
}

async function abandon(core: ReceiverCore, writer: StoreWriter): Promise<void> {
  try {
    await writer.abort();
  } catch (error) {
    core.report(error, { event: null, place: 'store' });
  }
}
