import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import {
  createStdioTransport,
  type StdioTransport,
  type StdioTransportOptions,
  type TransportRecord,
} from '../../../runtime/transports/index.js';
import { text } from './calls.js';

const KIT = fileURLToPath(new URL('./child-kit.cjs', import.meta.url));

/** A transport whose child runs a program text with the helpers of child-kit.cjs; closed after the test. */
export interface TestChild {
  readonly transport: StdioTransport;
  readonly records: TransportRecord[];
  /** The reasons of the lines that were dropped. */
  readonly dropped: () => string[];
}

/** Makes one; `code` is CommonJS. */
export function child(
  lifecycle: 'persistent' | 'per_event',
  code: string,
  options: Partial<StdioTransportOptions> = {},
): TestChild {
  const records: TransportRecord[] = [];
  const transport = createStdioTransport({
    command: process.execPath,
    args: ['--require', KIT, '-e', code],
    lifecycle,
    onRecord: (record) => records.push(record),
    ...options,
  });
  onTestFinished(() => transport.close());
  return {
    transport,
    records,
    dropped: () => records.flatMap((record) => (record.event === 'line-dropped' ? [record.reason] : [])),
  };
}

/** The `result` of an answer. */
export function resultOf(answer: Uint8Array): Record<string, unknown> {
  return (JSON.parse(text(answer)) as { result: Record<string, unknown> }).result;
}

/** Tells whether a process runs; one that only waits to be reaped does not. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return !stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z');
  } catch {
    // No /proc on this system, or gone meanwhile: what kill said counts where there is no /proc.
    return process.platform !== 'linux';
  }
}
