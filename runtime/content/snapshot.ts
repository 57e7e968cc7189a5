import { raceAbort } from '../wire/abort.js';
import { ContentError } from './errors.js';
import { type ContentSource, sourceOfSpool, spoolSource } from './source.js';
import type { SpooledBytes, SpoolOptions } from './spool.js';

/** Bytes as they were when they were taken. */
export interface SnapshotBody {
  readonly size: number;
  /** Lowercase hex. */
  readonly sha256: string;
  /** Can be uploaded any number of times, also at the same time. */
  readonly source: ContentSource;
}

interface Entry {
  readonly body: SnapshotBody;
  readonly bytes: SpooledBytes;
}

/**
 * The bytes of one event's items, taken once and shared by all receivers (Semantics §7): small ones in memory, large
 * ones in a file that is gone with the snapshot. Whoever makes one closes it, when the last delivery has ended.
 */
export class ContentSnapshot {
  readonly #spool: SpoolOptions;
  readonly #closing = new AbortController();
  readonly #taking = new Map<string, Promise<Entry>>();
  readonly #entries = new Map<string, Entry>();

  constructor(spool: SpoolOptions = {}) {
    this.#spool = spool;
  }

  /** What was taken under this key, or null. Never opens a source. */
  get(key: string): SnapshotBody | null {
    return this.#entries.get(key)?.body ?? null;
  }

  /**
   * The bytes under this key, read from `source` if nobody did before. Callers that ask at once share one reading,
   * which does not end with the signal of any of them. Rejects with `UploadError` `source`, `source-length` (a failed
   * reading is not remembered), with `ContentError` `closed`, or with the signal's reason.
   */
  async take(key: string, source: ContentSource, signal?: AbortSignal): Promise<SnapshotBody> {
    const known = this.#entries.get(key);
    if (known !== undefined) return known.body;
    this.#refuseWhenClosed();
    const entry = await raceAbort(this.#taking.get(key) ?? this.#read(key, source), signal);
    return entry.body;
  }

  /**
   * Puts new bytes in place of the old, for every later receiver: the old ones are never given out again. Rejects as
   * `take` does; the old bytes are then gone all the same.
   */
  async replace(key: string, source: ContentSource, signal?: AbortSignal): Promise<SnapshotBody> {
    this.#refuseWhenClosed();
    const old = this.#entries.get(key);
    this.#entries.delete(key);
    this.#taking.delete(key);
    await old?.bytes.close();
    const entry = await raceAbort(this.#read(key, source), signal);
    return entry.body;
  }

  /** Ends readings under way and gives memory and disk back, when the last reader has ended. */
  async close(): Promise<void> {
    this.#closing.abort(closed());
    const underWay = [...this.#taking.values()];
    const entries = [...this.#entries.values()];
    this.#entries.clear();
    this.#taking.clear();
    await Promise.allSettled(underWay);
    await Promise.all(entries.map((entry) => entry.bytes.close()));
  }

  #refuseWhenClosed(): void {
    if (this.#closing.signal.aborted) throw closed();
  }

  #read(key: string, source: ContentSource): Promise<Entry> {
    const options = { maxBytes: Number.MAX_SAFE_INTEGER, spool: this.#spool, signal: this.#closing.signal };
    const reading = spoolSource(source, options).then(
      async (bytes) => {
        const isCurrent = this.#taking.get(key) === reading;
        if (isCurrent) this.#taking.delete(key);
        // Somebody replaced these bytes, or closed the snapshot, while they were read.
        if (!isCurrent) {
          await bytes.close();
          throw closed();
        }
        const { size, sha256 } = bytes;
        const entry = { bytes, body: { size, sha256, source: sourceOfSpool(bytes) } };
        this.#entries.set(key, entry);
        return entry;
      },
      (error: unknown) => {
        if (this.#taking.get(key) === reading) this.#taking.delete(key);
        throw error;
      },
    );
    // Rejections reach whoever waits; when nobody does any more, they are nobody's.
    reading.catch(() => {});
    this.#taking.set(key, reading);
    return reading;
  }
}

function closed(): ContentError {
  return new ContentError('closed', 'snapshot: expected one that is open and current, got a closed or replaced one');
}
