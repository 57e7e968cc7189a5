import { expect, it } from 'vitest';
import { measureGrowth } from '../harness/support/memory.js';

it('§7 five thousand interceptions with bodies of 100 kB, changed and observed, leave nothing of them', async () => {
  expect(globalThis.gc).toBeTypeOf('function');
  const growth = await measureGrowth(5_000);
  console.log(`grew by ${(growth / 1_000_000).toFixed(1)} MB`);
  // One body that stayed per call would be 500 MB; records are bounded, and nobody reads them here.
  expect(growth).toBeLessThan(30_000_000);
});
