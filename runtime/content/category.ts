import type { ContentSelection } from '../../generated/index.js';

/** How much of an item a subscription gets. */
export type SelectionMode = 'body' | 'metadata' | 'omit';

const MEDIA_FAMILIES: ReadonlyMap<string, string> = new Map([
  ['text', 'text'],
  ['image', 'images'],
  ['audio', 'audio'],
  ['video', 'video'],
]);

/**
 * The category of an item (wire, content items): `reasoning` for that kind always, else the item's own `category`,
 * else by its media type: `text`, `images`, `audio`, `video`, and `files` for all others, `application/json` too.
 */
export function categoryOf(item: {
  readonly kind: string;
  readonly mediaType: string;
  readonly category?: string;
}): string {
  if (item.kind === 'reasoning') return 'reasoning';
  if (item.category !== undefined) return item.category;
  const family = item.mediaType.trim().split('/', 1)[0]?.toLowerCase() ?? '';
  return MEDIA_FAMILIES.get(family) ?? 'files';
}

/** What a selection says about an item; a category without a key of its own takes `default` (Semantics §7). */
export function selectionOf(
  item: { readonly kind: string; readonly mediaType: string; readonly category?: string },
  selection: ContentSelection,
): SelectionMode {
  const category = categoryOf(item);
  const byCategory: Readonly<Record<string, string | undefined>> = selection;
  const mode = Object.hasOwn(selection, category) ? byCategory[category] : selection.default;
  return mode === 'body' || mode === 'metadata' ? mode : 'omit';
}
