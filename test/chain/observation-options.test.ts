import { describe, expect, it } from 'vitest';
import { runScripted } from './support.js';

describe('§5 options of the observations that a chain dispatches', () => {
  it('§4 starts deliveries through the given schedule, and tells of the one that was dropped', async () => {
    const scheduled: string[] = [];
    const dropped: string[] = [];
    const { outcome } = await runScripted([], {
      observers: ['audit', 'broken'],
      notify: ({ subscription }) => {
        if (subscription.id === 'broken') throw new Error('down');
      },
      schedule: (task, { subscription }) => {
        scheduled.push(subscription.id);
        setImmediate(() => void task());
      },
      onObservationFailure: ({ subscription, error }) => {
        dropped.push(`${subscription.id} ${error.code}`);
      },
    });
    expect(scheduled).toEqual(['audit', 'broken']);
    await outcome.observations?.done;
    expect(dropped).toEqual(['broken notification']);
  });
});
