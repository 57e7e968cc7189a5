import { randomBytes } from 'node:crypto';
import { type ContentStore, StoreError, type StoreWriter } from './store.js';

export interface MemoryStoreOptions {
  /** Bound on all bodies together, those under way included; 256 MiB by default. */
  readonly maxTotalBytes?: number;
}

const DEFAULT_MAX_TOTAL_BYTES = 256 * 1024 * 1024;

/** A store that lasts as long as its process: for tests and for backends that only look at content once. */
export function createMemoryStore({ maxTotalBytes = DEFAULT_MAX_TOTAL_BYTES }: MemoryStoreOptions = {}): ContentStore {
  const scopes = new Map<string, Map<string, readonly Uint8Array[]>>();
  let totalBytes = 0;
  const find = (scope: string, ref: string): readonly Uint8Array[] | undefined => scopes.get(scope)?.get(ref);

  const begin = async (): Promise<StoreWriter> => {
    let chunks: Uint8Array[] | null = [];
    let size = 0;
    const open = (): Uint8Array[] => {
      if (chunks === null) throw new StoreError('closed', 'Store: expected a writer under way, got one that has ended');
      return chunks;
    };
    return {
      async write(bytes) {
        const list = open();
        if (totalBytes + bytes.byteLength > maxTotalBytes) {
          throw new StoreError('full', `Store: expected at most ${maxTotalBytes} bytes in all, got more`);
        }
        totalBytes += bytes.byteLength;
        size += bytes.byteLength;
        // A copy, which the slice() of a Buffer would not be.
        list.push(Uint8Array.from(bytes));
      },
      async commit({ scope }) {
        const body = open();
        chunks = null;
        const ref = randomBytes(32).toString('base64url');
        const bodies = scopes.get(scope) ?? new Map<string, readonly Uint8Array[]>();
        scopes.set(scope, bodies.set(ref, body));
        return ref;
      },
      async abort() {
        if (chunks === null) return;
        chunks = null;
        totalBytes -= size;
      },
    };
  };

  return {
    begin,
    has: async (scope, ref) => find(scope, ref) !== undefined,
    open: async (scope, ref) => {
      const body = find(scope, ref);
      if (body === undefined) return null;
      return { size: body.reduce((sum, chunk) => sum + chunk.byteLength, 0), stream: copies(body) };
    },
  };
}

/** What is given out is never the stored memory itself: a reference keeps its bytes. */
async function* copies(body: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const chunk of body) yield chunk.slice();
}
