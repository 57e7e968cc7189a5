import { createHash } from 'node:crypto';
import { encodeContentUploadReceipt } from '../../generated/index.js';
import { raceAbort } from '../wire/index.js';
import type { ReceiverCore } from './core.js';
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
  if (length === null || !/^[0-9]{1,20}$/.test(length)) return 400;
  if (digest === null || !/^[a-f0-9]{64}$/.test(digest)) return 400;
  if (headers.has('content-encoding')) return 415;
  if (headers.get('content-type')?.trim().toLowerCase() !== 'application/octet-stream') return 415;
  const size = Number(length);
  return size > maxBytes ? 413 : { size, sha256: digest };
}

export interface UploadOrder extends Framing {
  readonly scope: string;
  readonly body: AsyncIterable<Uint8Array> | null;
  /** Ends the reading: the caller is gone, the time is over, or the receiver closes. */
  readonly signal: AbortSignal;
}

/** `cut-short`: the body did not come whole. `mismatch`: it is not what its headers promised. */
type Failure = 'cut-short' | 'mismatch' | 'store-failed';

export type StoredUpload =
  { readonly kind: 'stored'; readonly receipt: string } | { readonly kind: Failure; readonly isBodyRead: boolean };

/**
 * Stores one body: hashes while it writes, compares length and digest, and commits before the receipt is made. Whatever
 * goes wrong, nothing of the body is left. Never rejects.
 */
export async function storeUpload(core: ReceiverCore, order: UploadOrder): Promise<StoredUpload> {
  let writer: StoreWriter;
  try {
    writer = await core.options.store.begin();
  } catch (error) {
    core.report(error, { event: null, place: 'store' });
    return { kind: 'store-failed', isBodyRead: false };
  }
  const failure = await receive(core, writer, order);
  if (failure !== null) {
    await abandon(core, writer);
    return failure;
  }
  try {
    const { scope, size, sha256 } = order;
    const ref = await writer.commit({ scope, size, sha256 });
    return { kind: 'stored', receipt: encodeContentUploadReceipt({ ref, size, sha256 }) };
  } catch (error) {
    core.report(error, { event: null, place: 'store' });
    await abandon(core, writer);
    return { kind: 'store-failed', isBodyRead: true };
  }
}

/** Writes the body; null when all of it came and is what was promised. */
async function receive(
  core: ReceiverCore,
  writer: StoreWriter,
  { body, signal, ...promised }: UploadOrder,
): Promise<Exclude<StoredUpload, { kind: 'stored' }> | null> {
  const hash = createHash('sha256');
  const iterator = body?.[Symbol.asyncIterator]();
  let size = 0;
  while (iterator !== undefined) {
    let step: IteratorResult<Uint8Array>;
    try {
      step = await raceAbort(iterator.next(), signal);
    } catch {
      return { kind: 'cut-short', isBodyRead: false };
    }
    if (step.done === true) break;
    size += step.value.byteLength;
    if (size > promised.size) return { kind: 'mismatch', isBodyRead: false };
    hash.update(step.value);
    try {
      await writer.write(step.value);
    } catch (error) {
      core.report(error, { event: null, place: 'store' });
      return { kind: 'store-failed', isBodyRead: false };
    }
  }
  if (size !== promised.size || hash.digest('hex') !== promised.sha256) return { kind: 'mismatch', isBodyRead: true };
  return null;
}

async function abandon(core: ReceiverCore, writer: StoreWriter): Promise<void> {
  try {
    await writer.abort();
  } catch (error) {
    core.report(error, { event: null, place: 'store' });
  }
}
