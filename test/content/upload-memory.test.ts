import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.js';
import { measureUpload, syntheticSource } from './support/measure-upload.js';
import { spoolPieces } from '../../runtime/content/spool.js';
import { readIterable } from '../../runtime/content/pieces.js';

const MIB = 1_048_576;
const signal = new AbortController().signal;

describe('§7 large bodies stream with bounded memory', () => {
  it('uploads 64 MiB without holding it or the event loop', async () => {
    const size = 64 * MIB;
    await measureUpload(syntheticSource(8 * MIB), size);
    const measure = await measureUpload(syntheticSource(size), size);
    expect(measure.received).toBe(size);
    // Far below the body: what is counted is buffers in flight and garbage that waits for its collection.
    expect(measure.peakGrowth).toBeLessThan(48 * MIB);
    expect(measure.turns).toBeGreaterThan(5);
  });

  it.each([
    ['memory', 40_000],
    ['a file', 1_000],
  ])('gives the same bytes from %s however they were cut, single bytes too', async (_, maxMemoryBytes) => {
    const bytes = Buffer.from(Array.from({ length: 30_000 }, (_byte, at) => (at * 31) % 251));
    const cut = function* (size: number): Generator<Uint8Array> {
      // The producer writes over its one buffer again and again.
      const piece = Buffer.alloc(size);
      for (let at = 0; at < bytes.byteLength; at += size) {
        const length = bytes.copy(piece, 0, at, at + size);
        yield piece.subarray(0, length);
      }
    };
    for (const size of [1, 7, 999, 1_001, 30_000]) {
      const directory = temporaryFolder();
      const spooled = await spoolPieces(readIterable(cut(size), signal), { directory, maxMemoryBytes });
      const back: Uint8Array[] = [];
      for await (const piece of spooled.read(signal)) back.push(piece);
      expect(Buffer.concat(back).equals(bytes), `pieces of ${size}`).toBe(true);
      expect(spooled).toMatchObject({
        size: bytes.byteLength,
        sha256: createHash('sha256').update(bytes).digest('hex'),
      });
      await spooled.close();
    }
  });

  it('spools 64 MiB to disk without holding it', async () => {
    const size = 64 * MIB;
    const directory = temporaryFolder();
    const take = async (bytes: number): Promise<number> => {
      const before = process.memoryUsage().rss;
      let peak = 0;
      const watch = setInterval(() => {
        peak = Math.max(peak, process.memoryUsage().rss - before);
      }, 2);
      const source = syntheticSource(bytes);
      const spooled = await spoolPieces(readIterable(source.open(), signal), { directory, maxMemoryBytes: MIB });
      clearInterval(watch);
      expect(spooled.size).toBe(bytes);
      await spooled.close();
      return peak;
    };
    await take(8 * MIB);
    expect(await take(size)).toBeLessThan(48 * MIB);
  });
});
