import { describe, expect, it } from 'vitest';
import type { ContentUploadReceipt } from '../../generated/index.js';
import { type ContentSource, publishSummary, uploadContent } from '../../runtime/content/index.js';
import { acceptUpload, sha256, startRawReceiver } from './support/raw-receiver.js';

const text = 'Zusammenfassung: café 🜁\n';
const outcome = {
  applied: true,
  summary: { id: 'summary-1', ref: 'internal-2', text },
  bodies: new Map([
    ['internal-1', 'the first words'],
    ['internal-2', text],
  ]),
};

describe('§3 publishing a summary', () => {
  it('uploads the exact bytes and gives a canonical item of the same logical id, {ref} only', async () => {
    const receiver = await startRawReceiver(acceptUpload);
    const config = { endpoint: `${receiver.origin}/content`, timeoutMs: 10_000, maxBytes: 1_000 };
    const upload = (source: ContentSource): Promise<ContentUploadReceipt> =>
      uploadContent(config, source, { allowLoopback: true });

    const item = await publishSummary(outcome, { upload, role: 'assistant' });

    expect(item).toEqual({
      id: 'summary-1',
      kind: 'summary',
      mediaType: 'text/plain',
      role: 'assistant',
      selection: 'body',
      body: { ref: 'ref-1' },
    });
    const arrived = receiver.connections[0]?.bytes() ?? Buffer.alloc(0);
    expect(arrived.subarray(arrived.indexOf('\r\n\r\n') + 4).equals(Buffer.from(text))).toBe(true);
  });

  it('takes kind and media type', async () => {
    const bytes = Buffer.from(text);
    const upload = async (): Promise<ContentUploadReceipt> => ({
      ref: 'r',
      size: bytes.byteLength,
      sha256: sha256(bytes),
    });
    const item = await publishSummary(outcome, { upload, role: 'system', kind: 'text', mediaType: 'text/markdown' });
    expect(item).toMatchObject({ kind: 'text', mediaType: 'text/markdown', role: 'system' });
  });

  it('rejects what did not apply, without uploading', async () => {
    const upload = (): Promise<never> => {
      throw new Error('must not upload');
    };
    for (const nothing of [
      { ...outcome, applied: false },
      { ...outcome, summary: null },
      { ...outcome, bodies: new Map() },
    ]) {
      await expect(publishSummary(nothing, { upload, role: 'assistant' })).rejects.toMatchObject({
        code: 'not-applied',
      });
    }
    const odd = { ...outcome, bodies: new Map([['internal-2', 'lone \ud800']]) };
    await expect(publishSummary(odd, { upload, role: 'assistant' })).rejects.toMatchObject({ code: 'not-text' });
  });

  it('rejects a receipt of other bytes, a role that is none, a failed upload and an abort', async () => {
    const bytes = Buffer.from(text);
    const good = { ref: 'r', size: bytes.byteLength, sha256: sha256(bytes) };
    const wrong = async (): Promise<ContentUploadReceipt> => ({ ...good, size: 1 });
    await expect(publishSummary(outcome, { upload: wrong, role: 'assistant' })).rejects.toMatchObject({
      code: 'receipt',
    });
    await expect(publishSummary(outcome, { upload: async () => good, role: '' })).rejects.toMatchObject({
      code: 'not-canonical',
    });
    const failed = new Error('no');
    await expect(publishSummary(outcome, { upload: () => Promise.reject(failed), role: 'a' })).rejects.toBe(failed);
    const reason = new Error('enough');
    const signal = AbortSignal.abort(reason);
    await expect(publishSummary(outcome, { upload: async () => good, role: 'a', signal })).rejects.toBe(reason);
  });
});
