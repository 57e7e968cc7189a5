const LEAST_BYTES = 4_096;

/** Puts pieces together as they come. Memory stays within twice the size, in however many pieces it comes. */
export class ByteCollector {
  #buffer = new Uint8Array(0);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(bytes: Uint8Array): void {
    const size = this.#size + bytes.byteLength;
    if (size > this.#buffer.byteLength) {
      const grown = new Uint8Array(Math.max(size, 2 * this.#buffer.byteLength, LEAST_BYTES));
      grown.set(this.#buffer.subarray(0, this.#size));
      this.#buffer = grown;
    }
    this.#buffer.set(bytes, this.#size);
    this.#size = size;
  }

  /** What was added, without a copy. */
  view(): Uint8Array {
    return this.#buffer.subarray(0, this.#size);
  }
}
