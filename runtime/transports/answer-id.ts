import { isJsonNumber, parse } from './json.js';
import type { DroppedLineReason } from './records.js';
import type { MessageId } from './transport.js';

/** A key under which two ids meet exactly when they are the same JSON value: text by text, numbers by value. */
export function idKey(id: MessageId): string {
  // `1` and `1.0` are one integer, and -0 is 0; the text "1" is another id.
  return typeof id === 'string' ? `"${id}` : String(id);
}

/**
 * The key of the id that an answer line carries, or why the line cannot be tied to a request. The line is read by the
 * strict JSON module, so duplicate members and invalid UTF-8 count as no JSON.
 */
export function findAnswerKey(
  line: Uint8Array,
  maxBytes: number,
): { readonly key: string } | { readonly dropped: DroppedLineReason } {
  const parsed = parse(line, { maxSize: maxBytes });
  if (!parsed.ok) return { dropped: 'not-json' };
  const { value } = parsed;
  if (typeof value !== 'object' || value === null || Array.isArray(value) || isJsonNumber(value)) {
    return { dropped: 'no-id' };
  }
  if (!Object.hasOwn(value, 'id')) return { dropped: 'no-id' };
  const { id } = value as { readonly id?: unknown };
  if (id === null) return { dropped: 'null-id' };
  if (typeof id === 'string' || typeof id === 'number') return { key: idKey(id) };
  // A number that no double holds is nobody's id here, since requests carry strings or doubles.
  return { dropped: isJsonNumber(id) ? 'unknown-id' : 'no-id' };
}
