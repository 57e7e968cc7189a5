import { expect, it } from 'vitest';
import { isRunning } from './support/children.js';
import { runUnruly } from './support/unruly.js';

it('§6 no answer of an unruly backend ever decides for another call', async () => {
  const { answered, failed, mixed, records } = await runUnruly(1500, 24, 100);
  expect(mixed).toEqual([]);
  expect(Object.keys(failed).filter((code) => !['deadline', 'connection', 'process-exit'].includes(code))).toEqual([]);
  const failures = Object.values(failed).reduce((sum, count) => sum + count, 0);
  expect(answered + failures).toBe(1500);
  expect(answered).toBeGreaterThan(20);
  const dropped = new Set(records.flatMap((record) => (record.event === 'line-dropped' ? [record.reason] : [])));
  for (const reason of ['not-json', 'no-id', 'null-id', 'unknown-id', 'late'] as const)
    expect(dropped).toContain(reason);
  const started = records.flatMap((record) => (record.event === 'process-started' ? [record.pid] : []));
  expect(started.length).toBeGreaterThan(1);
  expect(started.filter(isRunning)).toEqual([]);
});
