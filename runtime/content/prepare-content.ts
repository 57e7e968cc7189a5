import {
  type ContentItem,
  type ContentItemFields,
  type ContentSelection,
  type ContentUploadReceipt,
  isKnownContentItem,
  type KnownContentItem,
} from '../../generated/index.js';
import { linkAbort, raceAbort } from '../wire/abort.js';
import { selectionOf } from './category.js';
import { ContentError, type GapReason, UploadError } from './errors.js';
import { describeReceiptProblem } from './receipt.js';
import { ContentSnapshot, type SnapshotBody } from './snapshot.js';
import type { ContentSource } from './source.js';

/** Sources by item id; by the item's JSON Pointer where its id occurs twice. */
export type ContentSources = Readonly<Record<string, ContentSource>> | ReadonlyMap<string, ContentSource>;

/** The part of a {@link ContentSnapshot} that preparation needs; a host may put its own keys behind it. */
export type SharedBytes = Pick<ContentSnapshot, 'get' | 'take'>;

/** What one receiver may and wants to see, and how its bodies get there. */
export interface PrepareContentOptions {
  readonly selection: ContentSelection;
  /** Asked before a body is touched; anything but `true`, and a throw, withholds it. */
  readonly authorize: (item: KnownContentItem, context: { readonly signal: AbortSignal }) => Promise<boolean> | boolean;
  readonly sources: ContentSources;
  /** Uploads to this receiver; `uploadContent` with its configuration. */
  readonly upload: (source: ContentSource, context: { readonly signal: AbortSignal }) => Promise<ContentUploadReceipt>;
  /** The bytes of this event that other receivers share. Without it they are taken for this call alone. */
  readonly snapshot?: SharedBytes | undefined;
  /** JSON Pointers of the items in their event, one for each; `/items/0`, `/items/1`, … by default. */
  readonly pointers?: readonly string[] | undefined;
  /** Makes a gap of a requested body an error, for interception that fails closed. Default false. */
  readonly gapFails?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Uploads of one call that are under way at once. */
const MAX_CONCURRENT = 4;

/**
 * Makes one receiver's views of an event's items (Semantics §7), in their order: bodies that are selected and
 * authorized are uploaded and become `{ref}`, or a gap with its reason; metadata and omitted views never open a
 * source. A reference that stands in an item already belongs to another credential scope and is never passed on.
 * Size and digest are disclosed in metadata views and in gaps, never where permission was withheld and never in
 * omitted views. Rejects with `ContentError` `gap` when `gapFails` is set, `not-canonical` for an item of
 * unknown selection, and with the signal's reason.
 */
export async function prepareContent(
  items: readonly ContentItem[],
  options: PrepareContentOptions,
): Promise<KnownContentItem[]> {
  const known = items.map(requireKnown);
  const linked = linkAbort(options.signal);
  const own = options.snapshot === undefined ? new ContentSnapshot() : null;
  const receiver: Receiver = {
    options,
    snapshot: options.snapshot ?? own ?? new ContentSnapshot(),
    keys: findSourceKeys(known, options.pointers),
    signal: linked.signal,
  };
  try {
    return await mapConcurrently(known, MAX_CONCURRENT, (item, index) => prepareItem(item, index, receiver));
  } catch (error) {
    // One failure decides; what is under way for the other items ends.
    linked.abort(error);
    throw error;
  } finally {
    linked.release();
    await own?.close();
  }
}

function requireKnown(item: ContentItem, index: number): KnownContentItem {
  if (isKnownContentItem(item)) return item;
  throw new ContentError('not-canonical', `content item at ${index}: expected a known selection, got another`);
}

interface Receiver {
  readonly options: PrepareContentOptions;
  readonly snapshot: SharedBytes;
  readonly keys: readonly SourceKey[];
  readonly signal: AbortSignal;
}

interface SourceKey {
  readonly pointer: string;
  /** The key of the item's source: its id, or its pointer where the id occurs twice. */
  readonly key: string;
}

async function prepareItem(item: KnownContentItem, index: number, receiver: Receiver): Promise<KnownContentItem> {
  const { options, snapshot, keys, signal } = receiver;
  signal.throwIfAborted();
  const { key, pointer } = keys[index] ?? { key: item.id, pointer: `/items/${index}` };
  const fields = copyFields(item);
  const mode = selectionOf(item, options.selection);
  if (mode === 'omit') return { ...fields, selection: 'omit' };
  if (mode === 'metadata') return { ...fields, ...disclose(item, snapshot.get(key)), selection: 'metadata' };
  const outcome = await transferBody(item, key, receiver);
  signal.throwIfAborted();
  if ('ref' in outcome) return { ...fields, selection: 'body', body: { ref: outcome.ref } };
  if (options.gapFails === true) {
    throw new ContentError('gap', `content item at ${pointer}: expected its body, got a gap (${outcome.reason})`, {
      pointer,
      reason: outcome.reason,
      cause: outcome.cause,
    });
  }
  const disclosed = outcome.reason === 'permission_withheld' ? {} : disclose(item, snapshot.get(key));
  return { ...fields, ...disclosed, selection: 'body', gap: { reason: outcome.reason } };
}

type Transfer = { readonly ref: string } | { readonly reason: GapReason; readonly cause?: unknown };

async function transferBody(item: KnownContentItem, key: string, receiver: Receiver): Promise<Transfer> {
  const { options, snapshot, signal } = receiver;
  if (!(await isAuthorized(item, options, signal))) return { reason: 'permission_withheld' };
  const source = findSource(options.sources, key);
  let body = snapshot.get(key);
  if (body === null) {
    if (source === undefined) return { reason: withheldReason(item) };
    try {
      body = await snapshot.take(key, source, signal);
    } catch (error) {
      signal.throwIfAborted();
      return { reason: 'source_unavailable', cause: error };
    }
  }
  signal.throwIfAborted();
  try {
    const receipt = await raceAbort(options.upload(body.source, { signal }), signal);
    const problem = describeReceiptProblem(receipt, body);
    if (problem === null) return { ref: receipt.ref };
    return { reason: 'transfer_failed', cause: new ContentError('receipt', `receipt: ${problem}`) };
  } catch (error) {
    signal.throwIfAborted();
    return { reason: reasonOf(error), cause: error };
  }
}

async function isAuthorized(
  item: KnownContentItem,
  options: PrepareContentOptions,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    return (await raceAbort(options.authorize(item, { signal }), signal)) === true;
  } catch {
    signal.throwIfAborted();
    return false;
  }
}

/** A host may say itself that an item's body is withheld; that is more than that nobody gave its source. */
function withheldReason(item: KnownContentItem): GapReason {
  return 'gap' in item && item.gap.reason === 'permission_withheld' ? 'permission_withheld' : 'source_unavailable';
}

function reasonOf(error: unknown): GapReason {
  if (!(error instanceof UploadError)) return 'transfer_failed';
  if (error.code === 'too-large' || error.status === 413) return 'limit_exceeded';
  if (error.code === 'source' || error.code === 'source-length' || error.code === 'source-changed') {
    return 'source_unavailable';
  }
  return 'transfer_failed';
}

/** What every view of an item has. Members that the protocol does not know are the host's own, and stay with it. */
function copyFields(item: KnownContentItem): ContentItemFields {
  const { id, kind, mediaType, role, parentItemId, category, synthesized } = item;
  return {
    id,
    kind,
    mediaType,
    ...(role === undefined ? {} : { role }),
    ...(parentItemId === undefined ? {} : { parentItemId }),
    ...(category === undefined ? {} : { category }),
    ...(synthesized === undefined ? {} : { synthesized }),
  };
}

function disclose(item: KnownContentItem, taken: SnapshotBody | null): { size?: number; sha256?: string } {
  if (taken !== null) return { size: taken.size, sha256: taken.sha256 };
  return {
    ...('size' in item && item.size !== undefined ? { size: item.size } : {}),
    ...('sha256' in item && item.sha256 !== undefined ? { sha256: item.sha256 } : {}),
  };
}

function findSourceKeys(
  items: readonly KnownContentItem[],
  pointers: readonly string[] | undefined,
): readonly SourceKey[] {
  const counts = new Map<string, number>();
  for (const { id } of items) counts.set(id, (counts.get(id) ?? 0) + 1);
  return items.map(({ id }, index) => {
    const pointer = pointers?.[index] ?? `/items/${index}`;
    return { pointer, key: counts.get(id) === 1 ? id : pointer };
  });
}

function findSource(sources: ContentSources, key: string): ContentSource | undefined {
  if (sources instanceof Map) return sources.get(key);
  const byKey = sources as Readonly<Record<string, ContentSource>>;
  return Object.hasOwn(byKey, key) ? byKey[key] : undefined;
}

async function mapConcurrently<T, R>(
  values: readonly T[],
  places: number,
  run: (value: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results = new Array<R>(values.length);
  const entries = values.entries();
  const work = async (): Promise<void> => {
    for (const [index, value] of entries) results[index] = await run(value, index);
  };
  await Promise.all(Array.from({ length: Math.min(places, values.length) }, work));
  return results;
}
