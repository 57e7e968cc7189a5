import { createServer } from 'node:https';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import {
  createHttpTransport,
  type HttpTransportOptions,
  type Transport,
  type TransportRecord,
} from '../../runtime/transports/index.js';
import { barrier } from '../support/barrier.js';
import { createAuthority } from '../support/certificates.js';
import { httpResponse, onRequest, type RawServer, startRawServer } from '../support/raw-server.js';
import { everythingIn } from '../support/errors.js';
import { ask, failure, tell, text } from './support/calls.js';

const JSON_TYPE = 'Content-Type: application/json';
const ANSWER = '{"jsonrpc":"2.0","id":"e1","result":{"protocolVersion":"draft","effects":[]}}';

const transports: Transport[] = [];

function make(server: RawServer, options: Partial<HttpTransportOptions> = {}): Transport {
  const transport = createHttpTransport({ url: `http://127.0.0.1:${server.port}/hooks`, ...options });
  transports.push(transport);
  return transport;
}

/** A server that gives each request the next of these responses, the last one again and again. */
async function serve(...responses: readonly string[]): Promise<RawServer & { readonly heads: string[] }> {
  const heads: string[] = [];
  const server = await startRawServer((socket) => {
    onRequest(socket, (head) => {
      heads.push(head);
      socket.write(responses[Math.min(heads.length, responses.length) - 1] ?? '');
    });
  });
  return { port: server.port, connections: server.connections, heads };
}

afterEach(async () => {
  for (const transport of transports.splice(0)) await transport.close();
});

describe('requests', () => {
  it('§6 post one message as JSON to the target as configured and give the bytes back', async () => {
    const server = await serve(httpResponse(200, ANSWER, [JSON_TYPE]));
    const url = `http://127.0.0.1:${server.port}/a/../%2e/hooks?x=%zz`;
    const transport = make(server, { url });
    expect(text(await ask(transport))).toBe(ANSWER);
    expect(server.heads[0]).toMatch(/^POST \/a\/\.\.\/%2e\/hooks\?x=%zz HTTP\/1\.1\r\n/);
    expect(server.heads[0]).toContain('\r\nContent-Type: application/json\r\n');
    expect(server.heads[0]).not.toMatch(/transfer-encoding|authorization|accept-encoding|cookie/i);
  });

  it.each([201, 202, 204, 206, 300, 400, 403, 404, 405, 413, 415, 429, 500, 502, 503])(
    '§6 status %i is a failure',
    async (status) => {
      const server = await serve(httpResponse(status, status === 204 ? '' : 'peer text', [JSON_TYPE]));
      const error = await failure(ask(make(server)));
      expect(error).toMatchObject({ code: 'status', status, message: expect.stringContaining(`got ${status}`) });
      expect(everythingIn(error)).not.toContain('peer text');
    },
  );

  it.each([301, 302, 303, 307, 308])('§6 a %i is not followed, and the token goes nowhere else', async (status) => {
    const other = await serve(httpResponse(200, ANSWER, [JSON_TYPE]));
    const server = await serve(httpResponse(status, '', [`Location: http://127.0.0.1:${other.port}/hooks`]));
    const transport = make(server, { authorize: async () => ({ token: 's3cr3t' }) });
    expect(await failure(ask(transport))).toMatchObject({ code: 'status', status });
    expect(await failure(tell(transport))).toMatchObject({ code: 'status', status });
    expect(other.connections).toHaveLength(0);
    expect(server.heads).toHaveLength(2);
  });

  it.each([
    ['no media type', []],
    ['two media types', [JSON_TYPE, JSON_TYPE]],
    ['another media type', ['Content-Type: text/plain']],
    ['another charset', ['Content-Type: application/json; charset=latin1']],
    ['another parameter', ['Content-Type: application/json; profile=x']],
    ['a content coding', [JSON_TYPE, 'Content-Encoding: gzip']],
  ])('§6 %s is invalid-message', async (_, headers) => {
    const server = await serve(httpResponse(200, ANSWER, headers));
    expect(await failure(ask(make(server)))).toMatchObject({ code: 'invalid-message', status: 200 });
  });

  it('§6 charset=utf-8 is fine, in any case', async () => {
    const server = await serve(httpResponse(200, ANSWER, ['content-type: Application/JSON; Charset="UTF-8"']));
    expect(text(await ask(make(server)))).toBe(ANSWER);
  });

  it('§6 a response above the bound is invalid-message', async () => {
    const server = await serve(httpResponse(200, ANSWER, [JSON_TYPE]), httpResponse(500, ANSWER, [JSON_TYPE]));
    const transport = make(server, { maxMessageBytes: ANSWER.length - 1 });
    expect(await failure(ask(transport))).toMatchObject({ code: 'invalid-message', status: 200 });
    expect(await failure(ask(transport))).toMatchObject({ code: 'status', status: 500 });
    expect(
      text(await ask(make(await serve(httpResponse(200, ANSWER, [JSON_TYPE])), { maxMessageBytes: ANSWER.length }))),
    ).toBe(ANSWER);
  });

  it('give bytes back undecoded: invalid UTF-8 and delicate numbers as they came', async () => {
    const odd = '{"id":"e1","n":[1.0,1E2,-0,12345678901234567890],"x":"é"}';
    const server = await startRawServer((socket) => {
      onRequest(socket, () => {
        const body = Buffer.concat([Buffer.from(odd), Buffer.from([0xff, 0xfe])]);
        socket.write(httpResponse(200, '', [JSON_TYPE]).replace('Content-Length: 0', `Content-Length: ${body.length}`));
        socket.write(body);
      });
    });
    const answer = Buffer.from(await ask(make(server)));
    expect(answer.subarray(0, -2).toString('utf8')).toBe(odd);
    expect([...answer.subarray(-2)]).toEqual([0xff, 0xfe]);
  });

  it('refuse a message with a line feed before anything is sent', async () => {
    const server = await serve(httpResponse(200, ANSWER, [JSON_TYPE]));
    expect((await failure(ask(make(server), { text: '{\n}' }))).code).toBe('invalid-message');
    expect(server.connections).toHaveLength(0);
  });
});

describe('misbehaving backends', () => {
  it('accepts and says nothing: the deadline decides at once, and the connection goes', async () => {
    const arrived = barrier();
    const closed = barrier();
    const server = await startRawServer((socket) => {
      socket.on('close', () => closed.open());
      onRequest(socket, () => arrived.open());
    });
    const stop = new AbortController();
    const rejected = failure(ask(make(server), { signal: stop.signal }));
    await arrived.promise;
    stop.abort(new Error('deadline'));
    expect((await rejected).code).toBe('deadline');
    await closed.promise;
  });

  it('does not even accept: the deadline decides', async () => {
    const stop = new AbortController();
    const asked = barrier();
    const transport = createHttpTransport({
      url: 'http://localhost:9/hooks',
      lookup: () => {
        asked.open();
        return new Promise(() => {});
      },
    });
    transports.push(transport);
    const rejected = failure(ask(transport, { signal: stop.signal }));
    await asked.promise;
    stop.abort();
    expect((await rejected).code).toBe('deadline');
  });

  it('trickles bytes for ever: the deadline decides', async () => {
    const stop = new AbortController();
    let trickled = 0;
    const server = await startRawServer((socket) => {
      onRequest(socket, () => {
        socket.write(`HTTP/1.1 200 OK\r\n${JSON_TYPE}\r\nContent-Length: 1000000\r\n\r\n`);
        const trickle = (): void => {
          if (socket.destroyed) return;
          trickled += 1;
          if (trickled === 20) stop.abort();
          socket.write('x', () => setImmediate(trickle));
        };
        trickle();
      });
    });
    expect((await failure(ask(make(server), { signal: stop.signal }))).code).toBe('deadline');
  });

  it('answers twice: the second answer is not taken for the next one', async () => {
    const second = ANSWER.replace('[]', '[{"type":"deny","reason":"second"}]');
    const server = await startRawServer((socket, index) => {
      onRequest(socket, () => {
        if (index === 0) socket.write(httpResponse(200, ANSWER, [JSON_TYPE]) + httpResponse(200, second, [JSON_TYPE]));
        else socket.write(httpResponse(200, ANSWER.replace('[]', '["own"]'), [JSON_TYPE]));
      });
    });
    const transport = make(server);
    // Bytes after the first answer are no second one: the connection is broken and goes.
    const first = await ask(transport).then(text, () => null);
    expect([ANSWER, null]).toContain(first);
    expect(text(await ask(transport))).toContain('own');
  });

  it('closes early: connection', async () => {
    const server = await startRawServer((socket) => onRequest(socket, () => socket.end('HTTP/1.1 200 OK\r\n')));
    expect((await failure(ask(make(server)))).code).toBe('connection');
  });

  it('drops idle connections: none of thirty calls fails', async () => {
    const server = await startRawServer((socket) => {
      let requests = 0;
      onRequest(socket, () => {
        requests += 1;
        if (requests === 2) socket.destroy();
        else socket.write(httpResponse(200, ANSWER, [JSON_TYPE]));
      });
    });
    const transport = make(server);
    for (let call = 0; call < 30; call += 1) expect(text(await ask(transport))).toBe(ANSWER);
    expect(server.connections.length).toBeGreaterThan(10);
  });

  it('is not there: connection', async () => {
    const transport = createHttpTransport({ url: 'http://127.0.0.1:1/hooks' });
    transports.push(transport);
    expect((await failure(ask(transport))).code).toBe('connection');
  });
});

describe('notifications', () => {
  it.each([202, 204])('§6 are done with %i and no body', async (status) => {
    const server = await serve(httpResponse(status, ''));
    await expect(tell(make(server))).resolves.toBeUndefined();
  });
  it.each([200, 201, 302, 400, 403, 500])('§6 fail with %i', async (status) => {
    const server = await serve(httpResponse(status, ''));
    expect(await failure(tell(make(server)))).toMatchObject({ code: 'status', status });
  });
  it('§6 fail with a body', async () => {
    const server = await serve(httpResponse(202, 'x'));
    expect(await failure(tell(make(server)))).toMatchObject({ code: 'invalid-message', status: 202 });
  });
  it('§6 take no longer than they may', async () => {
    const server = await startRawServer(() => {});
    const error = await failure(tell(make(server, { notifyTimeoutMs: 20 })));
    expect(error).toMatchObject({
      code: 'deadline',
      message: 'notification: expected it to be taken within 20 ms, got no end',
    });
  });
});

describe('credentials', () => {
  it('§6 the token goes into the header', async () => {
    const server = await serve(httpResponse(200, ANSWER, [JSON_TYPE]));
    const asked: unknown[] = [];
    const transport = make(server, {
      authorize: async ({ signal, ...request }) => {
        asked.push(request);
        return { token: 's3cr3t\n' };
      },
    });
    await ask(transport);
    expect(server.heads[0]).toMatch(/\r\nAuthorization: Bearer s3cr3t\r\n/);
    expect(asked).toEqual([{ endpoint: `http://127.0.0.1:${server.port}/hooks`, purpose: 'event' }]);
  });

  it.each([
    ['null', async () => null],
    ['a rejection', async () => Promise.reject(new Error('no'))],
    ['an empty token', async () => ({ token: '' })],
    ['a token that is no text', async () => ({ token: ['s3cr3t'] as unknown as string })],
    ['a line end within', async () => ({ token: 's3cr3t\r\nx: y' })],
    ['a letter beyond Latin-1', async () => ({ token: 's3cr3tĀ' })],
  ])('§6 %s: nothing is sent, and no error holds the token', async (_, authorize) => {
    const server = await serve(httpResponse(200, ANSWER, [JSON_TYPE]));
    const transport = make(server, { authorize });
    for (const call of [ask(transport), tell(transport)]) {
      const error = await failure(call);
      expect(error.code).toBe('authentication');
      expect(everythingIn(error)).not.toContain('s3cr3t');
    }
    expect(server.connections).toHaveLength(0);
  });

  it.each([
    ['request', ask, httpResponse(200, ANSWER, [JSON_TYPE])],
    ['notification', tell, httpResponse(202, '')],
  ] as const)('§6 after a 401 a %s is sent once more with another token', async (_, call, good) => {
    const challenge = 'Bearer resource_metadata="https://as.example/x"';
    const server = await serve(
      httpResponse(401, 'no', [`WWW-Authenticate: ${challenge}`, 'WWW-Authenticate: Basic']),
      good,
    );
    const rejected: unknown[] = [];
    const transport = make(server, {
      authorize: async (request) => {
        rejected.push(request.rejected);
        return { token: request.rejected === undefined ? 'old' : 'new' };
      },
    });
    await call(transport);
    expect(rejected).toEqual([undefined, { token: 'old', challenge: `${challenge}, Basic` }]);
    expect(server.heads.map((head) => /authorization: (.*)/i.exec(head)?.[1])).toEqual(['Bearer old', 'Bearer new']);
  });

  it.each([
    ['the same token', 'old', 1],
    ['none', null, 1],
    ['another token, refused too', 'new', 2],
  ])('§6 after a 401 and %s it is over', async (_, next, requests) => {
    const server = await serve(httpResponse(401, ''));
    let asked = 0;
    const transport = make(server, {
      authorize: async ({ rejected }) => {
        asked += 1;
        if (rejected === undefined) return { token: 'old' };
        return next === null ? null : { token: next };
      },
    });
    expect(await failure(ask(transport))).toMatchObject({ code: 'authentication', status: 401 });
    expect(asked).toBe(2);
    expect(server.heads).toHaveLength(requests);
  });

  it('§6 a 401 without any credential is authentication, a challenge of null is told as such', async () => {
    const server = await serve(httpResponse(401, ''));
    expect(await failure(ask(make(server)))).toMatchObject({ code: 'authentication', status: 401 });
    const challenges: unknown[] = [];
    const transport = make(server, {
      authorize: async ({ rejected }) => {
        challenges.push(rejected?.challenge);
        return { token: 'same' };
      },
    });
    await failure(ask(transport));
    expect(challenges).toEqual([undefined, null]);
  });

  it('§6 a 403 is final', async () => {
    const server = await serve(httpResponse(403, ''));
    let asked = 0;
    const transport = make(server, {
      authorize: async () => {
        asked += 1;
        return { token: `t${asked}` };
      },
    });
    expect(await failure(ask(transport))).toMatchObject({ code: 'status', status: 403 });
    expect(asked).toBe(1);
    expect(server.heads).toHaveLength(1);
  });

  it('§6 the deadline runs while credentials are asked for, and nothing is sent after it', async () => {
    const server = await serve(httpResponse(200, ANSWER, [JSON_TYPE]));
    const stop = new AbortController();
    const asked = barrier();
    const token = barrier<{ token: string }>();
    const transport = make(server, {
      authorize: () => {
        asked.open();
        return token.promise;
      },
    });
    const rejected = failure(ask(transport, { signal: stop.signal }));
    await asked.promise;
    stop.abort();
    expect((await rejected).code).toBe('deadline');
    token.open({ token: 'late' });
    await new Promise((resolve) => setImmediate(resolve));
    expect(server.connections).toHaveLength(0);
  });

  it('§6 the second try is inside the same deadline', async () => {
    const stop = new AbortController();
    const again = barrier();
    const server = await serve(httpResponse(401, ''), '');
    const transport = make(server, {
      authorize: async ({ rejected }) => {
        if (rejected !== undefined) again.open();
        return { token: rejected === undefined ? 'old' : 'new' };
      },
    });
    const rejected = failure(ask(transport, { signal: stop.signal }));
    await again.promise;
    stop.abort();
    expect((await rejected).code).toBe('deadline');
  });
});

describe('endpoints', () => {
  it.each([
    'http://h.example/hooks',
    'http://10.0.0.1/hooks',
    'http://0.0.0.0/hooks',
    'https://user:s3cr3t@h.example/hooks',
    'http://user@127.0.0.1/hooks',
    'https://h.example/hooks#x',
    'ftp://127.0.0.1/hooks',
  ])('§6 %s is refused when the transport is made', (url) => {
    let caught: unknown;
    try {
      createHttpTransport({ url });
    } catch (error) {
      caught = error;
    }
    expect(caught).toMatchObject({ name: 'NetError', code: 'endpoint' });
    expect(everythingIn(caught)).not.toContain('s3cr3t');
  });

  it('§6 plain http to localhost that resolves elsewhere is not dialled', async () => {
    let dialled = 0;
    const transport = createHttpTransport({
      url: 'http://localhost:80/hooks',
      lookup: async () => [{ address: '192.168.7.7', family: 4 }],
      connect: () => {
        dialled += 1;
        throw new Error('dialled');
      },
    });
    transports.push(transport);
    expect((await failure(ask(transport))).code).toBe('connection');
    expect(dialled).toBe(0);
  });

  it('§6 a redirect from https to plain http on the same host takes no token along', async () => {
    const plain = await serve(httpResponse(200, ANSWER, [JSON_TYPE]));
    const authority = createAuthority();
    const server = createServer(authority.issue('server', ['127.0.0.1']), (_request, response) => {
      response.writeHead(308, { location: `http://127.0.0.1:${plain.port}/hooks` }).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('expected a TCP address');
    const transport = createHttpTransport({
      url: `https://127.0.0.1:${address.port}/hooks`,
      tls: { ca: authority.cert },
      authorize: async () => ({ token: 's3cr3t' }),
    });
    transports.push(transport);
    expect(await failure(ask(transport))).toMatchObject({ code: 'status', status: 308 });
    expect(plain.connections).toHaveLength(0);
  });

  it('a certificate of an unknown authority is connection, and nothing is sent', async () => {
    const authority = createAuthority();
    const identity = authority.issue('server', ['127.0.0.1']);
    let requests = 0;
    const server = createServer(identity, (_request, response) => {
      requests += 1;
      response.setHeader('content-type', 'application/json').end(ANSWER);
    });
    server.on('tlsClientError', () => {});
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const address = server.address();
      if (address === null || typeof address === 'string') throw new Error('expected a TCP address');
      const url = `https://127.0.0.1:${address.port}/hooks`;
      const strict = createHttpTransport({ url, authorize: async () => ({ token: 's3cr3t' }) });
      const trusting = createHttpTransport({ url, tls: { ca: authority.cert } });
      transports.push(strict, trusting);
      expect((await failure(ask(strict))).code).toBe('connection');
      expect(requests).toBe(0);
      expect(text(await ask(trusting))).toBe(ANSWER);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});

describe('records', () => {
  it('§6 tell ids, codes and milliseconds, and nothing else', async () => {
    const server = await serve(
      httpResponse(200, ANSWER, [JSON_TYPE]),
      httpResponse(202, ''),
      httpResponse(500, 'peer text', [JSON_TYPE]),
    );
    const records: TransportRecord[] = [];
    const transport = make(server, {
      authorize: async () => ({ token: 's3cr3t' }),
      onRecord: (record) => {
        records.push(record);
        throw new Error('a listener that fails');
      },
    });
    await ask(transport, { id: 'a' });
    await tell(transport);
    await failure(ask(transport, { id: 3 }));
    const ms = expect.any(Number);
    expect(records).toEqual([
      { event: 'answered', id: 'a', method: 'hooks/intercept', ms },
      { event: 'notified', method: 'hooks/observe', ms },
      { event: 'failed', id: 3, method: 'hooks/intercept', code: 'status', status: 500, ms },
    ]);
    expect(JSON.stringify(records)).not.toMatch(/s3cr3t|peer text/);
  });
});
