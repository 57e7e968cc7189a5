import { createHash } from 'node:crypto';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket, type TlsOptions } from 'node:tls';
import { afterEach } from 'vitest';

/** One connection as it arrived, byte by byte. */
export interface RawConnection {
  readonly socket: Socket;
  /** Everything that has arrived so far. */
  bytes(): Buffer;
  /** The request head, without its closing empty line. */
  head(): Promise<string>;
  /** Head and body, when `Content-Length` bytes of body have arrived. */
  request(): Promise<RawRequest>;
  /** Writes a whole response and ends the connection. */
  answer(status: number | string, headers: readonly string[], body?: string | Uint8Array): void;
  readonly closed: Promise<void>;
}

export interface RawRequest {
  readonly head: string;
  readonly body: Buffer;
}

export interface RawReceiver {
  readonly port: number;
  /** `http://127.0.0.1:port` or `https://…`. */
  readonly origin: string;
  readonly connections: readonly RawConnection[];
  close(): Promise<void>;
}

const open: RawReceiver[] = [];

/** A server that shows what arrived and answers what the test says, also what no HTTP library would. */
export async function startRawReceiver(
  handle: (connection: RawConnection, index: number) => Promise<void> | void,
  tls?: TlsOptions,
): Promise<RawReceiver> {
  const connections: RawConnection[] = [];
  const accept = (socket: Socket): void => {
    const connection = recordConnection(socket);
    connections.push(connection);
    Promise.resolve(handle(connection, connections.length - 1)).catch((error: unknown) => {
      // A handler that waits for bytes of a connection that ended has nothing more to do.
      if (!(error instanceof ConnectionEnded)) throw error;
    });
  };
  const server: Server =
    tls === undefined ? createServer(accept) : createTlsServer(tls, accept as (s: TLSSocket) => void);
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const receiver: RawReceiver = {
    port,
    origin: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    connections,
    async close() {
      for (const { socket } of connections) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
  open.push(receiver);
  return receiver;
}

afterEach(async () => {
  await Promise.all(open.splice(0).map((receiver) => receiver.close()));
});

class ConnectionEnded extends Error {}

function recordConnection(socket: Socket): RawConnection {
  const chunks: Buffer[] = [];
  const watchers = new Set<() => void>();
  let ended = false;
  const notify = (): void => {
    for (const watcher of [...watchers]) watcher();
  };
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    notify();
  });
  socket.on('error', () => {});
  const closed = new Promise<void>((resolve) => {
    socket.on('close', () => {
      ended = true;
      notify();
      resolve();
    });
  });
  const bytes = (): Buffer => Buffer.concat(chunks);
  const until = <T>(read: () => T | null): Promise<T> =>
    new Promise((resolve, reject) => {
      const check = (): void => {
        const found = read();
        if (found === null && !ended) return;
        watchers.delete(check);
        if (found === null) reject(new ConnectionEnded());
        else resolve(found);
      };
      watchers.add(check);
      check();
    });
  const readHead = (): { head: string; bodyAt: number } | null => {
    const all = bytes();
    const at = all.indexOf('\r\n\r\n');
    return at < 0 ? null : { head: all.subarray(0, at).toString('latin1'), bodyAt: at + 4 };
  };
  return {
    socket,
    bytes,
    closed,
    head: async () => (await until(readHead)).head,
    request: () =>
      until(() => {
        const found = readHead();
        if (found === null) return null;
        const length = Number(/\r\ncontent-length: (\d+)/i.exec(found.head)?.[1] ?? '0');
        const body = bytes().subarray(found.bodyAt);
        return body.byteLength < length ? null : { head: found.head, body };
      }),
    answer(status, headers, body = '') {
      const payload = Buffer.from(body);
      const lines = [`HTTP/1.1 ${status} X`, ...headers];
      const hasLength = headers.some((header) => /^(content-length|transfer-encoding):/i.test(header));
      if (!hasLength) lines.push(`Content-Length: ${payload.byteLength}`);
      socket.write(`${lines.join('\r\n')}\r\nConnection: close\r\n\r\n`);
      socket.end(payload);
    },
  };
}

/** A good receipt of these bytes. */
export function receiptOf(body: Uint8Array, ref = 'ref-1'): string {
  return JSON.stringify({ ref, size: body.byteLength, sha256: sha256(body) });
}

export function sha256(body: Uint8Array): string {
  return createHash('sha256').update(body).digest('hex');
}

/** Reads a whole request and answers with a good receipt. */
export async function acceptUpload(connection: RawConnection): Promise<void> {
  const { body } = await connection.request();
  connection.answer(201, ['Content-Type: application/json'], receiptOf(body));
}
