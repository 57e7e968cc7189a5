import { createHash } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface RawResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** One connection, written byte by byte. */
export interface RawClient {
  readonly socket: Socket;
  write(...pieces: readonly (string | Uint8Array)[]): void;
  /** The next response, interim ones (1xx) included. Rejects when the connection ends without one. */
  response(): Promise<RawResponse>;
  /** Fulfils when the other side has ended the connection, with what came after the last response taken. */
  readonly ended: Promise<string>;
}

/** Connects to a loopback port; closed after the test. */
export async function connectRaw(port: number, host = '127.0.0.1'): Promise<RawClient> {
  const socket = connect({ port, host, allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  let received = Buffer.alloc(0);
  let isEnded = false;
  let wake: () => void = () => undefined;
  const end = (): void => {
    isEnded = true;
    wake();
  };
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    wake();
  });
  socket.on('end', end).on('close', end);
  socket.on('error', () => undefined);
  const ended = new Promise<string>((resolve) => {
    const done = (): void => resolve(received.toString('latin1'));
    socket.once('end', done).once('close', done);
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve).once('error', reject);
  });
  const take = (): RawResponse | null => {
    const split = received.indexOf('\r\n\r\n');
    if (split === -1) return null;
    const [statusLine = '', ...lines] = received.subarray(0, split).toString('latin1').split('\r\n');
    const headers = new Map(
      lines.map((line) => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
      }),
    );
    const length = Number(headers.get('content-length') ?? '0');
    if (received.byteLength < split + 4 + length) return null;
    const body = received.subarray(split + 4, split + 4 + length).toString('utf8');
    received = received.subarray(split + 4 + length);
    return { status: Number(statusLine.split(' ')[1]), headers, body };
  };
  return {
    socket,
    ended,
    write(...pieces) {
      for (const piece of pieces) socket.write(piece);
    },
    async response() {
      for (;;) {
        const response = take();
        if (response !== null) return response;
        if (isEnded) throw new Error('the connection ended without a response');
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}

/** A request head; a header given as a list comes as often. */
export function head(
  path: string,
  headers: Readonly<Record<string, string | readonly string[]>>,
  method = 'POST',
): string {
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().map((text: string) => `${name}: ${text}\r\n`),
  );
  return `${method} ${path} HTTP/1.1\r\nHost: x\r\n${lines.join('')}\r\n`;
}

export function sha256(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

export interface Sending {
  readonly path?: string;
  readonly token?: string | null;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
}

/** Sends one message on a connection of its own and gives the response. */
export async function sendMessage(
  port: number,
  message: unknown,
  { path = '/hooks', token = 'acme', method = 'POST', headers = {} }: Sending = {},
): Promise<RawResponse> {
  const body = typeof message === 'string' || message instanceof Uint8Array ? message : JSON.stringify(message);
  const client = await connectRaw(port);
  client.write(
    head(
      path,
      {
        ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
        'Content-Type': 'application/json',
        'Content-Length': String(Buffer.byteLength(body)),
        ...headers,
      },
      method,
    ),
    body,
  );
  const response = await client.response();
  client.socket.destroy();
  return response;
}

/** Uploads on a connection of its own. */
export async function sendUpload(
  port: number,
  body: string | Uint8Array,
  { path = '/content', token = 'acme', method = 'POST', headers = {} }: Sending = {},
): Promise<RawResponse> {
  const upload = {
    'Content-Type': 'application/octet-stream',
    'AHP-Content-SHA256': sha256(body),
  };
  return sendMessage(port, body, { path, token, method, headers: { ...upload, ...headers } });
}
