import type { Authentication } from './registration.js';
import type { UnknownVariant } from '../support/results.js';

/**
 * Why the body of an item is not there. Closed object.
 * @see content.json#/$defs/ContentGap
 */
export interface ContentGap {
  /**
   * Why the bytes are missing, non-empty.
   * Valid: length at least 1.
   */
  readonly reason: string;
  /**
   * Which part is missing, when not all of it.
   * Valid: length at least 1.
   */
  readonly path?: string;
}

/**
 * A descriptor of content, never the bytes. The view is told by `selection`; with `body` the item has either a ready `body` or a `gap`, never both.
 * @see content.json#/$defs/ContentItem
 */
export type ContentItem = KnownContentItem | UnknownContentItem;

/**
 * The variants of `ContentItem` that this revision knows. `isKnownContentItem` tells them from the others.
 * @see content.json#/$defs/ContentItem
 */
export type KnownContentItem = ReadyContentItem | GapContentItem | MetadataContentItem | OmittedContentItem;

/**
 * A value of `ContentItem` whose tag this revision does not know, kept whole.
 * @see content.json#/$defs/ContentItem
 */
export type UnknownContentItem = UnknownVariant & { readonly selection: string };

/**
 * What every content descriptor carries, whatever its selection. A part of other definitions, which close it.
 * @see content.json#/$defs/ContentItemFields
 */
export interface ContentItemFields {
  /**
   * The item's logical identity, non-empty; it stays the same when the bytes behind it change.
   * Valid: length at least 1.
   */
  readonly id: string;
  /**
   * What the item is, such as `text`, `tool_result` or `reasoning`. The kind `reasoning` always selects the `reasoning` category (a runtime rule).
   * Valid: length at least 1.
   */
  readonly kind: string;
  /**
   * Media type of the content, such as `text/plain`, non-empty; its grammar is not checked here.
   * Valid: length at least 1.
   */
  readonly mediaType: string;
  /**
   * Who speaks in the item, such as `user` or `assistant`; required where the model sees the item.
   * Valid: length at least 1.
   */
  readonly role?: string;
  /**
   * Id of the item this one is a block of; a parent implies no role.
   * Valid: length at least 1.
   */
  readonly parentItemId?: string;
  /**
   * Category that selects the view, overriding the media type: `text`, `images`, `audio`, `video`, `files`, `reasoning` or another; one without its own selection key takes `default`.
   * Valid: length at least 1.
   */
  readonly category?: string;
  /** True when the adapter made the id up; it then stays stable for the life of the item. */
  readonly synthesized?: boolean;
  readonly [member: string]: unknown;
}

/**
 * A reference to uploaded bytes. Closed object. It is neither a URL nor a grant: it is valid within the credential scope that uploaded it (a runtime rule).
 * @see content.json#/$defs/ContentReference
 */
export interface ContentReference {
  /**
   * Opaque name allocated by the receiver, immutable, non-empty.
   * Valid: length at least 1.
   */
  readonly ref: string;
}

/**
 * What a subscription gets of each content category. Keys are categories, values `body`, `metadata` or `omit`; a category without a key takes `default`.
 * @see content.json#/$defs/ContentSelection
 */
export interface ContentSelection {
  /** View of every category without a key of its own. */
  readonly default: ContentSelectionMode;
  /** View of text items. */
  readonly text?: ContentSelectionMode;
  /** View of image items. */
  readonly images?: ContentSelectionMode;
  /** View of audio items. */
  readonly audio?: ContentSelectionMode;
  /** View of video items. */
  readonly video?: ContentSelectionMode;
  /** View of other files. */
  readonly files?: ContentSelectionMode;
  /** View of reasoning items, whatever their media type. */
  readonly reasoning?: ContentSelectionMode;
  readonly [member: string]: ContentSelectionMode | undefined;
}

/**
 * How much of an item a subscription gets: its bytes by reference (`body`), its description (`metadata`), or no more than that it exists (`omit`).
 * @see content.json#/$defs/ContentSelectionMode
 */
export type ContentSelectionMode = 'body' | 'metadata' | 'omit' | (string & {});

/**
 * Where and how bodies are uploaded. Open object. Redirects, status codes and the receipt are runtime rules.
 * @see content.json#/$defs/ContentUpload
 */
export interface ContentUpload {
  /**
   * Exact URL to `POST` bytes to, path and query kept. HTTPS, or plain HTTP on loopback, which the host must allow too (a runtime rule).
   * Valid: format uri, pattern ^(?:https://|http://(?:localhost|127\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}|\[::1\])(?::[0-9]+)?(?:[/?#]|$)).
   */
  readonly endpoint: string;
  /**
   * Longest time for one upload, in milliseconds.
   * Valid: at least 1.
   */
  readonly timeoutMs: number;
  /**
   * Largest body that is uploaded, in bytes.
   * Valid: at least 0.
   */
  readonly maxBytes: number;
  /** Credentials of the upload, resolved on their own and never taken from the event's. */
  readonly auth?: Authentication;
  readonly [member: string]: unknown;
}

/**
 * The receiver's answer (`201`) to an upload. Closed object. That size and digest equal the bytes sent is checked at run time.
 * @see content.json#/$defs/ContentUploadReceipt
 */
export interface ContentUploadReceipt {
  /**
   * The reference the receiver allocated for the bytes, opaque, non-empty.
   * Valid: length at least 1.
   */
  readonly ref: string;
  /**
   * Number of bytes stored.
   * Valid: at least 0.
   */
  readonly size: number;
  /**
   * SHA-256 of the bytes stored, 64 lowercase hex digits.
   * Valid: pattern ^[a-f0-9]{64}$.
   */
  readonly sha256: string;
}

/**
 * A content descriptor without ready bytes, which may disclose size and digest. A part of other definitions, which close it.
 * @see content.json#/$defs/DisclosedItemFields
 */
export interface DisclosedItemFields extends ContentItemFields {
  /**
   * Size of the content in bytes, disclosed only when the item is not ready.
   * Valid: at least 0.
   */
  readonly size?: number;
  /**
   * SHA-256 of the content, 64 lowercase hex digits, disclosed only when the item is not ready.
   * Valid: pattern ^[a-f0-9]{64}$.
   */
  readonly sha256?: string;
}

/**
 * An item whose body was selected but could not be provided. Closed object.
 * @see content.json#/$defs/GapContentItem
 */
export interface GapContentItem {
  /**
   * The item's logical identity, non-empty; it stays the same when the bytes behind it change.
   * Valid: length at least 1.
   */
  readonly id: string;
  /**
   * What the item is, such as `text`, `tool_result` or `reasoning`. The kind `reasoning` always selects the `reasoning` category (a runtime rule).
   * Valid: length at least 1.
   */
  readonly kind: string;
  /**
   * Media type of the content, such as `text/plain`, non-empty; its grammar is not checked here.
   * Valid: length at least 1.
   */
  readonly mediaType: string;
  /**
   * Who speaks in the item, such as `user` or `assistant`; required where the model sees the item.
   * Valid: length at least 1.
   */
  readonly role?: string;
  /**
   * Id of the item this one is a block of; a parent implies no role.
   * Valid: length at least 1.
   */
  readonly parentItemId?: string;
  /**
   * Category that selects the view, overriding the media type: `text`, `images`, `audio`, `video`, `files`, `reasoning` or another; one without its own selection key takes `default`.
   * Valid: length at least 1.
   */
  readonly category?: string;
  /** True when the adapter made the id up; it then stays stable for the life of the item. */
  readonly synthesized?: boolean;
  /**
   * Size of the content in bytes, disclosed only when the item is not ready.
   * Valid: at least 0.
   */
  readonly size?: number;
  /**
   * SHA-256 of the content, 64 lowercase hex digits, disclosed only when the item is not ready.
   * Valid: pattern ^[a-f0-9]{64}$.
   */
  readonly sha256?: string;
  /** The body was selected. */
  readonly selection: 'body';
  /** Why the body is missing. */
  readonly gap: ContentGap;
}

/**
 * A content item whose bytes are one JSON document.
 * @see content.json#/$defs/JsonContentItem
 */
export type JsonContentItem = KnownJsonContentItem | UnknownJsonContentItem;

/**
 * The variants of `JsonContentItem` that this revision knows. `isKnownJsonContentItem` tells them from the others.
 * @see content.json#/$defs/JsonContentItem
 */
export type KnownJsonContentItem =
  | {
      /**
       * The item's logical identity, non-empty; it stays the same when the bytes behind it change.
       * Valid: length at least 1.
       */
      readonly id: string;
      /**
       * What the item is, such as `text`, `tool_result` or `reasoning`. The kind `reasoning` always selects the `reasoning` category (a runtime rule).
       * Valid: length at least 1.
       */
      readonly kind: string;
      /** The bytes are one JSON document in UTF-8. */
      readonly mediaType: 'application/json';
      /**
       * Who speaks in the item, such as `user` or `assistant`; required where the model sees the item.
       * Valid: length at least 1.
       */
      readonly role?: string;
      /**
       * Id of the item this one is a block of; a parent implies no role.
       * Valid: length at least 1.
       */
      readonly parentItemId?: string;
      /**
       * Category that selects the view, overriding the media type: `text`, `images`, `audio`, `video`, `files`, `reasoning` or another; one without its own selection key takes `default`.
       * Valid: length at least 1.
       */
      readonly category?: string;
      /** True when the adapter made the id up; it then stays stable for the life of the item. */
      readonly synthesized?: boolean;
      /** The body was selected. */
      readonly selection: 'body';
      /** Where the bytes are. */
      readonly body: ContentReference;
    }
  | {
      /**
       * The item's logical identity, non-empty; it stays the same when the bytes behind it change.
       * Valid: length at least 1.
       */
      readonly id: string;
      /**
       * What the item is, such as `text`, `tool_result` or `reasoning`. The kind `reasoning` always selects the `reasoning` category (a runtime rule).
       * Valid: length at least 1.
       */
      readonly kind: string;
      /** The bytes are one JSON document in UTF-8. */
      readonly mediaType: 'application/json';
      /**
       * Who speaks in the item, such as `user` or `assistant`; required where the model sees the item.
       * Valid: length at least 1.
       */
      readonly role?: string;
      /**
       * Id of the item this one is a block of; a parent implies no role.
       * Valid: length at least 1.
       */
      readonly parentItemId?: string;
      /**
       * Category that selects the view, overriding the media type: `text`, `images`, `audio`, `video`, `files`, `reasoning` or another; one without its own selection key takes `default`.
       * Valid: length at least 1.
       */
      readonly category?: string;
      /** True when the adapter made the id up; it then stays stable for the life of the item. */
      readonly synthesized?: boolean;
      /**
       * Size of the content in bytes, disclosed only when the item is not ready.
       * Valid: at least 0.
       */
      readonly size?: number;
      /**
       * SHA-256 of the content, 64 lowercase hex digits, disclosed only when the item is not ready.
       * Valid: pattern ^[a-f0-9]{64}$.
       */
      readonly sha256?: string;
      /** The body was selected. */
      readonly selection: 'body';
      /** Why the body is missing. */
      readonly gap: ContentGap;
    }
  | {
      /**
       * The item's logical identity, non-empty; it stays the same when the bytes behind it change.
       * Valid: length at least 1.
       */
      readonly id: string;
      /**
       * What the item is, such as `text`, `tool_result` or `reasoning`. The kind `reasoning` always selects the `reasoning` category (a runtime rule).
       * Valid: length at least 1.
       */
      readonly kind: string;
      /** The bytes are one JSON document in UTF-8. */
      readonly mediaType: 'application/json';
      /**
       * Who speaks in the item, such as `user` or `assistant`; required where the model sees the item.
       * Valid: length at least 1.
       */
      readonly role?: string;
      /**
       * Id of the item this one is a block of; a parent implies no role.
       * Valid: length at least 1.
       */
      readonly parentItemId?: string;
      /**
       * Category that selects the view, overriding the media type: `text`, `images`, `audio`, `video`, `files`, `reasoning` or another; one without its own selection key takes `default`.
       * Valid: length at least 1.
       */
      readonly category?: string;
      /** True when the adapter made the id up; it then stays stable for the life of the item. */
      readonly synthesized?: boolean;
      /**
       * Size of the content in bytes, disclosed only when the item is not ready.
       * Valid: at least 0.
       */
      readonly size?: number;
      /**
       * SHA-256 of the content, 64 lowercase hex digits, disclosed only when the item is not ready.
       * Valid: pattern ^[a-f0-9]{64}$.
       */
      readonly sha256?: string;
      /** Only the description was selected. */
      readonly selection: 'metadata';
    }
  | {
      /**
       * The item's logical identity, non-empty; it stays the same when the bytes behind it change.
       * Valid: length at least 1.
       */
      readonly id: string;
      /**
       * What the item is, such as `text`, `tool_result` or `reasoning`. The kind `reasoning` always selects the `reasoning` category (a runtime rule).
       * Valid: length at least 1.
       */
      readonly kind: string;
      /** The bytes are one JSON document in UTF-8. */
      readonly mediaType: 'application/json';
      /**
       * Who speaks in the item, such as `user` or `assistant`; required where the model sees the item.
       * Valid: length at least 1.
       */
      readonly role?: string;
      /**
       * Id of the item this one is a block of; a parent implies no role.
       * Valid: length at least 1.
       */
      readonly parentItemId?: string;
      /**
       * Category that selects the view, overriding the media type: `text`, `images`, `audio`, `video`, `files`, `reasoning` or another; one without its own selection key takes `default`.
       * Valid: length at least 1.
       */
      readonly category?: string;
      /** True when the adapter made the id up; it then stays stable for the life of the item. */
      readonly synthesized?: boolean;
      /**
       * Size of the content in bytes, disclosed only when the item is not ready.
       * Valid: at least 0.
       */
      readonly size?: number;
      /**
       * SHA-256 of the content, 64 lowercase hex digits, disclosed only when the item is not ready.
       * Valid: pattern ^[a-f0-9]{64}$.
       */
      readonly sha256?: string;
      /** The content was left out. */
      readonly selection: 'omit';
    };

/**
 * A value of `JsonContentItem` whose tag this revision does not know, kept whole.
 * @see content.json#/$defs/JsonContentItem
 */
export type UnknownJsonContentItem = UnknownVariant & { readonly selection: string };

/**
 * An item of which only the description was selected. Closed object; it carries no body.
 * @see content.json#/$defs/MetadataContentItem
 */
export interface MetadataContentItem {
  /**
   * The item's logical identity, non-empty; it stays the same when the bytes behind it change.
   * Valid: length at least 1.
   */
  readonly id: string;
  /**
   * What the item is, such as `text`, `tool_result` or `reasoning`. The kind `reasoning` always selects the `reasoning` category (a runtime rule).
   * Valid: length at least 1.
   */
  readonly kind: string;
  /**
   * Media type of the content, such as `text/plain`, non-empty; its grammar is not checked here.
   * Valid: length at least 1.
   */
  readonly mediaType: string;
  /**
   * Who speaks in the item, such as `user` or `assistant`; required where the model sees the item.
   * Valid: length at least 1.
   */
  readonly role?: string;
  /**
   * Id of the item this one is a block of; a parent implies no role.
   * Valid: length at least 1.
   */
  readonly parentItemId?: string;
  /**
   * Category that selects the view, overriding the media type: `text`, `images`, `audio`, `video`, `files`, `reasoning` or another; one without its own selection key takes `default`.
   * Valid: length at least 1.
   */
  readonly category?: string;
  /** True when the adapter made the id up; it then stays stable for the life of the item. */
  readonly synthesized?: boolean;
  /**
   * Size of the content in bytes, disclosed only when the item is not ready.
   * Valid: at least 0.
   */
  readonly size?: number;
  /**
   * SHA-256 of the content, 64 lowercase hex digits, disclosed only when the item is not ready.
   * Valid: pattern ^[a-f0-9]{64}$.
   */
  readonly sha256?: string;
  /** Only the description was selected. */
  readonly selection: 'metadata';
}

/**
 * A content item that the model sees. It must name its role, in metadata and omit views and on child blocks too.
 * @see content.json#/$defs/ModelVisibleItem
 */
export type ModelVisibleItem = KnownModelVisibleItem | UnknownModelVisibleItem;

/**
 * The variants of `ModelVisibleItem` that this revision knows. `isKnownModelVisibleItem` tells them from the others.
 * @see content.json#/$defs/ModelVisibleItem
 */
export type KnownModelVisibleItem =
  | {
      /**
       * The item's logical identity, non-empty; it stays the same when the bytes behind it change.
       * Valid: length at least 1.
       */
      readonly id: string;
      /**
       * What the item is, such as `text`, `tool_result` or `reasoning`. The kind `reasoning` always selects the `reasoning` category (a runtime rule).
       * Valid: length at least 1.
       */
      readonly kind: string;
      /**
       * Media type of the content, such as `text/plain`, non-empty; its grammar is not checked here.
       * Valid: length at least 1.
       */
      readonly mediaType: string;
      /**
       * Who speaks in the item, such as `user`, `assistant` or `tool`.
       * Valid: length at least 1.
       */
      readonly role: string;
      /**
       * Id of the item this one is a block of; a parent implies no role.
       * Valid: length at least 1.
       */
      readonly parentItemId?: string;
      /**
       * Category that selects the view, overriding the media type: `text`, `images`, `audio`, `video`, `files`, `reasoning` or another; one without its own selection key takes `default`.
       * Valid: length at least 1.
       */
      readonly category?: string;
      /** True when the adapter made the id up; it then stays stable for the life of the item. */
      readonly synthesized?: boolean;
      /** The body was selected. */
      readonly selection: 'body';
      /** Where the bytes are. */
      readonly body: ContentReference;
    }
  | {
      /**
       * The item's logical identity, non-empty; it stays the same when the bytes behind it change.
       * Valid: length at least 1.
       */
      readonly id: string;
      /**
       * What the item is, such as `text`, `tool_result` or `reasoning`. The kind `reasoning` always selects the `reasoning` category (a runtime rule).
       * Valid: length at least 1.
       */
      readonly kind: string;
      /**
       * Media type of the content, such as `text/plain`, non-empty; its grammar is not checked here.
       * Valid: length at least 1.
       */
      readonly mediaType: string;
      /**
       * Who speaks in the item, such as `user`, `assistant` or `tool`.
       * Valid: length at least 1.
       */
      readonly role: string;
      /**
       * Id of the item this one is a block of; a parent implies no role.
       * Valid: length at least 1.
       */
      readonly parentItemId?: string;
      /**
       * Category that selects the view, overriding the media type: `text`, `images`, `audio`, `video`, `files`, `reasoning` or another; one without its own selection key takes `default`.
       * Valid: length at least 1.
       */
      readonly category?: string;
      /** True when the adapter made the id up; it then stays stable for the life of the item. */
      readonly synthesized?: boolean;
      /**
       * Size of the content in bytes, disclosed only when the item is not ready.
       * Valid: at least 0.
       */
      readonly size?: number;
      /**
       * SHA-256 of the content, 64 lowercase hex digits, disclosed only when the item is not ready.
       * Valid: pattern ^[a-f0-9]{64}$.
       */
      readonly sha256?: string;
      /** The body was selected. */
      readonly selection: 'body';
      /** Why the body is missing. */
      readonly gap: ContentGap;
    }
  | {
      /**
       * The item's logical identity, non-empty; it stays the same when the bytes behind it change.
       * Valid: length at least 1.
       */
      readonly id: string;
      /**
       * What the item is, such as `text`, `tool_result` or `reasoning`. The kind `reasoning` always selects the `reasoning` category (a runtime rule).
       * Valid: length at least 1.
       */
      readonly kind: string;
      /**
       * Media type of the content, such as `text/plain`, non-empty; its grammar is not checked here.
       * Valid: length at least 1.
       */
      readonly mediaType: string;
      /**
       * Who speaks in the item, such as `user`, `assistant` or `tool`.
       * Valid: length at least 1.
       */
      readonly role: string;
      /**
       * Id of the item this one is a block of; a parent implies no role.
       * Valid: length at least 1.
       */
      readonly parentItemId?: string;
      /**
       * Category that selects the view, overriding the media type: `text`, `images`, `audio`, `video`, `files`, `reasoning` or another; one without its own selection key takes `default`.
       * Valid: length at least 1.
       */
      readonly category?: string;
      /** True when the adapter made the id up; it then stays stable for the life of the item. */
      readonly synthesized?: boolean;
      /**
       * Size of the content in bytes, disclosed only when the item is not ready.
       * Valid: at least 0.
       */
      readonly size?: number;
      /**
       * SHA-256 of the content, 64 lowercase hex digits, disclosed only when the item is not ready.
       * Valid: pattern ^[a-f0-9]{64}$.
       */
      readonly sha256?: string;
      /** Only the description was selected. */
      readonly selection: 'metadata';
    }
  | {
      /**
       * The item's logical identity, non-empty; it stays the same when the bytes behind it change.
       * Valid: length at least 1.
       */
      readonly id: string;
      /**
       * What the item is, such as `text`, `tool_result` or `reasoning`. The kind `reasoning` always selects the `reasoning` category (a runtime rule).
       * Valid: length at least 1.
       */
      readonly kind: string;
      /**
       * Media type of the content, such as `text/plain`, non-empty; its grammar is not checked here.
       * Valid: length at least 1.
       */
      readonly mediaType: string;
      /**
       * Who speaks in the item, such as `user`, `assistant` or `tool`.
       * Valid: length at least 1.
       */
      readonly role: string;
      /**
       * Id of the item this one is a block of; a parent implies no role.
       * Valid: length at least 1.
       */
      readonly parentItemId?: string;
      /**
       * Category that selects the view, overriding the media type: `text`, `images`, `audio`, `video`, `files`, `reasoning` or another; one without its own selection key takes `default`.
       * Valid: length at least 1.
       */
      readonly category?: string;
      /** True when the adapter made the id up; it then stays stable for the life of the item. */
      readonly synthesized?: boolean;
      /**
       * Size of the content in bytes, disclosed only when the item is not ready.
       * Valid: at least 0.
       */
      readonly size?: number;
      /**
       * SHA-256 of the content, 64 lowercase hex digits, disclosed only when the item is not ready.
       * Valid: pattern ^[a-f0-9]{64}$.
       */
      readonly sha256?: string;
      /** The content was left out. */
      readonly selection: 'omit';
    };

/**
 * A value of `ModelVisibleItem` whose tag this revision does not know, kept whole.
 * @see content.json#/$defs/ModelVisibleItem
 */
export type UnknownModelVisibleItem = UnknownVariant & { readonly selection: string };

/**
 * An item whose content was left out. Closed object; it carries no body.
 * @see content.json#/$defs/OmittedContentItem
 */
export interface OmittedContentItem {
  /**
   * The item's logical identity, non-empty; it stays the same when the bytes behind it change.
   * Valid: length at least 1.
   */
  readonly id: string;
  /**
   * What the item is, such as `text`, `tool_result` or `reasoning`. The kind `reasoning` always selects the `reasoning` category (a runtime rule).
   * Valid: length at least 1.
   */
  readonly kind: string;
  /**
   * Media type of the content, such as `text/plain`, non-empty; its grammar is not checked here.
   * Valid: length at least 1.
   */
  readonly mediaType: string;
  /**
   * Who speaks in the item, such as `user` or `assistant`; required where the model sees the item.
   * Valid: length at least 1.
   */
  readonly role?: string;
  /**
   * Id of the item this one is a block of; a parent implies no role.
   * Valid: length at least 1.
   */
  readonly parentItemId?: string;
  /**
   * Category that selects the view, overriding the media type: `text`, `images`, `audio`, `video`, `files`, `reasoning` or another; one without its own selection key takes `default`.
   * Valid: length at least 1.
   */
  readonly category?: string;
  /** True when the adapter made the id up; it then stays stable for the life of the item. */
  readonly synthesized?: boolean;
  /**
   * Size of the content in bytes, disclosed only when the item is not ready.
   * Valid: at least 0.
   */
  readonly size?: number;
  /**
   * SHA-256 of the content, 64 lowercase hex digits, disclosed only when the item is not ready.
   * Valid: pattern ^[a-f0-9]{64}$.
   */
  readonly sha256?: string;
  /** The content was left out. */
  readonly selection: 'omit';
}

/**
 * An item whose bytes were uploaded and can be read by reference. Closed object; it carries no size and no digest, which belong to the upload receipt alone.
 * @see content.json#/$defs/ReadyContentItem
 */
export interface ReadyContentItem {
  /**
   * The item's logical identity, non-empty; it stays the same when the bytes behind it change.
   * Valid: length at least 1.
   */
  readonly id: string;
  /**
   * What the item is, such as `text`, `tool_result` or `reasoning`. The kind `reasoning` always selects the `reasoning` category (a runtime rule).
   * Valid: length at least 1.
   */
  readonly kind: string;
  /**
   * Media type of the content, such as `text/plain`, non-empty; its grammar is not checked here.
   * Valid: length at least 1.
   */
  readonly mediaType: string;
  /**
   * Who speaks in the item, such as `user` or `assistant`; required where the model sees the item.
   * Valid: length at least 1.
   */
  readonly role?: string;
  /**
   * Id of the item this one is a block of; a parent implies no role.
   * Valid: length at least 1.
   */
  readonly parentItemId?: string;
  /**
   * Category that selects the view, overriding the media type: `text`, `images`, `audio`, `video`, `files`, `reasoning` or another; one without its own selection key takes `default`.
   * Valid: length at least 1.
   */
  readonly category?: string;
  /** True when the adapter made the id up; it then stays stable for the life of the item. */
  readonly synthesized?: boolean;
  /** The body was selected. */
  readonly selection: 'body';
  /** Where the bytes are. */
  readonly body: ContentReference;
}
