import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { createUnixSocketTransport } from '../../examples/unix-socket-transport/unix-socket-transport.js';
import { serveScriptedLines, testTransport } from '../../runtime/testing/index.js';

const EXAMPLE = fileURLToPath(new URL('../../examples/unix-socket-transport/', import.meta.url));

testTransport('a third party, over a Unix socket', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ahp-socket-'));
  const path = process.platform === 'win32' ? `\\\\.\\pipe\\ahp-suite-${process.pid}` : join(folder, 'hooks.sock');
  const received: Uint8Array[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    serveScriptedLines(socket, socket, {
      onMessage: (bytes) => received.push(bytes),
      hangUp: () => socket.destroy(),
    });
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return {
    transport: createUnixSocketTransport({ path }),
    received: () => received,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
});

it('the example uses nothing of the toolkit but its public entries', () => {
  for (const file of readdirSync(EXAMPLE)) {
    const imports = [...readFileSync(join(EXAMPLE, file), 'utf8').matchAll(/from '(\.[^']+)'/g)].map(
      ([, path]) => path,
    );
    for (const path of imports) {
      expect(path).toMatch(/^(?:\.\.\/\.\.\/(?:runtime\/transports|generated)\/index\.js|\.\/[a-z-]+\.js)$/);
    }
  }
});

it('the example program runs and ends', () => {
  const run = spawnSync(process.execPath, ['--import', 'tsx', join(EXAMPLE, 'main.ts')], {
    encoding: 'utf8',
    timeout: 20_000,
  });
  expect(run).toMatchObject({ status: 0, stdout: 'answered discovery-1: transports in_process\n', stderr: '' });
});
