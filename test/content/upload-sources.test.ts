import { existsSync, mkdirSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ContentSource, createUploader, uploadContent } from '../../runtime/content/index.js';
import { barrier } from '../support/barrier.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { uploadErrorOf } from './support/expect-error.js';
import { acceptUpload, receiptOf, sha256, startRawReceiver } from './support/raw-receiver.js';

function config(origin: string, more: object = {}): { endpoint: string; timeoutMs: number; maxBytes: number } {
  return { endpoint: `${origin}/content`, timeoutMs: 10_000, maxBytes: 10_000_000, ...more };
}

async function* stream(...chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

describe('§7 sources', () => {
  it('refuses a source that changes between the passes before its last byte is sent', async () => {
    const receiver = await startRawReceiver(acceptUpload);
    let opened = 0;
    const open = (): AsyncIterable<Uint8Array> => {
      opened += 1;
      return stream(Buffer.alloc(400_000, 'a'), Buffer.from(opened === 1 ? 'xyz' : 'xyZ'));
    };
    const source = { size: 400_003, open };
    await uploadErrorOf(uploadContent(config(receiver.origin), source, { allowLoopback: true }), 'source-changed');
    await receiver.connections[0]?.closed;
    const arrived = receiver.connections[0]?.bytes() ?? Buffer.alloc(0);
    expect(arrived.byteLength - arrived.indexOf('\r\n\r\n') - 4).toBeLessThan(400_003);
    expect(receiver.connections).toHaveLength(1);
  });

  it('refuses bytes that somebody writes to between the passes', async () => {
    const bytes = Buffer.alloc(2_000_000, 'a');
    const receiver = await startRawReceiver(acceptUpload);
    const auth = { type: 'bearer' as const, tokenRef: 'r' };
    const credentials = {
      resolve: () => {
        // Asked between the passes.
        bytes[1_999_999] = 0;
        return { token: 't' };
      },
    };
    const promise = uploadContent(config(receiver.origin, { auth }), bytes, { allowLoopback: true, credentials });
    await uploadErrorOf(promise, 'source-changed');
  });

  it.each([
    ['shrinks', (path: string) => writeFileSync(path, 'abcdefghi')],
    ['grows', (path: string) => writeFileSync(path, 'abcdefghijk')],
    ['is rewritten', (path: string) => writeFileSync(path, 'abcdefghiJ')],
  ])('refuses a file that %s between the passes', async (_name, change) => {
    const path = join(temporaryFolder(), 'body');
    writeFileSync(path, 'abcdefghij');
    const receiver = await startRawReceiver(acceptUpload);
    const auth = { type: 'bearer' as const, tokenRef: 'r' };
    const credentials = {
      resolve: () => {
        change(path);
        return { token: 't' };
      },
    };
    const promise = uploadContent(config(receiver.origin, { auth }), { path }, { allowLoopback: true, credentials });
    await uploadErrorOf(promise, 'source-changed');
    for (const connection of receiver.connections) {
      await connection.closed;
      expect(connection.bytes().toString('latin1').split('\r\n\r\n')[1]?.length ?? 0).toBeLessThan(10);
    }
  });

  const five = Buffer.from('hello');
  const lengths: readonly (readonly [string, ContentSource])[] = [
    ['fewer bytes', { size: 6, open: () => stream(five) }],
    ['more bytes', { size: 4, open: () => stream(five) }],
    ['no bytes', { size: 1, open: () => stream() }],
    ['fewer bytes, read once', { size: 6, once: stream(five) }],
    ['more bytes, read once', { size: 4, once: stream(five) }],
  ];
  it.each(lengths)('refuses a source with %s than it says and connects to nobody', async (_name, source) => {
    const receiver = await startRawReceiver(acceptUpload);
    await uploadErrorOf(uploadContent(config(receiver.origin), source, { allowLoopback: true }), 'source-length');
    expect(receiver.connections).toHaveLength(0);
  });

  const failing = async function* (): AsyncGenerator<Uint8Array> {
    yield five;
    throw new Error('disk gone');
  };
  const broken: readonly (readonly [string, () => unknown])[] = [
    ['null', () => null],
    ['text', () => 'hello'],
    ['an object that is none', () => ({ size: 5 })],
    ['a negative size', () => ({ size: -1, open: () => stream() })],
    ['a size that is no integer', () => ({ size: 1.5, open: () => stream() })],
    ['a size that is no number', () => ({ size: '5', open: () => stream(five) })],
    [
      'open() that throws',
      () => ({
        size: 5,
        open: () => {
          throw new Error('no');
        },
      }),
    ],
    ['open() that gives nothing to iterate', () => ({ size: 5, open: () => 5 })],
    ['once that is nothing to iterate', () => ({ size: 5, once: 5 })],
    ['a stream that fails', () => ({ size: 9, open: failing })],
    ['a stream that fails, read once', () => ({ size: 9, once: failing() })],
    ['chunks of text', () => ({ size: 5, open: () => ['hello'] })],
    ['a path to nothing', () => ({ path: join(temporaryFolder(), 'nothing') })],
    ['a path to a folder', () => ({ path: temporaryFolder() })],
  ];
  it.each(broken)('refuses %s and connects to nobody', async (_name, make) => {
    const receiver = await startRawReceiver(acceptUpload);
    const promise = uploadContent(config(receiver.origin), make() as ContentSource, { allowLoopback: true });
    await uploadErrorOf(promise, 'source');
    expect(receiver.connections).toHaveLength(0);
  });

  it('refuses a named pipe at once instead of waiting for its writer', async () => {
    const path = join(temporaryFolder(), 'pipe');
    execFileSync('mkfifo', [path]);
    const receiver = await startRawReceiver(acceptUpload);
    await uploadErrorOf(uploadContent(config(receiver.origin), { path }, { allowLoopback: true }), 'source');
  });

  it("keeps the source's own error as the cause", async () => {
    const receiver = await startRawReceiver(acceptUpload);
    const promise = uploadContent(config(receiver.origin), { size: 9, open: failing }, { allowLoopback: true });
    const error = await uploadErrorOf(promise, 'source');
    expect(error.cause).toMatchObject({ message: 'disk gone' });
  });

  it('fails with source when the stream breaks in the second pass', async () => {
    const receiver = await startRawReceiver(acceptUpload);
    let opened = 0;
    const open = (): AsyncIterable<Uint8Array> => {
      opened += 1;
      return opened === 1 ? stream(five, Buffer.from('4567')) : failing();
    };
    await uploadErrorOf(uploadContent(config(receiver.origin), { size: 9, open }, { allowLoopback: true }), 'source');
    expect(receiver.connections.length).toBeLessThan(2);
  });

  const sized: readonly (readonly [string, () => ContentSource])[] = [
    ['bytes', () => five],
    [
      'a file',
      () => {
        const path = join(temporaryFolder(), 'body');
        writeFileSync(path, five);
        return { path };
      },
    ],
    [
      'a source that says so',
      () => ({
        size: 5,
        open: () => {
          throw new Error('must not be opened');
        },
      }),
    ],
    ['a stream that says so', () => ({ size: 5, once: failing() })],
  ];
  it.each(sized)('refuses %s over maxBytes before reading a byte', async (_name, make) => {
    const receiver = await startRawReceiver(acceptUpload);
    const promise = uploadContent(config(receiver.origin, { maxBytes: 4 }), make(), { allowLoopback: true });
    const error = await uploadErrorOf(promise, 'too-large');
    expect(error.message).toBe('source: expected at most 4 bytes, got 5');
    expect(receiver.connections).toHaveLength(0);
  });
});

describe('§7 the spool is empty after every end', () => {
  const big = Buffer.alloc(3_000_000, 'spool');

  function spoolFolder(): string {
    const folder = join(temporaryFolder(), 'spool');
    mkdirSync(folder);
    return folder;
  }

  /** Spool files that this process still has open, where the system tells. */
  function openSpoolFiles(): string[] {
    const folder = '/proc/self/fd';
    if (!existsSync(folder)) return [];
    return readdirSync(folder).flatMap((name) => {
      try {
        const target = readlinkSync(join(folder, name));
        return target.includes('ahp-spool-') ? [target] : [];
      } catch {
        // The descriptor of this very listing, closed by now.
        return [];
      }
    });
  }

  it('after success, with the body on disk meanwhile', async () => {
    const directory = spoolFolder();
    const receiver = await startRawReceiver(acceptUpload);
    const receipt = await uploadContent(
      config(receiver.origin),
      { size: big.byteLength, once: stream(big) },
      {
        allowLoopback: true,
        spool: { directory, maxMemoryBytes: 1_000 },
      },
    );
    expect(receipt.sha256).toBe(sha256(big));
    expect(readdirSync(directory)).toEqual([]);
    expect(openSpoolFiles()).toEqual([]);
  });

  it('after a refusal, a failing source and a wrong length', async () => {
    const directory = spoolFolder();
    const receiver = await startRawReceiver(async (connection) => {
      await connection.request();
      connection.answer(500, []);
    });
    const options = { allowLoopback: true, spool: { directory, maxMemoryBytes: 1_000 } };
    async function* fails(): AsyncGenerator<Uint8Array> {
      yield big;
      throw new Error('gone');
    }
    const endpoint = config(receiver.origin);
    await uploadErrorOf(uploadContent(endpoint, { size: big.byteLength, once: stream(big) }, options), 'status');
    await uploadErrorOf(uploadContent(endpoint, { size: big.byteLength + 1, once: fails() }, options), 'source');
    await uploadErrorOf(
      uploadContent(endpoint, { size: big.byteLength + 1, once: stream(big) }, options),
      'source-length',
    );
    expect(readdirSync(directory)).toEqual([]);
    expect(openSpoolFiles()).toEqual([]);
  });

  it.each(['abort', 'time-out', 'close'])('after %s, while spooling and while sending', async (how) => {
    const directory = spoolFolder();
    const arrived = barrier();
    const receiver = await startRawReceiver(async (connection) => {
      await connection.request();
      arrived.open();
    });
    const code = how === 'time-out' ? 'timeout' : 'aborted';
    const endpoint = config(receiver.origin, how === 'time-out' ? { timeoutMs: 400 } : {});
    const end = async (ready: Promise<void>, controller: AbortController, close: () => void): Promise<void> => {
      await ready;
      if (how === 'abort') controller.abort(new Error('enough'));
      if (how === 'close') close();
    };
    const spooling = barrier();
    async function* hangs(): AsyncGenerator<Uint8Array> {
      yield big;
      spooling.open();
      await new Promise(() => {});
    }
    for (const [source, ready] of [
      [{ size: big.byteLength + 1, once: hangs() }, spooling.promise],
      [{ size: big.byteLength, once: stream(big) }, arrived.promise],
    ] as const) {
      const controller = new AbortController();
      const uploader = createUploader({ allowLoopback: true, spool: { directory, maxMemoryBytes: 1_000 } });
      const ended = uploadErrorOf(uploader.upload(endpoint, source, { signal: controller.signal }), code);
      // On a busy machine the time-out may come before the upload is where it should be; it counts all the same.
      await end(how === 'time-out' ? Promise.resolve() : ready, controller, uploader.close);
      await ended;
      expect(readdirSync(directory)).toEqual([]);
      expect(openSpoolFiles()).toEqual([]);
      uploader.close();
    }
  });

  it('fails with source when the spool folder cannot be written', async () => {
    const receiver = await startRawReceiver(acceptUpload);
    const spool = { directory: join(temporaryFolder(), 'missing'), maxMemoryBytes: 10 };
    const source = { size: big.byteLength, once: stream(big) };
    await uploadErrorOf(uploadContent(config(receiver.origin), source, { allowLoopback: true, spool }), 'source');
    expect(receiver.connections).toHaveLength(0);
  });
});

describe('§7 time-outs and aborts', () => {
  const five = Buffer.from('hello');

  it('covers everything: a silent receiver', async () => {
    const receiver = await startRawReceiver(async (connection) => {
      await connection.request();
    });
    const promise = uploadContent(config(receiver.origin, { timeoutMs: 80 }), five, { allowLoopback: true });
    const error = await uploadErrorOf(promise, 'timeout');
    expect(error.message).toBe('upload: expected a receipt within 80 ms');
    await receiver.connections[0]?.closed;
  });

  it('covers everything: a source that hangs, a look-up that hangs, a provider that hangs', async () => {
    const receiver = await startRawReceiver(acceptUpload);
    const hang = new Promise<never>(() => {});
    async function* hangs(): AsyncGenerator<Uint8Array> {
      yield hang;
    }
    const endpoint = config(receiver.origin, { timeoutMs: 60 });
    const named = { ...endpoint, endpoint: `http://localhost:${receiver.port}/content` };
    const auth = { type: 'bearer' as const, tokenRef: 'r' };
    await uploadErrorOf(uploadContent(endpoint, { size: 5, open: hangs }, { allowLoopback: true }), 'timeout');
    await uploadErrorOf(uploadContent(named, five, { allowLoopback: true, lookup: () => hang }), 'timeout');
    const credentials = { resolve: () => hang };
    await uploadErrorOf(uploadContent({ ...endpoint, auth }, five, { allowLoopback: true, credentials }), 'timeout');
    expect(receiver.connections).toHaveLength(0);
  });

  it('covers a receipt that trickles', async () => {
    const receiver = await startRawReceiver(async (connection) => {
      await connection.request();
      const { socket } = connection;
      socket.write('HTTP/1.1 201 X\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n');
      const timer = setInterval(() => socket.write(' '), 10);
      socket.on('close', () => clearInterval(timer));
    });
    const promise = uploadContent(config(receiver.origin, { timeoutMs: 120 }), five, { allowLoopback: true });
    await uploadErrorOf(promise, 'timeout');
    await receiver.connections[0]?.closed;
  });

  it('does not take a very long time-out for a very short one', async () => {
    const receiver = await startRawReceiver(acceptUpload);
    const endpoint = config(receiver.origin, { timeoutMs: 2_592_000_000 });
    await expect(uploadContent(endpoint, five, { allowLoopback: true })).resolves.toMatchObject({ size: 5 });
  });

  it('sends nothing when the signal was aborted before', async () => {
    const receiver = await startRawReceiver(acceptUpload);
    const reason = new Error('too late');
    const options = { allowLoopback: true, signal: AbortSignal.abort(reason) };
    const error = await uploadErrorOf(uploadContent(config(receiver.origin), five, options), 'aborted');
    expect(error.cause).toBe(reason);
    expect(receiver.connections).toHaveLength(0);
  });

  it('ends the connection at once when it is aborted while sending', async () => {
    const controller = new AbortController();
    const receiver = await startRawReceiver(async (connection) => {
      await connection.head();
      controller.abort();
    });
    const big = Buffer.alloc(9_000_000);
    const options = { allowLoopback: true, signal: controller.signal };
    await uploadErrorOf(uploadContent(config(receiver.origin), big, options), 'aborted');
    await receiver.connections[0]?.closed;
    expect(receiver.connections).toHaveLength(1);
  });

  it('refuses uploads after close()', async () => {
    const receiver = await startRawReceiver(acceptUpload);
    const uploader = createUploader({ allowLoopback: true });
    await uploader.upload(config(receiver.origin), five);
    uploader.close();
    await uploadErrorOf(uploader.upload(config(receiver.origin), five), 'aborted');
    expect(receiver.connections).toHaveLength(1);
  });

  it('keeps connections between uploads, and survives one that was dropped while idle', async () => {
    const receiver = await startRawReceiver((connection) => {
      let served = 0;
      connection.socket.on('data', () => {
        const text = connection.bytes().toString('latin1');
        const requests = text.split('hello').length - 1;
        if (requests <= served) return;
        served = requests;
        const receipt = receiptOf(five);
        connection.socket.write(
          `HTTP/1.1 201 X\r\nContent-Type: application/json\r\nContent-Length: ${receipt.length}\r\n\r\n${receipt}`,
        );
      });
    });
    const uploader = createUploader({ allowLoopback: true });
    for (let turn = 0; turn < 3; turn += 1) await uploader.upload(config(receiver.origin), five);
    expect(receiver.connections).toHaveLength(1);
    receiver.connections[0]?.socket.destroy();
    await uploader.upload(config(receiver.origin), five);
    expect(receiver.connections).toHaveLength(2);
    uploader.close();
  });
});
