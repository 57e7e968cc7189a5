import { expect, it, vi } from 'vitest';
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
