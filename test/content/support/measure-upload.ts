import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ContentSource, uploadContent } from '../../../runtime/content/index.js';

/** What an upload of many bytes cost. */
export interface UploadMeasure {
  readonly received: number;
  readonly sha256: string;
  /** Growth of resident memory over what it was before, at its highest, in bytes. */
  readonly peakGrowth: number;
  /** Turns of the event loop while uploading: none would mean that it was held. */
  readonly turns: number;
  /** The longest wait between two turns in milliseconds. */
  readonly longestTurnMs: number;
}

/** A source of `size` bytes that exists nowhere as a whole. */
export function syntheticSource(size: number): Extract<ContentSource, { open: unknown }> {
  const chunk = Buffer.alloc(65_536, 'abcdefghijklmnopqrstuvwxyz012345');
  return {
    size,
    async *open() {
      for (let left = size; left > 0; left -= chunk.byteLength) {
        yield left >= chunk.byteLength ? chunk : chunk.subarray(0, left);
      }
    },
  };
}

/** Uploads to a server that hashes what arrives and keeps none of it, and watches memory meanwhile. */
export async function measureUpload(source: ContentSource, maxBytes: number): Promise<UploadMeasure> {
  let received = 0;
  let digest = '';
  const server = createServer((request, response) => {
    const hash = createHash('sha256');
    request.on('data', (chunk: Buffer) => {
      received += chunk.byteLength;
      hash.update(chunk);
    });
    request.on('end', () => {
      digest = hash.digest('hex');
      response.writeHead(201, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ ref: 'r', size: received, sha256: digest }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  let peakGrowth = 0;
  let turns = 0;
  let longestTurnMs = 0;
  let last = performance.now();
  const watch = setInterval(() => {
    const now = performance.now();
    turns += 1;
    longestTurnMs = Math.max(longestTurnMs, now - last);
    last = now;
    peakGrowth = Math.max(peakGrowth, process.memoryUsage().rss - before);
  }, 2);
  try {
    const endpoint = `http://127.0.0.1:${port}/content`;
    await uploadContent({ endpoint, timeoutMs: 600_000, maxBytes }, source, { allowLoopback: true });
  } finally {
    clearInterval(watch);
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  }
  return { received, sha256: digest, peakGrowth, turns, longestTurnMs };
}
