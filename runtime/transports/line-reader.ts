const LINE_FEED = 10;

/** Cuts a byte stream into lines. Characters are never decoded here, so a chunk edge cannot cut one in two. */
export interface LineReader {
  push(chunk: Uint8Array): void;
  /** What stands after the last line feed, or null when nothing does (or it was too large). */
  takeRest(): Uint8Array | null;
}

/** What a line reader tells. */
export interface LineListener {
  /** One line without its line feed; the bytes are the listener's own. */
  onLine(line: Uint8Array): void;
  /** A line above the bound ended; it was not kept. `bytes` is its whole length. */
  onTooLarge(bytes: number): void;
}

/** Makes a line reader that holds at most one line of `maxBytes`. */
export function createLineReader(maxBytes: number, listener: LineListener): LineReader {
  let buffer = new Uint8Array(0);
  let length = 0;
  let dropped = 0;

  const append = (part: Uint8Array): void => {
    if (dropped > 0 || length + part.byteLength > maxBytes) {
      dropped += length + part.byteLength;
      buffer = new Uint8Array(0);
      length = 0;
      return;
    }
    if (length + part.byteLength > buffer.byteLength) {
      const grown = new Uint8Array(Math.max(length + part.byteLength, Math.min(2 * buffer.byteLength, maxBytes), 256));
      grown.set(buffer.subarray(0, length));
      buffer = grown;
    }
    buffer.set(part, length);
    length += part.byteLength;
  };

  const finish = (last: Uint8Array): void => {
    if (length === 0 && dropped === 0 && last.byteLength <= maxBytes) {
      // A copy, which the slice() of a Buffer would not be.
      listener.onLine(Uint8Array.from(last));
      return;
    }
    append(last);
    const tooLarge = dropped;
    const line = buffer.slice(0, length);
    buffer = new Uint8Array(0);
    length = 0;
    dropped = 0;
    if (tooLarge > 0) listener.onTooLarge(tooLarge);
    else listener.onLine(line);
  };

  return {
    push(chunk) {
      let from = 0;
      for (;;) {
        const at = chunk.indexOf(LINE_FEED, from);
        if (at === -1) break;
        finish(chunk.subarray(from, at));
        from = at + 1;
      }
      if (from < chunk.byteLength) append(chunk.subarray(from));
    },
    takeRest() {
      if (dropped > 0) {
        const bytes = dropped;
        dropped = 0;
        listener.onTooLarge(bytes);
        return null;
      }
      if (length === 0) return null;
      const rest = buffer.slice(0, length);
      buffer = new Uint8Array(0);
      length = 0;
      return rest;
    },
  };
}
