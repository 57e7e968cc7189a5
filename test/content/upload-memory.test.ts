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
