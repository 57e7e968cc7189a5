import { describe, expect, it, vi } from 'vitest';
import type { Capabilities, InterceptRequest } from '../../generated/index.js';
import type { InterceptableEvent } from '../../runtime/harness/index.js';
import { createHooks, HooksError } from '../../runtime/harness/index.js';
import { RecordLog, type HookRecord } from '../../runtime/harness/records.js';
import { RegistrationError } from '../../runtime/registration/index.js';
import { createMemoryTransport, type Transport } from '../../runtime/transports/index.js';
import { createMemoryStore, createReceiver } from '../../runtime/receiver/index.js';
import { interceptRequest } from '../../runtime/wire/index.js';
import { settleTurns } from '../support/barrier.js';
import {
  answering,
  eventOf,
  type Handle,
  type HttpPeer,
  httpBackend,
  httpPeer,
  makeHooks,
  MANIFEST,
  stdioBackend,
  subscription,
} from './support/kit.js';
import { uploadPeer } from './support/uploads.js';

async function errorOf(promise: Promise<unknown>): Promise<HooksError> {
  const error: unknown = await promise.then(
    () => new Error('expected a HooksError, got a result'),
    (reason: unknown) => reason,
  );
  if (error instanceof HooksError) return error;
  throw error;
}

/** The capabilities of the last request that arrived. */
function grantedTo(peer: HttpPeer): Capabilities | undefined {
  const last = peer.asked().at(-1)?.message as InterceptRequest | undefined;
  return last?.params.capabilities;
}

const memory = (transport: Transport, subscriptions: readonly object[] = [subscription()]) =>
  ({
    backends: [httpBackend('one.memory', 'http://127.0.0.1:1/', subscriptions)],
    transports: { http: transport },
  }) as const;

describe('§6 close()', () => {
  it('interrupts what is pending, records it, and refuses what comes later', async () => {
    const peer = await httpPeer(() => undefined);
    const { hooks, of } = makeHooks([
      httpBackend('one.silent', peer.url, [subscription({ failurePolicy: 'fail-open' })]),
      stdioBackend('one.child', 'ignoreSigterm(); stayAlive()', [subscription({ mode: 'observe' })]),
    ]);
    hooks.observe(eventOf('tool.before', 'e-0'));
    const pending = [hooks.intercept(eventOf('tool.before', 'e-1')), hooks.intercept(eventOf('tool.before', 'e-2'))];
    await vi.waitUntil(() => peer.asked().length === 2, { timeout: 20_000 });
    const discovery = errorOf(hooks.discover('one.child'));
    await Promise.all([hooks.close(), hooks.close()]);
    for (const outcome of await Promise.all(pending)) {
      expect(outcome).toMatchObject({
        decision: 'interrupted',
        ended: { by: null, kind: 'interrupted' },
        failures: [],
      });
    }
    await vi.waitUntil(() => of('decision').length === 2);
    expect(of('decision').map(({ decision, ended, by }) => [decision, ended, by])).toEqual([
      ['interrupted', 'interrupted', null],
      ['interrupted', 'interrupted', null],
    ]);
    expect((await discovery).code).toBe('closed');
    expect((await errorOf(hooks.intercept(eventOf('tool.before')))).code).toBe('closed');
    expect((await errorOf(hooks.discover('one.child'))).code).toBe('closed');
    expect(() => hooks.observe(eventOf('tool.before'))).toThrow(HooksError);
  });

  it('waits for the outcomes that it interrupts, so that they are in the records', async () => {
    const silent: Transport = {
      request: () => new Promise(() => undefined),
      notify: () => Promise.resolve(),
      close: () => undefined,
    };
    const { backends, transports } = memory(silent);
    const hooks = createHooks({
      registration: { protocolVersion: 'draft', hooks: backends },
      manifest: MANIFEST,
      transports,
    });
    const pending = hooks.intercept(eventOf('tool.before'));
    await settleTurns();
    await hooks.close();
    const kinds: string[] = [];
    for await (const record of hooks.records) kinds.push(record.kind);
    expect(kinds).toEqual(['decision']);
    expect((await pending).decision).toBe('interrupted');
  });

  it('returns although a transport of somebody else’s never ends, and never answers', { timeout: 30_000 }, async () => {
    const hanging: Transport = {
      request: () => new Promise(() => undefined),
      notify: () => new Promise(() => undefined),
      close: () => new Promise(() => undefined),
    };
    const { backends, transports } = memory(hanging);
    const { hooks } = makeHooks(backends, { transports });
    const pending = hooks.intercept(eventOf('tool.before'));
    const discovery = await errorOf(hooks.discover('one.memory', { timeoutMs: 20 }));
    expect([discovery.code, discovery.detail]).toEqual(['discovery-failed', 'deadline']);
    await hooks.close();
    expect((await pending).decision).toBe('interrupted');
  });
});

describe('§6 discovery', () => {
  const manifestText = (id: unknown, manifest: object = MANIFEST): string =>
    JSON.stringify({ jsonrpc: '2.0', id, result: { protocolVersion: 'draft', manifest } });
  const reply =
    (make: (id: string | number) => string | Uint8Array): Handle =>
    ({ response, message }) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(make((message as { id: string }).id));
    };

  /** A transport, since discovery has no event for the kit's server to look at. */
  function discovering(make: (id: string) => string | Uint8Array) {
    const transport = createMemoryTransport(({ bytes }) => {
      const { id } = JSON.parse(Buffer.from(bytes).toString('utf8')) as { id: string };
      const answer = make(id);
      return typeof answer === 'string' ? Buffer.from(answer) : answer;
    });
    const { backends, transports } = memory(transport);
    return makeHooks(backends, { transports });
  }

  it('gives the backend’s manifest over HTTP, records it, and changes no grant', async () => {
    const manifest = { ...MANIFEST, events: [] };
    const receiver = createReceiver({
      manifest,
      authenticate: () => ({ principal: 'p', scope: 's', permissions: ['event'] }),
      store: createMemoryStore(),
    });
    const listening = await receiver.listen(0);
    const peer = await httpPeer();
    const { hooks, of } = makeHooks([
      httpBackend('one.real', `${listening.url}/hooks`, [subscription({ events: ['turn.start'] })]),
      httpBackend('one.other', peer.url, [subscription()]),
    ]);
    expect(await hooks.discover('one.real')).toEqual(manifest);
    expect(of('discovery').map(({ backend, code }) => [backend, code])).toEqual([['one.real', 'ok']]);
    await hooks.intercept(eventOf('tool.before'));
    await listening.close();
    expect(grantedTo(peer)?.effects).toContain('deny');
  });

  it.each<[string, (id: string) => string | Uint8Array, string]>([
    ['no JSON', () => 'no', 'invalid-json'],
    ['no UTF-8', () => Uint8Array.of(0x22, 0xff, 0x22), 'invalid-utf8'],
    [
      'no manifest',
      (id) => `{"jsonrpc":"2.0","id":"${id}","result":{"protocolVersion":"draft","effects":[]}}`,
      'invalid-message',
    ],
    ['a manifest that is not canonical', (id) => manifestText(id, { ...MANIFEST, gaps: 1 }), 'invalid-message'],
    ['another id', () => manifestText('other'), 'wrong-id'],
    ['a null id', () => manifestText(null), 'wrong-id'],
    ['an error', (id) => `{"jsonrpc":"2.0","id":"${id}","error":{"code":-32601,"message":"marked"}}`, 'error-response'],
    [
      'error -32001',
      () => `{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"marked"}}`,
      'unsupported-version',
    ],
  ])('rejects %s', async (_, make, detail) => {
    const { hooks, of } = discovering(make);
    const error = await errorOf(hooks.discover('one.memory'));
    expect([error.code, error.detail]).toEqual(['discovery-failed', detail]);
    expect(error.message).not.toContain('marked');
    expect(of('discovery').map(({ code }) => code)).toEqual([detail]);
  });

  it('rejects an unknown backend, a bad time-out, and a caller who gave up', async () => {
    const { hooks } = discovering((id) => manifestText(id));
    expect((await errorOf(hooks.discover('one.none'))).code).toBe('unknown-backend');
    expect((await errorOf(hooks.discover('one.memory', { timeoutMs: Number.NaN }))).code).toBe('configuration');
    const error = await errorOf(hooks.discover('one.memory', { signal: AbortSignal.abort() }));
    expect([error.code, error.detail]).toEqual(['discovery-failed', 'aborted']);
  });

  it('a status is told by its code', async () => {
    const peer = await httpPeer(reply(() => ''));
    await peer.close();
    const { hooks } = makeHooks([httpBackend('one.http', peer.url, [subscription()])]);
    expect((await errorOf(hooks.discover('one.http'))).detail).toBe('connection');
  });
});

describe('§5 what is granted', () => {
  it('nothing without an entry of the manifest, and the request is sent all the same', async () => {
    const peer = await httpPeer();
    const { hooks } = makeHooks([httpBackend('one.http', peer.url, [subscription()])], {
      manifest: { ...MANIFEST, events: [] },
    });
    await hooks.intercept(eventOf('tool.before'));
    expect(grantedTo(peer)).toEqual({ effects: [] });
  });

  it('continue only with an allowance, and the counts are the call’s', async () => {
    const peer = await httpPeer(answering([{ type: 'flow', operation: 'continue', instruction: 'again' }]));
    const { hooks } = makeHooks([httpBackend('one.http', peer.url, [subscription({ failurePolicy: 'fail-open' })])]);
    const none = await hooks.intercept(eventOf('turn.finish.before'));
    expect(none.failures.map(({ code }) => code)).toEqual(['effect-not-granted']);
    expect(grantedTo(peer)?.flow).toMatchObject({ operations: ['stop'] });
    const continuations = { remainingContinuations: 1, continuationCount: 2 };
    const some = await hooks.intercept(eventOf('turn.finish.before'), { continuations });
    expect([some.flow, some.instructions]).toEqual(['continue', ['again']]);
    expect(grantedTo(peer)?.flow).toMatchObject({ ...continuations, operations: ['stop', 'continue'] });
  });

  it('§2 elicitation effects are offered and staged only with the option, and conflicts reject the response', async () => {
    const { upload } = await uploadPeer();
    const answers = [
      [{ type: 'return', value: { action: 'accept', content: { seats: 2 } } }],
      [{ type: 'return', value: { action: 'accept', content: { seats: 'two' } } }],
      [
        { type: 'return', value: { action: 'decline' } },
        { type: 'deny', reason: 'no' },
      ],
      [{ type: 'return', value: { action: 'decline' } }],
    ];
    let call = 0;
    const peer = await httpPeer((exchange) => answering(answers[call++])(exchange));
    const { hooks } = makeHooks([
      httpBackend('one.http', peer.url, [
        subscription({ content: { default: 'body' }, upload, failurePolicy: 'fail-open' }),
      ]),
    ]);
    const form = {
      message: 'How many?',
      requestedSchema: { type: 'object', properties: { seats: { type: 'integer' } }, required: ['seats'] },
    };
    const content = { req: Buffer.from(JSON.stringify(form)) };
    const event = eventOf('user.elicitation.request');
    const given = await hooks.intercept(event, { content, elicitation: {} });
    expect(given.candidate).toEqual({ value: { action: 'accept', content: { seats: 2 } } });
    const wrong = await hooks.intercept(event, { content, elicitation: {} });
    const conflict = await hooks.intercept(event, { content, elicitation: {} });
    const closed = await hooks.intercept(event, { content });
    expect([wrong, conflict, closed].map(({ failures, candidate }) => [failures[0]?.code, candidate])).toEqual([
      ['effect-malformed', null],
      ['effect-conflict', null],
      ['effect-not-granted', null],
    ]);
    expect(grantedTo(peer)?.effects).toEqual(['deny', 'message']);
  });

  it.each(['content', 'resolveBody'] as const)(
    '§2 an edited answer is merged, checked, and materialized; the request is found by %s',
    async (way) => {
      const { upload, textOf } = await uploadPeer();
      const editor = await httpPeer(
        answering([{ type: 'modify', target: 'content', operation: 'merge', value: { seats: 3 } }]),
      );
      const next = await httpPeer();
      const body = { content: { default: 'body' }, upload };
      const { hooks } = makeHooks([
        httpBackend('one.editor', editor.url, [subscription(body)]),
        httpBackend('one.next', next.url, [subscription(body)]),
      ]);
      const form = {
        message: 'How many?',
        requestedSchema: {
          type: 'object',
          properties: { seats: { type: 'integer' }, row: { type: 'string' } },
          required: ['seats'],
        },
      };
      const question = eventOf('user.elicitation.request');
      const request = interceptRequest({ event: question, capabilities: { effects: [] } });
      const event = { ...eventOf('user.elicitation.result', 'e-2'), parentEventId: question.id };
      const answer = { action: 'accept', content: { seats: 1, row: 'a' } };
      const encode = (value: object): Uint8Array => Buffer.from(JSON.stringify(value));
      const outcome = await hooks.intercept(event, {
        content: { ...(way === 'content' ? { req: encode(form) } : {}), res: encode(answer) },
        values: { content: answer.content },
        elicitation: {
          request,
          resolveBody: (_, { item }) => ('id' in item && item.id === 'req' ? encode(form) : null),
        },
        materialize: ({ event: effective, value }) => ({
          event: effective,
          content: { res: encode({ ...answer, content: value }) },
        }),
      });
      expect(outcome.failures).toEqual([]);
      expect(outcome.values).toEqual({ content: { seats: 3, row: 'a' } });
      const arrived = next.asked()[0]?.event as
        { elicitation: { result: { id: string; body: { ref: string } } } } | undefined;
      const result = arrived?.elicitation.result;
      expect(result?.id).toBe('res');
      expect(JSON.parse(textOf(result?.body.ref) ?? '')).toEqual({
        action: 'accept',
        content: { seats: 3, row: 'a' },
      });
    },
  );
});

describe('what createHooks refuses', () => {
  const registration = { protocolVersion: 'draft', hooks: memory(createMemoryTransport(() => null)).backends };

  it.each<[string, object, string]>([
    ['a manifest that is not canonical', { manifest: { ...MANIFEST, events: 1 } }, 'manifest/events'],
    ['retries below 0', { retries: -1 }, 'retries'],
    ['no time to prepare', { prepareTimeoutMs: 0 }, 'prepareTimeoutMs'],
    ['a relative working directory', { cwd: 'here' }, 'cwd'],
  ])('%s', (_, options, detail) => {
    const create = (): unknown => createHooks({ registration, manifest: MANIFEST, ...options });
    expect(create).toThrow(HooksError);
    expect(create).toThrow(expect.objectContaining({ code: 'configuration', detail }));
  });

  it('a registration that cannot be used, and a managed scope that was not managed', () => {
    expect(() => createHooks({ registration: '{', manifest: MANIFEST })).toThrow(RegistrationError);
    const managed = subscription({ scope: 'managed', disableable: false } as object);
    const hooks = [httpBackend('one.http', 'http://127.0.0.1:1/', [managed])];
    const document = { protocolVersion: 'draft', hooks };
    expect(() => createHooks({ registration: document, manifest: MANIFEST })).toThrow(RegistrationError);
    expect(createHooks({ registration: document, manifest: MANIFEST, managed: true }).warnings).toEqual([]);
  });

  it('tells what of a registration it does not know', () => {
    const document = { ...registration, 'x-own': 1 };
    const { warnings } = createHooks({ registration: document, manifest: MANIFEST });
    expect(warnings).toEqual([expect.objectContaining({ pointer: '/x-own' })]);
  });

  it('events that are not canonical or cannot be intercepted, and options that do not fit the event', async () => {
    const { backends, transports } = memory(createMemoryTransport(() => null));
    const { hooks } = makeHooks(backends, { transports });
    const bad = { ...eventOf('tool.before'), time: 'now' };
    expect((await errorOf(hooks.intercept(bad))).code).toBe('event-invalid');
    const ended = { ...eventOf('tool.before'), type: 'session.end' } as unknown as InterceptableEvent;
    expect((await errorOf(hooks.intercept(ended))).code).toBe('event-invalid');
    const continuations = { remainingContinuations: -1, continuationCount: 0 };
    const error = await errorOf(hooks.intercept(eventOf('turn.finish.before'), { continuations }));
    expect([error.code, error.detail]).toEqual(['configuration', 'capabilities']);
  });
});

describe('§6 records', () => {
  const record = (index: number): HookRecord => ({
    kind: 'discovery',
    backend: 'b',
    code: String(index),
    elapsedMs: 0,
  });

  it('are bounded: of 10,050 the oldest 50 go, counted, and the rest are read in order', async () => {
    const log = new RecordLog();
    for (let index = 0; index < 10_050; index += 1) log.push(record(index));
    log.close();
    expect(log.dropped).toBe(50);
    const read: string[] = [];
    for await (const one of log) read.push((one as { code: string }).code);
    expect(read).toEqual(Array.from({ length: 10_000 }, (_, index) => String(index + 50)));
  });

  it('each goes to one reader, and one that leaves while it waits takes none along', async () => {
    const log = new RecordLog();
    const leaving = log[Symbol.asyncIterator]();
    const staying = log[Symbol.asyncIterator]();
    const left = leaving.next();
    const got = staying.next();
    await leaving.return?.();
    expect(await left).toEqual({ done: true, value: undefined });
    log.push(record(1));
    expect((await got).value).toEqual(record(1));
    expect((await leaving.next()).done).toBe(true);
    const last = staying.next();
    log.close();
    log.push(record(2));
    expect((await last).done).toBe(true);
  });

  it('a decision says who ended it and how many were called', async () => {
    const peer = await httpPeer(answering([{ type: 'deny', reason: 'marked reason' }]));
    const { hooks, of, records } = makeHooks([httpBackend('one.http', peer.url, [subscription(), subscription()])]);
    const outcome = await hooks.intercept(eventOf('tool.before'));
    await outcome.observations?.done;
    await vi.waitUntil(() => of('decision').length === 1);
    const event = { event: 'e-1', source: 'urn:example:harness', type: 'tool.before' };
    expect(of('decision')).toEqual([
      {
        kind: 'decision',
        ...event,
        decision: 'denied',
        ended: 'deny',
        by: 'one.http#0',
        called: 1,
        elapsedMs: expect.any(Number),
      },
    ]);
    expect(JSON.stringify(records)).not.toContain('marked');
  });
});
