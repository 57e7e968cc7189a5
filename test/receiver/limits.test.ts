import { describe, expect, it } from 'vitest';
import { createMemoryStore, createReceiver, type ReceiverOptions } from '../../runtime/receiver/index.js';
import { type Barrier, barrier } from '../support/barrier.js';
import { fullManifest } from './support/manifest.js';
import { discover, intercept, observe, toolAfter, toolBefore } from './support/messages.js';
import { connectRaw, head, sendMessage, sendUpload, sha256 } from './support/raw-client.js';
import { byBearer, startServer } from './support/start.js';

const message = (length: number) => ({
  Authorization: 'Bearer acme',
  'Content-Type': 'application/json',
  'Content-Length': `${length}`,
});

/** A handler that waits at a barrier, and the barrier that says it has begun. */
function waiting(): { handler: () => Promise<void>; entered: Barrier; release: Barrier } {
  const [entered, release] = [barrier(), barrier()];
  const handler = async (): Promise<void> => {
    entered.open();
    await release.promise;
  };
  return { handler, entered, release };
}

describe('§8 limits', () => {
  it('of size: announced or not, a message that is too large is 413, one of exactly the limit is taken', async () => {
    const text = JSON.stringify(discover());
    const { port } = await startServer({ limits: { maxMessageBytes: text.length } });
    expect((await sendMessage(port, text)).status).toBe(200);
    expect((await sendMessage(port, `${text} `)).status).toBe(413);
  });

  it('of uploads: the manifest’s maxUploadBytes, unless the limits say otherwise', async () => {
    const manifest = { ...fullManifest, limits: { maxUploadBytes: 4 } };
    const byManifest = await startServer({ manifest });
    expect((await sendUpload(byManifest.port, '1234')).status).toBe(201);
    expect((await sendUpload(byManifest.port, '12345')).status).toBe(413);
    const byLimits = await startServer({ manifest, limits: { maxUploadBytes: 5 } });
    expect((await sendUpload(byLimits.port, '12345')).status).toBe(201);
  });

  it('of depth', async () => {
    const { port } = await startServer({ limits: { maxDepth: 8 } });
    expect((await sendMessage(port, discover())).status).toBe(200);
    const { body } = await sendMessage(port, intercept(toolBefore('e1', { native: [[[[[[1]]]]]] })));
    expect(JSON.parse(body)).toMatchObject({ id: null, error: { code: -32700 } });
  });

  it('of time: a message that does not come whole is 408, and the connection ends', async () => {
    const { port } = await startServer({ limits: { messageTimeoutMs: 30 } });
    const client = await connectRaw(port);
    client.write(head('/hooks', message(50)), '{');
    expect((await client.response()).status).toBe(408);
    expect(await client.ended).toBe('');
  });

  it('of time: so is an upload, of which nothing is kept', async () => {
    const aborted = barrier();
    const { port } = await startServer({
      limits: { uploadTimeoutMs: 30 },
      store: {
        begin: async () => ({
          write: async () => undefined,
          commit: async () => 'never',
          abort: async () => aborted.open(),
        }),
        has: async () => false,
        open: async () => null,
      },
    });
    const client = await connectRaw(port);
    client.write(
      head('/content', {
        Authorization: 'Bearer acme',
        'Content-Type': 'application/octet-stream',
        'Content-Length': '5',
        'AHP-Content-SHA256': sha256('hello'),
      }),
      'hell',
    );
    expect((await client.response()).status).toBe(408);
    await aborted.promise;
  });

  it('of time: an authenticator that does not answer is 401', async () => {
    const reasons: unknown[] = [];
    const { port, failures } = await startServer({
      limits: { messageTimeoutMs: 30 },
      authenticate: ({ signal }) =>
        new Promise(() => signal.addEventListener('abort', () => reasons.push((signal.reason as Error).name))),
    });
    expect((await sendMessage(port, discover())).status).toBe(401);
    expect(reasons).toEqual(['TimeoutError']);
    expect(failures).toEqual([]);
  });

  it('of time: times longer than a timer holds are not over at once', async () => {
    const long = 2 ** 31;
    const { port } = await startServer({
      limits: { messageTimeoutMs: long, uploadTimeoutMs: long, handlerTimeoutMs: long, headersTimeoutMs: long },
    });
    expect((await sendMessage(port, intercept(toolBefore('e1')))).status).toBe(200);
    expect((await sendUpload(port, 'hello')).status).toBe(201);
  });

  it('of time: headers that trickle, and a connection that says nothing, end', async () => {
    const { port } = await startServer({ limits: { headersTimeoutMs: 50 } });
    const trickling = await connectRaw(port);
    trickling.write('POST /hooks HTTP/1.1\r\nHo');
    const silent = await connectRaw(port);
    expect((await trickling.response()).status).toBe(408);
    await trickling.ended;
    await silent.ended;
  });

  it('of connections: one more is dropped, and taken when there is room again', async () => {
    const { port } = await startServer({ limits: { maxConnections: 1 } });
    const first = await connectRaw(port);
    first.write(head('/none', {}));
    await first.response();
    const second = await connectRaw(port);
    expect(await second.ended).toBe('');
    first.socket.destroy();
    await expect
      .poll(async () =>
        sendMessage(port, discover()).then(
          ({ status }) => status,
          () => 0,
        ),
      )
      .toBe(200);
  });

  it('of work: more is 503 at once, before its body is read', async () => {
    const { handler, entered, release } = waiting();
    const { port } = await startServer({
      limits: { maxConcurrent: 1 },
      handlers: { 'tool.before': { intercept: handler } },
    });
    const first = sendMessage(port, intercept(toolBefore('e1')));
    await entered.promise;
    for (const path of ['/hooks', '/content'] as const) {
      const client = await connectRaw(port);
      const upload = { 'Content-Type': 'application/octet-stream', 'AHP-Content-SHA256': sha256('x') };
      client.write(head(path, { ...message(5), ...(path === '/content' ? upload : {}) }));
      const { status, headers } = await client.response();
      expect([status, headers.get('retry-after'), headers.get('connection')]).toEqual([503, '1', 'close']);
    }
    release.open();
    expect((await first).status).toBe(200);
    expect((await sendUpload(port, 'x')).status).toBe(201);
  });

  it('of work: an observation has its place until its handler has ended', async () => {
    const { handler, entered, release } = waiting();
    const { port } = await startServer({
      limits: { maxConcurrent: 1 },
      handlers: { 'tool.after': { observe: handler } },
    });
    expect((await sendMessage(port, observe(toolAfter('e1')))).status).toBe(202);
    await entered.promise;
    expect((await sendMessage(port, discover())).status).toBe(503);
    release.open();
    await expect.poll(async () => (await sendMessage(port, discover())).status).toBe(200);
  });

  it('of work: every place comes back, whatever became of its message', async () => {
    const { port } = await startServer({ limits: { maxConcurrent: 1, messageTimeoutMs: 50, maxMessageBytes: 5_000 } });
    const attempts = [
      () => sendMessage(port, '{'),
      () => sendMessage(port, observe({})),
      () => sendMessage(port, observe(toolAfter('e1'))),
      () => sendMessage(port, intercept(toolBefore('e1'))),
      () => sendMessage(port, '{}', { headers: { 'Content-Length': '9' } }),
      () => sendMessage(port, 'x'.repeat(6_000)),
      () => sendUpload(port, 'x', { headers: { 'AHP-Content-SHA256': sha256('y') } }),
      () => sendUpload(port, 'x'),
    ];
    for (const attempt of attempts) {
      expect((await attempt()).status).not.toBe(503);
      await expect.poll(async () => (await sendMessage(port, discover())).status).toBe(200);
    }
  });
});

describe('back pressure', () => {
  it('a store that is slow holds the upload back', async () => {
    const release = barrier();
    let written = 0;
    const { port } = await startServer({
      store: {
        begin: async () => ({
          write: async (bytes) => {
            written += bytes.byteLength;
            await release.promise;
          },
          commit: async () => 'ref',
          abort: async () => undefined,
        }),
        has: async () => false,
        open: async () => null,
      },
    });
    const body = Buffer.alloc(32 << 20);
    const client = await connectRaw(port);
    client.write(
      head('/content', {
        Authorization: 'Bearer acme',
        'Content-Type': 'application/octet-stream',
        'Content-Length': String(body.byteLength),
        'AHP-Content-SHA256': sha256(body),
      }),
      body,
    );
    await expect.poll(() => written).toBeGreaterThan(0);
    await new Promise((resolve) => setImmediate(resolve));
    expect(written).toBeLessThan(1 << 20);
    release.open();
    expect((await client.response()).status).toBe(201);
    expect(written).toBe(body.byteLength);
  });

  it('a store that fails is 500, and the host hears of it', async () => {
    for (const failing of ['begin', 'write', 'commit'] as const) {
      const fail = (): Promise<never> => Promise.reject(new Error(failing));
      const ended: string[] = [];
      const { port, failures } = await startServer({
        store: {
          begin: () =>
            failing === 'begin'
              ? fail()
              : Promise.resolve({
                  write: () => (failing === 'write' ? fail() : Promise.resolve()),
                  commit: fail,
                  abort: async () => void ended.push('abort'),
                }),
          has: async () => false,
          open: async () => null,
        },
      });
      expect((await sendUpload(port, 'hello')).status).toBe(500);
      expect(failures).toMatchObject([{ event: null, place: 'store', error: { message: failing } }]);
      expect(ended).toEqual(failing === 'begin' ? [] : ['abort']);
    }
  });

  it('the bound of the memory store is a 500 and gives its bytes back', async () => {
    const store = createMemoryStore({ maxTotalBytes: 10 });
    const { port } = await startServer({ store });
    expect((await sendUpload(port, '123456')).status).toBe(201);
    expect((await sendUpload(port, '123456')).status).toBe(500);
    expect((await sendUpload(port, '1234')).status).toBe(201);
  });
});

describe('§8 options', () => {
  const good = { manifest: fullManifest, authenticate: byBearer, store: createMemoryStore() };

  it.each<[string, unknown, string]>([
    ['manifest', { ...fullManifest, gaps: undefined }, 'manifest: expected a canonical manifest, got one that is not'],
    ['authenticate', undefined, 'authenticate: expected a function, got undefined'],
    ['store', { begin: async () => undefined }, 'store.has: expected a function, got none'],
    ['handlers', { 'no.such': {} }, 'handlers: expected events of the manifest, got "no.such"'],
    ['handlers', { 'tool.before': { intercept: 1 } }, 'handlers: expected functions at tool.before, got number'],
    [
      'handlers',
      { 'file.changed': { intercept: () => [] } },
      'handlers: expected file.changed to be interceptable by the manifest',
    ],
    ['limits', { maxConcurrent: 0 }, 'limits.maxConcurrent: expected a whole number from 1, got 0'],
    ['limits', { messageTimeoutMs: 0.5 }, 'limits.messageTimeoutMs: expected a whole number from 1, got 0.5'],
    ['limits', { maxUploadBytes: -1 }, 'limits.maxUploadBytes: expected a whole number from 0, got -1'],
    ['limits', { maxDepth: 1_001 }, 'limits.maxDepth: expected a whole number from 1 to 1000, got 1001'],
    [
      'paths',
      { hooks: 'hooks' },
      'paths.hooks: expected a path that begins with a slash and has no query, got another text',
    ],
    [
      'paths',
      { content: '/c?x' },
      'paths.content: expected a path that begins with a slash and has no query, got another text',
    ],
    ['paths', { content: '/hooks' }, 'paths: expected two different paths, got one'],
    ['challenge', 'Bearer\r\nX: y', 'challenge: expected a header value of printable ASCII, got another text'],
  ])('%s that cannot be used are refused', (name, value, text) => {
    const make = (): unknown => createReceiver({ ...good, [name]: value } as ReceiverOptions);
    expect(make).toThrow(expect.objectContaining({ name: 'ReceiverError', code: 'configuration' }));
    expect(make).toThrow(text);
  });

  it('an undefined limit is an absent one', () => {
    const limits = { maxDepth: undefined } as unknown as NonNullable<ReceiverOptions['limits']>;
    expect(() => createReceiver({ ...good, limits })).not.toThrow();
  });
});
