import type { Envelope } from './common.js';
import type { ContentItem, JsonContentItem } from './content.js';

/**
 * A call for the user's attention. Closed object.
 * @see interaction-events.json#/$defs/Attention
 */
export interface Attention {
  /**
   * Kind of notice.
   * Valid: length at least 1.
   */
  readonly kind: string;
  /** Items of the text. */
  readonly message: readonly ContentItem[];
  /** Items of the title. */
  readonly title: readonly ContentItem[];
}

/**
 * What both elicitation events tell. A part of other definitions, which close it.
 * @see interaction-events.json#/$defs/ElicitationFields
 */
export interface ElicitationFields {
  /**
   * The MCP server that asks.
   * Valid: length at least 1.
   */
  readonly server: string;
  /** How the user is asked. */
  readonly mode: 'form' | 'url' | (string & {});
  readonly [member: string]: unknown;
}

/**
 * A question to the user. Closed object. The bytes behind `request` are the complete, unchanged MCP 2025-11-25 `elicitation/create` params; that they fit the metadata is a runtime rule.
 * @see interaction-events.json#/$defs/ElicitationRequestInfo
 */
export interface ElicitationRequestInfo {
  /**
   * The MCP server that asks.
   * Valid: length at least 1.
   */
  readonly server: string;
  /** How the user is asked. */
  readonly mode: 'form' | 'url' | (string & {});
  /** The MCP params as a JSON item. */
  readonly request?: JsonContentItem;
}

/**
 * The user's answer. Closed object. The bytes behind `result` are the complete, unchanged MCP 2025-11-25 `ElicitResult`; that they fit the metadata is a runtime rule.
 * @see interaction-events.json#/$defs/ElicitationResultInfo
 */
export interface ElicitationResultInfo {
  /**
   * The MCP server that asks.
   * Valid: length at least 1.
   */
  readonly server: string;
  /** How the user is asked. */
  readonly mode: 'form' | 'url' | (string & {});
  /** What the user did. */
  readonly action: 'accept' | 'decline' | 'cancel' | (string & {});
  /** The MCP result as a JSON item. */
  readonly result?: JsonContentItem;
}

/**
 * A message that came in. Closed object.
 * @see interaction-events.json#/$defs/InboundMessage
 */
export interface InboundMessage {
  /**
   * The channel it came by.
   * Valid: length at least 1.
   */
  readonly channel: string;
  /**
   * Who sent it.
   * Valid: length at least 1.
   */
  readonly sender: string;
  /** Items of the text, in order. */
  readonly text: readonly ContentItem[];
}

/**
 * A message that goes out. Closed object.
 * @see interaction-events.json#/$defs/OutboundMessage
 */
export interface OutboundMessage {
  /**
   * The channel it goes by.
   * Valid: length at least 1.
   */
  readonly channel: string;
  /** Items of the payload, in order. */
  readonly payload: readonly ContentItem[];
}

/**
 * The user's attention is called for.
 * @see interaction-events.json#/$defs/UserAttentionEvent
 */
export interface UserAttentionEvent extends Envelope {
  /** The event's type. */
  readonly type: 'user.attention';
  /** The call. */
  readonly attention: Attention;
}

/**
 * An MCP server asks the user something. Interceptable.
 * @see interaction-events.json#/$defs/UserElicitationRequestEvent
 */
export interface UserElicitationRequestEvent extends Envelope {
  /** The event's type. */
  readonly type: 'user.elicitation.request';
  /** The question. */
  readonly elicitation: ElicitationRequestInfo;
}

/**
 * The user answered. Interceptable. `parentEventId` names the request (a runtime rule).
 * @see interaction-events.json#/$defs/UserElicitationResultEvent
 */
export interface UserElicitationResultEvent extends Envelope {
  /** The event's type. */
  readonly type: 'user.elicitation.result';
  /** The answer. */
  readonly elicitation: ElicitationResultInfo;
}

/**
 * A message came in by a channel. Interceptable.
 * @see interaction-events.json#/$defs/UserMessageInboundEvent
 */
export interface UserMessageInboundEvent extends Envelope {
  /** The event's type. */
  readonly type: 'user.message.inbound';
  /** The message. */
  readonly message: InboundMessage;
}

/**
 * A message is about to go out by a channel. Interceptable.
 * @see interaction-events.json#/$defs/UserMessageOutboundEvent
 */
export interface UserMessageOutboundEvent extends Envelope {
  /** The event's type. */
  readonly type: 'user.message.outbound';
  /** The message. */
  readonly message: OutboundMessage;
}
