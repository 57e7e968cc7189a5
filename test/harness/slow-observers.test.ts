import { expect, it, vi } from 'vitest';
import { answering, eventOf, httpBackend, httpPeer, makeHooks, subscription } from './support/kit.js';

it('§4 ten events pass by an observer that fails and one that hangs; a third gets all ten in their order', async () => {
  const observing = [subscription({ mode: 'observe', events: ['tool.before'] })];
  const gate = await httpPeer();
  const fails = await httpPeer(({ response }) => response.writeHead(500).end());
  const hangs = await httpPeer(() => undefined);
  const records = await httpPeer(answering());
  const { hooks, of } = makeHooks([
    httpBackend('one.gate', gate.url, [subscription()]),
    httpBackend('one.fails', fails.url, observing),
    httpBackend('one.hangs', hangs.url, observing),
    httpBackend('one.records', records.url, observing),
  ]);
  const ids = Array.from({ length: 10 }, (_, index) => `e-${index}`);
  for (const id of ids) {
    // Each decision comes although the observer that hangs never lets go of the first event.
    const outcome = await hooks.intercept({ ...eventOf('tool.before'), id });
    expect(outcome.decision).toBe('proceed');
  }
  await vi.waitUntil(() => records.told().length === 10 && of('observation-failed').length === 10, {
    timeout: 20_000,
  });
  expect(records.told().map(({ event }) => event.id)).toEqual(ids);
  expect(new Set(of('observation-failed').map((record) => record.subscription))).toEqual(new Set(['one.fails#0']));
  expect(hangs.arrived).toHaveLength(1);
});
