/**
 * A transport of somebody else's: one JSON object per line over a Unix domain socket (on Windows a named pipe), built
 * only on what `ahp-toolkit/transports` exports. Each message gets a connection of its own. That is what makes it so
 * short: an answer can only belong to the one request of its connection, so ids need no matching, and a late answer
 * meets a closed socket.
 */
import { connect, type Socket } from 'node:net';
import {
  DEFAULT_MAX_MESSAGE_BYTES,
  DEFAULT_NOTIFY_TIMEOUT_MS,
  type Transport,
  TransportError,
} from '../../runtime/transports/index.js';

export interface UnixSocketTransportOptions {
  /** Path of the socket. */
  readonly path: string;
  /** Bound of an answer, 64 MiB by default. */
  readonly maxMessageBytes?: number;
}

const LINE_FEED = 10;

/** Makes the transport. A peer that cannot be reached fails its calls with `connection`. */
export function createUnixSocketTransport(options: UnixSocketTransportOptions): Transport {
  const maxMessageBytes = options.maxMessageBytes ?? DEFAULT_MAX_MESSAGE_BYTES;
  const open = new Set<Socket>();
  let closed = false;

  /** Opens a connection, and gives it up with an error as soon as anything ends the call. */
  function dial(signal: AbortSignal, fail: (error: TransportError) => void): Socket | null {
    if (closed) fail(new TransportError('connection', 'transport: expected an open one, got a closed one'));
    else if (signal.aborted) fail(deadline(signal));
    if (closed || signal.aborted) return null;
    const socket = connect(options.path);
    const onAbort = (): void => {
      fail(deadline(signal));
      socket.destroy();
    };
    open.add(socket);
    signal.addEventListener('abort', onAbort, { once: true });
    socket.on('error', (cause) => {
      fail(new TransportError('connection', 'socket: expected an open connection, got an error', { cause }));
    });
    socket.on('close', () => {
      open.delete(socket);
      signal.removeEventListener('abort', onAbort);
      fail(new TransportError('connection', 'socket: expected one line, got the end of the connection'));
    });
    return socket;
  }

  return {
    request({ bytes }, { signal }) {
      return new Promise((resolve, reject) => {
        const socket = dial(signal, reject);
        if (socket === null) return;
        const chunks: Buffer[] = [];
        let size = 0;
        socket.on('data', (chunk: Buffer) => {
          const end = chunk.indexOf(LINE_FEED);
          chunks.push(end === -1 ? chunk : chunk.subarray(0, end));
          size += chunk.byteLength;
          // A promise settles once: what fails after this line changes nothing.
          if (end !== -1) resolve(Buffer.concat(chunks));
          else if (size > maxMessageBytes) {
            reject(
              new TransportError('invalid-message', `answer: expected at most ${maxMessageBytes} bytes, got more`),
            );
          } else return;
          socket.destroy();
        });
        socket.write(bytes);
        socket.write('\n');
      });
    },

    notify({ bytes }, { signal }) {
      return new Promise((resolve, reject) => {
        // A timer of our own: on Node 20 a joined AbortSignal.timeout may be collected before it fires.
        const timer = setTimeout(() => socket?.destroy(), DEFAULT_NOTIFY_TIMEOUT_MS);
        const socket = dial(signal, (error) => {
          clearTimeout(timer);
          reject(error);
        });
        socket?.write(bytes);
        socket?.end('\n', () => {
          clearTimeout(timer);
          resolve();
        });
        socket?.resume();
      });
    },

    close() {
      closed = true;
      for (const socket of open) socket.destroy();
    },
  };
}

function deadline(signal: AbortSignal): TransportError {
  return new TransportError('deadline', 'call: expected an answer in time, got the end of its signal', {
    cause: signal.reason,
  });
}
