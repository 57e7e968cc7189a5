import { describe, expect, it } from 'vitest';
import { discover } from './support/messages.js';
import { sha256 } from './support/raw-client.js';
import { makeReceiver } from './support/start.js';

const headers = { authorization: 'Bearer acme', 'content-type': 'application/json' };
const upload = {
  authorization: 'Bearer acme',
  'content-type': 'application/octet-stream',
  'content-length': '5',
  'ahp-content-sha256': sha256('hello'),
};

/** A body stream that says whether it was read or cancelled. */
function watchedBody(pieces: readonly unknown[]): { stream: ReadableStream; seen: string[] } {
  const seen: string[] = [];
  const left = [...pieces];
  const stream = new ReadableStream(
    {
      pull(controller) {
        seen.push('pull');
        const piece = left.shift();
        if (piece === undefined) return new Promise(() => undefined);
        controller.enqueue(piece);
      },
      cancel() {
        seen.push('cancel');
      },
    },
    { highWaterMark: 0 },
  );
  return { stream, seen };
}

function streaming(url: string, stream: ReadableStream, init: RequestInit): Request {
  return new Request(url, { method: 'POST', body: stream, duplex: 'half', ...init } as RequestInit);
}

describe('§8 the web-standard handler', () => {
  it('answers messages and takes uploads', async () => {
    const { receiver, store } = makeReceiver();
    const found = await receiver.handle(
      new Request('https://api.example/hooks', { method: 'POST', headers, body: JSON.stringify(discover()) }),
    );
    expect([found.status, found.headers.get('content-type')]).toEqual([200, 'application/json']);
    const stored = await receiver.handle(
      new Request('https://api.example/content?tenant=1', { method: 'POST', headers: upload, body: 'hello' }),
    );
    expect(stored.status).toBe(201);
    const { ref } = (await stored.json()) as { ref: string };
    expect(await store.has('acme', ref)).toBe(true);
  });

  it('does not read a refused body, and tells the server around it', async () => {
    const { receiver } = makeReceiver();
    const { stream, seen } = watchedBody(['hello']);
    const response = await receiver.handle(
      streaming('http://x/content', stream, { headers: { authorization: 'none' } }),
    );
    expect([response.status, response.headers.get('connection'), response.body]).toEqual([401, 'close', null]);
    expect(seen).toEqual(['cancel']);
  });

  it('stops reading a body that is too large or takes too long', async () => {
    const { receiver } = makeReceiver({ limits: { maxMessageBytes: 4, messageTimeoutMs: 20 } });
    const large = watchedBody([Buffer.from('12345')]);
    expect((await receiver.handle(streaming('http://x/hooks', large.stream, { headers }))).status).toBe(413);
    expect(large.seen.at(-1)).toBe('cancel');
    const slow = watchedBody([Buffer.from('1')]);
    expect((await receiver.handle(streaming('http://x/hooks', slow.stream, { headers }))).status).toBe(408);
    expect(slow.seen.at(-1)).toBe('cancel');
  });

  it('never rejects: bodies that break, that are no bytes, that were read already', async () => {
    const { receiver } = makeReceiver();
    const broken = new ReadableStream({ pull: (controller) => controller.error(new Error('broken')) });
    expect((await receiver.handle(streaming('http://x/hooks', broken, { headers }))).status).toBe(400);
    const { stream } = watchedBody(['text']);
    expect((await receiver.handle(streaming('http://x/content', stream, { headers: upload }))).status).toBe(400);
    const used = new Request('http://x/hooks', { method: 'POST', headers, body: '{}' });
    await used.text();
    expect((await receiver.handle(used)).status).toBe(400);
    const locked = new Request('http://x/hooks', { method: 'POST', headers: { authorization: 'none' }, body: '{}' });
    locked.body?.getReader();
    expect((await receiver.handle(locked)).status).toBe(401);
  });

  it('shows the authenticator the whole URL and the peer that the server knows', async () => {
    const asked: unknown[] = [];
    const { receiver } = makeReceiver({
      authenticate: ({ url, peer }) => {
        asked.push([url, peer]);
        return null;
      },
    });
    const peer = { address: '192.0.2.1', port: 7, certificateSubject: 'harness' };
    await receiver.handle(new Request('http://x/hooks', { method: 'POST' }), { peer });
    await receiver.handle(new Request('http://x/content?a', { method: 'POST' }));
    expect(asked).toEqual([
      ['http://x/hooks', peer],
      ['http://x/content?a', { address: null, port: null, certificateSubject: null }],
    ]);
  });

  it('ends when the request is aborted', async () => {
    const { receiver } = makeReceiver();
    const controller = new AbortController();
    const { stream, seen } = watchedBody([Buffer.from('1')]);
    const handled = receiver.handle(streaming('http://x/hooks', stream, { headers, signal: controller.signal }));
    await expect.poll(() => seen.length).toBe(2);
    controller.abort();
    expect((await handled).status).toBe(400);
    expect(seen.at(-1)).toBe('cancel');
  });
});
