import { expect, it } from 'vitest';
import type { HookFailureEvent } from '../../generated/index.js';
import {
  answering,
  eventOf,
  type Handle,
  httpBackend,
  httpPeer,
  makeHooks,
  stdioBackend,
  subscription,
} from './support/kit.js';

const CALLS = 120;

/** Fails in some way for most ids, and says for the others whose answer it is. */
const UNRULY = `
  onMessage((m) => {
    if (m.method === 'hooks/observe') return;
    const number = Number(m.id.split('-')[1]);
    const own = answerLine(m, { protocolVersion: 'draft', effects: [{ type: 'message', text: 'child ' + m.id }] });
    if (number % 5 === 1) raw('npm notice\\n' + own);
    else if (number % 5 === 2) setTimeout(() => raw(own), number);
    else if (number % 5 === 3) answer(m, { protocolVersion: 'draft', effects: [{ type: 'unheard' }] });
    else if (number % 5 === 4) answer({ id: 'nobody' }, {}), answer(m, { effects: [] });
    else raw(own);
  });`;

const unrulyHttp: Handle = (exchange) => {
  const { response, request, message } = exchange;
  if (message.method === 'hooks/observe') return answering()(exchange);
  const id = String((message as { id: string }).id);
  const number = Number(id.split('-')[1]);
  if (number % 7 === 1) response.writeHead(500).end();
  else if (number % 7 === 2) request.socket.destroy();
  else if (number % 7 === 3) response.writeHead(200, { 'content-type': 'application/json' }).end('{');
  else answering([{ type: 'message', text: `http ${id}` }])(exchange);
};

const childFailures = new Map([
  [3, ['effect-unknown']],
  [4, ['invalid-message']],
]);
const httpFailures = new Map([
  [1, ['status']],
  [2, ['connection']],
  [3, ['invalid-json']],
]);

it('§5 with unruly backends and many calls at once, each outcome is its own, and each failure is told exactly once', async () => {
  const http = await httpPeer(unrulyHttp);
  const watch = await httpPeer();
  const open = subscription({ failurePolicy: 'fail-open' });
  const { hooks, of } = makeHooks([
    stdioBackend('one.child', UNRULY, [open]),
    httpBackend('one.http', http.url, [open]),
    httpBackend('one.watch', watch.url, [
      subscription({ mode: 'observe', events: ['hook.failure'] }),
      subscription({ mode: 'observe', events: ['tool.before'] }),
    ]),
  ]);
  const ids = Array.from({ length: CALLS }, (_, index) => `call-${index}`);
  const outcomes = await Promise.all(ids.map((id) => hooks.intercept(eventOf('tool.before', id))));
  await Promise.all(outcomes.map(({ observations }) => observations?.done));

  const expected = ids.map((id, number) => ({
    messages: [
      ...(childFailures.has(number % 5) ? [] : [`child ${id}`]),
      ...(httpFailures.has(number % 7) ? [] : [`http ${id}`]),
    ],
    failures: [...(childFailures.get(number % 5) ?? []), ...(httpFailures.get(number % 7) ?? [])],
  }));
  expect(outcomes.map(({ messages, failures }) => ({ messages, failures: failures.map(({ code }) => code) }))).toEqual(
    expected,
  );

  const failing = outcomes.flatMap(({ event, failures }) => failures.map(({ code }) => `${event.id} ${code}`)).sort();
  const told = (): HookFailureEvent[] =>
    watch.told().flatMap(({ event }) => (event.type === 'hook.failure' ? [event] : []));
  await expect.poll(() => told().length, { timeout: 30_000 }).toBe(failing.length);
  expect(
    told()
      .map(({ parentEventId, failure }) => `${parentEventId} ${failure.reason}`)
      .sort(),
  ).toEqual(failing);
  expect(
    of('failure')
      .map(({ event, code }) => `${event} ${code}`)
      .sort(),
  ).toEqual(failing);
  expect(of('decision')).toHaveLength(CALLS);
  expect(watch.told().filter(({ event }) => event.type === 'tool.before')).toHaveLength(CALLS);
});
