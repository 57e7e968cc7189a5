import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isKnownModelVisibleItem } from '../../generated/index.js';
import {
  type CompactionAfterEffect,
  type CompactionBeforeEffect,
  type CompactionHook,
  runCompaction,
} from '../../runtime/compaction/index.js';
import { publishSummary, uploadContent } from '../../runtime/content/index.js';
import type { Hooks } from '../../runtime/harness/index.js';
import { type ContentStore, createReceiver, openFileStore } from '../../runtime/receiver/index.js';
import { eventOf } from '../harness/support/events.js';
import { httpBackend, makeHooks, MANIFEST, subscription } from '../harness/support/kit.js';
import { compactionHandlers } from './support/compaction-handlers.js';

const BACKEND = fileURLToPath(new URL('./support/compaction-backend.ts', import.meta.url));
const LOADER = import.meta.resolve('tsx');
const SCOPE = 'tenant';

interface Receiver {
  readonly upload: { readonly endpoint: string; readonly timeoutMs: number; readonly maxBytes: number };
  readonly hooksUrl: string;
  readonly folder: string;
  /** References in the order in which they were committed. */
  readonly refs: string[];
  bytesOf(ref: string | undefined): Promise<Buffer>;
}

/** A receiver with a store on disk. */
async function startReceiver(): Promise<Receiver> {
  const parent = await mkdtemp(join(tmpdir(), 'ahp-compaction-'));
  const folder = join(parent, 'store');
  const store = await openFileStore(folder);
  const refs: string[] = [];
  const noted: ContentStore = {
    has: (scope, ref) => store.has(scope, ref),
    open: (scope, ref) => store.open(scope, ref),
    async begin() {
      const writer = await store.begin();
      return {
        write: (bytes) => writer.write(bytes),
        abort: () => writer.abort(),
        async commit(body) {
          const ref = await writer.commit(body);
          refs.push(ref);
          return ref;
        },
      };
    },
  };
  const receiver = createReceiver({
    manifest: MANIFEST,
    handlers: compactionHandlers,
    authenticate: ({ purpose }) => ({ principal: 'harness', scope: SCOPE, permissions: [purpose] }),
    store: noted,
  });
  const listening = await receiver.listen(0);
  onTestFinished(async () => {
    await listening.close();
    await store.close?.();
    await rm(parent, { recursive: true });
  });
  return {
    upload: { endpoint: `${listening.url}/content`, timeoutMs: 60_000, maxBytes: 1_000_000 },
    hooksUrl: `${listening.url}/hooks`,
    folder,
    refs,
    async bytesOf(ref) {
      const stored = await store.open(SCOPE, ref ?? '');
      const chunks: Uint8Array[] = [];
      for await (const chunk of stored?.stream ?? []) chunks.push(chunk);
      return Buffer.concat(chunks);
    },
  };
}

/** A hook of the run that asks one backend over the wire; what it sees goes up as an upload of its own. */
function beforeHook(supplier: string, hooks: Hooks): CompactionHook<CompactionBeforeEffect> {
  return {
    supplier,
    failurePolicy: 'fail-closed',
    async run({ instructions }, { signal }) {
      const outcome = await hooks.intercept(eventOf('context.compact.before', `${supplier}-before`), {
        content: { ins: Buffer.from(instructions) },
        values: { instructions },
        materialize: ({ event, value }) => ({ event, content: { ins: Buffer.from(String(value)) } }),
        signal,
      });
      if (outcome.decision !== 'proceed') throw new Error('the backend failed');
      return [
        { type: 'modify', target: 'instructions', operation: 'replace', value: String(outcome.values.instructions) },
      ];
    },
  };
}

function afterHook(supplier: string, hooks: Hooks): CompactionHook<CompactionAfterEffect> {
  return {
    supplier,
    failurePolicy: 'fail-closed',
    async run({ summary }, { signal }) {
      const text = summary?.text ?? '';
      const outcome = await hooks.intercept(eventOf('context.compact.after', `${supplier}-after`), {
        content: { sum: Buffer.from(text) },
        values: { summary: text },
        materialize: ({ event, value }) => ({ event, content: { sum: Buffer.from(String(value)) } }),
        signal,
      });
      if (outcome.decision !== 'proceed') throw new Error('the backend failed');
      return [
        { type: 'modify', target: 'summary', operation: 'replace', value: String(outcome.values.summary) },
        ...outcome.messages.map((message) => ({ type: 'message', text: message }) as const),
      ];
    },
  };
}

describe('§3 a whole compaction with an upload per hook, byte by byte', () => {
  it.each(['http', 'stdio'] as const)('over %s', { timeout: 120_000 }, async (kind) => {
    const receivers = [await startReceiver(), await startReceiver()];
    const suppliers = receivers.map((receiver, index) => {
      const id = `one.backend${'ab'[index]}`;
      const asked = [subscription({ content: { default: 'body' }, upload: receiver.upload })];
      const stdio = {
        type: 'stdio',
        lifecycle: 'persistent',
        command: process.execPath,
        args: ['--import', LOADER, BACKEND],
      };
      const backend =
        kind === 'http' ? httpBackend(id, receiver.hooksUrl, asked) : { id, transport: stdio, subscriptions: asked };
      return { id, receiver, ...makeHooks([backend], { env: { STORE: receiver.folder } }) };
    });
    const outcome = await runCompaction({
      instructions: 'Summarize.\tKeep "é".',
      itemId: 'summary-1',
      before: suppliers.map(({ id, hooks }) => beforeHook(id, hooks)),
      generate: (instructions) => `${instructions}\n secret and secret \u0000 end`,
      after: suppliers.map(({ id, hooks }) => afterHook(id, hooks)),
    });

    const added = '\r\nÜ 🜁';
    const first = 'Summarize.\tKeep "é".';
    const effective = `${first}${added}${added}`;
    const generated = `${effective}\n secret and secret \u0000 end`;
    const once = generated.replace('secret', '[gone]');
    const final = once.replace('secret', '[gone]');
    expect(outcome).toMatchObject({ applied: true, generated: true, instructions: effective, failures: [] });
    expect(outcome.summary).toMatchObject({ id: 'summary-1', text: final });
    expect(outcome.messages).toEqual([generated, once].map((text) => `read ${Buffer.byteLength(text)} bytes`));

    // Each receiver has what its hooks saw, in order, and nothing else.
    const seen = [
      [first, generated],
      [`${first}${added}`, once],
    ];
    for (const [index, receiver] of receivers.entries()) {
      const stored = await Promise.all(receiver.refs.map((ref) => receiver.bytesOf(ref)));
      expect(stored.map((bytes) => bytes.toString('hex'))).toEqual(
        seen[index]?.map((text) => Buffer.from(text, 'utf8').toString('hex')),
      );
    }

    // Then each gets an item of its own: the same logical id, a reference in its own scope, the same bytes.
    const items = [];
    for (const receiver of receivers) {
      const item = await publishSummary(outcome, {
        role: 'user',
        upload: (source, { signal }) => uploadContent(receiver.upload, source, { allowLoopback: true, signal }),
      });
      if (!isKnownModelVisibleItem(item) || !('body' in item)) throw new Error('expected an item with a body');
      expect(Object.keys(item.body)).toEqual(['ref']);
      expect(item).toMatchObject({ id: 'summary-1', kind: 'summary', role: 'user', mediaType: 'text/plain' });
      expect(await receiver.bytesOf(item.body.ref)).toEqual(Buffer.from(final, 'utf8'));
      expect(receiver.refs).toContain(item.body.ref);
      items.push(item.body.ref);
    }
    expect(new Set(items).size).toBe(2);
    expect(await receivers[1]?.bytesOf(items[0])).toHaveLength(0);
  });
});
