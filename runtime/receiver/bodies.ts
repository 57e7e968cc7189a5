import { catalogue, type KnownEvent } from '../../generated/index.js';
import { placesOf } from '../wire/index.js';
import type { ReceivedBody } from './options.js';
import { type ContentStore, StoreError } from './store.js';

/** The references at the event's content places (Semantics §8); anything alike inside data is data. */
export function bodyReferences(event: KnownEvent): string[] {
  const refs = catalogue.events[event.type].content
    .flatMap((pattern) => placesOf(event, pattern))
    .flatMap(({ value }) => {
      const body = ownMember(value, 'body');
      const ref = ownMember(body, 'ref');
      return typeof ref === 'string' ? [ref] : [];
    });
  return [...new Set(refs)];
}

/** Whether every body of the event is there in this scope. */
export async function hasAllBodies(store: ContentStore, scope: string, event: KnownEvent): Promise<boolean> {
  for (const ref of bodyReferences(event)) {
    if (!(await store.has(scope, ref))) return false;
  }
  return true;
}

/**
 * A body as handlers read it; null when the scope has none under this reference. Reading rejects with `StoreError`
 * `damaged` when the store gives other than `size` bytes: nothing is cut short in silence.
 */
export async function openBody(
  store: ContentStore,
  scope: string,
  reference: string | { readonly ref: string },
): Promise<ReceivedBody | null> {
  const ref = typeof reference === 'string' ? reference : reference.ref;
  const found = await store.open(scope, ref);
  if (found === null) return null;
  const { size } = found;
  const read = async function* (): AsyncGenerator<Uint8Array> {
    let left = size;
    const body = await store.open(scope, ref);
    for await (const piece of body?.stream ?? []) {
      left -= piece.byteLength;
      if (left < 0) break;
      yield piece;
    }
    if (left !== 0) throw new StoreError('damaged', `Store: expected the ${size} bytes of a body, got other than that`);
  };
  const bytes = async (): Promise<Uint8Array> => {
    const whole = new Uint8Array(size);
    let at = 0;
    for await (const piece of read()) {
      whole.set(piece, at);
      at += piece.byteLength;
    }
    return whole;
  };
  return {
    size,
    stream: { [Symbol.asyncIterator]: read },
    bytes,
    text: async () => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await bytes()),
  };
}

function ownMember(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}
