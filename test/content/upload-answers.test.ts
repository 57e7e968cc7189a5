import { describe, expect, it } from 'vitest';
import { uploadContent } from '../../runtime/content/index.js';
import { barrier } from '../support/barrier.js';
import { printed, uploadErrorOf } from './support/expect-error.js';
import { acceptUpload, receiptOf, sha256, startRawReceiver } from './support/raw-receiver.js';

const hello = Buffer.from('hello', 'utf8');
const json = 'Content-Type: application/json';
const good = receiptOf(hello);
const digest = sha256(hello);

function upload(origin: string, source: Uint8Array = hello, options: object = {}): Promise<unknown> {
  const config = { endpoint: `${origin}/content`, timeoutMs: 10_000, maxBytes: 200_000_000 };
  return uploadContent(config, source, { allowLoopback: true, ...options });
}

describe('upload binding: only a 201 with a valid receipt confirms', () => {
  const refused: readonly (readonly [number, string])[] = [
    [200, 'status'],
    [202, 'status'],
    [203, 'status'],
    [204, 'status'],
    [206, 'status'],
    [207, 'status'],
    [304, 'status'],
    [400, 'status'],
    [401, 'authentication'],
    [403, 'status'],
    [404, 'status'],
    [405, 'status'],
    [408, 'status'],
    [409, 'status'],
    [411, 'status'],
    [413, 'status'],
    [415, 'status'],
    [418, 'status'],
    [429, 'status'],
    [500, 'status'],
    [501, 'status'],
    [502, 'status'],
    [503, 'status'],
    [504, 'status'],
    [599, 'status'],
  ];
  it.each(refused)('refuses status %i, good receipt or not, and does not try again', async (status, code) => {
    const receiver = await startRawReceiver(async (connection) => {
      await connection.request();
      const bodiless = status === 204 || status === 304;
      connection.answer(status, bodiless ? ['X: y'] : [json], bodiless ? '' : good);
    });
    const error = await uploadErrorOf(upload(receiver.origin), code);
    expect(error.status).toBe(status);
    expect(receiver.connections).toHaveLength(1);
  });

  it.each([300, 301, 302, 303, 305, 307, 308])('refuses the redirect %i and goes nowhere', async (status) => {
    const receiver = await startRawReceiver(async (connection, index) => {
      if (index > 0) return connection.answer(201, [json], good);
      await connection.request();
      connection.answer(status, [json, 'Location: /landing'], good);
    });
    const error = await uploadErrorOf(upload(receiver.origin), 'redirected');
    expect(error.message).toBe(`upload: expected status 201, got the redirect ${status}`);
    expect(receiver.connections).toHaveLength(1);
  });

  it('sends the credential to no place that a redirect names', async () => {
    const elsewhere = await startRawReceiver(acceptUpload);
    const receiver = await startRawReceiver(async (connection) => {
      await connection.request();
      connection.answer(308, [`Location: ${elsewhere.origin}/content`]);
    });
    const config = {
      endpoint: `${receiver.origin}/content`,
      timeoutMs: 10_000,
      maxBytes: 100,
      auth: { type: 'bearer' as const, tokenRef: 'r' },
    };
    const credentials = { resolve: () => ({ token: 'tok' }) };
    await uploadErrorOf(uploadContent(config, hello, { allowLoopback: true, credentials }), 'redirected');
    expect(elsewhere.connections).toHaveLength(0);
  });

  const mediaTypes: readonly (readonly string[])[] = [
    [],
    ['Content-Type: text/plain'],
    ['Content-Type: application/json; charset=latin1'],
    ['Content-Type: application/json; profile=x'],
    ['Content-Type: application/problem+json'],
    ['Content-Type: application/jsonp'],
    ['Content-Type: '],
    [json, json],
    [json, 'Content-Encoding: gzip'],
  ];
  it.each(mediaTypes.map((headers) => [headers]))('refuses a 201 with the headers %j', async (headers) => {
    const receiver = await startRawReceiver(async (connection) => {
      await connection.request();
      connection.answer(201, headers, good);
    });
    await uploadErrorOf(upload(receiver.origin), 'media-type');
    expect(receiver.connections).toHaveLength(1);
  });

  const base64 = Buffer.from(digest, 'hex').toString('base64');
  const receipts: readonly (readonly [string, string | Uint8Array])[] = [
    ['empty body', ''],
    ['null', 'null'],
    ['a list', `[${good}]`],
    ['a string', '"ref-1"'],
    ['no ref', JSON.stringify({ size: 5, sha256: digest })],
    ['an empty ref', JSON.stringify({ ref: '', size: 5, sha256: digest })],
    ['a ref that is a number', JSON.stringify({ ref: 1, size: 5, sha256: digest })],
    ['no size', JSON.stringify({ ref: 'r', sha256: digest })],
    ['a size in text', JSON.stringify({ ref: 'r', size: '5', sha256: digest })],
    ['another size', JSON.stringify({ ref: 'r', size: 6, sha256: digest })],
    ['a fraction as size', `{"ref":"r","size":5.5,"sha256":"${digest}"}`],
    ['a negative size', JSON.stringify({ ref: 'r', size: -5, sha256: digest })],
    ['no digest', JSON.stringify({ ref: 'r', size: 5 })],
    ['another digest', JSON.stringify({ ref: 'r', size: 5, sha256: sha256(Buffer.from('hellp')) })],
    ['a digest in capitals', JSON.stringify({ ref: 'r', size: 5, sha256: digest.toUpperCase() })],
    ['a digest in base64', JSON.stringify({ ref: 'r', size: 5, sha256: base64 })],
    ['a structured header value as digest', JSON.stringify({ ref: 'r', size: 5, sha256: `sha-256=:${base64}:` })],
    ['a digest with white space', JSON.stringify({ ref: 'r', size: 5, sha256: ` ${digest}` })],
    ['a member too many', JSON.stringify({ ref: 'r', size: 5, sha256: digest, url: 'https://x.example' })],
    ['the same member twice', `{"ref":"a","ref":"b","size":5,"sha256":"${digest}"}`],
    ['the same member twice, spelt two ways', `{"ref":"a","r\\u0065f":"b","size":5,"sha256":"${digest}"}`],
    ['text after it', `${good} x`],
    ['a byte-order mark', `\ufeff${good}`],
    ['half of it', good.slice(0, -1)],
    ['invalid UTF-8', Buffer.concat([Buffer.from('{"ref":"'), Buffer.from([0xff]), Buffer.from(good.slice(9))])],
    ['more than 65,536 bytes', JSON.stringify({ ref: 'r'.repeat(70_000), size: 5, sha256: digest })],
  ];
  it.each(receipts)('refuses a receipt with %s', async (_name, body) => {
    const receiver = await startRawReceiver(async (connection) => {
      await connection.request();
      connection.answer(201, [json], body);
    });
    const error = await uploadErrorOf(upload(receiver.origin), 'receipt');
    expect(error.status).toBe(201);
    expect(receiver.connections).toHaveLength(1);
  });

  it('takes an integral size however it is spelt', async () => {
    const receiver = await startRawReceiver(async (connection) => {
      await connection.request();
      connection.answer(201, [json], `{"ref":"r","size":5.0,"sha256":"${digest}"}`);
    });
    expect(await upload(receiver.origin)).toEqual({ ref: 'r', size: 5, sha256: digest });
  });

  it('stops reading an endless receipt at its bound', async () => {
    const receiver = await startRawReceiver(async (connection) => {
      await connection.request();
      const { socket } = connection;
      socket.write(`HTTP/1.1 201 X\r\n${json}\r\nTransfer-Encoding: chunked\r\n\r\n`);
      const more = (): void => {
        while (!socket.destroyed && socket.write(`1000\r\n${' '.repeat(4_096)}\r\n`));
      };
      socket.on('drain', more);
      more();
    });
    await uploadErrorOf(upload(receiver.origin), 'receipt');
    await receiver.connections[0]?.closed;
  });

  it('keeps the text of the receiver out of the error', async () => {
    const receiver = await startRawReceiver(async (connection) => {
      await connection.request();
      connection.answer(500, ['Content-Type: text/plain', 'X-Detail: secret-mark'], 'secret-mark in the body');
    });
    const error = await uploadErrorOf(upload(receiver.origin), 'status');
    expect(printed(error)).not.toContain('secret-mark');
  });
});

describe('interim answers', () => {
  it.each(['100 Continue', '102 Processing', '103 Early Hints'])(
    '%s is no answer; the 201 after it is',
    async (interim) => {
      const receiver = await startRawReceiver(async (connection) => {
        await connection.head();
        connection.socket.write(`HTTP/1.1 ${interim}\r\n\r\n`);
        await connection.request();
        connection.answer(201, [json], good);
      });
      expect(await upload(receiver.origin)).toMatchObject({ ref: 'ref-1' });
      expect(receiver.connections).toHaveLength(1);
    },
  );

  it('a change of protocol is a broken connection', async () => {
    const receiver = await startRawReceiver(async (connection) => {
      await connection.request();
      connection.socket.write('HTTP/1.1 101 X\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n');
    });
    await uploadErrorOf(upload(receiver.origin), 'connection');
  });
});

describe('§7 an answer before the last byte', () => {
  it('refuses a 201 that comes before all bytes went out', async () => {
    const big = Buffer.alloc(48 * 1024 * 1024, 'x');
    const receipt = receiptOf(big);
    const receiver = await startRawReceiver(async (connection) => {
      await connection.head();
      connection.socket.pause();
      connection.socket.write(`HTTP/1.1 201 X\r\n${json}\r\nContent-Length: ${receipt.length}\r\n\r\n${receipt}`);
    });
    const error = await uploadErrorOf(upload(receiver.origin, big), 'status');
    expect(error.message).toBe('upload: expected status 201 after the last byte, got it before');
    expect(receiver.connections).toHaveLength(1);
  });

  it('refuses it also when only the last chunk of the source is still to come', async () => {
    const answered = barrier();
    const body = Buffer.from('0123456789');
    const receiver = await startRawReceiver(async (connection) => {
      await connection.head();
      const receipt = receiptOf(body);
      connection.socket.write(
        `HTTP/1.1 201 X\r\n${json}\r\nContent-Length: ${receipt.length}\r\n\r\n${receipt}`,
        () => {
          answered.open();
        },
      );
    });
    let opened = 0;
    async function* open(): AsyncGenerator<Uint8Array> {
      opened += 1;
      yield body.subarray(0, 4);
      yield body.subarray(4, 9);
      if (opened > 1) await answered.promise;
      if (opened > 1) await new Promise((resolve) => setTimeout(resolve, 50));
      yield body.subarray(9);
    }
    const config = { endpoint: `${receiver.origin}/content`, timeoutMs: 10_000, maxBytes: 100 };
    await uploadErrorOf(uploadContent(config, { size: 10, open }, { allowLoopback: true }), 'status');
    await receiver.connections[0]?.closed;
    expect(receiver.connections[0]?.bytes().toString('latin1').split('\r\n\r\n')[1]).not.toContain('9');
  });

  it('stops sending at an early refusal, whose status is final, and lets go of the source', async () => {
    const released = barrier();
    const receiver = await startRawReceiver(async (connection) => {
      await connection.head();
      connection.socket.write('HTTP/1.1 413 X\r\nContent-Length: 0\r\n\r\n');
    });
    let opened = 0;
    async function* open(): AsyncGenerator<Uint8Array> {
      opened += 1;
      try {
        for (let at = 0; at < 1_000; at += 1) {
          if (opened > 1) await new Promise((resolve) => setImmediate(resolve));
          yield new Uint8Array(100_000);
        }
      } finally {
        if (opened > 1) released.open();
      }
    }
    const config = { endpoint: `${receiver.origin}/content`, timeoutMs: 20_000, maxBytes: 100_000_000 };
    const source = { size: 100_000_000, open };
    const error = await uploadErrorOf(uploadContent(config, source, { allowLoopback: true }), 'status');
    expect(error.status).toBe(413);
    await released.promise;
    expect(receiver.connections).toHaveLength(1);
    expect(receiver.connections[0]?.bytes().byteLength).toBeLessThan(100_000_000);
  });
});

describe('§7 a source that hangs', () => {
  it('is let go of when an early answer decides', async () => {
    const released = barrier();
    const receiver = await startRawReceiver(async (connection) => {
      await connection.head();
      connection.socket.write('HTTP/1.1 400 X\r\nContent-Length: 0\r\n\r\n');
    });
    let opened = 0;
    const open = (): AsyncIterable<Uint8Array> => {
      opened += 1;
      const isSending = opened > 1;
      let chunks = 0;
      return {
        [Symbol.asyncIterator]: () => ({
          next: () => {
            chunks += 1;
            if (isSending && chunks === 3) return new Promise(() => {});
            return Promise.resolve(chunks > 3 ? { done: true, value: undefined } : { done: false, value: hello });
          },
          return: () => {
            if (isSending) released.open();
            return Promise.resolve({ done: true, value: undefined });
          },
        }),
      };
    };
    const config = { endpoint: `${receiver.origin}/content`, timeoutMs: 20_000, maxBytes: 100 };
    await uploadErrorOf(uploadContent(config, { size: 15, open }, { allowLoopback: true }), 'status');
    await released.promise;
  });
});

describe('§7 one retry, and only when the connection broke with no status', () => {
  it('sends the same bytes once more after a lost answer, with no mark on either', async () => {
    const body = Buffer.alloc(1_000_000, 'once more');
    const receiver = await startRawReceiver(async (connection, index) => {
      await connection.request();
      if (index === 0) connection.socket.destroy();
      else connection.answer(201, [json], receiptOf(body, 'second'));
    });
    expect(await upload(receiver.origin, body)).toMatchObject({ ref: 'second' });
    expect(receiver.connections).toHaveLength(2);
    const [first, second] = receiver.connections.map((connection) => connection.bytes());
    expect(first?.equals(second ?? Buffer.alloc(0))).toBe(true);
    expect(first?.byteLength).toBeGreaterThan(1_000_000);
  });

  it('does so for a stream that can be read once only', async () => {
    const body = Buffer.alloc(300_000, 'spent');
    const receiver = await startRawReceiver(async (connection, index) => {
      await connection.request();
      if (index === 0) connection.socket.destroy();
      else connection.answer(201, [json], receiptOf(body));
    });
    async function* once(): AsyncGenerator<Uint8Array> {
      yield body;
    }
    const config = { endpoint: `${receiver.origin}/content`, timeoutMs: 10_000, maxBytes: 1_000_000 };
    const receipt = await uploadContent(config, { size: 300_000, once: once() }, { allowLoopback: true });
    expect(receipt.sha256).toBe(sha256(body));
    const [first, second] = receiver.connections.map((connection) => connection.bytes());
    expect(first?.equals(second ?? Buffer.alloc(0))).toBe(true);
  });

  it('gives up after the second break', async () => {
    const receiver = await startRawReceiver(async (connection) => {
      await connection.request();
      connection.socket.destroy();
    });
    const error = await uploadErrorOf(upload(receiver.origin), 'connection');
    expect(error.status).toBeNull();
    expect(receiver.connections).toHaveLength(2);
  });

  it('retries an answer that is no HTTP like a broken connection, without its bytes in the error', async () => {
    const receiver = await startRawReceiver(async (connection) => {
      await connection.request();
      connection.socket.end('SSH-2.0-secret-mark\r\n');
    });
    const error = await uploadErrorOf(upload(receiver.origin), 'connection');
    expect(printed(error)).not.toContain('secret-mark');
    expect(receiver.connections).toHaveLength(2);
  });

  it('does not try again when a 201 was followed by half a receipt', async () => {
    const receiver = await startRawReceiver(async (connection) => {
      await connection.request();
      connection.socket.end(`HTTP/1.1 201 X\r\n${json}\r\nContent-Length: 500\r\n\r\n{"ref":`);
    });
    const error = await uploadErrorOf(upload(receiver.origin), 'connection');
    expect(error.status).toBe(201);
    expect(receiver.connections).toHaveLength(1);
  });

  it('does not try again when another status was followed by a break', async () => {
    const receiver = await startRawReceiver(async (connection) => {
      await connection.request();
      connection.socket.end(`HTTP/1.1 503 X\r\nContent-Length: 500\r\n\r\nhalf`);
    });
    const error = await uploadErrorOf(upload(receiver.origin), 'status');
    expect(error.status).toBe(503);
    expect(receiver.connections).toHaveLength(1);
  });
});
