import { describe, expect, it, vi } from 'vitest';
import type { KnownEvent } from '../../generated/index.js';
import { barrier } from '../support/barrier.js';
import { answering, eventOf, httpBackend, httpPeer, makeHooks, subscription } from './support/kit.js';
import { refOf, summaryEvent } from './support/items.js';
import { uploadPeer } from './support/uploads.js';

const BODY = { content: { default: 'body' } };

/** The text behind each item of an event's list, by the reference that arrived. */
function textsOf(event: KnownEvent | undefined, textOf: (ref: string | undefined) => string | undefined) {
  const { items } = event as unknown as { items: { body?: { ref: string } }[] };
  return items.map(({ body }) => textOf(body?.ref));
}

describe('§7 which bytes an item has', () => {
  it('by its pointer where its id occurs twice, and by ids that look like members of every object', async () => {
    const { upload, textOf } = await uploadPeer();
    const peer = await httpPeer();
    const { hooks } = makeHooks([httpBackend('one.http', peer.url, [subscription({ ...BODY, upload })])]);
    const item = (id: string) =>
      ({ id, kind: 'text', mediaType: 'text/plain', role: 'user', selection: 'omit' }) as const;
    const event = {
      ...eventOf('turn.start'),
      items: ['twice', '__proto__', 'twice', 'constructor', 'nobody'].map(item),
    };
    const content = {
      '/items/0': Buffer.from('first'),
      '/items/2': Buffer.from('third'),
      twice: Buffer.from('neither'),
      ['__proto__']: Buffer.from('second'),
      constructor: Buffer.from('fourth'),
    };
    const outcome = await hooks.intercept(event, { content }).catch((error: unknown) => error);
    // A fail-closed subscription is not asked about an item that nobody has the bytes of.
    expect(outcome).toMatchObject({ decision: 'denied', failures: [{ code: 'preparation' }] });
    expect(peer.asked()).toEqual([]);
    const whole = { ...event, id: 'e-2', items: event.items.slice(0, 4) };
    const asked = await hooks.intercept(whole, { content });
    expect(asked.decision).toBe('proceed');
    expect(textsOf(peer.asked()[0]?.event, textOf)).toEqual(['first', 'second', 'third', 'fourth']);
  });

  it('a change that is accepted too late changes nothing: later receivers have the bytes of before', async () => {
    const { upload, textOf } = await uploadPeer();
    const redactor = await httpPeer(
      answering([{ type: 'modify', target: 'summary', operation: 'replace', value: 'changed' }]),
    );
    const later = await httpPeer();
    const { hooks } = makeHooks([
      httpBackend('one.redactor', redactor.url, [
        subscription({ ...BODY, upload, timeoutMs: 1_000, failurePolicy: 'fail-open' }),
      ]),
      httpBackend('one.later', later.url, [subscription({ ...BODY, upload })]),
    ]);
    const never = barrier();
    const outcome = await hooks.intercept(summaryEvent(), {
      content: { sum: Buffer.from('before') },
      values: { summary: 'before' },
      materialize: async ({ event }) => {
        await never.promise;
        return { event, content: { sum: Buffer.from('changed') } };
      },
    });
    never.open();
    expect(outcome.failures.map(({ code }) => code)).toEqual(['late']);
    expect(outcome.values).toEqual({ summary: 'before' });
    expect(textOf(later.asked().map(refOf)[0])).toBe('before');
  });

  it('several changes in a row: each receiver has what the one before it left', async () => {
    const { upload, uploads } = await uploadPeer();
    const values = ['one', 'two', 'three'];
    const peers = await Promise.all(
      values.map((value) => httpPeer(answering([{ type: 'modify', target: 'summary', operation: 'replace', value }]))),
    );
    const observer = await httpPeer();
    const asked = subscription({ ...BODY, upload });
    const { hooks } = makeHooks([
      ...peers.map(({ url }, index) => httpBackend(`one.peer${'abc'[index]}`, url, [asked])),
      httpBackend('one.observer', observer.url, [subscription({ ...BODY, upload, mode: 'observe' })]),
    ]);
    const outcome = await hooks.intercept(summaryEvent(), {
      content: { sum: Buffer.from('zero') },
      values: { summary: 'zero' },
      materialize: ({ event, value }) => ({ event, content: { sum: Buffer.from(String(value)) } }),
    });
    await outcome.observations?.done;
    expect(uploads.map(({ text }) => text)).toEqual(['zero', 'one', 'two', 'three']);
  });

  it('memory of an event is given back when its last delivery has ended, not before', async () => {
    const gate = barrier();
    const { upload, uploads } = await uploadPeer();
    const slow = await httpPeer(({ response }) => void gate.promise.then(() => response.writeHead(202).end()));
    const { hooks } = makeHooks([
      httpBackend('one.slow', slow.url, [subscription({ ...BODY, upload, mode: 'observe' })]),
    ]);
    let opened = 0;
    const source = () => ({
      size: 3,
      open: () => {
        opened += 1;
        return [Buffer.from('abc')];
      },
    });
    const first = hooks.observe(summaryEvent('e-1'), { content: { sum: source() } });
    const second = hooks.observe(summaryEvent('e-2'), { content: { sum: source() } });
    await vi.waitUntil(() => slow.told().length === 1 && opened === 2, { timeout: 20_000 });
    // The second waits in the queue; its bytes were taken when it was told, and are still there.
    expect(uploads).toHaveLength(1);
    gate.open();
    await Promise.all([first.done, second.done]);
    expect(uploads.map(({ text }) => text)).toEqual(['abc', 'abc']);
    expect(opened).toBe(2);
  });
});
