import { describe, expect, it } from 'vitest';
import type { ContentStore } from '../../runtime/receiver/index.js';
import { discover } from './support/messages.js';
import { connectRaw, head, sendMessage, sendUpload, sha256 } from './support/raw-client.js';
import { startServer } from './support/start.js';

const upload = {
  Authorization: 'Bearer acme',
  'Content-Type': 'application/octet-stream',
  'AHP-Content-SHA256': sha256('hello'),
};

async function textOf(store: ContentStore, scope: string, ref: string): Promise<string | null> {
  const body = await store.open(scope, ref);
  if (body === null) return null;
  const pieces: Uint8Array[] = [];
  for await (const piece of body.stream) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

describe('§8 framing of uploads, byte by byte', () => {
  it('a body that comes in single bytes is stored and gets its receipt', async () => {
    const { port, store } = await startServer();
    const client = await connectRaw(port);
    client.socket.setNoDelay(true);
    for (const byte of `${head('/content', { ...upload, 'Content-Length': '5' })}hello`) client.write(byte);
    const { status, headers, body } = await client.response();
    expect([status, headers.get('content-type')]).toEqual([201, 'application/json']);
    const receipt = JSON.parse(body) as { ref: string };
    expect(receipt).toEqual({ ref: receipt.ref, size: 5, sha256: sha256('hello') });
    expect(await textOf(store, 'acme', receipt.ref)).toBe('hello');
  });

  it.each([
    ['no length', {}],
    ['two lengths', { 'Content-Length': ['5', '5'] }],
    ['two lengths that differ', { 'Content-Length': ['5', '6'] }],
    ['a list of lengths', { 'Content-Length': '5, 5' }],
    ['a signed length', { 'Content-Length': '+5' }],
    ['a length that is no number', { 'Content-Length': '0x5' }],
    ['no digest', { 'Content-Length': '5', 'AHP-Content-SHA256': [] }],
    ['two digests', { 'Content-Length': '5', 'AHP-Content-SHA256': [sha256('hello'), sha256('hello')] }],
    ['a digest in capitals', { 'Content-Length': '5', 'AHP-Content-SHA256': sha256('hello').toUpperCase() }],
    ['a digest in another form', { 'Content-Length': '5', 'AHP-Content-SHA256': `sha-256=:${sha256('x')}:` }],
    ['a short digest', { 'Content-Length': '5', 'AHP-Content-SHA256': sha256('hello').slice(1) }],
    ['chunks', { 'Transfer-Encoding': 'chunked' }],
    ['chunks and a length', { 'Transfer-Encoding': 'chunked', 'Content-Length': '5' }],
    ['another transfer coding', { 'Transfer-Encoding': 'gzip' }],
  ])('%s is 400, and the connection ends', async (_name, headers) => {
    const { port } = await startServer();
    const client = await connectRaw(port);
    client.write(head('/content', { ...upload, ...headers }));
    expect((await client.response()).status).toBe(400);
    expect(await client.ended).toBe('');
  });

  it('a second digest behind two thousand headers is still seen', async () => {
    const { port } = await startServer({ limits: { maxHeaderBytes: 65_536 } });
    const client = await connectRaw(port);
    const many = Array.from({ length: 2_500 }, (_, index) => `a${index}:\r\n`).join('');
    const text = head('/content', { ...upload, 'Content-Length': '5' });
    client.write(text.slice(0, -2), many, `AHP-Content-SHA256: ${sha256('other')}\r\n\r\n`, 'hello');
    expect((await client.response()).status).toBe(400);
  });

  it('another digest than that of the bytes is 400, nothing is stored, the connection goes on', async () => {
    const { port, store } = await startServer();
    const client = await connectRaw(port);
    client.write(head('/content', { ...upload, 'Content-Length': '5' }), 'hellO');
    const refused = await client.response();
    expect([refused.status, refused.headers.get('connection')]).toEqual([400, 'keep-alive']);
    client.write(head('/content', { ...upload, 'Content-Length': '5' }), 'hello');
    const { ref } = JSON.parse((await client.response()).body) as { ref: string };
    expect(await store.has('acme', ref)).toBe(true);
  });

  it('a body that ends early is no upload', async () => {
    const aborted: string[] = [];
    const { port } = await startServer({
      store: {
        begin: async () => ({
          write: async () => undefined,
          commit: async () => 'never',
          abort: async () => void aborted.push('abort'),
        }),
        has: async () => false,
        open: async () => null,
      },
    });
    const client = await connectRaw(port);
    client.write(head('/content', { ...upload, 'Content-Length': '5' }), 'hell');
    client.socket.end();
    expect((await client.response()).status).toBe(400);
    await client.ended;
    await expect.poll(() => aborted).toEqual(['abort']);
  });

  it('bytes beyond the length are no part of the body', async () => {
    const { port, store } = await startServer();
    const client = await connectRaw(port);
    client.write(head('/content', { ...upload, 'Content-Length': '5' }), 'hello, world');
    const { ref } = JSON.parse((await client.response()).body) as { ref: string };
    expect(await textOf(store, 'acme', ref)).toBe('hello');
    expect((await client.response()).status).toBe(400);
    await client.ended;
  });

  it('an empty body is a body', async () => {
    const { port, store } = await startServer();
    const { status, body } = await sendUpload(port, '');
    expect(status).toBe(201);
    expect(await textOf(store, 'acme', (JSON.parse(body) as { ref: string }).ref)).toBe('');
  });

  it('equal bytes get references of their own, and a caller cannot choose one', async () => {
    const { port } = await startServer();
    const refs = new Set<string>();
    for (const path of ['/content', '/content?ref=mine', '/content']) {
      const { body } = await sendUpload(port, 'same', { path, headers: { 'X-Ref': 'mine', Ref: 'mine' } });
      refs.add((JSON.parse(body) as { ref: string }).ref);
    }
    expect(refs.size).toBe(3);
    expect(refs.has('mine')).toBe(false);
  });
});

/** A whole request that stands where the body of another one may be. */
const hidden = `${head('/hooks', { Authorization: 'Bearer acme', 'Content-Type': 'application/json', 'Content-Length': '2' })}{}`;

describe('§8 what stands behind a request is not taken for another one', () => {
  const event = { Authorization: 'Bearer acme', 'Content-Type': 'application/json' };
  it.each([
    ['in a body without any framing', head('/hooks', event), 200],
    ['in one that is refused', head('/hooks', { 'Content-Type': 'application/json' }), 401],
    [
      'behind chunks of HTTP/1.0',
      head('/hooks', { ...event, 'Transfer-Encoding': 'chunked' }).replace('1.1', '1.0'),
      400,
    ],
    ['behind a coding that is not ours', head('/hooks', { ...event, 'Transfer-Encoding': 'gzip, chunked' }), 400],
    ['in a body that no route takes', head('/none', { 'Content-Length': String(hidden.length) }), 404],
    ['in a refused body', head('/hooks', { ...event, 'Content-Type': 'text/plain', 'Content-Length': '999' }), 415],
    [
      'in the body of a GET',
      head('/hooks', { ...event, 'Content-Length': String(hidden.length) }).replace('POST', 'GET'),
      405,
    ],
  ])('%s', async (_name, text, status) => {
    const asked: string[] = [];
    const { port } = await startServer({
      authenticate: ({ headers }) => {
        asked.push(headers.get('authorization') ?? 'nobody');
        return headers.has('authorization') ? { principal: 'p', scope: 's', permissions: ['event'] } : null;
      },
    });
    const client = await connectRaw(port);
    const chunks = text.includes('chunked') ? '0\r\n\r\n' : '';
    client.write(text + chunks + hidden);
    const { headers, ...answer } = await client.response();
    expect([answer.status, headers.get('connection')]).toEqual([status, 'close']);
    expect(await client.ended).toBe('');
    expect(asked.length).toBeLessThanOrEqual(1);
  });
});

describe('§8 framing of messages', () => {
  it.each([
    ['two lengths', { 'Content-Length': ['2', '2'] }],
    ['a length that is no number', { 'Content-Length': 'two' }],
    ['chunks and a length', { 'Transfer-Encoding': 'chunked' }],
  ])('%s is 400', async (_name, headers) => {
    const { port } = await startServer();
    expect((await sendMessage(port, '{}', { headers })).status).toBe(400);
  });

  it('chunks are put together, however small, and bounded', async () => {
    const { port } = await startServer({ limits: { maxMessageBytes: 200 } });
    const send = async (text: string) => {
      const client = await connectRaw(port);
      client.write(
        head('/hooks', {
          Authorization: 'Bearer acme',
          'Content-Type': 'application/json',
          'Transfer-Encoding': 'chunked',
        }),
        [...text].map((letter) => `1\r\n${letter}\r\n`).join(''),
        '0\r\n\r\n',
      );
      return client.response();
    };
    expect((await send(JSON.stringify(discover()))).status).toBe(200);
    expect((await send(JSON.stringify(discover('x'.repeat(200))))).status).toBe(413);
  });

  it('what is no HTTP is 400, too many headers 431, and other connections go on', async () => {
    const { port } = await startServer({ limits: { maxHeaderBytes: 2_000 } });
    const garbage = await connectRaw(port);
    garbage.write('\u0016\u0003\u0001 hello\r\n\r\n');
    expect((await garbage.response()).status).toBe(400);
    await garbage.ended;
    const long = await connectRaw(port);
    long.write(head('/hooks', { 'X-Long': 'x'.repeat(3_000) }));
    expect((await long.response()).status).toBe(431);
    await long.ended;
    expect((await sendMessage(port, discover())).status).toBe(200);
  });

  it('a header that no text holds ends its own connection at most', async () => {
    const { port } = await startServer();
    const client = await connectRaw(port);
    const text = head('/hooks', { Authorization: 'Bearer acme', 'X-Odd': 'a\u0000b', 'Content-Length': '0' });
    client.write(Buffer.from(text, 'latin1'));
    await client.ended;
    const high = await connectRaw(port);
    high.write(Buffer.from(head('/none', { 'X-High': 'caf\u00e9', 'Content-Length': '0' }), 'latin1'));
    expect((await high.response()).status).toBe(404);
  });

  it('pipelined requests are answered in their order', async () => {
    const { port } = await startServer();
    const client = await connectRaw(port);
    const bodies = ['a', 'b', 'c'].map((id) => JSON.stringify(discover(id)));
    for (const body of bodies) {
      client.write(
        head('/hooks', {
          Authorization: 'Bearer acme',
          'Content-Type': 'application/json',
          'Content-Length': String(body.length),
        }),
        body,
      );
    }
    const ids: unknown[] = [];
    for (const _ of bodies) ids.push((JSON.parse((await client.response()).body) as { id: unknown }).id);
    expect(ids).toEqual(['a', 'b', 'c']);
  });
});
