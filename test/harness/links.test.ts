import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it, vi } from 'vitest';
import { isRunning } from '../transports/support/children.js';
import { answering, eventOf, httpBackend, httpPeer, makeHooks, stdioBackend, subscription } from './support/kit.js';

const HOST = fileURLToPath(new URL('./support/host-that-leaves.ts', import.meta.url));

/** Says which event it answers; answers in an order of its own. */
const TELLS_ID = `
  const waiting = [];
  onMessage((m) => {
    waiting.push(m);
    if (waiting.length % 10 !== 0) return;
    for (const one of waiting.splice(0).reverse()) {
      answer(one, { protocolVersion: 'draft', effects: [{ type: 'message', text: one.params.event.id }] });
    }
  });`;

it('§6 a hundred concurrent interceptions through one persistent process never mix', async () => {
  const { hooks, of } = makeHooks([stdioBackend('one.link', TELLS_ID, [subscription()])]);
  const ids = Array.from({ length: 100 }, (_, index) => `call-${index}`);
  const outcomes = await Promise.all(ids.map((id) => hooks.intercept(eventOf('tool.before', id))));
  expect(outcomes.map(({ messages }) => messages)).toEqual(ids.map((id) => [id]));
  expect(outcomes.every(({ decision }) => decision === 'proceed')).toBe(true);
  expect(of('transport').filter(({ event }) => event === 'process-started')).toHaveLength(1);
});

it('§6 a late answer to one subscription never decides for another of the same backend', async () => {
  // Denies only the first message, and long after its deadline; all later ones are taken.
  const code = `
    let first = true;
    onMessage((m) => {
      const deny = first;
      first = false;
      const effects = deny ? [{ type: 'deny', reason: 'late' }] : [];
      setTimeout(() => answer(m, { protocolVersion: 'draft', effects }), deny ? 3000 : 0);
    });`;
  const open = { failurePolicy: 'fail-open' } as const;
  const { hooks, of } = makeHooks([
    stdioBackend('one.link', code, [
      subscription({ ...open, timeoutMs: 1_500 }),
      subscription({ ...open, timeoutMs: 60_000 }),
    ]),
  ]);
  const outcome = await hooks.intercept(eventOf('tool.before', 'shared'));
  expect(outcome.decision).toBe('proceed');
  expect(outcome.failures.map(({ code: failure }) => failure)).toEqual(['deadline', 'connection']);
  const lateLines = () =>
    of('transport').filter((record) => record.event === 'line-dropped' && record.reason === 'late');
  await vi.waitUntil(() => lateLines().length === 1, { timeout: 20_000 });
  // The id is free again, and its next answer is its own.
  const again = await hooks.intercept(eventOf('tool.before', 'shared'));
  expect([again.decision, again.failures]).toEqual(['proceed', []]);
});

it('§6 a spent id does not cost ten calls in flight theirs', async () => {
  const code = `
    const held = [];
    onMessage((m) => {
      const { id } = m.params.event;
      if (id === 'silent') return;
      held.push(m);
      if (id !== 'release') return;
      for (const one of held) answer(one, { protocolVersion: 'draft', effects: [{ type: 'message', text: one.id }] });
    });`;
  const open = { failurePolicy: 'fail-open' } as const;
  const { hooks, of } = makeHooks([
    stdioBackend('one.link', code, [
      subscription({ ...open, events: ['config.change.before'], timeoutMs: 1_500 }),
      subscription({ events: ['tool.before'] }),
    ]),
  ]);
  const ids = Array.from({ length: 10 }, (_, index) => `call-${index}`);
  const inFlight = ids.map((id) => hooks.intercept(eventOf('tool.before', id)));
  const spent = [
    await hooks.intercept(eventOf('config.change.before', 'silent')),
    await hooks.intercept(eventOf('config.change.before', 'silent')),
  ];
  expect(spent.map(({ failures }) => failures[0]?.code)).toEqual(['deadline', 'connection']);
  await hooks.intercept(eventOf('tool.before', 'release'));
  const outcomes = await Promise.all(inFlight);
  expect(outcomes.map(({ messages, failures }) => [messages, failures])).toEqual(ids.map((id) => [[id], []]));
  expect(of('transport').filter(({ event }) => event === 'process-started')).toHaveLength(1);
});

it('§6 a server that drops idle connections causes no denial in thirty calls', async () => {
  const peer = await httpPeer((exchange) => {
    const { socket } = exchange.request;
    // In every way in which a connection can go: at once, a little later, and half closed.
    const count = peer.arrived.length;
    exchange.response.on('finish', () => {
      if (count % 3 === 0) socket.destroy();
      if (count % 3 === 1) setTimeout(() => socket.destroy(), 1);
      if (count % 3 === 2) socket.end();
    });
    answering()(exchange);
  });
  const { hooks } = makeHooks([httpBackend('one.http', peer.url, [subscription()])]);
  for (let call = 0; call < 30; call += 1) {
    const outcome = await hooks.intercept(eventOf('tool.before', `call-${call}`));
    expect([outcome.decision, outcome.failures]).toEqual(['proceed', []]);
  }
});

it('§6 after close(), child and grandchild are gone', async () => {
  const code = `
    ignoreSigterm();
    stayAlive();
    const young = grandchild('', { stdio: 'ignore' });
    young.on('spawn', () => onMessage((m) => {
      const effects = [{ type: 'message', text: process.pid + ' ' + young.pid }];
      answer(m, { protocolVersion: 'draft', effects });
    }));`;
  const { hooks } = makeHooks([stdioBackend('one.link', code, [subscription()])]);
  const outcome = await hooks.intercept(eventOf('tool.before'));
  const pids = outcome.messages.join(' ').split(' ').map(Number);
  expect(pids).toHaveLength(2);
  expect(pids.every(isRunning)).toBe(true);
  await hooks.close();
  await vi.waitUntil(() => !pids.some(isRunning), { timeout: 20_000 });
});

it('§6 after an ordinary exit without close(), child and grandchild are gone', async () => {
  const host = spawn(process.execPath, ['--import', 'tsx', HOST], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  host.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  const code = await new Promise((resolve) => host.on('close', resolve));
  expect(code).toBe(0);
  const pids = output.trim().split(' ').map(Number);
  expect(pids).toHaveLength(2);
  await vi.waitUntil(() => !pids.some(isRunning), { timeout: 20_000 });
});

it('§6 a hundred calls that share one signal are no leak', async () => {
  const warnings: string[] = [];
  const onWarning = (warning: Error): void => void warnings.push(warning.name);
  process.on('warning', onWarning);
  const peer = await httpPeer();
  const observers = Array.from({ length: 20 }, () => subscription({ mode: 'observe' }));
  const { hooks } = makeHooks([httpBackend('one.http', peer.url, [subscription(), ...observers])]);
  const { signal } = new AbortController();
  const ids = Array.from({ length: 30 }, (_, index) => `call-${index}`);
  const outcomes = await Promise.all(ids.map((id) => hooks.intercept(eventOf('tool.before', id), { signal })));
  await Promise.all(outcomes.map(({ observations }) => observations?.done));
  await new Promise((resolve) => setImmediate(resolve));
  process.off('warning', onWarning);
  expect(warnings).toEqual([]);
});
