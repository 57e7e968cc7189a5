import { expect, it } from 'vitest';
import { runUnruly } from '../transports/support/unruly.js';

it('§6 no answer of an unruly backend ever decides for another call, a hundred thousand times', async () => {
  for (let round = 0; round < 10; round += 1) {
    const { answered, failed, mixed } = await runUnruly(10_000, 64, 500);
    expect(mixed).toEqual([]);
    expect(answered).toBeGreaterThan(1000);
    expect(Object.keys(failed).filter((code) => !['deadline', 'connection', 'process-exit'].includes(code))).toEqual(
      [],
    );
  }
});
