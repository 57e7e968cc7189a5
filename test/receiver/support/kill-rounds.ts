import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { createUploader, type Uploader } from '../../../runtime/content/index.js';
import { openFileStore } from '../../../runtime/receiver/index.js';
import { intercept, readyItem, toolAfter } from './messages.js';
import { backendModule, buildServe, type ServeProcess, startServe } from './serve-process.js';

export interface KillOutcome {
  readonly receipts: number;
  /** Rounds in which the process died with bodies half written. */
  readonly cutUploads: number;
}

interface Kept {
  readonly ref: string;
  readonly bytes: Uint8Array;
}

const CLIENTS = 4;
const LONGEST_ROUND_MS = 150;

/**
 * Kills `ahp serve` at random instants while clients upload, starts it again on the same folder, and holds it to every
 * receipt that a client got: by what lies in the folder, byte for byte, and by what a handler reads.
 */
export async function runKillRounds(rounds: number, folder: string): Promise<KillOutcome> {
  const command = await buildServe();
  const start = (): Promise<ServeProcess> => startServe([command.entry, '--json', '--store', folder, backendModule]);
  let serve = await start();
  let receipts = 0;
  let cutUploads = 0;
  const all: Kept[] = [];
  try {
    for (let round = 0; round < rounds; round += 1) {
      const kept = await loadUntilKilled(serve, Math.random() * LONGEST_ROUND_MS);
      const unfinished = join(folder, 'unfinished');
      if (readdirSync(unfinished).length > 0) cutUploads += 1;
      serve = await start();
      expect(readdirSync(unfinished), 'bytes without a receipt are swept').toEqual([]);
      receipts += kept.length;
      await holdToReceipts(serve, folder, kept);
      all.push(...kept.slice(0, 5));
    }
    await holdToReceipts(serve, folder, all);
  } finally {
    await serve.kill();
    command.remove();
  }
  return { receipts, cutUploads };
}

/** What clients have receipts for when the process is gone. */
async function loadUntilKilled(serve: ServeProcess, afterMs: number): Promise<Kept[]> {
  const kept: Kept[] = [];
  const credentials = { resolve: () => ({ token: 'good' }) };
  const uploader = createUploader({ allowLoopback: true, credentials });
  const clients = Array.from({ length: CLIENTS }, (_, client) => upload(uploader, serve.content, client, kept));
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  await serve.kill();
  await Promise.all(clients);
  uploader.close();
  return kept;
}

/** Uploads one body after another until that fails, which only the end of the process makes it do. */
async function upload(uploader: Uploader, endpoint: string, client: number, kept: Kept[]): Promise<void> {
  const auth = { type: 'bearer' as const, tokenRef: 'r' };
  const config = { endpoint, timeoutMs: 60_000, maxBytes: 10_000_000, auth };
  for (let number = 0; ; number += 1) {
    const size = Math.floor(Math.random() * (number % 5 === 4 ? 2_000_000 : 50_000));
    const bytes = Buffer.alloc(size, `${client}/${number} `);
    try {
      const { ref } = await uploader.upload(config, bytes);
      kept.push({ ref, bytes });
    } catch (error) {
      expect(error).toMatchObject({ name: 'UploadError', code: 'connection' });
      return;
    }
  }
}

async function holdToReceipts(serve: ServeProcess, folder: string, kept: readonly Kept[]): Promise<void> {
  const store = await openFileStore(folder, { mode: 'read' });
  for (const { ref, bytes } of kept) {
    const body = await store.open('tenant', ref);
    const read = body === null ? null : await bytesOf(body.stream);
    expect(read !== null && Buffer.compare(read, bytes) === 0, `the body of receipt ${ref}`).toBe(true);
  }
  const items = kept.map(({ ref }, index) => readyItem(ref, `item-${index}`));
  const event = toolAfter('check', { items });
  const response = await fetch(serve.hooks, {
    method: 'POST',
    headers: { authorization: 'Bearer good', 'content-type': 'application/json' },
    body: JSON.stringify(intercept(event, { capabilities: { effects: ['message'] } })),
  });
  const { result } = (await response.json()) as { result: { effects: { text: string }[] } };
  const digests = kept.map(({ bytes }) => createHash('sha256').update(bytes).digest('hex'));
  expect(result.effects[0]?.text).toBe(digests.join(' '));
}

async function bytesOf(stream: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of stream) pieces.push(piece);
  return Buffer.concat(pieces);
}
