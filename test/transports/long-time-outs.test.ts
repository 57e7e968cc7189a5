import { expect, it, vi } from 'vitest';
import { createHttpTransport, createMemoryTransport, createStdioTransport } from '../../runtime/transports/index.js';
import { tell } from './support/calls.js';
import { child } from './support/children.js';

const THIRTY_DAYS_MS = 2_592_000_000;

it('§6 a process may take 30 days for a notification, more than a timer holds', async () => {
  const code = `process.stdin.on('data', () => {}).on('end', () => setTimeout(() => process.exit(3), 250));`;
  const { transport, records } = child('per_event', code, { notifyTimeoutMs: THIRTY_DAYS_MS });
  await tell(transport);
  const end = () => records.find(({ event }) => event === 'process-ended');
  await vi.waitUntil(() => end() !== undefined, { timeout: 10_000 });
  expect(end()).toMatchObject({ exitCode: 3, exitSignal: null });
});

it.each([0, -1, Number.NaN])('§6 a time-out of %s is refused when a transport is made, and Infinity is none', (ms) => {
  const command = process.execPath;
  const url = 'http://127.0.0.1:9/hooks';
  for (const make of [
    (notifyTimeoutMs: number) => createStdioTransport({ command, lifecycle: 'per_event', notifyTimeoutMs }),
    (notifyTimeoutMs: number) => createStdioTransport({ command, lifecycle: 'persistent', notifyTimeoutMs }),
    (notifyTimeoutMs: number) => createHttpTransport({ url, notifyTimeoutMs }),
    (notifyTimeoutMs: number) => createMemoryTransport(() => null, { notifyTimeoutMs }),
  ]) {
    expect(() => make(ms)).toThrow(RangeError);
    expect(make(Number.POSITIVE_INFINITY)).toHaveProperty('close');
  }
});
