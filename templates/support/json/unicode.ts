/*
 * Decoding and encoding of UTF-8. The engine's coders are declared here, so that this module compiles with neither the
 * DOM's types nor Node's.
 */

interface Decoder {
  decode(bytes: Uint8Array): string;
}
interface Encoder {
  encodeInto(text: string, target: Uint8Array): { readonly read: number; readonly written: number };
}
declare const TextDecoder: new (
  label: string,
  options: { readonly fatal: boolean; readonly ignoreBOM: boolean },
) => Decoder;
declare const TextEncoder: new () => Encoder;

const strictDecoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

/** Decodes bytes, keeping a byte-order mark. Throws what the engine throws when they are no UTF-8 or too many. */
export function decodeUtf8(bytes: Uint8Array): string {
  return strictDecoder.decode(bytes);
}

/** Encodes as much of a text into the target as has room; gives units read and bytes written. */
export function encodeUtf8Into(text: string, target: Uint8Array): { readonly read: number; readonly written: number } {
  return encoder.encodeInto(text, target);
}

interface MaybeWellFormed {
  isWellFormed?(): boolean;
}

/** Whether the text has no lone surrogate. */
export function isWellFormed(text: string): boolean {
  const maybe = text as MaybeWellFormed & string;
  return typeof maybe.isWellFormed === 'function' ? maybe.isWellFormed() : !/\p{Cs}/u.test(text);
}

/** Gives the offset of the first lone surrogate, or -1. */
export function findLoneSurrogate(text: string): number {
  return text.search(/\p{Cs}/u);
}

/** Gives the offset of the first byte of the first sequence that is no UTF-8 (RFC 3629), or -1. */
export function findInvalidUtf8(bytes: Uint8Array): number {
  const end = bytes.length;
  let at = 0;
  while (at < end) {
    const lead = bytes[at] ?? 0;
    if (lead < 0x80) {
      at += 1;
      continue;
    }
    // Bounds of the second byte shut out overlong forms, surrogates and what lies beyond U+10FFFF.
    let low = 0x80;
    let high = 0xbf;
    let more: number;
    if (lead >= 0xc2 && lead <= 0xdf) more = 1;
    else if (lead >= 0xe0 && lead <= 0xef) more = 2;
    else if (lead >= 0xf0 && lead <= 0xf4) more = 3;
    else return at;
    if (lead === 0xe0) low = 0xa0;
    else if (lead === 0xed) high = 0x9f;
    else if (lead === 0xf0) low = 0x90;
    else if (lead === 0xf4) high = 0x8f;
    for (let offset = 1; offset <= more; offset += 1) {
      const byte = at + offset < end ? (bytes[at + offset] ?? 0) : 0;
      if (byte < low || byte > high) return at;
      low = 0x80;
      high = 0xbf;
    }
    at += more + 1;
  }
  return -1;
}
