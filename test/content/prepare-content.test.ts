import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type ContentSelection,
  type ContentUploadReceipt,
  type KnownContentItem as ContentItem,
  validateContentItem,
} from '../../generated/index.js';
import {
  categoryOf,
  ContentError,
  ContentSnapshot,
  type ContentSource,
  prepareContent,
  type PrepareContentOptions,
  selectionOf,
  UploadError,
  type UploadErrorCode,
} from '../../runtime/content/index.js';
import { barrier } from '../support/barrier.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { sha256 } from './support/raw-receiver.js';

const five = Buffer.from('hello');
const item = { id: 'i1', kind: 'text', mediaType: 'text/plain', role: 'user' };
const host: ContentItem = { ...item, selection: 'metadata' };
const all = { default: 'body' } as const;

async function readAll(source: ContentSource): Promise<Buffer> {
  if (source instanceof Uint8Array) return Buffer.from(source);
  if (!('open' in source)) throw new Error('expected a source that opens anew');
  const chunks: Uint8Array[] = [];
  for await (const chunk of source.open()) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** An upload function that keeps what it was given and answers with good receipts. */
function memoryReceiver(name = 'r') {
  const bodies: Buffer[] = [];
  return {
    bodies,
    upload: async (source: ContentSource): Promise<ContentUploadReceipt> => {
      const body = await readAll(source);
      bodies.push(body);
      return { ref: `${name}-${bodies.length}`, size: body.byteLength, sha256: sha256(body) };
    },
  };
}

function prepare(items: readonly ContentItem[], options: Partial<PrepareContentOptions>): Promise<ContentItem[]> {
  const { upload } = memoryReceiver();
  return prepareContent(items, { selection: all, authorize: () => true, sources: {}, upload, ...options });
}

describe('§7 category rules', () => {
  it.each([
    ['text/plain', 'text'],
    ['TEXT/Markdown; charset=utf-8', 'text'],
    ['image/png', 'images'],
    ['audio/ogg', 'audio'],
    ['video/mp4', 'video'],
    ['application/json', 'files'],
    ['application/pdf', 'files'],
    ['textual/plain', 'files'],
    ['nonsense', 'files'],
  ])('%s is %s', (mediaType, category) => {
    expect(categoryOf({ kind: 'x', mediaType })).toBe(category);
  });

  it("lets kind reasoning win over the item's own category, and that over the media type", () => {
    expect(categoryOf({ kind: 'reasoning', mediaType: 'image/png', category: 'text' })).toBe('reasoning');
    expect(categoryOf({ kind: 'text', mediaType: 'image/png', category: 'diagrams' })).toBe('diagrams');
  });

  it('gives a category without a key the default, inherited names too', () => {
    const selection: ContentSelection = { default: 'metadata', text: 'body' };
    expect(selectionOf({ kind: 'x', mediaType: 'text/plain' }, selection)).toBe('body');
    for (const category of ['toString', '__proto__', 'constructor', 'other']) {
      expect(selectionOf({ kind: 'x', mediaType: 'text/plain', category }, selection)).toBe('metadata');
    }
    const own: ContentSelection = JSON.parse('{"default":"omit","__proto__":"body","toString":"metadata"}');
    expect(selectionOf({ kind: 'x', mediaType: 'text/plain', category: '__proto__' }, own)).toBe('body');
    expect(selectionOf({ kind: 'x', mediaType: 'text/plain', category: 'toString' }, own)).toBe('metadata');
  });
});

describe('§7 item views', () => {
  it('makes a ready body of {ref} alone, with what describes the item', async () => {
    const full: ContentItem = {
      ...item,
      parentItemId: 'p',
      category: 'notes',
      synthesized: true,
      selection: 'metadata',
      size: 5,
      sha256: sha256(five),
    };
    const receiver = memoryReceiver();
    const views = await prepare([full], { sources: { i1: five }, upload: receiver.upload });
    expect(views).toEqual([
      { ...item, parentItemId: 'p', category: 'notes', synthesized: true, selection: 'body', body: { ref: 'r-1' } },
    ]);
    expect(receiver.bodies).toEqual([five]);
  });

  it('never opens a source for metadata and omitted views, nor asks about them', async () => {
    const source: ContentSource = {
      size: 5,
      open: () => {
        throw new Error('must not be opened');
      },
    };
    const sized: ContentItem = { ...host, size: 5, sha256: sha256(five) };
    const authorize = (): boolean => {
      throw new Error('must not be asked');
    };
    const options = { sources: { i1: source }, authorize };
    expect(await prepare([sized], { ...options, selection: { default: 'metadata' } })).toEqual([
      { ...item, selection: 'metadata', size: 5, sha256: sha256(five) },
    ]);
    expect(await prepare([sized], { ...options, selection: { default: 'omit' } })).toEqual([
      { ...item, selection: 'omit' },
    ]);
    expect(await prepare([host], { ...options, selection: { default: 'metadata' } })).toEqual([
      { ...item, selection: 'metadata' },
    ]);
  });

  it('never passes on a reference that stands in an item already', async () => {
    const referring: ContentItem = { ...item, selection: 'body', body: { ref: 'of-another-scope' } };
    for (const selection of ['body', 'metadata', 'omit'] as const) {
      const views = await prepare([referring], { selection: { default: selection } });
      expect(JSON.stringify(views)).not.toContain('of-another-scope');
    }
    expect(await prepare([referring], {})).toEqual([
      { ...item, selection: 'body', gap: { reason: 'source_unavailable' } },
    ]);
    const receiver = memoryReceiver();
    expect(await prepare([referring], { sources: { i1: five }, upload: receiver.upload })).toEqual([
      { ...item, selection: 'body', body: { ref: 'r-1' } },
    ]);
  });

  it("drops members that are the host's own", async () => {
    const secret: ContentItem = { ...host, ...JSON.parse('{"internal":"note"}') };
    expect(await prepare([secret], { selection: { default: 'metadata' } })).toEqual([host]);
  });

  const sized: ContentItem = { ...host, size: 99, sha256: 'a'.repeat(64) };
  const withheld: readonly (readonly [string, PrepareContentOptions['authorize']])[] = [
    ['says no', () => false],
    ['says no later', async () => false],
    [
      'throws',
      () => {
        throw new Error('policy');
      },
    ],
    ['rejects', () => Promise.reject(new Error('policy'))],
    ['answers with something that is not true', () => 1 as unknown as boolean],
  ];
  it.each(withheld)(
    'withholds when the authorizer %s, and discloses neither size nor digest',
    async (_name, authorize) => {
      const receiver = memoryReceiver();
      const snapshot = new ContentSnapshot();
      await snapshot.take('i1', five);
      const views = await prepare([sized], { authorize, sources: { i1: five }, upload: receiver.upload, snapshot });
      expect(views).toEqual([{ ...item, selection: 'body', gap: { reason: 'permission_withheld' } }]);
      expect(receiver.bodies).toEqual([]);
      await snapshot.close();
    },
  );

  it("keeps a host's own word that an item is withheld, undisclosed", async () => {
    const gap: ContentItem = { ...item, selection: 'body', gap: { reason: 'permission_withheld' }, size: 99 };
    expect(await prepare([gap], {})).toEqual([{ ...item, selection: 'body', gap: { reason: 'permission_withheld' } }]);
  });

  const reasons: readonly (readonly [UploadErrorCode, string])[] = [
    ['too-large', 'limit_exceeded'],
    ['source', 'source_unavailable'],
    ['source-length', 'source_unavailable'],
    ['source-changed', 'source_unavailable'],
    ['configuration', 'transfer_failed'],
    ['endpoint', 'transfer_failed'],
    ['authentication', 'transfer_failed'],
    ['connection', 'transfer_failed'],
    ['redirected', 'transfer_failed'],
    ['status', 'transfer_failed'],
    ['media-type', 'transfer_failed'],
    ['receipt', 'transfer_failed'],
    ['timeout', 'transfer_failed'],
    ['aborted', 'transfer_failed'],
  ];
  it.each(reasons)('turns the upload error %s into the gap %s, with what the snapshot knows', async (code, reason) => {
    const upload = (): Promise<ContentUploadReceipt> => Promise.reject(new UploadError(code, 'x'));
    const views = await prepare([sized], { sources: { i1: five }, upload });
    expect(views).toEqual([{ ...item, selection: 'body', size: 5, sha256: sha256(five), gap: { reason } }]);
  });

  it('turns a 413 into limit_exceeded and a foreign error into transfer_failed', async () => {
    const refuse = (error: Error) => (): Promise<ContentUploadReceipt> => Promise.reject(error);
    const [big] = await prepare([host], {
      sources: { i1: five },
      upload: refuse(new UploadError('status', 'x', { status: 413 })),
    });
    const [odd] = await prepare([host], { sources: { i1: five }, upload: refuse(new Error('x')) });
    expect([big, odd]).toMatchObject([{ gap: { reason: 'limit_exceeded' } }, { gap: { reason: 'transfer_failed' } }]);
  });

  const receipts: readonly (readonly [string, unknown])[] = [
    ['another size', { ref: 'r', size: 6, sha256: sha256(five) }],
    ['another digest', { ref: 'r', size: 5, sha256: 'a'.repeat(64) }],
    ['no ref', { size: 5, sha256: sha256(five) }],
    ['one member more', { ref: 'r', size: 5, sha256: sha256(five), more: 1 }],
    ['nothing', undefined],
  ];
  it.each(receipts)('takes no receipt with %s from the upload function', async (_name, receipt) => {
    const upload = async (): Promise<ContentUploadReceipt> => receipt as ContentUploadReceipt;
    const [view] = await prepare([host], { sources: { i1: five }, upload });
    expect(view).toMatchObject({ gap: { reason: 'transfer_failed' } });
  });

  it('says source_unavailable without a source, or when it cannot be read', async () => {
    const unreadable: ContentSource = { path: join(temporaryFolder(), 'nothing') };
    for (const sources of [{}, { i1: unreadable }, { other: five }]) {
      const views = await prepare([sized], { sources });
      expect(views).toEqual([
        { ...item, selection: 'body', size: 99, sha256: 'a'.repeat(64), gap: { reason: 'source_unavailable' } },
      ]);
    }
  });

  it('does not take inherited names for sources', async () => {
    const odd = ['toString', 'constructor', '__proto__'].map((id): ContentItem => ({ ...host, id }));
    const views = await prepare(odd, { sources: {} });
    expect(views.every((view) => 'gap' in view && view.gap.reason === 'source_unavailable')).toBe(true);
    const own: Record<string, ContentSource> = Object.fromEntries([['__proto__', five]]);
    expect(await prepare([{ ...host, id: '__proto__' }], { sources: own })).toMatchObject([{ body: { ref: 'r-1' } }]);
  });

  it('takes sources by pointer, and only by pointer, where an id occurs twice', async () => {
    const twice: ContentItem[] = [host, { ...host, kind: 'other' }, { ...host, id: 'alone' }];
    const sources = {
      i1: Buffer.from('by id'),
      '/items/0': Buffer.from('zero'),
      '/items/1': Buffer.from('one'),
      alone: five,
    };
    const receiver = memoryReceiver();
    await prepare(twice, { sources, upload: receiver.upload });
    expect(receiver.bodies.map(String).sort()).toEqual(['hello', 'one', 'zero']);

    const placed = memoryReceiver();
    const pointers = ['/calls/0/items/0', '/calls/1/items/0', '/items/0'];
    const map = new Map([
      ['/calls/0/items/0', Buffer.from('a')],
      ['/calls/1/items/0', Buffer.from('b')],
      ['/items/0', five],
    ]);
    const views = await prepare(twice, { sources: map, pointers, upload: placed.upload });
    expect(placed.bodies.map(String).sort()).toEqual(['a', 'b']);
    expect(views[2]).toMatchObject({ gap: { reason: 'source_unavailable' } });
  });

  it('gives canonical items only, whatever is selected and withheld', async () => {
    const fields = fc.record(
      {
        id: fc.constantFrom('a', 'b', 'c', '__proto__'),
        kind: fc.constantFrom('text', 'reasoning'),
        mediaType: fc.constantFrom('text/plain', 'image/png', 'application/json'),
        role: fc.constant('user'),
        parentItemId: fc.constant('p'),
        category: fc.constantFrom('text', 'notes', 'toString'),
        synthesized: fc.boolean(),
        size: fc.nat(),
        sha256: fc.constant('a'.repeat(64)),
      },
      { requiredKeys: ['id', 'kind', 'mediaType'] },
    );
    const mode = fc.constantFrom('body', 'metadata', 'omit');
    const selections = fc.record({ default: mode, text: mode, reasoning: mode }, { requiredKeys: ['default'] });
    const rows = fc.array(fc.tuple(fields, fc.constantFrom('metadata', 'omit', 'ready', 'gap')), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(rows, selections, fc.array(fc.boolean(), { minLength: 6 }), async (list, selection, answers) => {
        const items = list.map(([{ size, sha256: digest, ...rest }, form]): unknown => {
          const disclosed = {
            ...rest,
            ...(size === undefined ? {} : { size }),
            ...(digest === undefined ? {} : { sha256: digest }),
          };
          if (form === 'ready') return { ...rest, selection: 'body', body: { ref: 'foreign' } };
          if (form === 'gap') return { ...disclosed, selection: 'body', gap: { reason: 'source_unavailable' } };
          return { ...disclosed, selection: form };
        }) as ContentItem[];
        let asked = 0;
        const authorize = (): boolean => answers[asked++ % answers.length] ?? false;
        const views = await prepare(items, { selection, authorize, sources: { a: five, '/items/1': five } });
        expect(views.map((view) => validateContentItem(view).ok)).toEqual(items.map(() => true));
        expect(JSON.stringify(views)).not.toContain('foreign');
        for (const view of views) {
          const isWithheld = 'gap' in view && view.gap.reason === 'permission_withheld';
          if (isWithheld || view.selection === 'omit' || 'body' in view) {
            expect([Object.hasOwn(view, 'size'), Object.hasOwn(view, 'sha256')]).toEqual([false, false]);
          }
        }
      }),
      { numRuns: 150 },
    );
  });

  it('keeps the order of the items, whatever ends first', async () => {
    const items = Array.from({ length: 9 }, (_, index): ContentItem => ({ ...host, id: `i${index}` }));
    const sources = Object.fromEntries(items.map(({ id }) => [id, Buffer.from(id)]));
    const upload = async (source: ContentSource): Promise<ContentUploadReceipt> => {
      const body = await readAll(source);
      await new Promise((resolve) => setTimeout(resolve, 9 - Number(String(body).slice(1))));
      return { ref: `ref-of-${body}`, size: body.byteLength, sha256: sha256(body) };
    };
    const views = await prepare(items, { sources, upload });
    expect(views.map((view) => ('body' in view ? view.body.ref : 'gap'))).toEqual(
      items.map(({ id }) => `ref-of-${id}`),
    );
  });

  it('rejects a gap under gapFails, names the item and its reason, and ends the other uploads', async () => {
    const started = barrier();
    const ended = barrier();
    const authorize = async ({ id }: ContentItem): Promise<boolean> => {
      if (id === 'i1') await started.promise;
      return true;
    };
    const upload = (_source: ContentSource, { signal }: { signal: AbortSignal }): Promise<ContentUploadReceipt> =>
      new Promise((_resolve, reject) => {
        started.open();
        signal.addEventListener('abort', () => {
          ended.open();
          reject(signal.reason);
        });
      });
    const items: ContentItem[] = [{ ...host, id: 'slow' }, host];
    const options = { sources: { slow: five }, authorize, upload, gapFails: true };
    const error: unknown = await prepare(items, options).catch((reason: unknown) => reason);
    await ended.promise;
    expect(error).toBeInstanceOf(ContentError);
    expect(error).toMatchObject({ code: 'gap', pointer: '/items/1', reason: 'source_unavailable' });
    expect(String(error)).toBe(
      'ContentError: content item at /items/1: expected its body, got a gap (source_unavailable)',
    );
  });

  it("rejects with the signal's reason, before and during an upload", async () => {
    const reason = new Error('enough');
    const receiver = memoryReceiver();
    const before = prepare([host], {
      sources: { i1: five },
      upload: receiver.upload,
      signal: AbortSignal.abort(reason),
    });
    await expect(before).rejects.toBe(reason);
    expect(receiver.bodies).toEqual([]);
    const controller = new AbortController();
    const upload = (): Promise<never> => {
      controller.abort(reason);
      return new Promise(() => {});
    };
    await expect(prepare([host], { sources: { i1: five }, upload, signal: controller.signal })).rejects.toBe(reason);
  });
});

describe('§7 one snapshot for many receivers', () => {
  function counting(bytes: Buffer) {
    const counter = { opened: 0 };
    const open = async function* (): AsyncGenerator<Uint8Array> {
      counter.opened += 1;
      yield bytes;
    };
    return { counter, source: { size: bytes.byteLength, open } };
  }

  it('reads a source once, and gives every receiver its own upload of it', async () => {
    const { counter, source } = counting(five);
    const snapshot = new ContentSnapshot();
    const receivers = Array.from({ length: 5 }, (_, index) => memoryReceiver(`r${index}`));
    const views = await Promise.all(
      receivers.map(({ upload }) => prepare([host], { sources: { i1: source }, upload, snapshot })),
    );
    expect(counter.opened).toBe(1);
    expect(receivers.map(({ bodies }) => bodies)).toEqual(Array(5).fill([five]));
    expect(new Set(views.flat().map((view) => ('body' in view ? view.body.ref : ''))).size).toBe(5);
    await snapshot.close();
  });

  it('gives later receivers the bytes as they were', async () => {
    const bytes = Buffer.from('before');
    const snapshot = new ContentSnapshot();
    await snapshot.take('i1', bytes);
    bytes.write('after!');
    const receiver = memoryReceiver();
    await prepare([host], { sources: { i1: bytes }, upload: receiver.upload, snapshot });
    expect(receiver.bodies.map(String)).toEqual(['before']);
    await snapshot.close();
  });

  it('discloses in metadata what a snapshot that was taken anyway knows', async () => {
    const snapshot = new ContentSnapshot();
    const selection = { default: 'metadata' } as const;
    expect(await prepare([host], { sources: { i1: five }, selection, snapshot })).toEqual([host]);
    await snapshot.take('i1', five);
    expect(await prepare([host], { sources: { i1: five }, selection, snapshot })).toEqual([
      { ...host, size: 5, sha256: sha256(five) },
    ]);
    expect(await prepare([host], { sources: { i1: five }, selection: { default: 'omit' }, snapshot })).toEqual([
      { ...item, selection: 'omit' },
    ]);
    await snapshot.close();
  });

  it('never gives out the old bytes after they were replaced', async () => {
    const snapshot = new ContentSnapshot();
    await snapshot.take('i1', Buffer.from('secret'));
    await snapshot.replace('i1', Buffer.from('[redacted]'));
    const receiver = memoryReceiver();
    await prepare([host], { sources: { i1: Buffer.from('secret') }, upload: receiver.upload, snapshot });
    expect(receiver.bodies.map(String)).toEqual(['[redacted]']);
    await snapshot.close();
  });

  it('keeps one reading although the caller that started it gives up', async () => {
    const gate = barrier();
    let opened = 0;
    const source: ContentSource = {
      size: 5,
      async *open() {
        opened += 1;
        await gate.promise;
        yield five;
      },
    };
    const snapshot = new ContentSnapshot();
    const controller = new AbortController();
    const first = snapshot.take('i1', source, controller.signal);
    const second = snapshot.take('i1', source);
    controller.abort(new Error('gave up'));
    await expect(first).rejects.toThrow('gave up');
    gate.open();
    expect(await second).toMatchObject({ size: 5 });
    expect(opened).toBe(1);
    await snapshot.close();
  });

  it('forgets a failed reading, so that the next receiver may try', async () => {
    let opened = 0;
    const source: ContentSource = {
      size: 5,
      async *open() {
        opened += 1;
        if (opened === 1) throw new Error('busy');
        yield five;
      },
    };
    const snapshot = new ContentSnapshot();
    await expect(snapshot.take('i1', source)).rejects.toMatchObject({ code: 'source' });
    expect(await snapshot.take('i1', source)).toMatchObject({ size: 5 });
    await snapshot.close();
  });

  it('spools large bodies to disk, serves them at the same time, and leaves nothing after close', async () => {
    const directory = join(temporaryFolder(), 'spool');
    mkdirSync(directory);
    const big = Buffer.alloc(2_500_000, '0123456789');
    const path = join(temporaryFolder(), 'body');
    writeFileSync(path, big);
    const snapshot = new ContentSnapshot({ directory, maxMemoryBytes: 1_000 });
    const sources: Record<string, ContentSource> = { a: big, b: { path }, c: { size: big.byteLength, once: [big] } };
    const bodies = await Promise.all(Object.entries(sources).map(([key, source]) => snapshot.take(key, source)));
    const read = await Promise.all([...bodies, ...bodies].map(({ source }) => readAll(source)));
    expect(read.every((body) => body.equals(big))).toBe(true);
    await snapshot.close();
    expect(readdirSync(directory)).toEqual([]);
    await expect(readAll(bodies[0]?.source ?? five)).rejects.toMatchObject({ code: 'source' });
    await expect(snapshot.take('d', five)).rejects.toMatchObject({ code: 'closed' });
  });

  it('lets a reader that is under way finish after close, and a reading that is under way end', async () => {
    const directory = temporaryFolder();
    const big = Buffer.alloc(2_500_000, 'x');
    const snapshot = new ContentSnapshot({ directory, maxMemoryBytes: 1_000 });
    const { source } = await snapshot.take('a', big);
    if (source instanceof Uint8Array || !('open' in source)) throw new Error('expected a source that opens anew');
    const iterator = (source.open() as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
    let total = (await iterator.next()).value?.byteLength ?? 0;
    const hanging = snapshot.take('b', { size: 5, open: () => hang() });
    const ended = expect(hanging).rejects.toMatchObject({ code: 'closed' });
    await snapshot.close();
    await ended;
    for (let step = await iterator.next(); step.done !== true; step = await iterator.next())
      total += step.value.byteLength;
    expect(total).toBe(big.byteLength);
    expect(readdirSync(directory)).toEqual([]);
  });

  async function* hang(): AsyncGenerator<Uint8Array> {
    yield new Promise<never>(() => {});
  }
});
