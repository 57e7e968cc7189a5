/** One body on its way into a store. Exactly one of `commit` and `abort` ends it. */
export interface StoreWriter {
  /** Takes the next bytes; resolves when more may come. */
  write(bytes: Uint8Array): Promise<void>;
  /**
   * Makes the body durable and gives it a fresh reference in its scope. Resolves only when a crash can no longer lose
   * it. The size and digest were verified by the caller.
   */
  commit(body: { readonly scope: string; readonly size: number; readonly sha256: string }): Promise<string>;
  /** Forgets the bytes. */
  abort(): Promise<void>;
}

/** A stored body. */
export interface StoredBody {
  /** Bytes. */
  readonly size: number;
  /** Holds nothing open before it is iterated: some who ask only want to know the size. */
  readonly stream: AsyncIterable<Uint8Array>;
}

/**
 * Where uploaded content lives (Semantics §8). A reference is valid in the scope that it was committed in, never
 * changes what it names, and is neither a path nor a URL. A database or an object store can stand behind this.
 */
export interface ContentStore {
  begin(): Promise<StoreWriter>;
  has(scope: string, ref: string): Promise<boolean>;
  /** Null for a reference that is not there, or is another scope's: the two cannot be told apart. */
  open(scope: string, ref: string): Promise<StoredBody | null>;
  /** Ends what the store holds open. Optional. */
  close?(): Promise<void>;
}

/**
 * - `locked`: another live process writes to the folder.
 * - `closed`: the store was closed, or this writer has ended.
 * - `full`: the store's bound is reached.
 * - `read-only`: it was opened for reading.
 * - `damaged`: a body no longer has the bytes it was committed with.
 */
export type StoreErrorCode = 'locked' | 'closed' | 'full' | 'read-only' | 'damaged';

export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
