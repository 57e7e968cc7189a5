import { describe, expect, it } from 'vitest';
import type { Handlers, InterceptContext, ObserveContext, ReceivedBody } from '../../runtime/receiver/index.js';
import { barrier } from '../support/barrier.js';
import { intercept, observe, readyItem, toolAfter, toolBefore } from './support/messages.js';
import { sendMessage, sendUpload } from './support/raw-client.js';
import { makeReceiver, startServer } from './support/start.js';

/** Handlers whose type says less than they do, as JavaScript's are. */
function untyped(handlers: unknown): Handlers {
  return handlers as Handlers;
}

async function answerOf(
  intercepting: unknown,
  capabilities?: unknown,
): Promise<{ result?: { effects: unknown[] }; error?: unknown }> {
  const { receiver } = makeReceiver({ handlers: untyped({ 'tool.before': { intercept: intercepting } }) });
  const message = intercept(toolBefore('e1'), capabilities === undefined ? {} : { capabilities });
  const response = await receiver.handle(
    new Request('http://x/hooks', {
      method: 'POST',
      headers: { authorization: 'Bearer acme', 'content-type': 'application/json' },
      body: JSON.stringify(message),
    }),
  );
  return (await response.json()) as { result?: { effects: unknown[] } };
}

const REFUSED = { jsonrpc: '2.0', id: 'e1', error: { code: -32004, message: 'the backend failed' } };

describe('§8 handlers', () => {
  it('are given the event and what belongs to it; the request stays what it was', async () => {
    const given: { event: unknown; context: InterceptContext }[] = [];
    const { receiver } = makeReceiver({
      handlers: { 'tool.before': { intercept: (event, context) => void given.push({ event, context }) } },
    });
    const event = toolBefore('e1', { native: { a: 1 } });
    const state = { candidate: null, permission: 'ask', flow: 'none', injections: [], instructions: [] };
    await receiver.handle(
      new Request('http://x/hooks', {
        method: 'POST',
        headers: { authorization: 'Bearer acme', 'content-type': 'application/json' },
        body: JSON.stringify(intercept(event, { capabilities: { effects: ['deny'] }, state })),
      }),
    );
    expect(given).toHaveLength(1);
    expect(given[0]?.event).toEqual(event);
    expect(given[0]?.context).toMatchObject({
      capabilities: { effects: ['deny'] },
      state,
      principal: 'acme',
      scope: 'acme',
    });
    expect(given[0]?.context.signal.aborted).toBe(false);
    expect(Object.isFrozen(given[0]?.event)).toBe(true);
    expect(Object.isFrozen(given[0]?.context.capabilities.effects)).toBe(true);
  });

  it('run again for a duplicate delivery, which they tell by (source, id)', async () => {
    const seen: string[] = [];
    const { port } = await startServer({
      handlers: { 'tool.before': { intercept: ({ source, id }) => void seen.push(`${source} ${id}`) } },
    });
    for (let time = 0; time < 2; time += 1) await sendMessage(port, intercept(toolBefore('e1')));
    expect(seen).toEqual(['urn:example:harness e1', 'urn:example:harness e1']);
  });

  it.each([
    ['none for nothing', () => undefined, []],
    ['none for null', () => null, []],
    ['a list', () => [{ type: 'deny', reason: 'no' }], [{ type: 'deny', reason: 'no' }]],
    ['a promise', async () => [{ type: 'ask' }, { type: 'allow' }], [{ type: 'ask' }, { type: 'allow' }]],
    [
      'members called __proto__',
      () => [{ type: 'modify', target: 'input', operation: 'merge', value: JSON.parse('{"__proto__":{"a":1}}') }],
      [{ type: 'modify', target: 'input', operation: 'merge', value: JSON.parse('{"__proto__":{"a":1}}') }],
    ],
  ])('give effects: %s', async (_name, handler, effects) => {
    expect((await answerOf(handler)).result?.effects).toEqual(effects);
  });

  it.each([
    ['no list', () => ({ type: 'deny', reason: 'no' })],
    ['a text', () => 'deny'],
    ['an unknown effect', () => [{ type: 'explode' }]],
    ['an effect of a reverse-DNS name', () => [{ type: 'com.example.x' }]],
    ['a member too many', () => [{ type: 'allow', reason: 'x' }]],
    ['an empty reason', () => [{ type: 'deny', reason: '' }]],
    ['a replaced input that is no object', () => [{ type: 'modify', target: 'input', operation: 'replace', value: 1 }]],
    ['a value that is no JSON', () => [{ type: 'return', value: { when: new Date(0) } }]],
    ['a value that contains itself', () => [selfish()]],
    ['a bigint', () => [{ type: 'return', value: 1n }]],
    ['one good, one bad', () => [{ type: 'allow' }, { type: 'explode' }]],
    [
      'a throw',
      () => {
        throw new Error('secret');
      },
    ],
    ['a rejection', () => Promise.reject(new Error('secret'))],
    [
      'a throw of nothing',
      () => {
        throw undefined;
      },
    ],
  ])('that are malformed are never sent, -32004: %s', async (_name, handler) => {
    expect(await answerOf(handler)).toEqual(REFUSED);
  });

  it.each([
    ['an effect', [{ type: 'ask' }], { effects: ['deny'] }],
    ['an operation', [merge()], { effects: ['modify'], modify: { input: { replace: true, merge: false } } }],
    ['a flow', [{ type: 'flow', operation: 'stop', reason: 'r' }], { effects: ['deny'] }],
    [
      'a moment',
      [{ type: 'inject', target: 'context', operation: 'append', deliverAt: 'now', value: 1 }],
      { effects: ['inject'], inject: { context: { append: true, deliverAt: ['next_turn'] } } },
    ],
    ['one of two', [{ type: 'deny', reason: 'r' }, { type: 'ask' }], { effects: ['deny'] }],
  ])('that are not granted are never sent, -32004: %s', async (_name, effects, capabilities) => {
    expect(await answerOf(() => effects, capabilities)).toEqual(REFUSED);
  });

  it('cannot grant themselves more', async () => {
    const grab = (_event: unknown, { capabilities }: InterceptContext): unknown => {
      (capabilities.effects as string[]).push('ask');
      return [{ type: 'ask' }];
    };
    expect(await answerOf(grab, { effects: ['deny'] })).toEqual(REFUSED);
    let reads = 0;
    const shifty = {
      get type() {
        reads += 1;
        return reads === 1 ? 'deny' : 'allow';
      },
      reason: 'r',
    };
    expect((await answerOf(() => [shifty], { effects: ['deny'] })).result?.effects).toEqual([
      { type: 'deny', reason: 'r' },
    ]);
  });

  it('are not let continue beyond the allowance (§5)', async () => {
    const flow = { operations: ['continue', 'stop'], remainingContinuations: 0, continuationCount: 3 };
    const { receiver } = makeReceiver({
      handlers: { 'tool.after': { intercept: () => [{ type: 'flow', operation: 'continue' }] } },
    });
    const codes: unknown[] = [];
    for (const remainingContinuations of [0, 1]) {
      const capabilities = { effects: ['flow'], flow: { ...flow, remainingContinuations } };
      const response = await receiver.handle(
        new Request('http://x/hooks', {
          method: 'POST',
          headers: { authorization: 'Bearer acme', 'content-type': 'application/json' },
          body: JSON.stringify(intercept(toolAfter('a'), { capabilities })),
        }),
      );
      codes.push(((await response.json()) as { error?: { code: number } }).error?.code);
    }
    expect(codes).toEqual([-32004, undefined]);
  });

  it('what they throw reaches the host alone; a host that throws over it changes nothing', async () => {
    const heard: unknown[] = [];
    const { port } = await startServer({
      handlers: {
        'tool.before': {
          intercept: () => {
            throw new Error('secret');
          },
        },
      },
      onError: (error, place) => {
        heard.push([(error as Error).message, place]);
        throw new Error('again');
      },
    });
    expect(JSON.parse((await sendMessage(port, intercept(toolBefore('e1')))).body)).toEqual(REFUSED);
    expect(heard).toEqual([['secret', { event: 'tool.before', place: 'handler' }]]);
  });

  it('end with their time', async () => {
    const aborted = barrier<unknown>();
    const { port, failures } = await startServer({
      limits: { handlerTimeoutMs: 20 },
      handlers: {
        'tool.before': {
          intercept: (_event, { signal }) =>
            new Promise(() => signal.addEventListener('abort', () => aborted.open(signal.reason))),
        },
      },
    });
    expect(JSON.parse((await sendMessage(port, intercept(toolBefore('e1')))).body)).toEqual(REFUSED);
    expect(await aborted.promise).toMatchObject({ code: 'handler-timeout' });
    expect(failures).toMatchObject([{ place: 'handler', error: { code: 'handler-timeout' } }]);
  });

  it('hear of a caller who is gone, which is no failure of theirs', async () => {
    const [entered, aborted] = [barrier(), barrier()];
    const { port, failures } = await startServer({
      handlers: {
        'tool.before': {
          intercept: (_event, { signal }) =>
            new Promise(() => {
              signal.addEventListener('abort', () => aborted.open());
              entered.open();
            }),
        },
      },
    });
    const { connectRaw, head } = await import('./support/raw-client.js');
    const client = await connectRaw(port);
    const body = JSON.stringify(intercept(toolBefore('e1')));
    const headers = {
      Authorization: 'Bearer acme',
      'Content-Type': 'application/json',
      'Content-Length': `${body.length}`,
    };
    client.write(head('/hooks', headers), body);
    await entered.promise;
    client.socket.destroy();
    await aborted.promise;
    expect(failures).toEqual([]);
  });
});

describe('§8 observations', () => {
  it('are taken for every event of the manifest, whatever its modes, and answered before the handler runs', async () => {
    const [entered, release] = [barrier<ObserveContext>(), barrier()];
    const { port } = await startServer({
      handlers: {
        'tool.before': {
          observe: async (_event, context) => {
            entered.open(context);
            await release.promise;
          },
        },
      },
    });
    const { status } = await sendMessage(port, observe(toolBefore('e1')));
    expect(status).toBe(202);
    // The caller is long gone, and the handler runs on.
    const context = await entered.promise;
    expect(context).toMatchObject({ principal: 'acme', scope: 'acme' });
    expect(context.signal.aborted).toBe(false);
    release.open();
  });

  it('are answered first even when the handler holds the thread', async () => {
    const order: string[] = [];
    const ran = barrier();
    const { receiver } = makeReceiver({
      handlers: {
        'tool.before': {
          observe: () => {
            order.push('handler');
            ran.open();
          },
        },
      },
    });
    const response = await receiver.handle(
      new Request('http://x/hooks', {
        method: 'POST',
        headers: { authorization: 'Bearer acme', 'content-type': 'application/json' },
        body: JSON.stringify(observe(toolBefore('e1'))),
      }),
    );
    order.push('answer');
    await ran.promise;
    expect(order).toEqual(['answer', 'handler']);
    expect(response.status).toBe(202);
  });

  it('reach no caller when they fail', async () => {
    const failed = barrier<unknown>();
    const { port } = await startServer({
      handlers: { 'tool.after': { observe: () => Promise.reject(new Error('oh')) } },
      onError: (error, place) => failed.open([(error as Error).message, place]),
    });
    expect((await sendMessage(port, observe(toolAfter('e1')))).status).toBe(202);
    expect(await failed.promise).toEqual(['oh', { event: 'tool.after', place: 'handler' }]);
  });
});

describe('§8 bodies', () => {
  async function readIn(scope: string, reference: (ref: string) => unknown): Promise<ReceivedBody | null> {
    const found = barrier<ReceivedBody | null>();
    const { port } = await startServer({
      handlers: {
        'tool.after': {
          intercept: async (_event, { body }) => found.open(await body(reference(uploaded) as string)),
        },
      },
    });
    const { ref: uploaded } = JSON.parse((await sendUpload(port, 'café', { token: 'acme-upload' })).body) as {
      ref: string;
    };
    await sendMessage(port, intercept(toolAfter('e1')), { token: scope });
    return found.promise;
  }

  it('of the caller’s scope are read by reference, as often as asked; credentials for both purposes meet there', async () => {
    const body = await readIn('acme-event', (ref) => ({ ref }));
    expect(body?.size).toBe(5);
    expect(await body?.text()).toBe('café');
    expect(Buffer.from((await body?.bytes()) ?? []).toString()).toBe('café');
    for (let time = 0; time < 2; time += 1) {
      let size = 0;
      for await (const piece of body?.stream ?? []) size += piece.byteLength;
      expect(size).toBe(5);
    }
  });

  it('of another scope are not there', async () => {
    expect(await readIn('other', (ref) => ref)).toBeNull();
    expect(await readIn('acme', () => 'none')).toBeNull();
  });

  it('that are not UTF-8 have no text', async () => {
    const found = barrier<unknown>();
    const { port } = await startServer({
      handlers: {
        'tool.after': {
          intercept: async (event, { body }) => {
            const item = event.items[0];
            const ref = item !== undefined && 'body' in item ? item.body?.ref : undefined;
            found.open(await (await body(ref ?? ''))?.text().catch((error: unknown) => error));
          },
        },
      },
    });
    const { ref } = JSON.parse((await sendUpload(port, Buffer.of(0xff))).body) as { ref: string };
    await sendMessage(port, intercept(toolAfter('e1', { items: [readyItem(ref)] })));
    expect(await found.promise).toBeInstanceOf(TypeError);
  });

  it.each([
    ['fewer', 'hell'],
    ['more', 'hello!'],
    ['no', ''],
  ])('of which the store has %s bytes than it said are damaged, not cut short', async (_name, text) => {
    const found = barrier<unknown>();
    const { port } = await startServer({
      store: {
        begin: () => Promise.reject(new Error('read only')),
        has: async () => true,
        open: async () => ({
          size: 5,
          stream: (async function* () {
            yield Buffer.from(text);
          })(),
        }),
      },
      handlers: {
        'tool.after': {
          intercept: async (_event, { body }) =>
            found.open(await (await body('r'))?.bytes().catch((error: unknown) => error)),
        },
      },
    });
    await sendMessage(port, intercept(toolAfter('e1')));
    expect(await found.promise).toMatchObject({ name: 'StoreError', code: 'damaged' });
  });
});

function merge(): unknown {
  return { type: 'modify', target: 'input', operation: 'merge', value: {} };
}

function selfish(): unknown {
  const value: Record<string, unknown> = {};
  value.self = value;
  return { type: 'return', value };
}
