import { describe, expect, it } from 'vitest';
import { barrier, settleTurns } from '../support/barrier.js';
import { discover, intercept, observe, toolAfter, toolBefore } from './support/messages.js';
import { connectRaw, head, sendMessage, sendUpload, sha256 } from './support/raw-client.js';
import { startServer } from './support/start.js';

const length = { 'Content-Length': '3' };

/** Each request also breaks everything that is checked later, so that its status shows what is checked first. */
const ORDER = [
  ['an unknown route', 404, head('/other', length, 'PUT')],
  ['a route that only looks alike', 404, head('/hooks/', length, 'PUT')],
  ['a route in other letters', 404, head('/Hooks', length, 'PUT')],
  ['an escaped route', 404, head('/%68ooks', length, 'PUT')],
  ['another method', 405, head('/hooks', length, 'PUT')],
  ['another method at the upload route', 405, head('/content', length, 'PUT')],
  ['no credentials', 401, head('/hooks', { ...length, 'Content-Type': 'text/plain' })],
  ['no credentials for an upload', 401, head('/content', length)],
  ['refused credentials', 401, head('/content', { ...length, Authorization: 'Bearer bad' })],
  [
    'credentials without leave for events',
    403,
    head('/hooks', { ...length, Authorization: 'Bearer acme-upload', 'Content-Type': 'text/plain' }),
  ],
  ['credentials without leave for uploads', 403, head('/content', { ...length, Authorization: 'Bearer acme-event' })],
  [
    'no digest, before the media type',
    400,
    head('/content', { 'Content-Length': '99999', Authorization: 'Bearer acme', 'Content-Type': 'text/plain' }),
  ],
  [
    'another media type, before the size',
    415,
    head('/content', {
      'Content-Length': '99999',
      Authorization: 'Bearer acme',
      'AHP-Content-SHA256': sha256(''),
      'Content-Type': 'text/plain',
    }),
  ],
  [
    'another media type of a message, before the size',
    415,
    head('/hooks', { 'Content-Length': '99999', Authorization: 'Bearer acme', 'Content-Type': 'text/plain' }),
  ],
  [
    'a message over the limit',
    413,
    head('/hooks', { 'Content-Length': '99999', Authorization: 'Bearer acme', 'Content-Type': 'application/json' }),
  ],
  [
    'an upload over the limit',
    413,
    head('/content', {
      'Content-Length': '99999999999999999999',
      Authorization: 'Bearer acme',
      'AHP-Content-SHA256': sha256(''),
      'Content-Type': 'application/octet-stream',
    }).replace('99999999999999999999', '9007199254740993'),
  ],
] as const;

describe('§8 the order of checks', () => {
  it.each(ORDER)('%s is %d; the body is not waited for and the connection closes', async (_name, status, text) => {
    const { port, failures } = await startServer({ limits: { maxMessageBytes: 10_000, maxUploadBytes: 10_000 } });
    const client = await connectRaw(port);
    client.write(text);
    const response = await client.response();
    expect(response.status).toBe(status);
    expect(response.body).toBe('');
    expect(response.headers.get('connection')).toBe('close');
    expect(await client.ended).toBe('');
    expect(failures).toEqual([]);
  });

  it.each(ORDER)('%s is %d before 100 Continue too', async (_name, status, text) => {
    const { port } = await startServer({ limits: { maxMessageBytes: 10_000, maxUploadBytes: 10_000 } });
    const client = await connectRaw(port);
    client.write(text.replace('\r\n\r\n', '\r\nExpect: 100-continue\r\n\r\n'));
    expect((await client.response()).status).toBe(status);
    expect(await client.ended).toBe('');
  });

  it('a welcome caller is told to continue, and only then reads go on', async () => {
    const { port } = await startServer();
    const client = await connectRaw(port);
    client.write(
      head('/content', {
        Authorization: 'Bearer acme',
        'Content-Type': 'application/octet-stream',
        'Content-Length': '5',
        'AHP-Content-SHA256': sha256('hello'),
        Expect: '100-continue',
      }),
    );
    expect((await client.response()).status).toBe(100);
    client.write('hello');
    expect((await client.response()).status).toBe(201);
  });

  it('an expectation of another kind is refused', async () => {
    const { port } = await startServer();
    const client = await connectRaw(port);
    client.write(head('/hooks', { Authorization: 'Bearer acme', 'Content-Length': '2', Expect: 'a-miracle' }));
    expect((await client.response()).status).toBe(417);
    expect(await client.ended).toBe('');
  });

  it('refused bytes reach no store', async () => {
    const begun: string[] = [];
    const { port } = await startServer({
      store: {
        begin: () => {
          begun.push('begin');
          throw new Error('not to be asked');
        },
        has: async () => false,
        open: async () => null,
      },
    });
    for (const token of [null, 'bad', 'acme-event']) await sendUpload(port, 'hello', { token });
    await sendUpload(port, 'hello', { headers: { 'Content-Type': 'text/plain' } });
    await sendUpload(port, 'hello', { headers: { 'AHP-Content-SHA256': 'A'.repeat(64) } });
    expect(begun).toEqual([]);
  });

  it('a small refused body in the same packet closes the connection all the same', async () => {
    const { port } = await startServer();
    const client = await connectRaw(port);
    client.write(`${head('/hooks', { ...length, 'Content-Type': 'application/json' })}abc`);
    const response = await client.response();
    expect([response.status, response.headers.get('connection')]).toEqual([401, 'close']);
    expect(await client.ended).toBe('');
  });

  it('a refusal without a body keeps the connection', async () => {
    const { port } = await startServer();
    const client = await connectRaw(port);
    client.write(head('/hooks', {}, 'GET'), head('/none', {}, 'GET'));
    expect((await client.response()).headers.get('allow')).toBe('POST');
    expect((await client.response()).status).toBe(404);
  });

  it('a caller who goes on writing before it reads still learns why it was refused', async () => {
    const asked = barrier();
    const { port } = await startServer({
      authenticate: () => {
        asked.open();
        return null;
      },
    });
    const client = await connectRaw(port);
    client.socket.pause();
    client.write(head('/content', { 'Content-Length': '3000' }));
    await asked.promise;
    for (let piece = 0; piece < 3; piece += 1) {
      await settleTurns(20);
      client.write('x'.repeat(1_000));
    }
    await settleTurns(20);
    client.socket.resume();
    expect((await client.response()).status).toBe(401);
  });

  it('stops reading a refused body that goes on and on', async () => {
    const { port } = await startServer();
    const client = await connectRaw(port);
    client.write(head('/content', { 'Content-Length': '1000000000' }));
    expect((await client.response()).status).toBe(401);
    const piece = Buffer.alloc(1 << 20);
    const send = (): Promise<boolean> =>
      new Promise((resolve) => client.socket.write(piece, (error) => resolve(!(error instanceof Error))));
    // What the system buffers, it takes; then nobody takes more, and the connection is cut.
    let taken = 0;
    while (taken < 64 && (await send())) taken += 1;
    expect(taken).toBeLessThan(64);
  });
});

describe('§8 401', () => {
  it('is for an authenticator that throws, rejects, or gives half an identity; the caller cannot tell', async () => {
    const answers: (() => unknown)[] = [
      () => {
        throw new Error('secret');
      },
      () => Promise.reject(new Error('secret')),
      () => ({ principal: 'p', permissions: ['event'] }),
      () => ({ principal: ' ', scope: 's', permissions: ['event'] }),
      () => ({ principal: 'p', scope: 's' }),
      () => undefined,
    ];
    const seen = new Set<string>();
    for (const answer of answers) {
      const { port } = await startServer({ authenticate: answer as never });
      const { status, headers, body } = await sendMessage(port, discover());
      for (const [name, value] of headers) if (name !== 'date') seen.add(`${status} ${name}=${value} ${body}`);
    }
    expect([...seen].sort()).toEqual([
      '401 connection=close ',
      '401 content-length=0 ',
      '401 www-authenticate=Bearer ',
    ]);
  });

  it('carries the challenge that the host gives, where OAuth discovery begins (§6)', async () => {
    const challenge = 'Bearer resource_metadata="https://api.example/.well-known/oauth-protected-resource"';
    const { port } = await startServer({ challenge });
    expect((await sendMessage(port, discover(), { token: 'bad' })).headers.get('www-authenticate')).toBe(challenge);
  });

  it('the authenticator is told purpose, target, peer and headers, and asked before any byte of the body', async () => {
    const asked: unknown[] = [];
    const { port } = await startServer({
      authenticate: ({ purpose, url, peer, headers }) => {
        asked.push([purpose, url, peer.address, typeof peer.port, peer.certificateSubject, headers.get('x-a')]);
        return null;
      },
    });
    const client = await connectRaw(port);
    client.write(head('/hooks?a=1', { 'Content-Length': '5', 'X-A': ['1', '2'] }));
    await client.response();
    await sendUpload(port, 'x', { path: '/content?b' });
    expect(asked).toEqual([
      ['event', '/hooks?a=1', '127.0.0.1', 'number', null, '1, 2'],
      ['upload', '/content?b', '127.0.0.1', 'number', null, null],
    ]);
  });
});

describe('§8 what is taken', () => {
  it('a request is 200 with its response, a notification 202 with nothing', async () => {
    const { port } = await startServer();
    const answered = await sendMessage(port, intercept(toolBefore('e1')));
    expect([answered.status, answered.headers.get('content-type')]).toEqual([200, 'application/json']);
    expect(JSON.parse(answered.body)).toEqual({
      jsonrpc: '2.0',
      id: 'e1',
      result: { protocolVersion: 'draft', effects: [] },
    });
    const noted = await sendMessage(port, observe(toolAfter('e2')));
    expect([noted.status, noted.body]).toEqual([202, '']);
  });

  it('a refused notification is 400 without a body', async () => {
    const { port } = await startServer();
    const bad = [observe({ type: 'tool.after' }), observe({ type: 'no.such' }), { jsonrpc: '2.0', method: 'x' }];
    for (const message of bad) {
      const { status, body } = await sendMessage(port, message);
      expect([status, body]).toEqual([400, '']);
    }
  });

  it.each([
    ['application/json', 200],
    ['application/json;charset=utf-8', 200],
    ['Application/JSON ; Charset="UTF-8"', 200],
    ['application/json; charset=latin1', 415],
    ['application/json; profile=x', 415],
    ['application/json-seq', 415],
    ['text/json', 415],
    ['', 415],
  ])('media type %j is %d', async (mediaType, status) => {
    const { port } = await startServer();
    expect((await sendMessage(port, discover(), { headers: { 'Content-Type': mediaType } })).status).toBe(status);
  });

  it('two media types and content codings are refused', async () => {
    const { port } = await startServer();
    const two = { 'Content-Type': ['application/json', 'application/json'] };
    expect((await sendMessage(port, discover(), { headers: two })).status).toBe(415);
    expect((await sendMessage(port, discover(), { headers: { 'Content-Encoding': 'gzip' } })).status).toBe(415);
    const upload = { 'Content-Type': ['application/octet-stream', 'application/octet-stream'] };
    expect((await sendUpload(port, 'x', { headers: upload })).status).toBe(415);
    expect((await sendUpload(port, 'x', { headers: { 'Content-Encoding': 'identity' } })).status).toBe(415);
  });

  it('paths are those of the options, queries are let through', async () => {
    const { port } = await startServer({ paths: { hooks: '/a/b', content: '/c..d' } });
    expect((await sendMessage(port, discover(), { path: '/a/b?x=/hooks' })).status).toBe(200);
    expect((await sendUpload(port, 'x', { path: '/c..d' })).status).toBe(201);
    expect((await sendMessage(port, discover(), { path: '/hooks' })).status).toBe(404);
    expect((await sendMessage(port, discover(), { path: '/x/../a/b' })).status).toBe(404);
  });
});
