import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { Backend, HookFailureEvent, InterceptRequest } from '../../generated/index.js';
import { temporaryFolder } from '../support/temporary-folder.js';
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

type MakeBackend = (id: string, subscriptions: readonly object[]) => Backend | Promise<Backend>;

const SHORT_MS = 400;
/** Time for a child to start and to misbehave; one that is slower fails as the same. */
const CHILD_SHORT_MS = 750;

/**
 * One failing backend under both policies in one chain: it fails open, a sound one is asked with everything unchanged,
 * it fails closed, and one behind it is not asked but told. The observer of failures hears of each exactly once.
 */
async function failsAs(
  make: MakeBackend,
  code: string,
  timeoutMs = 60_000,
  type: 'tool.before' | 'workspace.change.before' = 'tool.before',
) {
  const sound = await httpPeer();
  const { hooks, of } = makeHooks([
    await make('bad.open', [subscription({ timeoutMs, failurePolicy: 'fail-open' })]),
    httpBackend('sound.first', sound.url, [
      subscription(),
      subscription({ mode: 'observe', events: ['hook.failure'] }),
    ]),
    await make('bad.closed', [subscription({ timeoutMs, failurePolicy: 'fail-closed' })]),
    httpBackend('sound.last', sound.url, [subscription()]),
  ]);
  const event = eventOf(type);
  const outcome = await hooks.intercept(event);
  await outcome.observations?.done;
  expect(outcome).toMatchObject({
    decision: 'denied',
    permission: 'deny',
    ended: { by: 'bad.closed#0', kind: 'fail-closed', code },
    failures: [
      { subscription: 'bad.open#0', policy: 'fail-open', code },
      { subscription: 'bad.closed#0', policy: 'fail-closed', code },
    ],
    called: ['bad.open#0', 'sound.first#0', 'bad.closed#0'],
    messages: [],
  });
  expect(outcome.event).toEqual(event);

  const asked = sound.asked().map(({ message }) => message as InterceptRequest);
  expect(asked).toHaveLength(1);
  expect(asked[0]?.params.state).toEqual({
    candidate: null,
    permission: 'none',
    flow: 'none',
    injections: [],
    instructions: [],
  });
  await vi.waitUntil(() => sound.told().length >= 3, { timeout: 20_000 });
  const told = sound.told().map((arrived) => arrived.event);
  const failures = told.filter((one): one is HookFailureEvent => one.type === 'hook.failure');
  expect(told.filter((one) => one.type === type)).toHaveLength(1);
  expect(
    failures.map(({ failure, source, parentEventId, session }) => ({ failure, source, parentEventId, session })),
  ).toEqual(
    ['open', 'closed'].map((policy) => ({
      failure: { backendId: `bad.${policy}`, reason: code, policy: `fail-${policy}` },
      source: event.source,
      parentEventId: event.id,
      session: event.session,
    })),
  );
  expect(new Set(failures.map(({ id }) => id)).size).toBe(2);
  expect(of('failure').map((record) => record.code)).toEqual([code, code]);
  return sound;
}

const http =
  (handle: Handle): MakeBackend =>
  async (id, subscriptions) =>
    httpBackend(id, (await httpPeer(handle)).url, subscriptions);

/** Answers 200 with this text. */
const json = (make: (id: string | number) => string | Uint8Array, headers: Record<string, string> = {}): MakeBackend =>
  http(({ response, message }) => {
    response.writeHead(200, { 'content-type': 'application/json', ...headers });
    response.end(make((message as InterceptRequest).id));
  });

const result = (id: unknown, members: object = {}): string =>
  JSON.stringify({ jsonrpc: '2.0', id, result: { protocolVersion: 'draft', effects: [], ...members } });
const rpcError = (id: unknown, code: number): string =>
  JSON.stringify({ jsonrpc: '2.0', id, error: { code, message: 'peer text' } });

const status = (code: number, headers: Record<string, string> = {}): MakeBackend =>
  http(({ response }) => response.writeHead(code, headers).end());

describe('§5 each operational failure over HTTP, under both policies, told once', () => {
  it.each<[string, MakeBackend, string]>([
    ['status 500', status(500), 'status'],
    ['status 202 to a request', status(202), 'status'],
    ['status 204 to a request', status(204), 'status'],
    ['status 401', status(401, { 'www-authenticate': 'Bearer' }), 'authentication'],
    ['status 403', status(403), 'status'],
    ['status 413', status(413), 'status'],
    ['status 503', status(503), 'status'],
    ['a redirect 302', status(302, { location: '/elsewhere' }), 'status'],
    ['a redirect 307', status(307, { location: '/elsewhere' }), 'status'],
    ['another media type', json(result, { 'content-type': 'text/plain' }), 'invalid-message'],
    ['another charset', json(result, { 'content-type': 'application/json; charset=latin1' }), 'invalid-message'],
    ['a content coding', json(result, { 'content-encoding': 'gzip' }), 'invalid-message'],
    ['no body', json(() => ''), 'invalid-json'],
    ['no JSON', json(() => 'Welcome back!'), 'invalid-json'],
    ['a byte-order mark', json((id) => `\ufeff${result(id)}`), 'invalid-json'],
    ['a member twice', json((id) => result(id).replace('{', '{"id":"e-1",')), 'invalid-json'],
    ['no UTF-8', json(() => Buffer.from([0x22, 0xff, 0x22])), 'invalid-utf8'],
    ['a batch', json((id) => `[${result(id)}]`), 'invalid-message'],
    [
      'no effects',
      json((id) => `{"jsonrpc":"2.0","id":"${id}","result":{"protocolVersion":"draft"}}`),
      'invalid-message',
    ],
    ['another id', json(() => result('e-2')), 'wrong-id'],
    ['a null id', json(() => result(null)), 'wrong-id'],
    ['an error', json((id) => rpcError(id, -32603)), 'error-response'],
    ['an error with a null id', json(() => rpcError(null, -32603)), 'error-response'],
    ['error -32001', json((id) => rpcError(id, -32001)), 'unsupported-version'],
    ['error -32002', json((id) => rpcError(id, -32002)), 'unsupported-event'],
    ['another version', json((id) => result(id, { protocolVersion: '2' })), 'unsupported-version'],
    ['an unknown effect', json((id) => result(id, { effects: [{ type: 'com.example.own' }] })), 'effect-unknown'],
    ['a malformed effect', json((id) => result(id, { effects: [{ type: 'deny' }] })), 'effect-malformed'],
    [
      'an effect that is not granted',
      json((id) => result(id, { effects: [{ type: 'return', value: 1 }] })),
      'effect-not-granted',
    ],
    ['a connection that closes at once', http(({ request }) => request.socket.destroy()), 'connection'],
    [
      'a body that ends early',
      http(({ request, response }) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
        response.write('{"jsonrpc"', () => request.socket.destroy());
      }),
      'connection',
    ],
    ['nobody there', async (id, subscriptions) => httpBackend(id, await freeUrl(), subscriptions), 'connection'],
  ])('%s', async (_, make, code) => {
    await failsAs(make, code);
  });

  it.each<[string, MakeBackend]>([
    ['accepts and says nothing', http(() => undefined)],
    [
      'trickles bytes',
      http(({ response, message }) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        const bytes = result((message as InterceptRequest).id);
        let at = 0;
        const timer = setInterval(() => response.write(bytes[at++ % bytes.length] ?? ''), 20);
        response.on('close', () => clearInterval(timer));
      }),
    ],
    [
      'sends its head and no more',
      http(({ response }) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.flushHeaders();
      }),
    ],
  ])('a backend that %s', async (_, make) => {
    await failsAs(make, 'deadline', SHORT_MS);
  });

  it('a change that would make the event invalid', async () => {
    const effects = [{ type: 'modify', target: 'workspace', operation: 'replace', value: 'no object' }];
    await failsAs(http(answering(effects)), 'event-invalid', 60_000, 'workspace.change.before');
  });

  it('no credential comes, and nothing is sent', async () => {
    const peer = await httpPeer();
    const authentication = { type: 'bearer', tokenEnv: 'AHP_TEST_UNSET' };
    await failsAs(
      (id, subscriptions) => httpBackend(id, peer.url, subscriptions, { authentication }),
      'authentication',
    );
    expect(peer.arrived).toEqual([]);
  });

  it('a gap of a requested body fails the delivery of a fail-closed subscription, and of no other', async () => {
    const peer = await httpPeer();
    const body = { content: { default: 'body' } };
    const { hooks } = makeHooks([
      httpBackend('one.open', peer.url, [subscription({ ...body, failurePolicy: 'fail-open' })]),
      httpBackend('one.closed', peer.url, [subscription(body)]),
    ]);
    const outcome = await hooks.intercept(eventOf('turn.start'));
    await outcome.observations?.done;
    expect(outcome.failures).toEqual([{ subscription: 'one.closed#0', policy: 'fail-closed', code: 'preparation' }]);
    expect(outcome.decision).toBe('denied');
    expect(peer.arrived).toHaveLength(1);
    expect(peer.arrived[0]?.text).toContain('"gap":{"reason":"source_unavailable"}');
  });

  it('follows no redirect: nothing arrives where it leads, and no token is sent twice', async () => {
    const target = await httpPeer();
    await failsAs(status(308, { location: target.url }), 'status');
    expect(target.arrived).toEqual([]);
  });
});

/** An address where nobody listens. */
async function freeUrl(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}/hooks`;
}

const persistent =
  (code: string): MakeBackend =>
  (id, subscriptions) =>
    stdioBackend(id, code, subscriptions);
const perEvent =
  (code: string): MakeBackend =>
  (id, subscriptions) =>
    stdioBackend(id, code, subscriptions, 'per_event');
const command =
  (transport: object): MakeBackend =>
  (id, subscriptions) =>
    ({ id, transport: { type: 'stdio', ...transport }, subscriptions }) as unknown as Backend;

const PROCEED = `{ protocolVersion: 'draft', effects: [] }`;

describe('§5 each operational failure over stdio, under both policies, told once', () => {
  it.each<[string, MakeBackend, string]>([
    ['leaves without an answer', persistent('onMessage(() => process.exit(0))'), 'process-exit'],
    ['leaves at once', persistent('process.exit(2)'), 'process-exit'],
    ['is killed', persistent(`onMessage(() => process.kill(process.pid, 'SIGKILL'))`), 'process-exit'],
    [
      'answers an error',
      persistent(
        `onMessage((m) => raw(JSON.stringify({ jsonrpc: '2.0', id: m.id, error: { code: -32003, message: 'x' } }) + '\\n'))`,
      ),
      'error-response',
    ],
    [
      'answers another version',
      persistent(`onMessage((m) => answer(m, { protocolVersion: '3', effects: [] }))`),
      'unsupported-version',
    ],
    ['answers no effects', persistent('onMessage((m) => answer(m, {}))'), 'invalid-message'],
    [
      'answers half and leaves',
      persistent(
        `onMessage((m) => { process.stdout.write(answerLine(m, ${PROCEED}).slice(0, 20), () => process.exit(0)); })`,
      ),
      'process-exit',
    ],
    [
      'per event: prints a banner before its answer',
      perEvent(`onMessage((m) => raw('Welcome back!\\n' + answerLine(m, ${PROCEED})))`),
      'invalid-message',
    ],
    [
      'per event: answers twice',
      perEvent(`onMessage((m) => raw(answerLine(m, ${PROCEED}) + answerLine(m, ${PROCEED})))`),
      'invalid-message',
    ],
    [
      'per event: answers and exits with 2',
      perEvent(`onMessage((m) => { answer(m, ${PROCEED}); process.exitCode = 2; })`),
      'process-exit',
    ],
    ['per event: exits with 2 at once', perEvent('process.exit(2)'), 'process-exit'],
    ['per event: answers another id', perEvent(`onMessage((m) => answer({ id: 'e-2' }, ${PROCEED}))`), 'wrong-id'],
    ['per event: prints no JSON', perEvent(`onMessage(() => raw('no\\n'))`), 'invalid-json'],
    [
      'per event: prints no UTF-8',
      perEvent(`onMessage(() => raw(Buffer.from([0x22, 0xff, 0x22, 10])))`),
      'invalid-utf8',
    ],
    ['has no program', command({ command: 'ahp-no-such-program', lifecycle: 'persistent' }), 'process-exit'],
    ['per event: has no program', command({ command: 'ahp-no-such-program', lifecycle: 'per_event' }), 'process-exit'],
    [
      'has a missing script',
      command({ command: process.execPath, args: ['/no/such/script.js'], lifecycle: 'persistent' }),
      'process-exit',
    ],
    [
      'has no working directory',
      command({ command: process.execPath, cwd: '/no/such/directory', lifecycle: 'persistent' }),
      'process-exit',
    ],
    [
      'has a relative working directory',
      command({ command: process.execPath, cwd: 'here', lifecycle: 'persistent' }),
      'process-exit',
    ],
  ])('a backend that %s', async (_, make, code) => {
    await failsAs(make, code);
  });

  it('a backend whose working directory is a file, or whose program may not be run', async () => {
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, '', { mode: 0o600 });
    await failsAs(command({ command: process.execPath, cwd: file, lifecycle: 'per_event' }), 'process-exit');
    await failsAs(command({ command: file, lifecycle: 'persistent' }), 'process-exit');
  });

  it.each<[string, MakeBackend]>([
    ['reads and says nothing', persistent('onMessage(() => {})')],
    ['never reads its stdin', persistent('stayAlive()')],
    ['trickles bytes', persistent(`onMessage(() => setInterval(() => raw(' '), 10))`)],
    ['answers another id', persistent(`onMessage(() => answer({ id: 'e-2' }, ${PROCEED}))`)],
    ['answers a null id', persistent(`onMessage(() => answer({ id: null }, ${PROCEED}))`)],
    ['answers no JSON', persistent(`onMessage(() => raw('no\\n'))`)],
    ['answers no UTF-8', persistent(`onMessage(() => raw(Buffer.from([0x22, 0xff, 0x22, 10])))`)],
    ['ignores SIGTERM', perEvent('ignoreSigterm(); stayAlive()')],
    [
      'floods stderr and says nothing',
      persistent(`onMessage(() => setInterval(() => process.stderr.write('e'.repeat(100_000)), 10))`),
    ],
    ['answers late', persistent(`onMessage((m) => setTimeout(() => answer(m, ${PROCEED}), 30_000))`)],
  ])('a backend that %s', async (_, make) => {
    await failsAs(make, 'deadline', CHILD_SHORT_MS);
  });

  it('a backend that closes its stdout and lives on fails before its deadline', async () => {
    const code = `ignoreSigterm(); stayAlive(); onMessage(() => require('node:fs').closeSync(1));`;
    const { hooks } = makeHooks([stdioBackend('one.bad', code, [subscription()])]);
    const outcome = await hooks.intercept(eventOf('tool.before'));
    expect(outcome.ended?.kind).toBe('fail-closed');
    expect(['connection', 'process-exit']).toContain(outcome.failures[0]?.code);
  });
});

describe('§6 what is odd and no failure', () => {
  const DENY = `{ protocolVersion: 'draft', effects: [{ type: 'deny', reason: 'no' }] }`;

  it.each<[string, string, 'persistent' | 'per_event']>([
    [
      'prints a banner on a persistent link',
      `raw('npm notice\\n'); onMessage((m) => answer(m, ${DENY}))`,
      'persistent',
    ],
    [
      'answers twice on a persistent link',
      `onMessage((m) => { answer(m, ${DENY}); answer(m, ${PROCEED}); })`,
      'persistent',
    ],
    [
      'floods stderr first',
      `onMessage((m) => process.stderr.write('e'.repeat(1_000_000), () => answer(m, ${DENY})))`,
      'persistent',
    ],
    [
      'answers one byte at a time',
      `onMessage((m) => { for (const b of Buffer.from(answerLine(m, ${DENY.replace("'no'", "'nö🜁'")}))) process.stdout.write(Buffer.of(b)); })`,
      'persistent',
    ],
    [
      'leaves a grandchild that holds its pipe',
      `onMessage((m) => { grandchild(''); answer(m, ${DENY}); process.stdin.pause(); process.stdout.write('', () => process.exit(0)); })`,
      'per_event',
    ],
    ['leaves its last line unfinished', `onMessage((m) => raw(answerLine(m, ${DENY}).trimEnd()))`, 'per_event'],
  ])('a backend that %s decides', async (_, code, lifecycle) => {
    const { hooks, of } = makeHooks([stdioBackend('one.odd', code, [subscription()], lifecycle)]);
    const outcome = await hooks.intercept(eventOf('tool.before'));
    expect(outcome.ended).toMatchObject({ by: 'one.odd#0', kind: 'deny' });
    expect(outcome.failures).toEqual([]);
    expect(of('failure')).toEqual([]);
  });
});
