import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ContentSource, uploadContent } from '../../runtime/content/index.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { acceptUpload, receiptOf, sha256, startRawReceiver } from './support/raw-receiver.js';

const hello = Buffer.from('hello', 'utf8');

function configFor(origin: string, target = '/content'): { endpoint: string; timeoutMs: number; maxBytes: number } {
  return { endpoint: `${origin}${target}`, timeoutMs: 10_000, maxBytes: 1_000_000 };
}

async function* chunked(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += size) yield bytes.subarray(at, at + size);
}

describe('upload binding: what goes over the wire', () => {
  it('sends exactly the agreed lines and the raw octets', async () => {
    const receiver = await startRawReceiver(acceptUpload);

    const receipt = await uploadContent(configFor(receiver.origin), hello, { allowLoopback: true });

    expect(receipt).toEqual({ ref: 'ref-1', size: 5, sha256: sha256(hello) });
    expect(receiver.connections).toHaveLength(1);
    const [connection] = receiver.connections;
    expect(connection?.bytes().toString('latin1')).toBe(
      [
        'POST /content HTTP/1.1',
        `Host: 127.0.0.1:${receiver.port}`,
        'Content-Type: application/octet-stream',
        'AHP-Content-SHA256: 2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
        'Content-Length: 5',
        'Connection: close',
        '',
        'hello',
      ].join('\r\n'),
    );
  });

  it.each([
    '/content',
    '/',
    '/a/../b/./c//d',
    '/%7euser/%2e%2e/x?q=%20a+b&&=#'.replace('#', ''),
    '/content?scope=a/b?c',
    '?only=query',
  ])('§7 sends the target %s text for text', async (target) => {
    const receiver = await startRawReceiver(acceptUpload);
    await uploadContent(configFor(receiver.origin, target), hello, { allowLoopback: true });
    const expected = target.startsWith('/') ? target : `/${target}`;
    expect(receiver.connections[0]?.bytes().toString('latin1').split('\r\n')[0]).toBe(`POST ${expected} HTTP/1.1`);
  });

  it('sends an empty body with length 0 and the digest of nothing', async () => {
    const receiver = await startRawReceiver(acceptUpload);
    const receipt = await uploadContent({ ...configFor(receiver.origin), maxBytes: 0 }, new Uint8Array(0), {
      allowLoopback: true,
    });
    expect(receipt.sha256).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
    const text = receiver.connections[0]?.bytes().toString('latin1') ?? '';
    expect(text).toContain('\r\nContent-Length: 0\r\n');
    expect(text).not.toMatch(/transfer-encoding/i);
    expect(text.endsWith('\r\n\r\n')).toBe(true);
  });

  const big = Buffer.alloc(700_001, 'abcdefg');
  const sources: readonly (readonly [string, (folder: string) => ContentSource])[] = [
    ['bytes', () => big],
    [
      'a file',
      (folder) => {
        writeFileSync(join(folder, 'body'), big);
        return { path: join(folder, 'body') };
      },
    ],
    ['a source that opens anew', () => ({ size: big.byteLength, open: () => chunked(big, 1_000) })],
    ['a source of one giant chunk', () => ({ size: big.byteLength, open: () => [big] })],
    ['a stream that is read once', () => ({ size: big.byteLength, once: chunked(big, 77_777) })],
  ];
  it.each(sources)('sends %s with an exact length and no chunked transfer', async (_name, make) => {
    const receiver = await startRawReceiver(acceptUpload);
    const receipt = await uploadContent(configFor(receiver.origin), make(temporaryFolder()), { allowLoopback: true });
    expect(receipt).toEqual({ ref: 'ref-1', size: big.byteLength, sha256: sha256(big) });
    const text = receiver.connections[0]?.bytes() ?? Buffer.alloc(0);
    const at = text.indexOf('\r\n\r\n');
    const head = text.subarray(0, at).toString('latin1');
    expect(head).toContain(`\r\nContent-Length: ${big.byteLength}`);
    expect(head).not.toMatch(/transfer-encoding|content-encoding|expect:/i);
    expect(text.subarray(at + 4).equals(big)).toBe(true);
  });

  it('opens a source of size and open() twice: once to hash, once to send', async () => {
    const receiver = await startRawReceiver(acceptUpload);
    let opened = 0;
    const open = (): AsyncIterable<Uint8Array> => {
      opened += 1;
      return chunked(hello, 2);
    };
    await uploadContent(configFor(receiver.origin), { size: 5, open }, { allowLoopback: true });
    expect(opened).toBe(2);
  });

  it('sends right bytes although the source uses one buffer for all its chunks', async () => {
    const receiver = await startRawReceiver(acceptUpload);
    const expected = Buffer.concat([1, 2, 3, 4, 5, 6].map((fill) => Buffer.alloc(100_000, fill)));
    async function* reuse(): AsyncGenerator<Uint8Array> {
      const buffer = new Uint8Array(100_000);
      for (let fill = 1; fill <= 6; fill += 1) {
        buffer.fill(fill);
        yield buffer;
      }
    }
    for (const source of [
      { size: 600_000, open: reuse },
      { size: 600_000, once: reuse() },
    ]) {
      const receipt = await uploadContent(configFor(receiver.origin), source, { allowLoopback: true });
      expect(receipt.sha256).toBe(sha256(expected));
    }
  });

  it('sends no credential when the configuration names none', async () => {
    const receiver = await startRawReceiver(acceptUpload);
    const credentials = {
      resolve: () => {
        throw new Error('must not be asked');
      },
    };
    await uploadContent(configFor(receiver.origin), hello, { allowLoopback: true, credentials });
    expect(receiver.connections[0]?.bytes().toString('latin1')).not.toMatch(/authorization|cookie/i);
  });

  it('takes a receipt with media-type parameters and white space that mean the same', async () => {
    const receiver = await startRawReceiver(async (connection) => {
      const { body } = await connection.request();
      connection.answer(201, ['content-type: Application/JSON ; charset=UTF-8'], ` ${receiptOf(body)}\n`);
    });
    const receipt = await uploadContent(configFor(receiver.origin), hello, { allowLoopback: true });
    expect(receipt.ref).toBe('ref-1');
  });

  it('takes a receipt that arrives byte by byte and in chunked transfer', async () => {
    const receiver = await startRawReceiver(async (connection) => {
      const { body } = await connection.request();
      const { socket } = connection;
      socket.setNoDelay(true);
      const head = 'HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';
      const text = receiptOf(body, 'café');
      const whole = Buffer.concat([
        Buffer.from(head),
        ...[...Buffer.from(text)].map((byte) =>
          Buffer.concat([Buffer.from('1\r\n'), Buffer.from([byte]), Buffer.from('\r\n')]),
        ),
        Buffer.from('0\r\n\r\n'),
      ]);
      for (const byte of whole) socket.write(Buffer.from([byte]));
    });
    const receipt = await uploadContent(configFor(receiver.origin), hello, { allowLoopback: true });
    expect(receipt.ref).toBe('café');
  });
});
