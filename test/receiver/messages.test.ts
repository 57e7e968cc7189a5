import { describe, expect, it } from 'vitest';
import type { Manifest } from '../../generated/index.js';
import { readExampleMessages } from '../support/example-messages.js';
import { fullManifest } from './support/manifest.js';
import { discover, intercept, observe, readyItem, toolAfter, toolBefore } from './support/messages.js';
import { makeReceiver, type Started } from './support/start.js';

interface Reply {
  readonly status: number;
  readonly id?: unknown;
  readonly code?: number;
  readonly message?: string;
}

async function post({ receiver }: Started, message: unknown, token = 'acme'): Promise<Reply> {
  const body = typeof message === 'string' || message instanceof Uint8Array ? message : JSON.stringify(message);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const response = await receiver.handle(
    new Request('http://x/hooks', { method: 'POST', body: body as string, headers }),
  );
  const text = await response.text();
  if (text === '') return { status: response.status };
  const { id, error } = JSON.parse(text) as { id: unknown; error?: { code: number; message: string } };
  return { status: response.status, id, ...error };
}

const valid = JSON.stringify(intercept(toolBefore('e1')));

describe('§8 JSON-RPC errors, in the order of the checks', () => {
  it.each([
    ['no JSON', '{'],
    ['nothing', ' '],
    ['trailing text', `${valid}x`],
    ['a byte-order mark', `\u{feff}${valid}`],
    ['a member twice', valid.replace('"method"', '"id":"e1","method"')],
    ['a member twice, spelt two ways', valid.replace('"command":"ls"', '"command":"ls","c\\u006fmmand":"rm"')],
    ['bytes that are not UTF-8', Buffer.concat([Buffer.from(valid.slice(0, -2)), Buffer.of(0xff), Buffer.from('}}')])],
    ['an overlong form', Buffer.from([0x22, 0xc0, 0xaf, 0x22])],
    ['too deep', '['.repeat(257) + ']'.repeat(257)],
  ])('-32700 with a null id: %s', async (_name, text) => {
    expect(await post(makeReceiver(), text)).toMatchObject({ status: 200, id: null, code: -32700 });
  });

  it.each([
    ['a batch', [intercept(toolBefore('e1'))], null],
    ['a text', 'null', null],
    ['a number', '7', null],
    ['an empty object', {}, null],
    ['no version of JSON-RPC', { id: 'a', method: 'hooks/intercept' }, 'a'],
    ['another version of JSON-RPC', { jsonrpc: '2', id: 'a', method: 'hooks/intercept' }, 'a'],
    ['a response', { jsonrpc: '2.0', id: 'a', result: {} }, 'a'],
    ['a method that is no text', { jsonrpc: '2.0', id: 'a', method: 1 }, 'a'],
    ['a null id', { ...discover(), id: null }, null],
    ['an empty id', discover(''), null],
    ['a fraction for an id', discover(1.5), null],
    ['a huge fraction for an id', '{"jsonrpc":"2.0","id":12345678901234567890.5,"method":"hooks/capabilities"}', null],
    ['an object for an id', discover({}), null],
    ['a notification that has an id', observe(toolAfter('e1'), { id: 'e1' }), 'e1'],
  ])('-32600: %s', async (_name, message, id) => {
    expect(await post(makeReceiver(), message)).toMatchObject({ status: 200, id, code: -32600 });
  });

  it.each(['hooks/none', '', 'Hooks/intercept', '__proto__'])('-32601: method %j', async (method) => {
    const reply = await post(makeReceiver(), { jsonrpc: '2.0', id: 7, method, params: { protocolVersion: 'other' } });
    expect(reply).toMatchObject({ status: 200, id: 7, code: -32601 });
  });

  it('-32001 before the event is looked at', async () => {
    const started = makeReceiver();
    const other = { protocolVersion: '2026-01-01' };
    expect(await post(started, intercept({ id: 'a', type: 'no.such' }, other))).toMatchObject({
      id: 'a',
      code: -32001,
    });
    expect(await post(started, discover('d', other))).toMatchObject({ id: 'd', code: -32001 });
  });

  it('-32002 before the event is validated: unknown, not of the manifest, or not to be intercepted', async () => {
    const manifest: Manifest = {
      ...fullManifest,
      events: [
        { event: 'tool.before', modes: ['observe', 'intercept'], capabilities: { effects: ['deny'] } },
        { event: 'tool.after', modes: ['observe'] },
      ],
    };
    const started = makeReceiver({ manifest });
    for (const type of ['no.such', 'session.start', 'tool.after', 'file.changed', 'toString']) {
      const message = {
        ...discover('a'),
        method: 'hooks/intercept',
        params: { protocolVersion: 'draft', event: { type } },
      };
      expect(await post(started, message)).toMatchObject({ id: 'a', code: -32002 });
    }
  });

  it.each([
    ['no parameters', { ...discover('a'), method: 'hooks/intercept', params: undefined }],
    ['no protocol version', intercept(toolBefore('a'), { protocolVersion: undefined })],
    ['a protocol version that is no text', intercept(toolBefore('a'), { protocolVersion: 1 })],
    ['no event', intercept(toolBefore('a'), { event: undefined })],
    ['an event type that is no text', intercept({ ...toolBefore('a'), type: 1 }, { capabilities: { effects: [] } })],
    ['a time that is none', intercept(toolBefore('a', { time: '2026-02-30T00:00:00Z' }))],
    ['no capabilities', intercept(toolBefore('a'), { capabilities: undefined })],
    ['capabilities beyond the event', intercept(toolBefore('a'), { capabilities: { effects: ['return', 'x.y'] } })],
    ['discovery with more parameters', discover('a', { protocolVersion: 'draft', more: 1 })],
    ['an id that is not the event’s', intercept(toolBefore('b'), {}, { id: 'a' })],
  ])('-32602: %s', async (_name, message) => {
    expect(await post(makeReceiver(), message)).toMatchObject({ status: 200, id: 'a', code: -32602 });
  });

  it('-32602: a number never is the event’s id, whatever its digits', async () => {
    const message = intercept(toolBefore('7'), {}, { id: 7 });
    expect(await post(makeReceiver(), message)).toMatchObject({ id: 7, code: -32602 });
  });

  it('-32602: a missing body, or one of another scope, with the very same error', async () => {
    const started = makeReceiver();
    const ref = await stored(started, 'other', 'secret');
    const replies = [];
    for (const body of [ref, 'none', `${'A'.repeat(43)}`, '../../etc/passwd', '__proto__']) {
      replies.push(await post(started, intercept(toolAfter('a', { items: [readyItem(body)] }))));
    }
    expect(new Set(replies.map((reply) => JSON.stringify(reply))).size).toBe(1);
    expect(replies[0]).toMatchObject({ status: 200, id: 'a', code: -32602 });
    expect(await post(started, intercept(toolAfter('a', { items: [readyItem(ref)] })), 'other')).toEqual({
      status: 200,
      id: 'a',
    });
    const noted = observe(toolAfter('a', { items: [readyItem(ref)] }));
    expect([await post(started, noted), await post(started, noted, 'other')]).toEqual([
      { status: 400 },
      { status: 202 },
    ]);
  });

  it('bodies are looked up at content places alone; what looks alike elsewhere is data', async () => {
    const started = makeReceiver();
    const fake = readyItem('nowhere');
    const event = toolAfter('a', {
      native: fake,
      extensions: { 'com.example.x': fake, 'com.example.y': [{ body: { ref: 'nowhere' } }] },
      tool: { name: 't', origin: 'native', input: { items: [fake], body: { ref: 'nowhere' } } },
      items: [],
      outcome: 'error',
      error: { message: 'm', class: 'c', native: fake },
    });
    expect(await post(started, intercept(event))).toEqual({ status: 200, id: 'a' });
    const nested = { ...event, fileChanges: [{ path: 'p', change: 'modified', before: fake }] };
    expect(await post(started, intercept(nested))).toMatchObject({ code: -32602 });
  });

  it('a store that fails is -32004, or a 400 for a notification, and the host hears of it', async () => {
    const started = makeReceiver({
      store: {
        begin: () => Promise.reject(new Error('x')),
        has: () => Promise.reject(new Error('disk')),
        open: async () => null,
      },
    });
    const event = toolAfter('a', { items: [readyItem('r')] });
    expect(await post(started, intercept(event))).toMatchObject({
      id: 'a',
      code: -32004,
      message: 'the backend failed',
    });
    expect(await post(started, observe(event))).toEqual({ status: 400 });
    expect(started.failures).toMatchObject([
      { event: 'tool.after', place: 'store', error: { message: 'disk' } },
      { event: 'tool.after', place: 'store' },
    ]);
  });

  it('no error tells a value of the message', async () => {
    const started = makeReceiver();
    const mark = 'm4rk3d';
    const messages = [
      intercept(toolBefore('a', { time: mark, native: mark }), { extensions: { [`com.${mark}`]: 1 }, more: mark }),
      intercept(toolAfter('a', { items: [readyItem(mark)] })),
      intercept({ ...toolBefore('a'), type: mark }, { capabilities: { effects: [] } }),
      { jsonrpc: '2.0', id: 'a', method: mark },
      discover('a', { protocolVersion: mark }),
      `{"${mark}":1,"${mark}":2}`,
    ];
    for (const message of messages) expect((await post(started, message)).message).not.toContain(mark);
  });
});

describe('§8 discovery', () => {
  it('gives the manifest as it was when the receiver was made, under ids of every kind', async () => {
    const manifest = structuredClone(fullManifest) as { gaps: unknown[] } & Manifest;
    const { receiver } = makeReceiver({ manifest });
    manifest.gaps.push({ path: 'x', reason: 'y' });
    for (const id of ['"text"', '7', '-7', '12345678901234567890', '100000000000000000000000.0']) {
      const response = await receiver.handle(
        new Request('http://x/hooks', {
          method: 'POST',
          headers: { authorization: 'Bearer acme', 'content-type': 'application/json' },
          body: `{"jsonrpc":"2.0","id":${id},"method":"hooks/capabilities","params":{"protocolVersion":"draft"}}`,
        }),
      );
      const text = await response.text();
      expect(JSON.parse(text)).toMatchObject({ result: { protocolVersion: 'draft', manifest: fullManifest } });
      if (id.length < 21) expect(text).toContain(`"id":${id}`);
    }
  });

  it('under an id that no double holds is not canonical (§1), and answered all the same', async () => {
    const { receiver } = makeReceiver();
    const response = await receiver.handle(
      new Request('http://x/hooks', {
        method: 'POST',
        headers: { authorization: 'Bearer acme', 'content-type': 'application/json' },
        body: '{"jsonrpc":"2.0","id":1.5e400,"method":"hooks/capabilities","params":{"protocolVersion":"draft"}}',
      }),
    );
    const text = await response.text();
    expect(text).toContain('"id":1.5e400');
    expect(JSON.parse(text)).toMatchObject({ error: { code: -32602 } });
  });

  it('without an id it is a notification that nobody knows', async () => {
    const { id: _id, ...message } = discover();
    expect(await post(makeReceiver(), message)).toEqual({ status: 400 });
    const { id: _other, ...unanswered } = intercept(toolBefore('a'));
    expect(await post(makeReceiver(), unanswered)).toEqual({ status: 400 });
  });
});

describe('the example messages', () => {
  const canonical = readExampleMessages().filter(({ name }) =>
    /^(?:intercept|observe|capabilities\.request)/.test(name),
  );

  it.each(canonical)('$name is taken, once its bodies are there (§8)', async ({ text }) => {
    const started = makeReceiver({ store: storeOfEverything() });
    const { status, code } = await post(started, text);
    expect([status, code]).toEqual([text.includes('hooks/observe') ? 202 : 200, undefined]);
  });
});

function storeOfEverything() {
  return { begin: () => Promise.reject(new Error('read only')), has: async () => true, open: async () => null };
}

async function stored({ store }: Started, scope: string, text: string): Promise<string> {
  const writer = await store.begin();
  await writer.write(Buffer.from(text));
  return writer.commit({ scope, size: text.length, sha256: '0'.repeat(64) });
}
