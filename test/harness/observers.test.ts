import { describe, expect, it, vi } from 'vitest';
import type { HookFailureEvent, ObserveNotification } from '../../generated/index.js';
import { barrier } from '../support/barrier.js';
import { answering, eventOf, httpBackend, httpPeer, makeHooks, stdioBackend, subscription } from './support/kit.js';

const OBSERVE = { mode: 'observe' } as const;

describe('§5 hook.failure', () => {
  it('another subscription of the same backend is told, the failing one is not, and nobody by a wildcard twice', async () => {
    const peer = await httpPeer(({ request, response, message }) => {
      if (message.method === 'hooks/observe') response.writeHead(202).end();
      else request.socket.destroy();
    });
    const { hooks, of } = makeHooks([
      httpBackend('one.both', peer.url, [
        subscription({ failurePolicy: 'fail-open' }),
        subscription({ ...OBSERVE, events: ['hook.failure'] }),
        subscription({ ...OBSERVE, events: ['*'] }),
        subscription({ ...OBSERVE, events: ['tool.*'] }),
      ]),
    ]);
    const outcome = await hooks.intercept(eventOf('tool.before'));
    await outcome.observations?.done;
    await vi.waitUntil(() => peer.told().length === 4, { timeout: 20_000 });
    const failures = peer.told().filter(({ event }) => event.type === 'hook.failure');
    expect(failures).toHaveLength(2);
    const [one, two] = failures.map(({ event }) => event as HookFailureEvent);
    expect(one).toEqual(two);
    expect(one?.failure).toEqual({ backendId: 'one.both', reason: 'connection', policy: 'fail-open' });
    // It names a backend, and no subscription.
    expect(failures[0]?.text).not.toContain('one.both#');
    expect(of('failure')).toHaveLength(1);
  });

  it('is never sent about the delivery of a hook.failure, nor about any observation', async () => {
    const broken = await httpPeer(({ request }) => request.socket.destroy());
    const { hooks, of } = makeHooks([
      httpBackend('one.broken', broken.url, [
        subscription({ failurePolicy: 'fail-open' }),
        subscription({ ...OBSERVE, events: ['hook.failure'] }),
        subscription({ ...OBSERVE, events: ['tool.before'] }),
      ]),
    ]);
    const outcome = await hooks.intercept(eventOf('tool.before'));
    await outcome.observations?.done;
    await vi.waitUntil(() => of('observation-failed').length === 2, { timeout: 20_000 });
    expect(of('observation-failed').map(({ type, code }) => [type, code])).toEqual(
      expect.arrayContaining([
        ['hook.failure', 'notification'],
        ['tool.before', 'notification'],
      ]),
    );
    const types = broken.told().map(({ event }) => event.type);
    expect(types.filter((type) => type === 'hook.failure').length).toBeGreaterThan(0);
    expect(new Set(broken.told().map(({ event }) => event.id)).size).toBe(2);
  });

  it('a retry that succeeds is no failure; the last one that fails is one', async () => {
    let count = 0;
    const peer = await httpPeer((exchange) => {
      count += 1;
      // A first connection that breaks is tried anew by the transport itself only when it had been used before.
      if (count < 3) exchange.request.socket.destroy();
      else answering()(exchange);
    });
    const { hooks, of } = makeHooks([httpBackend('one.http', peer.url, [subscription()])], { retries: 2 });
    const outcome = await hooks.intercept(eventOf('tool.before'));
    expect([outcome.decision, outcome.failures, of('failure')]).toEqual(['proceed', [], []]);
    expect(peer.asked()).toHaveLength(3);
    expect(new Set(peer.asked().map(({ text }) => text)).size).toBe(1);
  });
});

describe('§4 observations', () => {
  it('keep their order behind a slow one, while other subscriptions go on', async () => {
    const gate = barrier();
    const slow = await httpPeer(({ response, message }) => {
      const { id } = (message as ObserveNotification).params.event as { id: string };
      if (id === 'e-0') void gate.promise.then(() => response.writeHead(204).end());
      else response.writeHead(204).end();
    });
    const quick = await httpPeer();
    const { hooks } = makeHooks([
      httpBackend('one.slow', slow.url, [subscription(OBSERVE)]),
      httpBackend('one.quick', quick.url, [subscription(OBSERVE)]),
    ]);
    const ids = Array.from({ length: 20 }, (_, index) => `e-${index}`);
    const handles = ids.map((id) => hooks.observe(eventOf('tool.before', id)));
    await vi.waitUntil(() => quick.told().length === ids.length, { timeout: 20_000 });
    expect(slow.told().length).toBeLessThanOrEqual(1);
    gate.open();
    await Promise.all(handles.map(({ done }) => done));
    for (const peer of [slow, quick]) expect(peer.told().map(({ event }) => event.id)).toEqual(ids);
  });

  it('an interception’s observations stand in the same queue as the rest', async () => {
    const gate = barrier();
    const peer = await httpPeer(({ response }) => void gate.promise.then(() => response.writeHead(202).end()));
    const quick = await httpPeer();
    const { hooks } = makeHooks([
      httpBackend('one.http', peer.url, [subscription(OBSERVE)]),
      httpBackend('one.quick', quick.url, [subscription(OBSERVE)]),
    ]);
    const first = hooks.observe(eventOf('tool.before', 'e-1'));
    await vi.waitUntil(() => peer.told().length === 1, { timeout: 20_000 });
    const { observations } = await hooks.intercept(eventOf('tool.before', 'e-2'));
    const last = hooks.observe(eventOf('tool.before', 'e-3'));
    await vi.waitUntil(() => quick.told().length === 3, { timeout: 20_000 });
    expect(peer.told()).toHaveLength(1);
    gate.open();
    await Promise.all([first.done, observations?.done, last.done]);
    expect(peer.told().map(({ event }) => event.id)).toEqual(['e-1', 'e-2', 'e-3']);
  });

  it('a queue holds 1,000; the newest are dropped and recorded, and the call never waits', async () => {
    const peer = await httpPeer(() => undefined);
    const { hooks, of } = makeHooks([httpBackend('one.silent', peer.url, [subscription(OBSERVE)])]);
    const ids = Array.from({ length: 1_005 }, (_, index) => `e-${index}`);
    const handles = ids.map((id) => hooks.observe(eventOf('tool.before', id)));
    await Promise.all(handles.slice(1_000).map(({ done }) => done));
    await vi.waitUntil(() => of('observation-failed').length === 5);
    expect(of('observation-failed').map(({ event, code }) => [event, code])).toEqual(
      ids.slice(1_000).map((id) => [id, 'queue-full']),
    );
    expect(handles.slice(0, 1_000).every(({ pending }) => pending === 1)).toBe(true);
    await hooks.close();
    await Promise.all(handles.map(({ done }) => done));
  });

  it('the chain never waits for observers, and an uncalled interceptor becomes one', async () => {
    const silent = await httpPeer(({ response, message }) => {
      if (message.method === 'hooks/intercept') response.writeHead(500).end();
    });
    const denying = await httpPeer(answering([{ type: 'deny', reason: 'no' }]));
    const { hooks } = makeHooks([
      httpBackend('one.deny', denying.url, [subscription()]),
      httpBackend('one.silent', silent.url, [subscription(), subscription(OBSERVE)]),
    ]);
    const outcome = await hooks.intercept(eventOf('tool.before'));
    expect([outcome.decision, outcome.called]).toEqual(['denied', ['one.deny#0']]);
    expect(outcome.observed).toEqual(['one.silent#0', 'one.silent#1']);
    expect(outcome.observations?.pending).toBe(2);
    await vi.waitUntil(() => silent.told().length === 2, { timeout: 20_000 });
    expect(silent.asked()).toEqual([]);
    for (const { text } of silent.told()) expect(text).not.toMatch(/"state"|"capabilities"|one\.silent|"id":null/);
    outcome.observations?.cancel();
  });

  it('close() ends them, those of an interception too', async () => {
    const silent = await httpPeer(() => undefined);
    const { hooks } = makeHooks([httpBackend('one.silent', silent.url, [subscription(OBSERVE)])]);
    const { observations } = await hooks.intercept(eventOf('tool.before', 'e-1'));
    const told = hooks.observe(eventOf('tool.before', 'e-2'));
    await vi.waitUntil(() => silent.told().length === 1, { timeout: 20_000 });
    await hooks.close();
    await Promise.all([observations?.done, told.done]);
    expect([observations?.pending, told.pending]).toEqual([0, 0]);
    expect(silent.told()).toHaveLength(1);
  });

  it('§7 of an event without interception carry native to those alone who ask for it', async () => {
    const peer = await httpPeer();
    const { hooks } = makeHooks([
      httpBackend('one.http', peer.url, [subscription(OBSERVE), subscription({ ...OBSERVE, includeNative: true })]),
    ]);
    await hooks.observe({ ...eventOf('tool.before'), native: { raw: 'own' } }).done;
    expect(
      peer
        .told()
        .map(({ text }) => text.includes('"native":{"raw":"own"}'))
        .sort(),
    ).toEqual([false, true]);
  });

  it('a notification over stdio is done when written, and output on it decides nothing', async () => {
    const code = `onMessage((m) => raw('{"jsonrpc":"2.0","id":"e-1","result":{}}\\n'))`;
    const { hooks, of } = makeHooks([stdioBackend('one.child', code, [subscription(OBSERVE)])]);
    await hooks.observe(eventOf('tool.before')).done;
    const dropped = () => of('transport').filter(({ event }) => event === 'line-dropped');
    await vi.waitUntil(() => dropped().length === 1, { timeout: 20_000 });
    expect(of('observation-failed')).toEqual([]);
  });
});
