/** Starts `ahp serve` in a process of its own and ends it. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const CLI = fileURLToPath(new URL('../../cli/ahp.ts', import.meta.url));
/** The loader by its address, so that children find it whatever their working directory is. */
export const LOADER = import.meta.resolve('tsx');

export interface ReceiverProcess {
  /** Where events and uploads go. */
  readonly hooks: string;
  readonly content: string;
  /** What it wrote to stderr so far. */
  stderr(): string;
  /** Ends it politely; the exit code. */
  stop(): Promise<number | null>;
}

/** Rejects when the process leaves before it listens. */
export async function startReceiverProcess(
  module: string,
  options: {
    readonly store: string;
    readonly env: Readonly<Record<string, string>>;
    /** Told at once how to end the process without waiting for it. */
    readonly onStarted: (kill: () => void) => void;
  },
): Promise<ReceiverProcess> {
  const args = ['--import', LOADER, CLI, 'serve', '--json', '--port', '0', '--store', options.store, module];
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH ?? '', ...options.env },
    // Its standard input ends with this process, however that goes, and the module then leaves by itself.
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  options.onStarted(() => void child.kill('SIGKILL'));
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString('utf8');
  });
  const gone = once(child, 'exit') as Promise<[number | null]>;
  const firstLine = once(createInterface(child.stdout), 'line') as Promise<[string]>;
  const [line] = await Promise.race([
    firstLine,
    gone.then(([code]) => Promise.reject(new Error(`the receiver left before it listened, exit code ${code}`))),
  ]);
  const { hooks, content } = JSON.parse(line) as { hooks: string; content: string };
  return {
    hooks,
    content,
    stderr: () => stderr,
    async stop() {
      child.kill('SIGTERM');
      const [code] = await gone;
      return code;
    },
  };
}
