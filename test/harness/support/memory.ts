import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHooks } from '../../../runtime/harness/index.js';
import { createMemoryTransport } from '../../../runtime/transports/index.js';
import { MANIFEST } from './events.js';
import { summaryEvent } from './items.js';

/** Bytes of one body; large enough that a body that stays shows. */
const BODY_BYTES = 100_000;

/** Growth of heap and buffers over so many interceptions with a changed body and observers, in bytes; needs `gc`. */
export async function measureGrowth(calls: number): Promise<number> {
  const server = createServer((request, response) => {
    const hash = createHash('sha256');
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      hash.update(chunk);
      size += chunk.byteLength;
    });
    request.on('end', () => {
      response.writeHead(201, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ ref: 'r', size, sha256: hash.digest('hex') }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const upload = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}/content`,
    timeoutMs: 60_000,
    maxBytes: 1_000_000,
  };
  const shared = { events: ['*'], content: { default: 'body' }, upload };
  const hooks = createHooks({
    manifest: MANIFEST,
    allowLoopback: true,
    transports: {
      http: createMemoryTransport(({ bytes }) => {
        const { id } = JSON.parse(Buffer.from(bytes).toString('utf8')) as { id?: string };
        if (id === undefined) return null;
        const effects = [{ type: 'modify', target: 'summary', operation: 'replace', value: 'x'.repeat(BODY_BYTES) }];
        return Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, result: { protocolVersion: 'draft', effects } }));
      }),
    },
    registration: {
      protocolVersion: 'draft',
      hooks: [
        {
          id: 'one.memory',
          transport: { type: 'http', url: 'https://backend.example/' },
          subscriptions: [
            { ...shared, mode: 'intercept', timeoutMs: 60_000, failurePolicy: 'fail-closed' },
            { ...shared, mode: 'observe' },
          ],
        },
      ],
    },
  });
  const call = async (index: number): Promise<void> => {
    const { observations, decision } = await hooks.intercept(summaryEvent(`e-${index}`), {
      content: { sum: Buffer.alloc(BODY_BYTES, 'y') },
      values: { summary: '' },
      materialize: ({ event, value }) => ({ event, content: { sum: Buffer.from(String(value)) } }),
    });
    if (decision !== 'proceed') throw new Error('expected the call to proceed');
    await observations?.done;
  };
  const used = async (): Promise<number> => {
    for (let round = 0; round < 5; round += 1) {
      globalThis.gc?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
    const { heapUsed, external, arrayBuffers } = process.memoryUsage();
    return heapUsed + external + arrayBuffers;
  };
  try {
    for (let index = 0; index < 50; index += 1) await call(index);
    const before = await used();
    for (let index = 0; index < calls; index += 1) await call(index);
    return (await used()) - before;
  } finally {
    await hooks.close();
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  }
}
