import { createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A TCP server on a free loopback port that a test scripts byte by byte; closed after the test. */
export interface RawServer {
  readonly port: number;
  /** Every connection that was accepted, in order. */
  readonly connections: readonly Socket[];
}

/** Starts one; `onConnection` gets each socket and its number from 0. */
export async function startRawServer(onConnection: (socket: Socket, index: number) => void): Promise<RawServer> {
  const connections: Socket[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => {});
    connections.push(socket);
    onConnection(socket, connections.length - 1);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of connections) socket.destroy();
      }),
  );
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('expected a TCP address');
  return { port: address.port, connections };
}

/** Calls back with the text of each whole request (head and `Content-Length` body) that arrives on a socket. */
export function onRequest(socket: Socket, take: (head: string, body: Buffer) => void): void {
  let buffered = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    buffered = Buffer.concat([buffered, chunk]);
    for (;;) {
      const end = buffered.indexOf('\r\n\r\n');
      if (end === -1) return;
      const head = buffered.subarray(0, end).toString('latin1');
      const length = Number(/^content-length: *(\d+)$/im.exec(head)?.[1] ?? '0');
      if (buffered.byteLength < end + 4 + length) return;
      const body = buffered.subarray(end + 4, end + 4 + length);
      buffered = buffered.subarray(end + 4 + length);
      take(head, body);
    }
  });
}

/** A whole response as text. */
export function httpResponse(status: number, body: string, headers: readonly string[] = []): string {
  const lines = [`HTTP/1.1 ${status} Some`, ...headers, `Content-Length: ${Buffer.byteLength(body)}`];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}
