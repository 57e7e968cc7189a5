import type { JsonObject } from '../json/index.js';
import type { Envelope, Identity } from './common.js';
import type { ContentItem, ModelVisibleItem } from './content.js';
import type {
  Attempt,
  AttemptUsage,
  Batch,
  ErrorInfo,
  ExecutedExecution,
  Execution,
  FileChange,
  Model,
  TokenCounts,
  ToolInfo,
} from './execution-parts.js';

/**
 * One call of a batch and how it ended. Closed object. A denied call was skipped by policy.
 * @see execution-events.json#/$defs/BatchCall
 */
export interface BatchCall {
  /** The call. */
  readonly call: Identity;
  /** The tool and its input. */
  readonly tool: ToolInfo;
  /**
   * The way the call took through the harness, one of the manifest's `toolPaths` (a runtime rule).
   * Valid: length at least 1.
   */
  readonly path: string;
  /** The batch that the call belongs to. */
  readonly batch?: Batch;
  /** How the call ended. */
  readonly outcome: 'ok' | 'error' | 'denied' | 'cancelled' | 'timeout' | (string & {});
  /** Whether the call ran. */
  readonly execution: Execution;
}

/**
 * The context was compacted. Interceptable. Skipped means that a hook supplied the summary.
 * @see execution-events.json#/$defs/ContextCompactAfterEvent
 */
export interface ContextCompactAfterEvent extends Envelope {
  /** The event's type. */
  readonly type: 'context.compact.after';
  /** Items that stayed, in order. */
  readonly items?: readonly ModelVisibleItem[];
  /** The summary. */
  readonly summary: ModelVisibleItem;
  /** Items that were removed. */
  readonly removed: readonly RemovedItem[];
  /** Whether the summary was generated. */
  readonly execution: Execution;
  /** Size of the context before and after. */
  readonly tokenCounts?: TokenCounts;
}

/**
 * The context is about to be compacted. Interceptable.
 * @see execution-events.json#/$defs/ContextCompactBeforeEvent
 */
export interface ContextCompactBeforeEvent extends Envelope {
  /** The event's type. */
  readonly type: 'context.compact.before';
  /** Items that will be compacted, in order. */
  readonly items: readonly ModelVisibleItem[];
  /** What began it. */
  readonly trigger: 'auto' | 'manual' | 'hook' | (string & {});
  /** Instructions for the summary. */
  readonly instructions?: ContentItem;
  /** Size of the context before compaction, without `after`. */
  readonly tokenCounts?: {
    /**
     * Tokens before compaction.
     * Valid: at least 0.
     */
    readonly before?: number;
    /**
     * Tokens after compaction.
     * Valid: at least 0.
     */
    readonly after?: never;
  };
  readonly summary?: never;
  readonly removed?: never;
  readonly execution?: never;
}

/**
 * A model request failed.
 * @see execution-events.json#/$defs/ModelErrorEvent
 */
export interface ModelErrorEvent extends Envelope {
  /** The event's type. */
  readonly type: 'model.error';
  /** The model. */
  readonly model: Model;
  /** Which try this was. */
  readonly attempt: Attempt;
  /** The request ran. */
  readonly execution: ExecutedExecution;
  /** What went wrong. */
  readonly error: ErrorInfo;
  /** Usage of this attempt. */
  readonly usage?: AttemptUsage;
  /**
   * Time until the failure, in milliseconds.
   * Valid: at least 0.
   */
  readonly latencyMs?: number;
  /**
   * What the harness does next.
   * Valid: length at least 1.
   */
  readonly recovery?: string;
  readonly finishReason?: never;
}

/**
 * A request is about to go to a model. Interceptable.
 * @see execution-events.json#/$defs/ModelRequestBeforeEvent
 */
export interface ModelRequestBeforeEvent extends Envelope {
  /** The event's type. */
  readonly type: 'model.request.before';
  /** Items the model will see, in order. */
  readonly items: readonly ModelVisibleItem[];
  /** The model. */
  readonly model: Model;
  /** Which try this is. */
  readonly attempt: Attempt;
  /** Parameters of the request, an open object of the provider's own. */
  readonly params: JsonObject;
  readonly usage?: never;
  readonly execution?: never;
  readonly finishReason?: never;
  readonly latencyMs?: never;
  readonly error?: never;
}

/**
 * A model answered, or its answer was supplied. Interceptable. Skipped means that a hook supplied the answer, and then there is neither usage nor latency.
 * @see execution-events.json#/$defs/ModelResponseAfterEvent
 */
export interface ModelResponseAfterEvent extends Envelope {
  /** The event's type. */
  readonly type: 'model.response.after';
  /** Items of the answer, in order. */
  readonly items: readonly ModelVisibleItem[];
  /** The model. */
  readonly model: Model;
  /** Which try this was. */
  readonly attempt: Attempt;
  /** Whether the model ran. */
  readonly execution: Execution;
  /**
   * Why the model stopped, as the provider names it.
   * Valid: length at least 1.
   */
  readonly finishReason: string;
  /** Usage of this attempt. */
  readonly usage?: AttemptUsage;
  /**
   * Time the model took, in milliseconds.
   * Valid: at least 0.
   */
  readonly latencyMs?: number;
  readonly error?: never;
}

/**
 * Another model is in use.
 * @see execution-events.json#/$defs/ModelSwitchAfterEvent
 */
export interface ModelSwitchAfterEvent extends Envelope {
  /** The event's type. */
  readonly type: 'model.switch.after';
  /** The model used before. */
  readonly previous: Model;
  /** The model in use. */
  readonly current: Model;
  /**
   * Why.
   * Valid: length at least 1.
   */
  readonly reason: string;
  readonly proposed?: never;
}

/**
 * Another model is about to be used. Interceptable.
 * @see execution-events.json#/$defs/ModelSwitchBeforeEvent
 */
export interface ModelSwitchBeforeEvent extends Envelope {
  /** The event's type. */
  readonly type: 'model.switch.before';
  /** The model in use. */
  readonly current: Model;
  /** The model to be used. */
  readonly proposed: Model;
  /**
   * Why.
   * Valid: length at least 1.
   */
  readonly reason: string;
  /** Prices of the proposed model. */
  readonly pricing?: Pricing;
  readonly previous?: never;
}

/**
 * Prices of the proposed model. Closed object.
 * @see execution-events.json#/$defs/Pricing
 */
export interface Pricing {
  /**
   * ISO 4217 code, three capital letters.
   * Valid: pattern ^[A-Z]{3}$.
   */
  readonly currency: string;
  /**
   * Price of a million tokens read, in units of the currency.
   * Valid: at least 0.
   */
  readonly inputPerMillionTokens?: number;
  /**
   * Price of a million tokens written, in units of the currency.
   * Valid: at least 0.
   */
  readonly outputPerMillionTokens?: number;
}

/**
 * An item that compaction removed. Closed object.
 * @see execution-events.json#/$defs/RemovedItem
 */
export interface RemovedItem {
  /**
   * The item's identity.
   * Valid: length at least 1.
   */
  readonly id: string;
}

/**
 * A tool call has ended. Interceptable. `error` is present exactly when the outcome is `error`; a denied call was skipped by policy.
 * @see execution-events.json#/$defs/ToolAfterEvent
 */
export interface ToolAfterEvent extends Envelope {
  /** The event's type. */
  readonly type: 'tool.after';
  /** Items of the output, in order. */
  readonly items: readonly ModelVisibleItem[];
  /** The call. */
  readonly call: Identity;
  /** The tool and its input. */
  readonly tool: ToolInfo;
  /**
   * The way the call took through the harness, one of the manifest's `toolPaths` (a runtime rule).
   * Valid: length at least 1.
   */
  readonly path: string;
  /** The batch that the call belongs to. */
  readonly batch?: Batch;
  /** How the call ended. */
  readonly outcome: 'ok' | 'error' | 'denied' | 'cancelled' | 'timeout' | (string & {});
  /** Whether the call ran. */
  readonly execution: Execution;
  /** What went wrong. */
  readonly error?: ErrorInfo;
  /**
   * Time the call took, in milliseconds.
   * Valid: at least 0.
   */
  readonly durationMs?: number;
  /** Files that the call changed. */
  readonly fileChanges?: readonly FileChange[];
}

/**
 * All calls of a batch have ended. Interceptable.
 * @see execution-events.json#/$defs/ToolBatchAfterEvent
 */
export interface ToolBatchAfterEvent extends Envelope {
  /** The event's type. */
  readonly type: 'tool.batch.after';
  /** The batch. */
  readonly batch: Identity;
  /**
   * The calls, at least one.
   * Valid: at least 1 elements.
   */
  readonly calls: readonly BatchCall[];
}

/**
 * A tool is about to be called. Interceptable.
 * @see execution-events.json#/$defs/ToolBeforeEvent
 */
export interface ToolBeforeEvent extends Envelope {
  /** The event's type. */
  readonly type: 'tool.before';
  /** The call. */
  readonly call: Identity;
  /** The tool and its input. */
  readonly tool: ToolInfo;
  /**
   * The way the call took through the harness, one of the manifest's `toolPaths` (a runtime rule).
   * Valid: length at least 1.
   */
  readonly path: string;
  /** The batch that the call belongs to. */
  readonly batch?: Batch;
  readonly outcome?: never;
  readonly execution?: never;
  readonly error?: never;
}

/**
 * A tool call needs a permission. Interceptable.
 * @see execution-events.json#/$defs/ToolPermissionRequestEvent
 */
export interface ToolPermissionRequestEvent extends Envelope {
  /** The event's type. */
  readonly type: 'tool.permission.request';
  /** The call. */
  readonly call: Identity;
  /** The tool and its input. */
  readonly tool: ToolInfo;
  /**
   * The way the call took through the harness, one of the manifest's `toolPaths` (a runtime rule).
   * Valid: length at least 1.
   */
  readonly path: string;
  /** The batch that the call belongs to. */
  readonly batch?: Batch;
  /** Rules that the harness suggests to remember. */
  readonly suggestions: readonly JsonObject[];
  /** Whether the call asks to run outside the sandbox. */
  readonly sandboxBypass: boolean;
  readonly decision?: never;
  readonly decidedBy?: never;
  readonly outcome?: never;
  readonly execution?: never;
}

/**
 * A permission was given or refused.
 * @see execution-events.json#/$defs/ToolPermissionResolvedEvent
 */
export interface ToolPermissionResolvedEvent extends Envelope {
  /** The event's type. */
  readonly type: 'tool.permission.resolved';
  /** The call. */
  readonly call: Identity;
  /** The tool and its input. */
  readonly tool: ToolInfo;
  /**
   * The way the call took through the harness, one of the manifest's `toolPaths` (a runtime rule).
   * Valid: length at least 1.
   */
  readonly path: string;
  /** The batch that the call belongs to. */
  readonly batch?: Batch;
  /** What was decided. */
  readonly decision: 'allow' | 'deny' | (string & {});
  /** Who decided. */
  readonly decidedBy: 'user' | 'policy' | 'hook' | 'auto' | 'classifier' | (string & {});
}

/**
 * A part of a call's output.
 * @see execution-events.json#/$defs/ToolProgressEvent
 */
export interface ToolProgressEvent extends Envelope {
  /** The event's type. */
  readonly type: 'tool.progress';
  /** The call. */
  readonly call: Identity;
  /** The tool and its input. */
  readonly tool: ToolInfo;
  /**
   * The way the call took through the harness, one of the manifest's `toolPaths` (a runtime rule).
   * Valid: length at least 1.
   */
  readonly path: string;
  /** The batch that the call belongs to. */
  readonly batch?: Batch;
  /** What was added. */
  readonly partialOutput: ModelVisibleItem;
  /** Whether the call runs on in the background. */
  readonly backgrounded: boolean;
  readonly outcome?: never;
  readonly execution?: never;
}
