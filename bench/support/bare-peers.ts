/* What the transports are measured against: the same round trips with nothing but node:http and node:child_process. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';

export const ECHO_PROCESS = fileURLToPath(new URL('./echo-process.mjs', import.meta.url));

/** Starts the echo server in a thread of its own, which keeps no process alive; gives its port. */
export async function startEchoServer(): Promise<number> {
  const worker = new Worker(new URL('./echo-server.mjs', import.meta.url));
  const [port] = (await once(worker, 'message')) as [number];
  worker.unref();
  return port;
}

/** A round trip by bare node:http with kept connections. */
export function bareHttp(port: number): (body: Uint8Array) => Promise<Buffer> {
  const agent = new Agent({ keepAlive: true });
  return (body) =>
    new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'content-length': body.byteLength };
      const outgoing = request(
        { host: '127.0.0.1', port, path: '/hooks', method: 'POST', agent, headers },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('end', () => resolve(Buffer.concat(chunks)));
          response.on('error', reject);
        },
      );
      outgoing.on('error', reject);
      outgoing.end(body);
    });
}

/** A round trip by a bare child process: lines in, lines out, answers matched by their `id` with JSON.parse. */
export function bareStdio(): (id: string, line: string) => Promise<string> {
  // A process group of its own, as ours has: on Linux it is scheduled differently, which would hide the rest.
  const child = spawn(process.execPath, [ECHO_PROCESS], { stdio: ['pipe', 'pipe', 'inherit'], detached: true });
  child.unref();
  process.once('exit', () => child.kill());
  (child.stdin as Socket).unref();
  (child.stdout as Socket).unref();
  const pending = new Map<string, (line: string) => void>();
  let buffered = '';
  child.stdout.setEncoding('utf8');
  child.stdout.on('data', (chunk: string) => {
    buffered += chunk;
    const lines = buffered.split('\n');
    buffered = lines.pop() ?? '';
    for (const line of lines) {
      const { id } = JSON.parse(line) as { id: string };
      pending.get(id)?.(line);
      pending.delete(id);
    }
  });
  return (id, line) =>
    new Promise((resolve) => {
      pending.set(id, resolve);
      child.stdin.write(`${line}\n`);
      // An unreferenced child would let the benchmark end in the middle of a call.
      (child.stdout as Socket).ref();
    }).then((answer) => {
      if (pending.size === 0) (child.stdout as Socket).unref();
      return answer as string;
    });
}
