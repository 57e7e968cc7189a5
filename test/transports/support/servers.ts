import type { Server } from 'node:net';

/** A listening server on a free loopback port. */
export interface Listening {
  readonly url: string;
  readonly port: number;
  readonly close: () => Promise<void>;
}

/** Listens on a free loopback port; `close` ends every connection too. */
export async function listen(server: Server, scheme: 'http' | 'https' = 'http'): Promise<Listening> {
  const sockets = new Set<import('node:net').Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('expected a TCP address');
  return {
    url: `${scheme}://127.0.0.1:${address.port}/hooks`,
    port: address.port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
