import type { ChainOutcome, FailureCode, FailurePolicy } from '../chain/index.js';
import type { TransportRecord as LinkRecord } from '../transports/index.js';

interface EventRecord {
  /** The event's id, source and type. */
  readonly event: string;
  readonly source: string;
  readonly type: string;
}

/** How an interception ended. */
export interface DecisionRecord extends EventRecord {
  readonly kind: 'decision';
  readonly decision: ChainOutcome['decision'];
  /** What ended the chain early, and which subscription; nulls when nothing did. */
  readonly ended: 'deny' | 'stop' | 'fail-closed' | 'interrupted' | null;
  readonly by: string | null;
  /** How many interceptors had their turn. */
  readonly called: number;
  readonly elapsedMs: number;
}

/** One operational failure of an interceptor (Semantics §5). */
export interface FailureRecord extends EventRecord {
  readonly kind: 'failure';
  readonly subscription: string;
  readonly backend: string;
  readonly policy: FailurePolicy;
  readonly code: FailureCode;
}

/** One observation that was dropped. */
export interface ObservationFailedRecord extends EventRecord {
  readonly kind: 'observation-failed';
  readonly subscription: string;
  readonly backend: string;
  readonly code: string;
}

/** Something that happened on a backend's link: an answer, a failure, a dropped line, a start or an end of a process. */
export type BackendRecord = LinkRecord & { readonly kind: 'transport'; readonly backend: string };

/** How a discovery ended: `ok` or the code of its failure. */
export interface DiscoveryRecord {
  readonly kind: 'discovery';
  readonly backend: string;
  readonly code: string;
  readonly elapsedMs: number;
}

/** What the host is told. Ids, codes and milliseconds only: no content, no credential, no text of a peer. */
export type HookRecord = DecisionRecord | FailureRecord | ObservationFailedRecord | BackendRecord | DiscoveryRecord;

/** The readable side of the records: each record goes to one reader; iteration ends after `close()`. */
export interface RecordStream extends AsyncIterable<HookRecord> {
  /** How many records were given up because nobody read them in time. */
  readonly dropped: number;
}

const MAX_RECORDS = 10_000;

const END: IteratorReturnResult<undefined> = { done: true, value: undefined };

/** Somebody who waits for the next record. */
interface Reader {
  readonly owner: symbol;
  resolve(result: IteratorResult<HookRecord, undefined>): void;
}

/** A bounded queue of records: when nobody reads, the oldest go and are counted (Semantics §6). */
export class RecordLog implements RecordStream {
  readonly #limit: number;
  #queue: HookRecord[] = [];
  #head = 0;
  #dropped = 0;
  #closed = false;
  readonly #readers = new Set<Reader>();

  constructor(limit: number = MAX_RECORDS) {
    this.#limit = limit;
  }

  get dropped(): number {
    return this.#dropped;
  }

  push(record: HookRecord): void {
    if (this.#closed) return;
    const [reader] = this.#readers;
    if (reader !== undefined) {
      this.#readers.delete(reader);
      reader.resolve({ done: false, value: record });
      return;
    }
    this.#queue.push(record);
    if (this.#queue.length - this.#head > this.#limit) {
      this.#head += 1;
      this.#dropped += 1;
    }
    this.#compact();
  }

  /** Ends the stream behind what is queued already. */
  close(): void {
    this.#closed = true;
    this.#release(() => true);
  }

  [Symbol.asyncIterator](): AsyncIterator<HookRecord, undefined> {
    const owner = Symbol('reader');
    let hasLeft = false;
    return {
      next: () => (hasLeft ? Promise.resolve(END) : this.#next(owner)),
      // A reader that leaves while it waits must not take a record along.
      return: () => {
        hasLeft = true;
        this.#release((reader) => reader.owner === owner);
        return Promise.resolve(END);
      },
    };
  }

  #release(isMeant: (reader: Reader) => boolean): void {
    for (const reader of [...this.#readers].filter(isMeant)) {
      this.#readers.delete(reader);
      reader.resolve(END);
    }
  }

  #next(owner: symbol): Promise<IteratorResult<HookRecord, undefined>> {
    const record = this.#queue[this.#head];
    if (record !== undefined) {
      this.#head += 1;
      this.#compact();
      return Promise.resolve({ done: false, value: record });
    }
    if (this.#closed) return Promise.resolve(END);
    return new Promise((resolve) => this.#readers.add({ owner, resolve }));
  }

  /** Gives the memory of read records back now and then, so that reading costs the same however many wait. */
  #compact(): void {
    if (this.#head < 1_024 || this.#head * 2 < this.#queue.length) return;
    this.#queue = this.#queue.slice(this.#head);
    this.#head = 0;
  }
}
