import { expect, it } from 'vitest';
import { measureUpload, syntheticSource } from '../content/support/measure-upload.js';

const MIB = 1_048_576;

it('§7 uploads 1 GiB with flat memory', { timeout: 600_000 }, async () => {
  const size = 1_024 * MIB;
  await measureUpload(syntheticSource(64 * MIB), size);
  const measure = await measureUpload(syntheticSource(size), size);
  expect(measure.received).toBe(size);
  expect(measure.peakGrowth).toBeLessThan(64 * MIB);
  console.log(`1 GiB: resident memory grew by ${(measure.peakGrowth / MIB).toFixed(1)} MiB at most`);
});
