import { type ContentUploadReceipt, type ModelVisibleItem, validateModelVisibleItem } from '../../generated/index.js';
import { raceAbort } from '../wire/abort.js';
import { ContentError } from './errors.js';
import { describeReceiptProblem } from './receipt.js';
import { type ContentSource, sourceOfSpool } from './source.js';
import { spoolPieces } from './spool.js';

/** The part of a compaction's outcome that is published; what `runCompaction` gives. */
export interface PublishableSummary<R = unknown> {
  readonly applied: boolean;
  readonly summary: { readonly id: string; readonly ref: R } | null;
  readonly bodies: ReadonlyMap<R, string>;
}

/** How one receiver gets a summary. */
export interface PublishSummaryOptions {
  readonly upload: (source: ContentSource, context: { readonly signal: AbortSignal }) => Promise<ContentUploadReceipt>;
  readonly role: string;
  /** `summary` by default. */
  readonly kind?: string;
  /** `text/plain` by default. */
  readonly mediaType?: string;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Uploads the text behind a settled compaction's handle to one receiver, as exact UTF-8 bytes, and gives its canonical
 * item: the same logical id, and `{ref}` only (Semantics §3). Rejects with `ContentError` `not-applied`, `not-text`,
 * `receipt` or `not-canonical`, with what `upload` rejects with, and with the signal's reason.
 */
export async function publishSummary<R>(
  outcome: PublishableSummary<R>,
  options: PublishSummaryOptions,
): Promise<ModelVisibleItem> {
  const { summary } = outcome;
  const text = summary === null ? undefined : outcome.bodies.get(summary.ref);
  if (!outcome.applied || summary === null || text === undefined) {
    throw new ContentError('not-applied', 'summary: expected an applied compaction with a summary, got none');
  }
  if (/\p{Surrogate}/u.test(text)) {
    throw new ContentError('not-text', 'summary: expected well-formed text, got a lone surrogate');
  }
  const signal = options.signal ?? new AbortController().signal;
  signal.throwIfAborted();
  const spooled = await spoolPieces(onePiece(Buffer.from(text, 'utf8')), { maxMemoryBytes: Number.MAX_SAFE_INTEGER });
  const receipt = await raceAbort(options.upload(sourceOfSpool(spooled), { signal }), signal);
  const problem = describeReceiptProblem(receipt, spooled);
  if (problem !== null) throw new ContentError('receipt', `receipt: ${problem}`);
  const { role, kind = 'summary', mediaType = 'text/plain' } = options;
  const item = validateModelVisibleItem({
    id: summary.id,
    kind,
    mediaType,
    role,
    selection: 'body',
    body: { ref: receipt.ref },
  });
  if (!item.ok) {
    const place = item.issues[0]?.pointer ?? '';
    throw new ContentError('not-canonical', `summary: expected a canonical item, got a fault at "${place}"`);
  }
  return item.value;
}

async function* onePiece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
