import { afterEach, describe, expect, it, vi } from 'vitest';
import { loadTracing } from '../../runtime/harness/tracing.js';
import { withinTime } from '../../runtime/harness/within-time.js';
import type { Transport } from '../../runtime/transports/index.js';
import { eventOf, httpBackend, httpPeer, makeHooks, subscription } from './support/kit.js';
import { summaryEvent } from './support/items.js';
import { uploadPeer } from './support/uploads.js';

afterEach(() => vi.useRealTimers());

/** Waits by turns of the event loop, so that no clock moves. */
async function turnsUntil(condition: () => boolean): Promise<void> {
  for (let turn = 0; turn < 100_000 && !condition(); turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(condition()).toBe(true);
}

describe('what an observation may take', () => {
  it('§6 a notification ends after 30 s whatever its transport does, and the next one goes on', async () => {
    // Loads a module, which takes real time.
    await loadTracing();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const sent: string[] = [];
    const hanging: Transport = {
      request: () => Promise.reject(new Error('not asked')),
      notify: ({ bytes }) => {
        sent.push(Buffer.from(bytes).toString('utf8'));
        return sent.length === 1 ? new Promise(() => undefined) : Promise.resolve();
      },
      close: () => undefined,
    };
    const { hooks, of } = makeHooks(
      [httpBackend('one.own', 'http://127.0.0.1:1/', [subscription({ mode: 'observe' })])],
      {
        transports: { 'one.own': hanging },
      },
    );
    const handles = ['e-1', 'e-2'].map((id) => hooks.observe(eventOf('tool.before', id)));
    await turnsUntil(() => sent.length === 1);
    vi.advanceTimersByTime(29_000);
    await new Promise((resolve) => setImmediate(resolve));
    expect([sent.length, of('observation-failed').length]).toEqual([1, 0]);
    vi.advanceTimersByTime(1_001);
    await Promise.all(handles.map(({ done }) => done));
    expect(sent).toHaveLength(2);
    await turnsUntil(() => of('observation-failed').length === 1);
    expect(of('observation-failed').map(({ event, code }) => [event, code])).toEqual([['e-1', 'notification']]);
  });

  it.each(['observe', 'intercept'] as const)(
    '§7 preparing one ends after prepareTimeoutMs, also when the authorizer never answers, after %s',
    async (way) => {
      const { upload } = await uploadPeer();
      const peer = await httpPeer();
      const { hooks, of } = makeHooks(
        [httpBackend('one.http', peer.url, [subscription({ mode: 'observe', content: { default: 'body' }, upload })])],
        { prepareTimeoutMs: 200, authorize: () => new Promise<boolean>(() => undefined) },
      );
      const event = summaryEvent('e-1');
      const first = way === 'observe' ? hooks.observe(event) : (await hooks.intercept(event)).observations;
      const second = hooks.observe(eventOf('tool.before', 'e-2'));
      await Promise.all([first?.done, second.done]);
      await vi.waitUntil(() => of('observation-failed').length === 1, { timeout: 20_000 });
      expect(of('observation-failed').map(({ event: id, code }) => [id, code])).toEqual([['e-1', 'preparation']]);
      expect(peer.told().map(({ event: { id } }) => id)).toEqual(['e-2']);
    },
  );
});

describe('withinTime', () => {
  it('settles as the work does, also when that throws at once, and leaves no timer', async () => {
    vi.useFakeTimers();
    expect(await withinTime(1_000, [], () => 1)).toBe(1);
    const thrown = withinTime(1_000, [undefined], () => {
      throw new Error('at once');
    });
    await expect(thrown).rejects.toThrow('at once');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('tells the work, and rejects with the reason of whatever came first', async () => {
    const stop = new AbortController();
    const signals: AbortSignal[] = [];
    const work = (signal: AbortSignal): Promise<never> => {
      signals.push(signal);
      return new Promise(() => undefined);
    };
    const stopped = withinTime(60_000, [stop.signal], work);
    const late = withinTime(1, [stop.signal], work);
    await expect(late).rejects.toMatchObject({ name: 'TimeoutError' });
    stop.abort('reason');
    await expect(stopped).rejects.toBe('reason');
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
  });
});
