import { randomUUID } from 'node:crypto';
import type { SummaryHandle, SummaryRef } from './types.js';

/** The texts of one summary. A text has one ref, however often the summary comes back to it; refs never change. */
export class SummaryBodies {
  readonly #itemId: string;
  readonly #texts = new Map<SummaryRef, string>();
  readonly #handles = new Map<string, SummaryHandle>();

  constructor(itemId: string) {
    this.#itemId = itemId;
  }

  /** The handle of `text`: the one it has already, or one with a new ref. */
  handleOf(text: string): SummaryHandle {
    const known = this.#handles.get(text);
    if (known !== undefined) return known;
    // Opaque to the compiler, so that no one sends it as a content reference; see SummaryRef.
    const ref = `summary:${randomUUID()}` as unknown as SummaryRef;
    const handle: SummaryHandle = Object.freeze({ id: this.#itemId, ref, text });
    this.#handles.set(text, handle);
    this.#texts.set(ref, text);
    return handle;
  }

  /** All texts by ref, as a map that refuses to be changed. */
  seal(): ReadonlyMap<SummaryRef, string> {
    const sealed = new Map(this.#texts);
    for (const method of ['set', 'delete', 'clear']) Object.defineProperty(sealed, method, { value: refuse });
    return Object.freeze(sealed);
  }
}

function refuse(): never {
  throw new TypeError('Summary bodies: expected to be read only, got a change');
}
