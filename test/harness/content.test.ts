import { readdirSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import type { ContentCompactAfter } from './support/items.js';
import { createMemoryStore, createReceiver } from '../../runtime/receiver/index.js';
import type { ContentSource } from '../../runtime/content/index.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import {
  answering,
  type Arrived,
  eventOf,
  httpBackend,
  httpPeer,
  makeHooks,
  MANIFEST,
  subscription,
} from './support/kit.js';
import { refOf, summaryEvent } from './support/items.js';
import { uploadPeer } from './support/uploads.js';

const BODY = { content: { default: 'body' } };
const redact = answering([{ type: 'modify', target: 'summary', operation: 'replace', value: 'clean' }]);

/** The host's part: new bytes under the same logical id. */
const materialize = ({ event, value }: { event: ContentCompactAfter; value: unknown }) => ({
  event,
  content: { sum: Buffer.from(String(value)) },
});

describe('§7 bytes behind an event', () => {
  it('after a redaction neither later receivers nor observers are sent the old bytes', async () => {
    const store = await uploadPeer();
    const { upload } = store;
    const redactor = await httpPeer(redact);
    const later = await httpPeer();
    const { hooks } = makeHooks([
      httpBackend('one.early', later.url, [subscription({ ...BODY, upload, events: ['tool.before'] })]),
      httpBackend('one.redactor', redactor.url, [
        subscription({ ...BODY, upload }),
        subscription({ ...BODY, upload, mode: 'observe' }),
      ]),
      httpBackend('one.later', later.url, [
        subscription({ ...BODY, upload }),
        subscription({ ...BODY, upload, mode: 'observe' }),
        subscription({ mode: 'observe', content: { default: 'metadata' } }),
      ]),
    ]);
    const outcome = await hooks.intercept(summaryEvent(), {
      content: { sum: Buffer.from('secret') },
      values: { summary: 'secret' },
      materialize,
    });
    await outcome.observations?.done;
    expect(outcome.decision).toBe('proceed');
    expect(store.uploads.map(({ text }) => text)).toEqual(['secret', 'clean', 'clean', 'clean']);
    const seen = [...later.arrived, ...redactor.told()].map((one) => store.textOf(refOf(one)));
    expect(seen.filter((text) => text !== undefined)).toEqual(['clean', 'clean', 'clean']);
    const metadata = later
      .told()
      .map((one) => one.text)
      .find((text) => text.includes('"selection":"metadata"'));
    expect(metadata).toContain('"size":5');
    // Each receiver has a reference of its own.
    expect(new Set([...later.arrived, ...redactor.arrived].map(refOf)).size).toBe(5);
  });

  it('a changed value without its bytes is the responder’s failure, and the old bytes go nowhere', async () => {
    const store = await uploadPeer();
    const { upload } = store;
    const redactor = await httpPeer(redact);
    const later = await httpPeer();
    const { hooks } = makeHooks([
      httpBackend('one.redactor', redactor.url, [subscription({ ...BODY, upload })]),
      httpBackend('one.later', later.url, [subscription({ ...BODY, upload, mode: 'observe' })]),
    ]);
    const outcome = await hooks.intercept(summaryEvent(), {
      content: { sum: Buffer.from('secret') },
      values: { summary: 'secret' },
      materialize: ({ event }) => ({ event, content: {} }),
    });
    await outcome.observations?.done;
    expect(outcome.failures.map(({ code }) => code)).toEqual(['materialization']);
    expect(outcome.decision).toBe('denied');
    expect(outcome.values).toEqual({ summary: 'secret' });
  });

  it('bytes are read once for all receivers, before the first delivery; unselected ones never', async () => {
    const store = await uploadPeer();
    const { upload } = store;
    const peer = await httpPeer();
    const opened: string[] = [];
    const counted = (name: string): ContentSource => ({
      size: 3,
      open: () => {
        opened.push(`${name} ${peer.arrived.length}`);
        return [Buffer.from('abc')];
      },
    });
    const { hooks } = makeHooks([
      httpBackend('one.http', peer.url, [
        subscription({ content: { default: 'metadata', text: 'body' }, upload }),
        subscription({ content: { default: 'metadata', text: 'body' }, upload }),
        subscription({ content: { default: 'metadata', text: 'body' }, upload, mode: 'observe' }),
        subscription({ content: { default: 'omit' }, mode: 'observe' }),
        subscription({ ...BODY, upload, events: ['tool.before'] }),
      ]),
    ]);
    const image = { id: 'pic', kind: 'image', mediaType: 'image/png', role: 'user', selection: 'omit' } as const;
    const event = { ...summaryEvent(), items: [image] };
    const outcome = await hooks.intercept(event, { content: { sum: counted('sum'), pic: counted('pic') } });
    await outcome.observations?.done;
    expect(opened).toEqual(['sum 0']);
    expect(store.uploads.map(({ text }) => text)).toEqual(['abc', 'abc', 'abc']);
  });

  it.each<[string, () => boolean]>([
    ['refuses', () => false],
    ['gives no answer', () => undefined as unknown as boolean],
    [
      'throws',
      () => {
        throw new Error('broken');
      },
    ],
  ])('a withheld item discloses neither size nor digest, when the authorizer %s', async (_, authorize) => {
    const { upload, uploads } = await uploadPeer();
    const peer = await httpPeer();
    const { hooks } = makeHooks(
      [
        httpBackend('one.http', peer.url, [
          subscription({ ...BODY, upload, failurePolicy: 'fail-open' }),
          subscription({ ...BODY, upload, mode: 'observe' }),
        ]),
      ],
      { authorize },
    );
    const event = summaryEvent({ selection: 'metadata', size: 4, sha256: 'a'.repeat(64) });
    const outcome = await hooks.intercept(event, { content: { sum: Buffer.from('1234') } });
    await outcome.observations?.done;
    expect(uploads).toEqual([]);
    expect(peer.arrived).toHaveLength(2);
    for (const { text } of peer.arrived) {
      expect(text).toContain('"gap":{"reason":"permission_withheld"}');
      expect(text).not.toMatch(/"size"|sha256|aaaa/);
    }
  });

  it('a reference of the host’s own is never passed on, and a reference-shaped value in native is never looked up', async () => {
    const store = createMemoryStore();
    const asked: string[] = [];
    const receiver = createReceiver({
      manifest: MANIFEST,
      authenticate: () => ({ principal: 'p', scope: 's', permissions: ['event', 'upload'] }),
      store: {
        ...store,
        has: (scope, ref) => {
          asked.push(ref);
          return store.has(scope, ref);
        },
        open: (scope, ref) => {
          asked.push(ref);
          return store.open(scope, ref);
        },
      },
    });
    const listening = await receiver.listen(0);
    const upload = { endpoint: `${listening.url}/content`, timeoutMs: 60_000, maxBytes: 1_000 };
    const { hooks, of } = makeHooks([
      httpBackend('one.http', `${listening.url}/hooks`, [
        subscription({ ...BODY, upload, includeNative: true }),
        subscription({ ...BODY, upload, includeNative: true, mode: 'observe' }),
      ]),
    ]);
    const native = {
      body: { ref: 'native-ref' },
      items: [{ id: 'x', selection: 'body', body: { ref: 'native-ref' } }],
    };
    const event = { ...summaryEvent({ selection: 'body', body: { ref: 'host-ref' } }), native };
    const outcome = await hooks.intercept(event, { content: { sum: Buffer.from('text') } });
    await outcome.observations?.done;
    await listening.close();
    expect([outcome.decision, outcome.failures, of('observation-failed')]).toEqual(['proceed', [], []]);
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.filter((ref) => ref === 'native-ref' || ref === 'host-ref')).toEqual([]);
  });

  it('native reaches only those who ask for it', async () => {
    const peer = await httpPeer();
    const { hooks } = makeHooks([
      httpBackend('one.http', peer.url, [subscription(), subscription({ includeNative: true, mode: 'observe' })]),
    ]);
    const event = { ...eventOf('tool.before'), native: { raw: 'own' } };
    const outcome = await hooks.intercept(event);
    await outcome.observations?.done;
    expect(peer.asked()[0]?.text).not.toContain('own');
    expect(peer.told()[0]?.text).toContain('"native":{"raw":"own"}');
  });
});

describe('§7 spool folders are empty', () => {
  const LARGE = Buffer.alloc(100_000, 'x');
  const stream = (): ContentSource => ({ size: LARGE.byteLength, once: [LARGE] });

  async function setUp(respond?: Parameters<typeof uploadPeer>[0], timeoutMs?: number) {
    const directory = temporaryFolder();
    const { upload, uploads } = await uploadPeer(respond, timeoutMs);
    const peer = await httpPeer();
    const made = makeHooks(
      [
        httpBackend('one.http', peer.url, [
          subscription({ ...BODY, upload, failurePolicy: 'fail-open' }),
          subscription({ ...BODY, upload, mode: 'observe' }),
        ]),
      ],
      { spool: { directory, maxMemoryBytes: 1_000 } },
    );
    return { ...made, peer, uploads, isEmpty: () => readdirSync(directory).length === 0 };
  }

  it('after success', async () => {
    const { hooks, uploads, isEmpty } = await setUp();
    const outcome = await hooks.intercept(summaryEvent(), { content: { sum: stream() } });
    await outcome.observations?.done;
    expect(uploads.map(({ text }) => text.length)).toEqual([100_000, 100_000]);
    await vi.waitUntil(isEmpty);
  });

  it('after an interruption, which is an outcome', async () => {
    const { hooks, uploads, isEmpty } = await setUp(() => undefined);
    const stop = new AbortController();
    const pending = hooks.intercept(summaryEvent(), { content: { sum: stream() }, signal: stop.signal });
    await vi.waitUntil(() => uploads.length === 1);
    stop.abort();
    const outcome = await pending;
    expect(outcome).toMatchObject({
      decision: 'interrupted',
      permission: 'none',
      ended: { kind: 'interrupted', by: null },
    });
    outcome.observations?.cancel();
    await vi.waitUntil(isEmpty);
  });

  it('after a time-out of the upload', async () => {
    const { hooks, peer, isEmpty } = await setUp(() => undefined, 300);
    const outcome = await hooks.intercept(summaryEvent(), { content: { sum: stream() } });
    await outcome.observations?.done;
    expect(peer.asked()[0]?.text).toContain('"gap":{"reason":"transfer_failed"}');
    await vi.waitUntil(isEmpty);
  });

  it('after close(), when it has returned', async () => {
    const { hooks, uploads, isEmpty } = await setUp(() => undefined);
    const pending = hooks.intercept(summaryEvent(), { content: { sum: stream() } });
    const handle = hooks.observe(summaryEvent('e-2'), { content: { sum: stream() } });
    await vi.waitUntil(() => uploads.length >= 1);
    await hooks.close();
    expect((await pending).decision).toBe('interrupted');
    await handle.done;
    await turn();
    expect(isEmpty()).toBe(true);
  });

  it('an interruption while sources are still read is an outcome too', async () => {
    const { hooks, isEmpty } = await setUp();
    const hanging: ContentSource = {
      size: 5,
      open: async function* () {
        yield Buffer.from('ab');
        await new Promise(() => undefined);
      },
    };
    const stop = new AbortController();
    const pending = hooks.intercept(summaryEvent(), { content: { sum: hanging }, signal: stop.signal });
    await turn();
    stop.abort();
    expect((await pending).decision).toBe('interrupted');
    expect(isEmpty()).toBe(true);
  });
});

it('§7 views of one event are one receiver’s each: what two subscriptions may see does not mix', async () => {
  const { upload, textOf } = await uploadPeer();
  const peer = await httpPeer();
  const { hooks } = makeHooks([
    httpBackend('one.http', peer.url, [
      subscription({ ...BODY, upload }),
      subscription({ content: { default: 'omit' } }),
    ]),
  ]);
  const outcome = await hooks.intercept(summaryEvent(), { content: { sum: Buffer.from('text') } });
  await outcome.observations?.done;
  const [first, second] = peer.asked() as [Arrived, Arrived];
  expect(textOf(refOf(first))).toBe('text');
  expect(second.text).not.toMatch(/"body"|"size"|sha256/);
});
