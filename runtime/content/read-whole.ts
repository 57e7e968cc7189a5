import { type ContentSource, openSource } from './source.js';

/**
 * All bytes of a source in one piece. Rejects with `UploadError` `source`, `source-length` or, before anything is read,
 * `too-large`; or with the signal's reason.
 */
export async function readWhole(
  source: ContentSource,
  { maxBytes, signal }: { readonly maxBytes: number; readonly signal: AbortSignal },
): Promise<Uint8Array> {
  const opened = await openSource(source, { maxBytes, signal });
  try {
    const bytes = new Uint8Array(opened.size);
    let length = 0;
    for await (const piece of opened.read(signal)) {
      bytes.set(piece, length);
      length += piece.byteLength;
    }
    return bytes;
  } finally {
    await opened.close();
  }
}
