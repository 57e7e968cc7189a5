import {
  catalogue,
  type KnownContentItem,
  type ContentUpload,
  type ContentUploadReceipt,
  type KnownEvent,
} from '../../generated/index.js';
import type { ChainElicitation, Materialization } from '../chain/index.js';
import {
  ContentSnapshot,
  type ContentSource,
  prepareContent,
  readWhole,
  selectionOf,
  type SpoolOptions,
  UploadError,
} from '../content/index.js';
import { type Place, placesOf, setAt, snapshot } from '../wire/index.js';
import { HooksError } from './errors.js';
import type { AuthorizeContent, EventContent, InterceptElicitation, Materialize } from './options.js';
import type { HookSubscription } from './subscriptions.js';
import { withinTime } from './within-time.js';

export interface ContentSessionOptions {
  readonly event: KnownEvent;
  readonly content: EventContent;
  readonly authorize: AuthorizeContent | undefined;
  readonly upload: (config: ContentUpload, source: ContentSource, signal: AbortSignal) => Promise<ContentUploadReceipt>;
  readonly spool: SpoolOptions | undefined;
  /** What all sources together may take to be read before the first delivery, in milliseconds. */
  readonly takeTimeoutMs: number;
}

export interface ViewRequest {
  /** The effective event; tells which bytes its items have. */
  readonly effective: KnownEvent;
  /** What this receiver may have of it, items included. */
  readonly event: KnownEvent;
  readonly subscription: HookSubscription;
  readonly signal: AbortSignal;
  readonly gapFails: boolean;
}

/** A source and the key under which its bytes are kept; changed content gets a new key, never the old one. */
interface Kept {
  readonly source: ContentSource;
  readonly key: string;
}

type KeptSources = ReadonlyMap<string, Kept>;

/** Bound on a body that is read into memory to check an elicitation. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;

/**
 * The bytes behind one event's items, from its first delivery to the end of its last (Semantics §7): read once, shared
 * by all receivers, uploaded for each; what a hook changed takes the place of the old bytes for everybody after it.
 */
export class ContentSession {
  readonly #options: ContentSessionOptions;
  readonly #bytes: ContentSnapshot;
  /** Sources of events that the host materialized. One whose response was rejected is never looked up. */
  readonly #materialized = new WeakMap<KnownEvent, KeptSources>();
  /** Sources of the event that is effective now. */
  #current: KeptSources;
  #versions = 0;
  #closed: Promise<void> | undefined;

  constructor(options: ContentSessionOptions) {
    this.#options = options;
    this.#bytes = new ContentSnapshot(options.spool);
    this.#current = this.#keep(new Map(), options.content);
  }

  /**
   * Reads what any of the subscriptions selects. Never rejects: a source that cannot be read becomes a gap when a view
   * is made of it, and an interruption is for the chain to tell.
   */
  async takeSelected(subscriptions: readonly HookSubscription[], signal?: AbortSignal): Promise<void> {
    const places = contentPlaces(this.#options.event);
    const keys = sourceKeys(places);
    const wanted = places.flatMap(({ value }, index) => {
      const kept = this.#current.get(keys[index] ?? '');
      const item = value as KnownContentItem;
      return kept !== undefined && subscriptions.some((one) => selectionOf(item, one.declared.content) === 'body')
        ? [kept]
        : [];
    });
    if (wanted.length === 0) return;
    const taking = (): Promise<unknown> =>
      Promise.allSettled(wanted.map(({ key, source }) => this.#bytes.take(key, source)));
    await withinTime(this.#options.takeTimeoutMs, [signal], taking).catch(() => undefined);
  }

  /** One receiver's view: permissions, selection, confirmed uploads. Rejects as `prepareContent` does. */
  async viewFor({ effective, event, subscription, signal, gapFails }: ViewRequest): Promise<KnownEvent> {
    this.#current = this.#materialized.get(effective) ?? this.#current;
    const current = this.#current;
    const places = contentPlaces(event);
    if (places.length === 0) return event;
    const { declared } = subscription;
    const { authorize, upload } = this.#options;
    const views = await prepareContent(
      places.map(({ value }) => value as KnownContentItem),
      {
        selection: declared.content,
        authorize: (item, context) =>
          authorize === undefined || authorize(item, { event, subscription, signal: context.signal }),
        sources: new Map([...current].map(([key, { source }]) => [key, source])),
        upload: (source, context) => {
          if (declared.upload === undefined) {
            throw new UploadError('configuration', 'upload: expected an endpoint in the subscription, got none');
          }
          return upload(declared.upload, source, context.signal);
        },
        snapshot: {
          get: (key) => this.#bytes.get(current.get(key)?.key ?? ''),
          take: (key, source, taking) => this.#bytes.take(current.get(key)?.key ?? key, source, taking),
        },
        pointers: places.map(({ pointer }) => pointer),
        gapFails,
        signal,
      },
    );
    return places.reduce((view, { pointer }, index) => setAt(view, pointer, views[index]), event);
  }

  /** The chain's `materialize` over the host's: takes the new bytes along with the new descriptors. */
  materializeWith(materialize: Materialize): (change: Materialization) => Promise<KnownEvent> {
    return async (change) => {
      const made = await materialize(change as Parameters<Materialize>[0]);
      const own = snapshot(made.event);
      const base = this.#materialized.get(change.event) ?? this.#current;
      requireNewBytes(own, change.target, base, made.content);
      const sources = this.#keep(base, made.content);
      for (const name of Object.keys(made.content)) {
        const kept = sources.get(name);
        if (kept !== undefined) await this.#bytes.take(kept.key, kept.source, change.signal);
      }
      this.#materialized.set(own, sources);
      return own;
    };
  }

  /** The chain's elicitation option over the host's: bodies are found among the sources first. */
  elicitationWith(elicitation: InterceptElicitation): ChainElicitation<HookSubscription> {
    const { request, resolveBody, principal } = elicitation;
    return {
      ...(request === undefined ? {} : { request }),
      principal: (subscription) => principal?.(subscription) ?? subscription.backend.id,
      resolveBody: async (reference, context) => {
        const kept = this.#current.get((context.item as KnownContentItem).id);
        if (kept === undefined) return (await resolveBody?.(reference, context)) ?? null;
        const body = await this.#bytes.take(kept.key, kept.source, context.signal);
        return readWhole(body.source, { maxBytes: MAX_BODY_BYTES, signal: context.signal });
      },
    };
  }

  /** Gives memory and disk back. May be called twice; both wait for the same end. */
  close(): Promise<void> {
    this.#closed ??= this.#bytes.close();
    return this.#closed;
  }

  #keep(base: KeptSources, content: EventContent): KeptSources {
    const kept = new Map(base);
    for (const [name, source] of Object.entries(content)) {
      this.#versions += 1;
      kept.set(name, { source, key: `${this.#versions} ${name}` });
    }
    return kept;
  }
}

const contentPatterns: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(catalogue.events).map(([type, { content }]) => [type, content]),
);

function contentPlaces(event: KnownEvent): Place[] {
  return (contentPatterns.get(event.type) ?? []).flatMap((pattern) => placesOf(event, pattern));
}

const targetPlaces: ReadonlyMap<string, Readonly<Record<string, { readonly place: string }>>> = new Map(
  Object.entries(catalogue.events).map(([type, { targets }]) => [type, targets]),
);

/**
 * A host that gives no bytes for a changed value would have the old ones sent on under the new descriptors. So at least
 * one of the items at the target's place must have come with bytes, when any of them had some before.
 */
function requireNewBytes(event: KnownEvent, target: string, base: KeptSources, content: EventContent): void {
  const place = targetPlaces.get(event.type)?.[target]?.place;
  if (place === undefined) return;
  const places = contentPlaces(event);
  const keys = sourceKeys(places).filter((_, index) => {
    const pointer = places[index]?.pointer ?? '';
    return pointer === place || pointer.startsWith(`${place}/`);
  });
  const hadBytes = keys.some((key) => base.has(key));
  if (hadBytes && !keys.some((key) => Object.hasOwn(content, key))) {
    throw new HooksError('configuration', 'materialize: expected the bytes of what changed, got none', {
      detail: 'content',
    });
  }
}

/** The name of each place's source: its item's id, or its pointer where the id occurs twice. */
function sourceKeys(places: readonly Place[]): string[] {
  const counts = new Map<string, number>();
  for (const { value } of places) {
    const { id } = value as KnownContentItem;
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return places.map(({ pointer, value }) => {
    const { id } = value as KnownContentItem;
    return counts.get(id) === 1 ? id : pointer;
  });
}
