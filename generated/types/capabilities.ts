import type { JsonObject } from '../json/index.js';
import type { EventName, Gap } from './common.js';

/**
 * What a hook may be granted. Open object. Each of `flow`, `inject` and `modify` is listed among `effects` exactly when its block is present. Extension effect names have no effect form of their own: an effect with such a type is rejected.
 * @see capabilities.json#/$defs/Capabilities
 */
export interface Capabilities {
  /**
   * Effect types on offer, no repeats.
   * Valid: no repeats.
   */
  readonly effects: readonly EffectName[];
  /** Targets that may be changed. */
  readonly modify?: ModifyCapabilities;
  /** Flow operations on offer. */
  readonly flow?: FlowCapabilities;
  /** What may be injected. */
  readonly inject?: InjectCapabilities;
  /** Elicitation modes supported. */
  readonly elicitation?: ElicitationCapabilities;
  readonly [member: string]: unknown;
}

/**
 * What a hook may be granted at `config.change.before`: `deny`, `message`. Nothing listed has to be granted. That an effect stays within the grant is a runtime rule.
 * @see capabilities.json#/$defs/ConfigChangeBeforeCapabilities
 */
export interface ConfigChangeBeforeCapabilities extends Capabilities {
  /** Effects a hook may return at `config.change.before`; extension names are not offered here. */
  readonly effects: readonly ('deny' | 'message' | (string & {}))[];
}

/**
 * What a hook may be granted at `context.compact.after`: `inject`, `modify`, `message`. Nothing listed has to be granted. That an effect stays within the grant is a runtime rule.
 * @see capabilities.json#/$defs/ContextCompactAfterCapabilities
 */
export interface ContextCompactAfterCapabilities extends Capabilities {
  /** Effects a hook may return at `context.compact.after`; extension names are not offered here. */
  readonly effects: readonly ('modify' | 'message' | 'inject' | (string & {}))[];
  /** What `modify` may change at `context.compact.after`; closed to other targets. */
  readonly modify?: {
    /** Operations on the compaction summary, which lives at `/summary` of the event. */
    readonly summary?: ModifyGrant;
  };
}

/**
 * What a hook may be granted at `context.compact.before`: `deny`, `modify`, `return`, `inject`, `message`. Nothing listed has to be granted. That an effect stays within the grant is a runtime rule.
 * @see capabilities.json#/$defs/ContextCompactBeforeCapabilities
 */
export interface ContextCompactBeforeCapabilities extends Capabilities {
  /** Effects a hook may return at `context.compact.before`; extension names are not offered here. */
  readonly effects: readonly ('deny' | 'modify' | 'message' | 'return' | 'inject' | (string & {}))[];
  /** What `modify` may change at `context.compact.before`; closed to other targets. */
  readonly modify?: {
    /** Operations on the compaction instructions, which lives at `/instructions` of the event. */
    readonly instructions?: ModifyGrant;
  };
}

/**
 * The effect types of this draft.
 * @see capabilities.json#/$defs/EffectName
 */
export type EffectName = 'deny' | 'allow' | 'ask' | 'modify' | 'message' | 'return' | 'flow' | 'inject' | (string & {});

/**
 * Which elicitation modes are supported, each on its own. Open object. An empty object supports neither, unless it came from MCP (a runtime rule).
 * @see capabilities.json#/$defs/ElicitationCapabilities
 */
export interface ElicitationCapabilities {
  /** Form mode is supported. Open object. */
  readonly form?: JsonObject;
  /** URL mode is supported. Open object. */
  readonly url?: JsonObject;
  readonly [member: string]: unknown;
}

/**
 * What `flow` may do. Open object. With `continue` among the operations, both counts are present; that they go down is a runtime rule.
 * @see capabilities.json#/$defs/FlowCapabilities
 */
export interface FlowCapabilities {
  /**
   * Flow operations on offer, at least one, no repeats.
   * Valid: at least 1 elements, no repeats.
   */
  readonly operations: readonly ('stop' | 'continue' | (string & {}))[];
  /**
   * How many continuations are left.
   * Valid: at least 0.
   */
  readonly remainingContinuations?: number;
  /**
   * How many continuations there were.
   * Valid: at least 0.
   */
  readonly continuationCount?: number;
  /**
   * How many continuations there may be in all.
   * Valid: at least 0.
   */
  readonly maxContinuations?: number;
  readonly [member: string]: unknown;
}

/**
 * What `inject` may add. Open object.
 * @see capabilities.json#/$defs/InjectCapabilities
 */
export interface InjectCapabilities {
  /** Adding to the model's context. */
  readonly context: InjectContextGrant;
  readonly [member: string]: unknown;
}

/**
 * How context may be added. Open object.
 * @see capabilities.json#/$defs/InjectContextGrant
 */
export interface InjectContextGrant {
  /** Context is appended. */
  readonly append: true;
  /**
   * When it may be delivered, at least one, no repeats.
   * Valid: at least 1 elements, no repeats.
   */
  readonly deliverAt: readonly ('now' | 'next_turn' | (string & {}))[];
  readonly [member: string]: unknown;
}

/**
 * Which registration scopes the harness knows. Open object. With `managed` among the scopes, `disableable` is false.
 * @see capabilities.json#/$defs/ManagedPolicy
 */
export interface ManagedPolicy {
  /**
   * Scopes known, no repeats.
   * Valid: no repeats.
   */
  readonly scopes: readonly ('user' | 'project' | 'managed' | (string & {}))[];
  /** Whether users may disable hooks. */
  readonly disableable: boolean;
  readonly [member: string]: unknown;
}

/**
 * What a harness supports, as told in `hooks/capabilities` and at `session.start`. Open object, without a member `identity`.
 * @see capabilities.json#/$defs/Manifest
 */
export interface Manifest {
  /** Events supported; that a name occurs once is a runtime matter. */
  readonly events: readonly ManifestEvent[];
  /** What the harness cannot tell or do. */
  readonly gaps: readonly Gap[];
  /**
   * Transports supported, no repeats.
   * Valid: no repeats.
   */
  readonly transports: readonly ('http' | 'stdio' | 'in_process' | (string & {}))[];
  /**
   * Authentication methods supported, no repeats.
   * Valid: no repeats.
   */
  readonly authentication: readonly ('bearer' | 'oauth' | (string & {}))[];
  /**
   * Ways a tool call can take through the harness, no repeats.
   * Valid: no repeats.
   */
  readonly toolPaths: readonly string[];
  /**
   * Content categories known, no repeats.
   * Valid: no repeats.
   */
  readonly contentCategories: readonly string[];
  /** Limits of the harness. */
  readonly limits: ManifestLimits;
  /** Registration scopes known. */
  readonly managedPolicy: ManagedPolicy;
  /**
   * Names of identity fields that stay stable for correlation, no repeats.
   * Valid: no repeats.
   */
  readonly correlationIdentityFields: readonly string[];
  readonly identity?: never;
  readonly [member: string]: unknown;
}

/**
 * One event that the harness supports. Open object. Only interceptable events have the mode `intercept`, which then states its capabilities; without it no effect is offered.
 * @see capabilities.json#/$defs/ManifestEvent
 */
export interface ManifestEvent {
  /** The event's type. */
  readonly event: EventName;
  /**
   * How the event can be had, at least one, no repeats.
   * Valid: at least 1 elements, no repeats.
   */
  readonly modes: readonly ('observe' | 'intercept' | (string & {}))[];
  /** What hooks may be granted at this event. */
  readonly capabilities?: Capabilities;
  readonly [member: string]: unknown;
}

/**
 * Limits of the harness. Open object.
 * @see capabilities.json#/$defs/ManifestLimits
 */
export interface ManifestLimits {
  /**
   * Largest upload, in bytes.
   * Valid: at least 0.
   */
  readonly maxUploadBytes?: number;
  /**
   * Most continuations of a turn.
   * Valid: at least 0.
   */
  readonly maxContinuations?: number;
  /**
   * Shortest time-out taken, in milliseconds.
   * Valid: at least 0.
   */
  readonly minTimeoutMs?: number;
  /**
   * Longest time-out taken, in milliseconds.
   * Valid: at least 0.
   */
  readonly maxTimeoutMs?: number;
  readonly [member: string]: unknown;
}

/**
 * What a hook may be granted at `model.request.before`: `deny`, `modify`, `inject`, `return`, `flow`, `message`. Nothing listed has to be granted. That an effect stays within the grant is a runtime rule.
 * @see capabilities.json#/$defs/ModelRequestBeforeCapabilities
 */
export interface ModelRequestBeforeCapabilities extends Capabilities {
  /** Effects a hook may return at `model.request.before`; extension names are not offered here. */
  readonly effects: readonly ('deny' | 'modify' | 'message' | 'return' | 'flow' | 'inject' | (string & {}))[];
  /** What `modify` may change at `model.request.before`; closed to other targets. */
  readonly modify?: {
    /** Operations on the model request's items, which lives at `/items` of the event. */
    readonly request?: ModifyGrant;
  };
  /** What `flow` may do at `model.request.before`. */
  readonly flow?: {
    /** Flow operations on offer, at least one, no repeats. */
    readonly operations: readonly 'stop'[];
    /**
     * How many continuations are left.
     * Valid: at least 0.
     */
    readonly remainingContinuations?: number;
    /**
     * How many continuations there were.
     * Valid: at least 0.
     */
    readonly continuationCount?: number;
    /**
     * How many continuations there may be in all.
     * Valid: at least 0.
     */
    readonly maxContinuations?: number;
    readonly [member: string]: unknown;
  };
}

/**
 * What a hook may be granted at `model.response.after`: `modify`, `flow`, `message`. Nothing listed has to be granted. That an effect stays within the grant is a runtime rule.
 * @see capabilities.json#/$defs/ModelResponseAfterCapabilities
 */
export interface ModelResponseAfterCapabilities extends Capabilities {
  /** Effects a hook may return at `model.response.after`; extension names are not offered here. */
  readonly effects: readonly ('modify' | 'message' | 'flow' | (string & {}))[];
  /** What `modify` may change at `model.response.after`; closed to other targets. */
  readonly modify?: {
    /** Operations on the model's or the turn's response, which lives at `/items` of the event. */
    readonly response?: ModifyGrant;
  };
  /** What `flow` may do at `model.response.after`. */
  readonly flow?: {
    /** Flow operations on offer, at least one, no repeats. */
    readonly operations: readonly 'stop'[];
    /**
     * How many continuations are left.
     * Valid: at least 0.
     */
    readonly remainingContinuations?: number;
    /**
     * How many continuations there were.
     * Valid: at least 0.
     */
    readonly continuationCount?: number;
    /**
     * How many continuations there may be in all.
     * Valid: at least 0.
     */
    readonly maxContinuations?: number;
    readonly [member: string]: unknown;
  };
}

/**
 * What a hook may be granted at `model.switch.before`: `deny`, `flow`, `message`. Nothing listed has to be granted. That an effect stays within the grant is a runtime rule.
 * @see capabilities.json#/$defs/ModelSwitchBeforeCapabilities
 */
export interface ModelSwitchBeforeCapabilities extends Capabilities {
  /** Effects a hook may return at `model.switch.before`; extension names are not offered here. */
  readonly effects: readonly ('deny' | 'message' | 'flow' | (string & {}))[];
  /** What `flow` may do at `model.switch.before`. */
  readonly flow?: {
    /** Flow operations on offer, at least one, no repeats. */
    readonly operations: readonly 'stop'[];
    /**
     * How many continuations are left.
     * Valid: at least 0.
     */
    readonly remainingContinuations?: number;
    /**
     * How many continuations there were.
     * Valid: at least 0.
     */
    readonly continuationCount?: number;
    /**
     * How many continuations there may be in all.
     * Valid: at least 0.
     */
    readonly maxContinuations?: number;
    readonly [member: string]: unknown;
  };
}

/**
 * Targets that `modify` may change. Open object with at least one key.
 * Valid: at least 1 members.
 * @see capabilities.json#/$defs/ModifyCapabilities
 */
export interface ModifyCapabilities {
  /** Operations on the tool's input. */
  readonly input?: ModifyGrant;
  /** Operations on the tool's output. */
  readonly output?: ModifyGrant;
  /** Operations on the prompt or inbound text. */
  readonly prompt?: ModifyGrant;
  /** Operations on the model request's items. */
  readonly request?: ModifyGrant;
  /** Operations on the model's or the turn's response. */
  readonly response?: ModifyGrant;
  /** Operations on the outbound payload or the answer's content. */
  readonly content?: ModifyGrant;
  /** Operations on the compaction instructions. */
  readonly instructions?: ModifyGrant;
  /** Operations on the compaction summary. */
  readonly summary?: ModifyGrant;
  /** Operations on the proposed workspace change. */
  readonly workspace?: ModifyGrant;
  readonly [member: string]: unknown;
}

/**
 * Which operations a target takes. Open object; at least one is true.
 * @see capabilities.json#/$defs/ModifyGrant
 */
export interface ModifyGrant {
  /** Whether the whole value may be replaced. */
  readonly replace: boolean;
  /** Whether members may be merged into an object, shallowly. */
  readonly merge: boolean;
  readonly [member: string]: unknown;
}

/**
 * What a hook may be granted at `session.start`: `inject`, `message`. Nothing listed has to be granted. That an effect stays within the grant is a runtime rule.
 * @see capabilities.json#/$defs/SessionStartCapabilities
 */
export interface SessionStartCapabilities extends Capabilities {
  /** Effects a hook may return at `session.start`; extension names are not offered here. */
  readonly effects: readonly ('message' | 'inject' | (string & {}))[];
}

/**
 * What a hook may be granted at `task.change.before`: `deny`, `message`. Nothing listed has to be granted. That an effect stays within the grant is a runtime rule.
 * @see capabilities.json#/$defs/TaskChangeBeforeCapabilities
 */
export interface TaskChangeBeforeCapabilities extends Capabilities {
  /** Effects a hook may return at `task.change.before`; extension names are not offered here. */
  readonly effects: readonly ('deny' | 'message' | (string & {}))[];
}

/**
 * What a hook may be granted at `tool.after`: `modify`, `inject`, `flow`, `message`. Nothing listed has to be granted. That an effect stays within the grant is a runtime rule.
 * @see capabilities.json#/$defs/ToolAfterCapabilities
 */
export interface ToolAfterCapabilities extends Capabilities {
  /** Effects a hook may return at `tool.after`; extension names are not offered here. */
  readonly effects: readonly ('modify' | 'message' | 'flow' | 'inject' | (string & {}))[];
  /** What `modify` may change at `tool.after`; closed to other targets. */
  readonly modify?: {
    /** Operations on the tool's output, which lives at `/items` of the event. */
    readonly output?: ModifyGrant;
  };
  /** What `flow` may do at `tool.after`. */
  readonly flow?: {
    /** Flow operations on offer, at least one, no repeats. */
    readonly operations: readonly ('stop' | 'continue' | (string & {}))[];
    /**
     * How many continuations are left.
     * Valid: at least 0.
     */
    readonly remainingContinuations?: number;
    /**
     * How many continuations there were.
     * Valid: at least 0.
     */
    readonly continuationCount?: number;
    /**
     * How many continuations there may be in all.
     * Valid: at least 0.
     */
    readonly maxContinuations?: number;
    readonly [member: string]: unknown;
  };
}

/**
 * What a hook may be granted at `tool.batch.after`: `flow`, `inject`, `message`. Nothing listed has to be granted. That an effect stays within the grant is a runtime rule.
 * @see capabilities.json#/$defs/ToolBatchAfterCapabilities
 */
export interface ToolBatchAfterCapabilities extends Capabilities {
  /** Effects a hook may return at `tool.batch.after`; extension names are not offered here. */
  readonly effects: readonly ('message' | 'flow' | 'inject' | (string & {}))[];
  /** What `flow` may do at `tool.batch.after`. */
  readonly flow?: {
    /** Flow operations on offer, at least one, no repeats. */
    readonly operations: readonly 'stop'[];
    /**
     * How many continuations are left.
     * Valid: at least 0.
     */
    readonly remainingContinuations?: number;
    /**
     * How many continuations there were.
     * Valid: at least 0.
     */
    readonly continuationCount?: number;
    /**
     * How many continuations there may be in all.
     * Valid: at least 0.
     */
    readonly maxContinuations?: number;
    readonly [member: string]: unknown;
  };
}

/**
 * What a hook may be granted at `tool.before`: `deny`, `allow`, `ask`, `modify`, `inject`, `flow`, `return`, `message`. Nothing listed has to be granted. That an effect stays within the grant is a runtime rule.
 * @see capabilities.json#/$defs/ToolBeforeCapabilities
 */
export interface ToolBeforeCapabilities extends Capabilities {
  /** Effects a hook may return at `tool.before`; extension names are not offered here. */
  readonly effects: readonly (
    EffectName | ('deny' | 'allow' | 'ask' | 'modify' | 'inject' | 'flow' | 'return' | 'message' | (string & {}))
  )[];
  /** What `modify` may change at `tool.before`; closed to other targets. */
  readonly modify?: {
    /** Operations on the tool's input, which lives at `/tool/input` of the event. */
    readonly input?: ModifyGrant;
  };
  /** What `flow` may do at `tool.before`. */
  readonly flow?: {
    /** Flow operations on offer, at least one, no repeats. */
    readonly operations: readonly 'stop'[];
    /**
     * How many continuations are left.
     * Valid: at least 0.
     */
    readonly remainingContinuations?: number;
    /**
     * How many continuations there were.
     * Valid: at least 0.
     */
    readonly continuationCount?: number;
    /**
     * How many continuations there may be in all.
     * Valid: at least 0.
     */
    readonly maxContinuations?: number;
    readonly [member: string]: unknown;
  };
}

/**
 * What a hook may be granted at `tool.permission.request`: `allow`, `deny`, `modify`, `flow`, `message`. Nothing listed has to be granted. That an effect stays within the grant is a runtime rule.
 * @see capabilities.json#/$defs/ToolPermissionRequestCapabilities
 */
export interface ToolPermissionRequestCapabilities extends Capabilities {
  /** Effects a hook may return at `tool.permission.request`; extension names are not offered here. */
  readonly effects: readonly ('deny' | 'allow' | 'modify' | 'message' | 'flow' | (string & {}))[];
  /** What `modify` may change at `tool.permission.request`; closed to other targets. */
  readonly modify?: {
    /** Operations on the tool's input, which lives at `/tool/input` of the event. */
    readonly input?: ModifyGrant;
  };
  /** What `flow` may do at `tool.permission.request`. */
  readonly flow?: {
    /** Flow operations on offer, at least one, no repeats. */
    readonly operations: readonly 'stop'[];
    /**
     * How many continuations are left.
     * Valid: at least 0.
     */
    readonly remainingContinuations?: number;
    /**
     * How many continuations there were.
     * Valid: at least 0.
     */
    readonly continuationCount?: number;
    /**
     * How many continuations there may be in all.
     * Valid: at least 0.
     */
    readonly maxContinuations?: number;
    readonly [member: string]: unknown;
  };
}

/**
 * What a hook may be granted at `turn.finish.before`: `modify`, `flow`, `message`. Nothing listed has to be granted. That an effect stays within the grant is a runtime rule.
 * @see capabilities.json#/$defs/TurnFinishBeforeCapabilities
 */
export interface TurnFinishBeforeCapabilities extends Capabilities {
  /** Effects a hook may return at `turn.finish.before`; extension names are not offered here. */
  readonly effects: readonly ('modify' | 'message' | 'flow' | (string & {}))[];
  /** What `modify` may change at `turn.finish.before`; closed to other targets. */
  readonly modify?: {
    /** Operations on the model's or the turn's response, which lives at `/items` of the event. */
    readonly response?: ModifyGrant;
  };
  /** What `flow` may do at `turn.finish.before`. */
  readonly flow?: {
    /** Flow operations on offer, at least one, no repeats. */
    readonly operations: readonly ('stop' | 'continue' | (string & {}))[];
    /**
     * How many continuations are left.
     * Valid: at least 0.
     */
    readonly remainingContinuations?: number;
    /**
     * How many continuations there were.
     * Valid: at least 0.
     */
    readonly continuationCount?: number;
    /**
     * How many continuations there may be in all.
     * Valid: at least 0.
     */
    readonly maxContinuations?: number;
    readonly [member: string]: unknown;
  };
}

/**
 * What a hook may be granted at `turn.start`: `deny`, `modify`, `inject`, `flow`, `message`. Nothing listed has to be granted. That an effect stays within the grant is a runtime rule.
 * @see capabilities.json#/$defs/TurnStartCapabilities
 */
export interface TurnStartCapabilities extends Capabilities {
  /** Effects a hook may return at `turn.start`; extension names are not offered here. */
  readonly effects: readonly ('deny' | 'modify' | 'message' | 'flow' | 'inject' | (string & {}))[];
  /** What `modify` may change at `turn.start`; closed to other targets. */
  readonly modify?: {
    /** Operations on the prompt or inbound text, which lives at `/items` of the event. */
    readonly prompt?: ModifyGrant;
  };
  /** What `flow` may do at `turn.start`. */
  readonly flow?: {
    /** Flow operations on offer, at least one, no repeats. */
    readonly operations: readonly 'stop'[];
    /**
     * How many continuations are left.
     * Valid: at least 0.
     */
    readonly remainingContinuations?: number;
    /**
     * How many continuations there were.
     * Valid: at least 0.
     */
    readonly continuationCount?: number;
    /**
     * How many continuations there may be in all.
     * Valid: at least 0.
     */
    readonly maxContinuations?: number;
    readonly [member: string]: unknown;
  };
}

/**
 * What a hook may be granted at `user.elicitation.request`: `deny`, `return`, `message`. Nothing listed has to be granted. That an effect stays within the grant is a runtime rule.
 * @see capabilities.json#/$defs/UserElicitationRequestCapabilities
 */
export interface UserElicitationRequestCapabilities extends Capabilities {
  /** Effects a hook may return at `user.elicitation.request`; extension names are not offered here. */
  readonly effects: readonly ('deny' | 'message' | 'return' | (string & {}))[];
}

/**
 * What a hook may be granted at `user.elicitation.result`: `modify`, `message`. Nothing listed has to be granted. That an effect stays within the grant is a runtime rule.
 * @see capabilities.json#/$defs/UserElicitationResultCapabilities
 */
export interface UserElicitationResultCapabilities extends Capabilities {
  /** Effects a hook may return at `user.elicitation.result`; extension names are not offered here. */
  readonly effects: readonly ('modify' | 'message' | (string & {}))[];
  /** What `modify` may change at `user.elicitation.result`; closed to other targets. */
  readonly modify?: {
    /** Operations on the outbound payload or the answer's content, which lives at `/elicitation/result` of the event. */
    readonly content?: ModifyGrant;
  };
}

/**
 * What a hook may be granted at `user.message.inbound`: `deny`, `modify`, `message`. Nothing listed has to be granted. That an effect stays within the grant is a runtime rule.
 * @see capabilities.json#/$defs/UserMessageInboundCapabilities
 */
export interface UserMessageInboundCapabilities extends Capabilities {
  /** Effects a hook may return at `user.message.inbound`; extension names are not offered here. */
  readonly effects: readonly ('deny' | 'modify' | 'message' | (string & {}))[];
  /** What `modify` may change at `user.message.inbound`; closed to other targets. */
  readonly modify?: {
    /** Operations on the prompt or inbound text, which lives at `/message/text` of the event. */
    readonly prompt?: ModifyGrant;
  };
}

/**
 * What a hook may be granted at `user.message.outbound`: `deny`, `modify`, `message`. Nothing listed has to be granted. That an effect stays within the grant is a runtime rule.
 * @see capabilities.json#/$defs/UserMessageOutboundCapabilities
 */
export interface UserMessageOutboundCapabilities extends Capabilities {
  /** Effects a hook may return at `user.message.outbound`; extension names are not offered here. */
  readonly effects: readonly ('deny' | 'modify' | 'message' | (string & {}))[];
  /** What `modify` may change at `user.message.outbound`; closed to other targets. */
  readonly modify?: {
    /** Operations on the outbound payload or the answer's content, which lives at `/message/payload` of the event. */
    readonly content?: ModifyGrant;
  };
}

/**
 * What a hook may be granted at `workspace.change.before`: `deny`, `modify`, `message`. Nothing listed has to be granted. That an effect stays within the grant is a runtime rule.
 * @see capabilities.json#/$defs/WorkspaceChangeBeforeCapabilities
 */
export interface WorkspaceChangeBeforeCapabilities extends Capabilities {
  /** Effects a hook may return at `workspace.change.before`; extension names are not offered here. */
  readonly effects: readonly ('deny' | 'modify' | 'message' | (string & {}))[];
  /** What `modify` may change at `workspace.change.before`; closed to other targets. */
  readonly modify?: {
    /** Operations on the proposed workspace change, which lives at `/workspace/change` of the event. */
    readonly workspace?: ModifyGrant;
  };
}
