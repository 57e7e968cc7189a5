import { expect, it } from 'vitest';
import { eventOf, makeHooks, stdioBackend, subscription } from './support/kit.js';

/** Larger than any pipe holds, so that a write to a process that reads nothing never ends. */
const LARGE_LENGTH = 1_000_000;

it.each(['per_event', 'persistent'] as const)(
  '§5 §6 the deadline runs while a megabyte is being written to a hook that reads nothing, %s',
  async (lifecycle) => {
    const { hooks, of } = makeHooks([
      stdioBackend('one.deaf', 'stayAlive()', [subscription({ timeoutMs: 500 })], lifecycle),
    ]);
    const event = eventOf('tool.before');
    const large = { ...event, tool: { ...event.tool, input: { text: 'x'.repeat(LARGE_LENGTH) } } };
    const outcome = await hooks.intercept(large);
    expect(outcome).toMatchObject({
      decision: 'denied',
      ended: { by: 'one.deaf#0', kind: 'fail-closed', code: 'deadline' },
    });
    // Nothing that still writes holds this up.
    await hooks.close();
    expect(of('failure').map(({ code }) => code)).toEqual(['deadline']);
  },
);
