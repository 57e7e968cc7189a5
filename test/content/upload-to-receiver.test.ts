import { afterEach, describe, expect, it } from 'vitest';
import { prepareContent, uploadContent } from '../../runtime/content/index.js';
import { createMemoryStore, createReceiver, type Listening } from '../../runtime/receiver/index.js';
import { uploadErrorOf } from './support/expect-error.js';
import { sha256 } from './support/raw-receiver.js';

const manifest = {
  events: [],
  gaps: [],
  transports: ['http'],
  authentication: ['bearer'],
  toolPaths: [],
  contentCategories: [],
  limits: {},
  managedPolicy: { scopes: ['user'], disableable: true },
  correlationIdentityFields: [],
} as const;
const open: Listening[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

async function startReceiver() {
  const store = createMemoryStore();
  const receiver = createReceiver({
    manifest,
    handlers: {},
    store,
    limits: { maxUploadBytes: 4_000_000 },
    authenticate: ({ headers }) => {
      const token = headers.get('authorization');
      if (token === 'Bearer good') return { principal: 'p', scope: 'tenant', permissions: ['event', 'upload'] };
      if (token === 'Bearer events-only') return { principal: 'p', scope: 'tenant', permissions: ['event'] };
      return null;
    },
  });
  const server = await receiver.listen(0);
  open.push(server);
  const auth = { type: 'bearer' as const, tokenRef: 'r' };
  const config = { endpoint: `${server.url}/content`, timeoutMs: 20_000, maxBytes: 100_000_000, auth };
  const upload = (source: Uint8Array, ...tokens: readonly string[]): ReturnType<typeof uploadContent> => {
    let asked = 0;
    const credentials = { resolve: () => ({ token: tokens[asked++] ?? tokens.at(-1) ?? '' }) };
    return uploadContent(config, source, { allowLoopback: true, credentials });
  };
  return { store, upload };
}

describe('uploads to the reference receiver', () => {
  it("arrive byte for byte, under the scope of the upload's credential", async () => {
    const { store, upload } = await startReceiver();
    const body = Buffer.alloc(3_333_333, 'body ');
    const receipt = await upload(body, 'good');
    expect(receipt).toMatchObject({ size: body.byteLength, sha256: sha256(body) });
    const stored = await store.open('tenant', receipt.ref);
    const chunks: Uint8Array[] = [];
    for await (const chunk of stored?.stream ?? []) chunks.push(chunk);
    expect(Buffer.concat(chunks).equals(body)).toBe(true);
    expect(await store.open('another', receipt.ref)).toBeNull();
  });

  it('of nothing are fine', async () => {
    const { upload } = await startReceiver();
    expect(await upload(new Uint8Array(0), 'good')).toMatchObject({ size: 0 });
  });

  it('get in with a second token, and not without permission or beyond the limit', async () => {
    const { upload } = await startReceiver();
    const small = Buffer.from('hello');
    expect(await upload(small, 'stale', 'good')).toMatchObject({ size: 5 });
    expect((await uploadErrorOf(upload(small, 'stale'), 'authentication')).status).toBe(401);
    expect((await uploadErrorOf(upload(small, 'events-only'), 'status')).status).toBe(403);
    expect((await uploadErrorOf(upload(Buffer.alloc(4_000_001), 'good'), 'status')).status).toBe(413);
  });

  it("beyond the receiver's limit are gaps that say so", async () => {
    const { upload } = await startReceiver();
    const views = await prepareContent(
      [
        { id: 'large', kind: 'text', mediaType: 'text/plain', role: 'user', selection: 'metadata' },
        { id: 'small', kind: 'text', mediaType: 'text/plain', role: 'user', selection: 'metadata' },
      ],
      {
        selection: { default: 'body' },
        authorize: () => true,
        sources: { large: Buffer.alloc(4_000_001), small: Buffer.from('hello') },
        upload: async (source) => {
          if (source instanceof Uint8Array || !('open' in source)) throw new Error('expected a snapshot');
          const chunks: Uint8Array[] = [];
          for await (const chunk of source.open()) chunks.push(chunk);
          return upload(Buffer.concat(chunks), 'good');
        },
      },
    );
    expect(views).toMatchObject([{ gap: { reason: 'limit_exceeded' }, size: 4_000_001 }, { selection: 'body' }]);
    expect(views[1]).toHaveProperty('body.ref');
  });
});
