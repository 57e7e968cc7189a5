import { createServer as createHttpServer } from 'node:http';
import { connect as connectTcp } from 'node:net';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import {
  createHttpClient,
  type ExchangeRequest,
  type HttpClient,
  type HttpClientOptions,
  NetError,
  parseEndpoint,
  PUBLIC_ONLY,
} from '../../runtime/net/index.js';
import { barrier } from '../support/barrier.js';
import { everythingIn } from '../support/errors.js';
import { httpResponse, onRequest, startRawServer } from '../support/raw-server.js';

const clients: HttpClient[] = [];

function makeClient(options?: HttpClientOptions): HttpClient {
  const client = createHttpClient(options);
  clients.push(client);
  return client;
}

afterEach(() => {
  for (const client of clients.splice(0)) client.close();
});

function order(url: string, changes: Partial<ExchangeRequest> = {}): ExchangeRequest {
  return {
    endpoint: parseEndpoint(url),
    method: 'POST',
    headers: [['Content-Type', 'application/json']],
    body: new TextEncoder().encode('{}'),
    maxResponseBytes: 1000,
    signal: new AbortController().signal,
    ...changes,
  };
}

async function failure(promise: Promise<unknown>): Promise<NetError> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof NetError) return error;
    throw error;
  }
  throw new Error('expected a failure, got none');
}

describe('exchange', () => {
  it('§7 the request line carries the target as configured, and the head nothing that was not asked for', async () => {
    const heads: string[] = [];
    const server = await startRawServer((socket) => {
      onRequest(socket, (head) => {
        heads.push(head);
        socket.write(httpResponse(200, 'ok'));
      });
    });
    const target = '/a/./b/../%2e%2E//c;v=1?x=%zz&y=[]|{}&x';
    const response = await makeClient().exchange(order(`http://127.0.0.1:${server.port}${target}`));
    expect(response).toMatchObject({ status: 200, bodySent: true });
    expect(heads).toEqual([
      `POST ${target} HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nContent-Type: application/json\r\n` +
        'Content-Length: 2\r\nConnection: keep-alive',
    ]);
  });

  it('gives repeated response headers one by one', async () => {
    const server = await startRawServer((socket) => {
      onRequest(socket, () => socket.write(httpResponse(200, 'ok', ['A: 1', 'b: x', 'a: 2'])));
    });
    const { headers } = await makeClient().exchange(order(`http://127.0.0.1:${server.port}/`));
    expect(headers).toEqual([
      ['A', '1'],
      ['b', 'x'],
      ['a', '2'],
      ['Content-Length', '2'],
    ]);
  });

  it('§6 ignores proxy variables', async () => {
    const server = await startRawServer((socket) => onRequest(socket, () => socket.write(httpResponse(200, 'direct'))));
    const proxy = await startRawServer((socket) => onRequest(socket, () => socket.write(httpResponse(200, 'proxied'))));
    const before = { ...process.env };
    for (const name of ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy', 'NODE_USE_ENV_PROXY']) {
      process.env[name] = name === 'NODE_USE_ENV_PROXY' ? '1' : `http://127.0.0.1:${proxy.port}`;
    }
    onTestFinished(() => {
      process.env = before;
    });
    const response = await makeClient().exchange(order(`http://127.0.0.1:${server.port}/`));
    expect(Buffer.from(response.body).toString()).toBe('direct');
    expect(proxy.connections).toHaveLength(0);
  });

  it.each([301, 302, 303, 307, 308])('a %i is given back and not followed', async (status) => {
    const target = await startRawServer((socket) => onRequest(socket, () => socket.write(httpResponse(200, 'moved'))));
    const server = await startRawServer((socket) => {
      onRequest(socket, () => {
        socket.write(httpResponse(status, '', [`Location: http://127.0.0.1:${target.port}/`]));
      });
    });
    const response = await makeClient().exchange(order(`http://127.0.0.1:${server.port}/`));
    expect(response.status).toBe(status);
    expect(target.connections).toHaveLength(0);
  });

  it('sends nothing when a header is unsafe', async () => {
    const server = await startRawServer(() => {});
    const headers = [['Authorization', 'Bearer s3cr3t\r\nx: y']] as const;
    const error = await failure(makeClient().exchange(order(`http://127.0.0.1:${server.port}/`, { headers })));
    expect(error.code).toBe('header');
    expect(`${error.message}${error.stack}`).not.toContain('s3cr3t');
    expect(server.connections).toHaveLength(0);
  });

  it.each([
    ['a declared length', (n: number) => httpResponse(200, 'x'.repeat(n))],
    [
      'chunks',
      (n: number) =>
        `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${n.toString(16)}\r\n${'x'.repeat(n)}\r\n0\r\n\r\n`,
    ],
  ])('bounds a response body with %s', async (_, respond) => {
    const server = await startRawServer((socket, index) => {
      onRequest(socket, () => socket.write(respond(index === 0 ? 1000 : 1001)));
    });
    const client = makeClient({ keepAlive: false });
    const url = `http://127.0.0.1:${server.port}/`;
    expect((await client.exchange(order(url))).body.byteLength).toBe(1000);
    expect(await failure(client.exchange(order(url)))).toMatchObject({ code: 'response-too-large', status: 200 });
  });

  it.each([
    ['the end of the connection', ''],
    ['something that is no HTTP', 'nonsense s3cr3t\r\n\r\n'],
    ['half a head', 'HTTP/1.1 200 OK\r\nContent-Le'],
    ['a body that is cut short', 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf'],
    ['a chunked body that is cut short', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab'],
    ['a transfer coding that is none of ours', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nabc'],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
    ['an endless head', `HTTP/1.1 200 OK\r\nA: ${'x'.repeat(20_000)}\r\n\r\n`],
    ['a change of protocol', 'HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: other\r\n\r\n'],
  ])('fails with connection on %s, quoting nothing', async (_, bytes) => {
    const server = await startRawServer((socket) => onRequest(socket, () => socket.end(bytes)));
    const error = await failure(makeClient().exchange(order(`http://127.0.0.1:${server.port}/`)));
    expect(error.code).toBe('connection');
    expect(everythingIn(error)).not.toContain('s3cr3t');
  });

  it('decodes nothing: a body that trickles in byte by byte is given as it was', async () => {
    const text = 'café 🜁';
    const server = await startRawServer((socket) => {
      onRequest(socket, async () => {
        socket.setNoDelay(true);
        for (const byte of Buffer.from(httpResponse(200, text))) {
          await new Promise<void>((resolve) => socket.write(Buffer.from([byte]), () => resolve()));
        }
      });
    });
    const response = await makeClient().exchange(order(`http://127.0.0.1:${server.port}/`));
    expect(Buffer.from(response.body).toString('utf8')).toBe(text);
  });

  it('§6 a body in a million chunks of one byte takes little more memory than its bytes', async () => {
    const size = 1_048_576;
    const piece = Buffer.from('1\r\nx\r\n'.repeat(4096));
    const server = await startRawServer((socket) => {
      onRequest(socket, () => {
        socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
        for (let sent = 0; sent < size; sent += 4096) socket.write(piece);
        socket.write('0\r\n\r\n');
      });
    });
    const url = `http://127.0.0.1:${server.port}/`;
    const before = process.memoryUsage();
    let peakGrowth = 0;
    const watch = setInterval(() => {
      peakGrowth = Math.max(peakGrowth, process.memoryUsage().rss - before.rss);
    }, 5);
    try {
      const { body } = await makeClient().exchange(order(url, { maxResponseBytes: size }));
      expect(body.byteLength).toBe(size);
      expect(body.every((byte) => byte === 0x78)).toBe(true);
    } finally {
      clearInterval(watch);
    }
    // Held one by one, the chunks take 400 MiB.
    expect(peakGrowth).toBeLessThan(150 * 1_048_576);
  });

  it('ends with its signal while the server says nothing, and frees the connection', async () => {
    const arrived = barrier();
    const closed = barrier();
    const server = await startRawServer((socket) => {
      socket.on('close', () => closed.open());
      onRequest(socket, () => arrived.open());
    });
    const stop = new AbortController();
    const exchange = failure(makeClient().exchange(order(`http://127.0.0.1:${server.port}/`, { signal: stop.signal })));
    await arrived.promise;
    stop.abort('enough');
    expect(await exchange).toMatchObject({ code: 'aborted', cause: 'enough' });
    await closed.promise;
  });

  it('ends with its signal while the body trickles', async () => {
    const stop = new AbortController();
    const server = await startRawServer((socket) => {
      onRequest(socket, () => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nx', () => stop.abort());
      });
    });
    const exchange = makeClient().exchange(order(`http://127.0.0.1:${server.port}/`, { signal: stop.signal }));
    expect((await failure(exchange)).code).toBe('aborted');
  });

  it('dials nothing when the signal has fired, and leaves a look-up that hangs', async () => {
    const server = await startRawServer(() => {});
    const url = `http://127.0.0.1:${server.port}/`;
    expect((await failure(makeClient().exchange(order(url, { signal: AbortSignal.abort() })))).code).toBe('aborted');
    const stop = new AbortController();
    const asked = barrier();
    const client = makeClient({
      lookup: () => {
        asked.open();
        return new Promise(() => {});
      },
    });
    const exchange = failure(client.exchange(order(`http://localhost:${server.port}/`, { signal: stop.signal })));
    await asked.promise;
    stop.abort();
    expect((await exchange).code).toBe('aborted');
    expect(server.connections).toHaveLength(0);
  });

  it('close ends exchanges and refuses later ones', async () => {
    const arrived = barrier();
    const server = await startRawServer((socket) => onRequest(socket, () => arrived.open()));
    const client = makeClient();
    const url = `http://127.0.0.1:${server.port}/`;
    const exchange = failure(client.exchange(order(url)));
    await arrived.promise;
    client.close();
    expect((await exchange).code).toBe('aborted');
    expect((await failure(client.exchange(order(url)))).code).toBe('aborted');
  });

  it('holds the number of exchanges at once, and a waiting one ends with its signal', async () => {
    let open = 0;
    let most = 0;
    const release = barrier();
    const server = await startRawServer((socket) => {
      onRequest(socket, async () => {
        open += 1;
        most = Math.max(most, open);
        await release.promise;
        open -= 1;
        socket.write(httpResponse(200, 'ok'));
      });
    });
    const client = makeClient({ maxConcurrent: 2 });
    const url = `http://127.0.0.1:${server.port}/`;
    const exchanges = Array.from({ length: 6 }, () => client.exchange(order(url)));
    const stop = new AbortController();
    const waiting = failure(client.exchange(order(url, { signal: stop.signal })));
    stop.abort();
    expect((await waiting).code).toBe('aborted');
    release.open();
    await Promise.all(exchanges);
    expect(most).toBeLessThanOrEqual(2);
    expect(server.connections.length).toBeLessThanOrEqual(2);
  });
});

describe('kept connections', () => {
  it('are used again', async () => {
    const server = await startRawServer((socket) => onRequest(socket, () => socket.write(httpResponse(200, 'ok'))));
    const client = makeClient();
    for (let call = 0; call < 5; call += 1) await client.exchange(order(`http://127.0.0.1:${server.port}/`));
    expect(server.connections).toHaveLength(1);
  });

  it('§6 a reused one that closes before any byte gets the same bytes once more on a fresh one', async () => {
    const bodies: string[] = [];
    const server = await startRawServer((socket) => {
      let requests = 0;
      onRequest(socket, (_head, body) => {
        requests += 1;
        bodies.push(body.toString());
        // Takes the second request of each connection and drops it, as a server does whose idle time has run out.
        if (requests === 2) socket.destroy();
        else socket.write(httpResponse(200, `${bodies.length}`));
      });
    });
    const client = makeClient();
    const url = `http://127.0.0.1:${server.port}/`;
    await client.exchange(order(url, { body: Buffer.from('one') }));
    const response = await client.exchange(order(url, { body: Buffer.from('two') }));
    expect(response.status).toBe(200);
    expect(bodies).toEqual(['one', 'two', 'two']);
    expect(server.connections).toHaveLength(2);
  });

  it('§6 no second time, not after the first byte of a response, and not on a first connection', async () => {
    const bodies: string[] = [];
    const server = await startRawServer((socket, index) => {
      let requests = 0;
      onRequest(socket, (_head, body) => {
        requests += 1;
        bodies.push(body.toString());
        if (index === 0 && requests === 1) socket.write(httpResponse(200, 'ok'));
        else if (body.toString() === 'first byte') socket.end('H');
        else socket.destroy();
      });
    });
    const client = makeClient();
    const url = `http://127.0.0.1:${server.port}/`;
    await client.exchange(order(url, { body: Buffer.from('good') }));
    expect((await failure(client.exchange(order(url, { body: Buffer.from('twice') })))).code).toBe('connection');
    expect(bodies).toEqual(['good', 'twice', 'twice']);
    expect((await failure(client.exchange(order(url, { body: Buffer.from('fresh') })))).code).toBe('connection');
    expect(bodies).toEqual(['good', 'twice', 'twice', 'fresh']);
  });

  it('§6 not after the first byte of a response on a reused one', async () => {
    let requests = 0;
    const server = await startRawServer((socket) => {
      onRequest(socket, () => {
        requests += 1;
        if (requests === 1) socket.write(httpResponse(200, 'ok'));
        else socket.end('H');
      });
    });
    const client = makeClient();
    await client.exchange(order(`http://127.0.0.1:${server.port}/`));
    expect((await failure(client.exchange(order(`http://127.0.0.1:${server.port}/`)))).code).toBe('connection');
    expect(requests).toBe(2);
  });

  it('§6 a streamed body is not sent again', async () => {
    let requests = 0;
    const server = await startRawServer((socket) => {
      onRequest(socket, () => {
        requests += 1;
        if (requests === 1) socket.write(httpResponse(200, 'ok'));
        else socket.destroy();
      });
    });
    const client = makeClient();
    const body = { size: 3, chunks: [Buffer.from('abc')] };
    await client.exchange(order(`http://127.0.0.1:${server.port}/`));
    expect((await failure(client.exchange(order(`http://127.0.0.1:${server.port}/`, { body })))).code).toBe(
      'connection',
    );
    expect(requests).toBe(2);
  });

  it('§6 a server that drops idle connections fails none of thirty calls', async () => {
    const server = createHttpServer((request, response) => {
      request.resume();
      request.on('end', () => response.end('ok'));
    });
    server.keepAliveTimeout = 1;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('expected a TCP address');
    const client = makeClient();
    const url = `http://127.0.0.1:${address.port}/`;
    for (let call = 0; call < 30; call += 1) {
      expect((await client.exchange(order(url))).status).toBe(200);
      if (call % 2 === 0) server.closeIdleConnections();
    }
  });
});

describe('streamed bodies', () => {
  it('go out with an exact length and no chunked coding', async () => {
    const seen: { head: string; body: string }[] = [];
    const server = await startRawServer((socket) => {
      onRequest(socket, (head, body) => {
        seen.push({ head, body: body.toString() });
        socket.write(httpResponse(201, 'ok'));
      });
    });
    async function* chunks() {
      yield Buffer.from('ab');
      yield Buffer.alloc(0);
      yield Buffer.from('cde');
    }
    const body = { size: 5, chunks: chunks() };
    const response = await makeClient().exchange(order(`http://127.0.0.1:${server.port}/`, { body }));
    expect(response).toMatchObject({ status: 201, bodySent: true });
    expect(seen[0]?.body).toBe('abcde');
    expect(seen[0]?.head).toMatch(/^content-length: 5$/im);
    expect(seen[0]?.head).not.toMatch(/transfer-encoding/i);
  });

  it.each([
    ['too long', 4, ['ab', 'cde']],
    ['too short', 6, ['ab', 'cde']],
  ])('a source that is %s fails before the last byte is out', async (_, size, parts) => {
    let arrived = 0;
    const closed = barrier();
    const server = await startRawServer((socket) => {
      socket.on('data', (chunk: Buffer) => {
        arrived += chunk.toString('latin1').split('\r\n\r\n')[1]?.length ?? chunk.length;
      });
      socket.on('close', () => closed.open());
    });
    const body = { size, chunks: parts.map((part) => Buffer.from(part)) };
    const error = await failure(makeClient().exchange(order(`http://127.0.0.1:${server.port}/`, { body })));
    expect(error.code).toBe('body');
    if (server.connections.length > 0) await closed.promise;
    expect(arrived).toBeLessThan(size);
  });

  it('a source that fails after the announced length is caught before the last chunk is out', async () => {
    let arrived = '';
    const first = barrier();
    const closed = barrier();
    const server = await startRawServer((socket) => {
      socket.on('data', (chunk: Buffer) => {
        arrived += chunk.toString('latin1');
        if (arrived.endsWith('ab')) first.open();
      });
      socket.on('close', () => closed.open());
    });
    async function* chunks() {
      yield Buffer.from('ab');
      yield Buffer.from('cd');
      await first.promise;
      throw new Error('changed');
    }
    const body = { size: 4, chunks: chunks() };
    const error = await failure(makeClient().exchange(order(`http://127.0.0.1:${server.port}/`, { body })));
    expect(error.code).toBe('body');
    await closed.promise;
    expect(arrived.split('\r\n\r\n')[1]).toBe('ab');
  });

  it('a source that throws fails the exchange, with its own error as the cause', async () => {
    const server = await startRawServer(() => {});
    const own = new Error('changed');
    async function* chunks() {
      yield Buffer.from('ab');
      throw own;
    }
    const body = { size: 5, chunks: chunks() };
    const error = await failure(makeClient().exchange(order(`http://127.0.0.1:${server.port}/`, { body })));
    expect(error).toMatchObject({ code: 'body', cause: own });
  });

  it('§7 a response that comes before the last byte says so, and ends the sending', async () => {
    const server = await startRawServer((socket) => {
      socket.once('data', () => socket.write(httpResponse(201, 'early')));
    });
    let ended = false;
    let yielded = 0;
    async function* chunks() {
      try {
        for (;;) {
          yielded += 1;
          yield Buffer.alloc(65_536);
        }
      } finally {
        ended = true;
      }
    }
    const body = { size: 1 << 30, chunks: chunks() };
    const response = await makeClient().exchange(order(`http://127.0.0.1:${server.port}/`, { body }));
    expect(response).toMatchObject({ status: 201, bodySent: false });
    await expect.poll(() => ended).toBe(true);
    expect(yielded).toBeLessThan(16_384);
  });

  it('wait for the socket: a server that does not read is not flooded', async () => {
    const stop = new AbortController();
    const server = await startRawServer((socket) => socket.pause());
    let yielded = 0;
    let ended = false;
    async function* chunks() {
      try {
        for (;;) {
          yielded += 1;
          yield Buffer.alloc(1 << 20);
        }
      } finally {
        ended = true;
      }
    }
    const body = { size: 1 << 30, chunks: chunks() };
    const exchange = failure(
      makeClient().exchange(order(`http://127.0.0.1:${server.port}/`, { body, signal: stop.signal })),
    );
    let before = -1;
    await expect
      .poll(
        () => {
          const still = before === yielded && yielded > 0;
          before = yielded;
          return still;
        },
        { interval: 100 },
      )
      .toBe(true);
    expect(yielded).toBeLessThan(64);
    stop.abort();
    expect((await exchange).code).toBe('aborted');
    await expect.poll(() => ended).toBe(true);
  });

  it('a response right after the last byte counts as after it, a hundred times', async () => {
    const server = createHttpServer((request, response) => {
      request.resume();
      request.on('end', () => response.writeHead(201).end());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('expected a TCP address');
    const client = makeClient({ keepAlive: false });
    for (let round = 0; round < 100; round += 1) {
      const size = 1000 * round;
      const body = { size, chunks: [new Uint8Array(size / 2), new Uint8Array(size / 2)] };
      const response = await client.exchange(order(`http://127.0.0.1:${address.port}/`, { body }));
      expect(response.bodySent).toBe(true);
    }
  });
});

describe('addresses', () => {
  it('§6 the address that was checked is the one that is dialled', async () => {
    const server = await startRawServer((socket) => onRequest(socket, () => socket.write(httpResponse(200, 'ok'))));
    const asked: string[] = [];
    const dialled: unknown[] = [];
    const client = makeClient({
      lookup: async (name) => {
        asked.push(name);
        // A second look-up would lead elsewhere.
        return [{ address: asked.length === 1 ? '127.0.0.7' : '10.0.0.1', family: 4 }];
      },
      connect: (target) => {
        dialled.push(target);
        return connectTcp(server.port, '127.0.0.1');
      },
    });
    await client.exchange(order('http://localhost:81/'));
    expect(asked).toEqual(['localhost']);
    expect(dialled).toEqual([{ address: '127.0.0.7', family: 4, host: 'localhost', port: 81 }]);
  });

  it.each([
    ['10.0.0.1', 'private'],
    ['169.254.169.254', 'link-local'],
    ['8.8.8.8', 'public'],
    ['0.0.0.0', 'unspecified'],
  ])('§6 plain http to a name that leads to %s is refused undialled', async (address, kind) => {
    let dialled = 0;
    const client = makeClient({
      lookup: async () => [
        { address: '127.0.0.1', family: 4 },
        { address, family: 4 },
      ],
      connect: () => {
        dialled += 1;
        throw new Error('dialled');
      },
    });
    const error = await failure(client.exchange(order('http://localhost:81/')));
    expect(error.code).toBe('address');
    expect(error.message).toBe(`address: expected loopback for plain http, got a ${kind} one`);
    expect(dialled).toBe(0);
  });

  it.each(['127.0.0.1', '10.0.0.1', '169.254.169.254', '::1', '::ffff:10.0.0.1', 'fd00::1', '0.0.0.0'])(
    '§6 a policy of public addresses refuses a name that leads to %s, undialled',
    async (address) => {
      let dialled = 0;
      const client = makeClient({
        addressPolicy: PUBLIC_ONLY,
        lookup: async () => [{ address, family: address.includes(':') ? 6 : 4 }],
        connect: () => {
          dialled += 1;
          throw new Error('dialled');
        },
      });
      expect((await failure(client.exchange(order('https://as.example/')))).code).toBe('address');
      expect(dialled).toBe(0);
    },
  );

  it('§6 and a literal is held to the policy without a look-up', async () => {
    const client = makeClient({ addressPolicy: PUBLIC_ONLY, lookup: () => Promise.reject(new Error('looked up')) });
    expect((await failure(client.exchange(order('https://127.0.0.1/')))).code).toBe('address');
    expect((await failure(client.exchange(order('https://[::ffff:10.0.0.1]/')))).code).toBe('address');
  });

  it('tries the next address when one refuses', async () => {
    const server = await startRawServer((socket) => onRequest(socket, () => socket.write(httpResponse(200, 'ok'))));
    const dialled: string[] = [];
    const client = makeClient({
      lookup: async () => [
        { address: '::1', family: 6 },
        { address: '127.0.0.1', family: 4 },
      ],
      connect: (target) => {
        dialled.push(target.address);
        return connectTcp(target.family === 6 ? 1 : server.port, '127.0.0.1');
      },
    });
    expect((await client.exchange(order('http://localhost:81/'))).status).toBe(200);
    expect(dialled).toEqual(['::1', '127.0.0.1']);
  });

  it('a name that does not resolve, or to nothing, is connection', async () => {
    const failing = makeClient({ lookup: () => Promise.reject(new Error('no such name')) });
    expect((await failure(failing.exchange(order('https://h.example/')))).code).toBe('connection');
    const empty = makeClient({ lookup: async () => [] });
    expect((await failure(empty.exchange(order('https://h.example/')))).code).toBe('connection');
  });
});
