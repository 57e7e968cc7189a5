import type { JsonObject, JsonValue } from '../json/index.js';
import type { ContentItem } from './content.js';

/**
 * What every event carries. Open object: unknown members are allowed, ignored and preserved. Event identity is the pair of `source` and `id`. No subscription id may appear here; that is a runtime rule and not a schema rule.
 * @see common.json#/$defs/Envelope
 */
export interface Envelope {
  /**
   * The event's id, non-empty, unique within `source`. The JSON-RPC id of an interception equals it (a runtime rule).
   * Valid: length at least 1.
   */
  readonly id: string;
  /**
   * Who made the event: a URI with a scheme (RFC 3986), one per running harness. A valid URI is not thereby a safe endpoint.
   * Valid: format uri.
   */
  readonly source: string;
  /** The event's type, one of the 32 names; each event states its own as a constant. */
  readonly type: string;
  /**
   * When the event occurred, RFC 3339 with offset, kept digit for digit.
   * Valid: format date-time.
   */
  readonly time: string;
  /** The session the event belongs to; absent when there is none. */
  readonly session?: Session;
  /** The harness's own payload, any JSON. Off by default (`includeNative`), and never a replacement for a required member. */
  readonly native?: JsonValue;
  /** Extension data of the event, keyed by reverse-DNS names. */
  readonly extensions?: Extensions;
  /**
   * Id of the event that led to this one, of the same source (a runtime rule).
   * Valid: length at least 1.
   */
  readonly parentEventId?: string;
  /** Descriptors of the content that belongs to the event, in order; never the bytes. */
  readonly items?: readonly ContentItem[];
  /** What the sender could not tell about this event. */
  readonly gaps?: readonly Gap[];
  /** The turn in which the event occurred. */
  readonly turn?: Identity;
  /** True when the adapter made the event's id up. */
  readonly synthesized?: boolean;
  readonly [member: string]: unknown;
}

/**
 * The 32 event types of this draft.
 * @see common.json#/$defs/EventName
 */
export type EventName =
  | 'session.start'
  | 'session.end'
  | 'tool.before'
  | 'tool.after'
  | 'turn.start'
  | 'turn.finish.before'
  | 'turn.end'
  | 'turn.progress'
  | 'model.request.before'
  | 'model.response.after'
  | 'model.error'
  | 'model.switch.before'
  | 'model.switch.after'
  | 'tool.permission.request'
  | 'tool.permission.resolved'
  | 'tool.progress'
  | 'tool.batch.after'
  | 'context.compact.before'
  | 'context.compact.after'
  | 'config.change.before'
  | 'config.change.after'
  | 'user.attention'
  | 'user.elicitation.request'
  | 'user.elicitation.result'
  | 'user.message.inbound'
  | 'user.message.outbound'
  | 'hook.failure'
  | 'task.change.before'
  | 'task.change.after'
  | 'workspace.change.before'
  | 'workspace.change.after'
  | 'file.changed'
  | (string & {});

/**
 * Extension data, keyed by reverse-DNS names with at least one dot (`com.example.audit`). Values are any JSON and are kept as they came.
 * @see common.json#/$defs/Extensions
 */
export type Extensions = JsonObject;

/**
 * Something that the sender could not tell, and why. Open object.
 * @see common.json#/$defs/Gap
 */
export interface Gap {
  /**
   * Which information is missing, non-empty, as a member path such as `usage.cost`.
   * Valid: length at least 1.
   */
  readonly path: string;
  /**
   * Why it is missing, non-empty, free text.
   * Valid: length at least 1.
   */
  readonly reason: string;
  readonly [member: string]: unknown;
}

/**
 * Identity of an entity such as a turn, a call or an item. Closed object.
 * @see common.json#/$defs/Identity
 */
export interface Identity {
  /**
   * The identity, non-empty, stable for the life of the entity.
   * Valid: length at least 1.
   */
  readonly id: string;
  /** True when the adapter made the id up; it then stays stable for the life of the entity. */
  readonly synthesized?: boolean;
}

/**
 * The 19 event types that may be sent as `hooks/intercept`.
 * @see common.json#/$defs/InterceptableEventName
 */
export type InterceptableEventName =
  | 'session.start'
  | 'config.change.before'
  | 'turn.start'
  | 'turn.finish.before'
  | 'model.request.before'
  | 'model.response.after'
  | 'model.switch.before'
  | 'tool.before'
  | 'tool.after'
  | 'tool.permission.request'
  | 'tool.batch.after'
  | 'context.compact.before'
  | 'context.compact.after'
  | 'task.change.before'
  | 'user.elicitation.request'
  | 'user.elicitation.result'
  | 'user.message.inbound'
  | 'user.message.outbound'
  | 'workspace.change.before'
  | (string & {});

/**
 * A reverse-DNS name with at least one dot, such as `com.example.audit`. Used for extension keys, backend ids, deny codes and extension effect names.
 * Valid: pattern ^(?:[A-Za-z][A-Za-z0-9_-]*\.)+[A-Za-z][A-Za-z0-9_-]*$.
 * @see common.json#/$defs/ReverseDnsName
 */
export type ReverseDnsName = string;

/**
 * The session an event belongs to. Open object. That events of one session keep the same id is a runtime rule.
 * @see common.json#/$defs/Session
 */
export interface Session {
  /**
   * The session's identity, non-empty.
   * Valid: length at least 1.
   */
  readonly id: string;
  /** Working directory of the session, as the harness spells it. */
  readonly cwd?: string;
  /** Root directories of the workspace, in the harness's order. */
  readonly workspaceRoots?: readonly string[];
  /** Name of the model in use, as the harness spells it. */
  readonly model?: string;
  /** The agent that runs in the session. Open object. */
  readonly agent?: {
    /**
     * The agent's identity, non-empty.
     * Valid: length at least 1.
     */
    readonly id: string;
    /** Kind of agent, as the harness names it. */
    readonly type?: string;
    readonly [member: string]: unknown;
  };
  /** True when the adapter made the id up; it then stays stable for the life of the session. */
  readonly synthesized?: boolean;
  readonly [member: string]: unknown;
}
