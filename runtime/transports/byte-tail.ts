/** Keeps the last bytes of a stream, up to a bound, and counts them all. */
export interface ByteTail {
  push(chunk: Uint8Array): void;
  /** A copy of what is kept. */
  bytes(): Uint8Array;
  readonly total: number;
}

/** Makes a tail of at most `maxBytes`; it never holds more than twice that. */
export function createByteTail(maxBytes: number): ByteTail {
  let kept: Uint8Array[] = [];
  let keptBytes = 0;
  let total = 0;
  const compact = (): Uint8Array => {
    const joined = Buffer.concat(kept, keptBytes);
    const tail = Uint8Array.from(joined.subarray(Math.max(0, joined.byteLength - maxBytes)));
    kept = [tail];
    keptBytes = tail.byteLength;
    return tail;
  };
  return {
    push(chunk) {
      total += chunk.byteLength;
      const part = chunk.subarray(Math.max(0, chunk.byteLength - maxBytes));
      kept.push(part);
      keptBytes += part.byteLength;
      // Many tiny chunks cost more in objects than in bytes.
      if (keptBytes > 2 * maxBytes || kept.length > 256) compact();
    },
    bytes: () => compact().slice(),
    get total() {
      return total;
    },
  };
}
