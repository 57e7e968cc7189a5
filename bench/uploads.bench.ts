/* Uploads against a bare stream that reads and hashes the same bytes twice, as the digest goes ahead in a header. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Worker } from 'node:worker_threads';
import { type ContentSource, createUploader } from '../runtime/content/index.js';
import type { BenchRow, BenchTable } from './support/table.js';

const MIB = 1_048_576;
// At least 0.8 of the peer's rate is at most this much of its time.
const AT_MOST = 1.25;

async function startSinkServer(): Promise<number> {
  const worker = new Worker(new URL('./support/sink-server.mjs', import.meta.url));
  const [port] = (await once(worker, 'message')) as [number];
  worker.unref();
  return port;
}

/** The least that does the same: one stream to hash, one to send and hash. */
function bareUpload(port: number): (size: number, open: () => Readable) => Promise<unknown> {
  const agent = new Agent({ keepAlive: true });
  return async (size, open) => {
    const first = createHash('sha256');
    for await (const chunk of open()) first.update(chunk as Uint8Array);
    const digest = first.digest('hex');
    const second = createHash('sha256');
    const headers = {
      'content-type': 'application/octet-stream',
      'content-length': size,
      'ahp-content-sha256': digest,
    };
    const outgoing = request({ host: '127.0.0.1', port, path: '/content', method: 'POST', agent, headers });
    const answered = once(outgoing, 'response');
    const hashing = new Transform({
      transform(chunk: Uint8Array, _encoding, done) {
        second.update(chunk);
        done(null, chunk);
      },
    });
    await pipeline(open(), hashing, outgoing);
    const [response] = (await answered) as [Readable];
    const chunks: Uint8Array[] = [];
    for await (const chunk of response) chunks.push(chunk as Uint8Array);
    if (second.digest('hex') !== digest) throw new Error('the source changed');
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  };
}

async function* pieces(size: number): AsyncGenerator<Uint8Array> {
  const chunk = Buffer.alloc(65_536, 'abcdefghijklmnopqrstuvwxyz012345');
  for (let left = size; left > 0; left -= chunk.byteLength) yield chunk.subarray(0, Math.min(left, chunk.byteLength));
}

export async function tables(): Promise<readonly BenchTable[]> {
  const port = await startSinkServer();
  const uploader = createUploader({ allowLoopback: true });
  const bare = bareUpload(port);
  const folder = mkdtempSync(join(tmpdir(), 'ahp-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const config = { endpoint: `http://127.0.0.1:${port}/content`, timeoutMs: 600_000, maxBytes: 1_024 * MIB };
  const row = (name: string, size: number, source: ContentSource, open: () => Readable): BenchRow => ({
    name,
    baseline: 'bare stream',
    contenders: {
      ours: () => uploader.upload(config, source),
      'bare stream': () => bare(size, open),
    },
    atMost: { ours: AT_MOST },
  });
  const path = join(folder, 'body');
  writeFileSync(path, Buffer.alloc(16 * MIB, 'file'));
  const bytes = Buffer.alloc(MIB, 'bytes');
  return [
    {
      title: 'Uploads',
      note: 'both read the source twice and hash it twice; ours checks endpoint, length, digest and receipt besides',
      rows: [
        row('1 MiB of bytes', MIB, bytes, () => Readable.from([bytes], { objectMode: false })),
        row('16 MiB file', 16 * MIB, { path }, () => createReadStream(path)),
        row('64 MiB stream', 64 * MIB, { size: 64 * MIB, open: () => pieces(64 * MIB) }, () =>
          Readable.from(pieces(64 * MIB), { objectMode: false }),
        ),
      ],
    },
  ];
}
