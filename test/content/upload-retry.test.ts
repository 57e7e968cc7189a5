import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ContentSource, uploadContent } from '../../runtime/content/index.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { receiptOf, sha256, startRawReceiver } from './support/raw-receiver.js';

/** More than a spool keeps in memory. */
const body = Buffer.alloc(1_500_000, 'spent');

async function* pieces(): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < body.byteLength; at += 100_000) yield body.subarray(at, at + 100_000);
}

function fileOfBody(): string {
  const path = join(temporaryFolder(), 'body');
  writeFileSync(path, body);
  return path;
}

const sources: readonly (readonly [string, () => ContentSource])[] = [
  ['a stream that can be read once only, spooled to disk', () => ({ size: body.byteLength, once: pieces() })],
  ['a stream that starts anew each time', () => ({ size: body.byteLength, open: pieces })],
  ['a file', () => ({ path: fileOfBody() })],
];

describe('§7 a retry after a lost answer', () => {
  it.each(sources)('sends %s whole and the same once more', async (_name, make) => {
    const receiver = await startRawReceiver(async (connection, index) => {
      await connection.request();
      if (index === 0) connection.socket.destroy();
      else connection.answer(201, ['Content-Type: application/json'], receiptOf(body, 'second'));
    });
    const directory = temporaryFolder();
    const config = { endpoint: `${receiver.origin}/content`, timeoutMs: 10_000, maxBytes: 2_000_000 };
    const receipt = await uploadContent(config, make(), { allowLoopback: true, spool: { directory } });
    expect(receipt).toEqual({ ref: 'second', size: body.byteLength, sha256: sha256(body) });
    const tries = receiver.connections.map((connection) => connection.bytes());
    expect(tries).toHaveLength(2);
    expect(tries[0]?.equals(tries[1] ?? Buffer.alloc(0))).toBe(true);
    expect(tries[0]?.includes(`AHP-Content-SHA256: ${sha256(body)}\r\n`)).toBe(true);
    expect(readdirSync(directory)).toEqual([]);
  });
});
