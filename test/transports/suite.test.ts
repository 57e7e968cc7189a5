import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { scriptedReply, testTransport, type TransportPair } from '../../runtime/testing/index.js';
import { createHttpTransport, createMemoryTransport, createStdioTransport } from '../../runtime/transports/index.js';
import { listen } from './support/servers.js';

const BACKEND = fileURLToPath(new URL('./support/scripted-backend.mjs', import.meta.url));

testTransport('memory', () => {
  const received: Uint8Array[] = [];
  const transport = createMemoryTransport(async ({ bytes }, { signal }) => {
    received.push(bytes);
    const reply = scriptedReply(bytes);
    if (reply.act === 'answer') {
      await new Promise((resolve) => setTimeout(resolve, reply.afterMs));
      return reply.bytes;
    }
    if (reply.act === 'hang-up') throw new Error('left');
    if (reply.act === 'silence') await new Promise((resolve) => signal.addEventListener('abort', resolve));
    return null;
  });
  return { transport, received: () => received, close: () => {} };
});

testTransport('HTTP', async () => {
  const received: Uint8Array[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const bytes = Buffer.concat(chunks);
      received.push(bytes);
      const reply = scriptedReply(bytes);
      if (reply.act === 'nothing') response.writeHead(202).end();
      if (reply.act === 'hang-up') request.socket.destroy();
      if (reply.act !== 'answer') return;
      setTimeout(() => response.writeHead(200, { 'content-type': 'application/json' }).end(reply.bytes), reply.afterMs);
    });
  });
  const { url, close } = await listen(server);
  return { transport: createHttpTransport({ url }), received: () => received, close };
});

function stdioPair(lifecycle: 'persistent' | 'per_event'): TransportPair {
  const folder = mkdtempSync(join(tmpdir(), 'ahp-suite-'));
  const file = join(folder, 'received.jsonl');
  const transport = createStdioTransport({
    command: process.execPath,
    args: [BACKEND],
    lifecycle,
    env: { RECEIVED_FILE: file },
  });
  return {
    transport,
    received() {
      try {
        const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
        return lines.map((line) => new TextEncoder().encode(line));
      } catch {
        return [];
      }
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

testTransport('stdio, persistent', () => stdioPair('persistent'));
testTransport('stdio, per event', () => stdioPair('per_event'), { concurrency: 8 });
