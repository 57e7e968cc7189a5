/**
 * Asks a backend behind a Unix socket for its capabilities, by a transport that is not part of the toolkit.
 * Run: `npx tsx examples/unix-socket-transport/main.ts`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { encodeCapabilitiesRequest, parseCapabilitiesResponse } from '../../generated/index.js';
import { createUnixSocketTransport } from './unix-socket-transport.js';

const folder = mkdtempSync(join(tmpdir(), 'ahp-socket-'));
const path = process.platform === 'win32' ? `\\\\.\\pipe\\ahp-${process.pid}` : join(folder, 'hooks.sock');

// A backend of a few lines: it answers every request with an empty manifest.
const manifest = {
  events: [],
  gaps: [],
  transports: ['in_process'],
  authentication: [],
  toolPaths: [],
  contentCategories: [],
  limits: {},
  managedPolicy: { scopes: [], disableable: true },
  correlationIdentityFields: [],
};
const server = createServer((socket) => {
  createInterface({ input: socket }).on('line', (line) => {
    const { id } = JSON.parse(line) as { id: string };
    socket.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: { protocolVersion: 'draft', manifest } })}\n`);
  });
});
await new Promise<void>((resolve) => server.listen(path, resolve));

const transport = createUnixSocketTransport({ path });
try {
  const id = 'discovery-1';
  const method = 'hooks/capabilities';
  const request = encodeCapabilitiesRequest({ jsonrpc: '2.0', id, method, params: { protocolVersion: 'draft' } });
  const message = { id, method, bytes: new TextEncoder().encode(request) };
  const never = new AbortController().signal;
  const answer = await transport.request(message, { signal: never, deadline: Number.POSITIVE_INFINITY });
  const parsed = parseCapabilitiesResponse(answer);
  if (!parsed.ok) throw new Error(`the answer is no capabilities response: ${parsed.issues[0]?.message}`);
  console.log(`answered ${String(parsed.value.id)}: transports ${parsed.value.result.manifest.transports.join(', ')}`);
} finally {
  await transport.close();
  server.close();
  rmSync(folder, { recursive: true, force: true });
}
