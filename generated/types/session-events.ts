import type { JsonObject } from '../json/index.js';
import type { Manifest } from './capabilities.js';
import type { Envelope, Identity, Session } from './common.js';
import type { ModelVisibleItem } from './content.js';
import type { ErrorInfo, TurnUsage } from './execution-parts.js';

/**
 * A change of configuration that was made. Closed object.
 * @see session-events.json#/$defs/AppliedConfigChange
 */
export interface AppliedConfigChange {
  /**
   * Where the change comes from.
   * Valid: length at least 1.
   */
  readonly source: string;
  /**
   * What the change covers.
   * Valid: length at least 1.
   */
  readonly scope: string;
  /** Names of the settings that change; never their values. */
  readonly settings: readonly string[];
  /**
   * The change for a reader, without secrets (a runtime rule).
   * Valid: length at least 1.
   */
  readonly summary: string;
  /**
   * The file that changes.
   * Valid: length at least 1.
   */
  readonly path?: string;
  /** MCP servers after the change. */
  readonly mcpServers?: readonly JsonObject[];
}

/**
 * A change of configuration was made.
 * @see session-events.json#/$defs/ConfigChangeAfterEvent
 */
export interface ConfigChangeAfterEvent extends Envelope {
  /** The event's type. */
  readonly type: 'config.change.after';
  /** The change. */
  readonly change: AppliedConfigChange;
}

/**
 * A change of configuration is about to be made. Interceptable.
 * @see session-events.json#/$defs/ConfigChangeBeforeEvent
 */
export interface ConfigChangeBeforeEvent extends Envelope {
  /** The event's type. */
  readonly type: 'config.change.before';
  /** The change. */
  readonly change: ProposedConfigChange;
}

/**
 * A change of configuration. A part of other definitions, which close it.
 * @see session-events.json#/$defs/ConfigChangeFields
 */
export interface ConfigChangeFields {
  /**
   * Where the change comes from.
   * Valid: length at least 1.
   */
  readonly source: string;
  /**
   * What the change covers.
   * Valid: length at least 1.
   */
  readonly scope: string;
  /** Names of the settings that change; never their values. */
  readonly settings: readonly string[];
  /**
   * The change for a reader, without secrets (a runtime rule).
   * Valid: length at least 1.
   */
  readonly summary: string;
  /**
   * The file that changes.
   * Valid: length at least 1.
   */
  readonly path?: string;
  readonly [member: string]: unknown;
}

/**
 * The harness that runs the session. Open object.
 * @see session-events.json#/$defs/Harness
 */
export interface Harness {
  /**
   * The harness's name.
   * Valid: length at least 1.
   */
  readonly name: string;
  /**
   * Its version.
   * Valid: length at least 1.
   */
  readonly version: string;
  readonly [member: string]: unknown;
}

/**
 * How a hook failed. Closed object. The reason is the failure's code, never a peer's text (a runtime rule).
 * @see session-events.json#/$defs/HookFailure
 */
export interface HookFailure {
  /**
   * Id of the backend that failed; the one place where an event names a backend.
   * Valid: length at least 1.
   */
  readonly backendId: string;
  /**
   * Why it failed, as a code.
   * Valid: length at least 1.
   */
  readonly reason: string;
  /** What the failure meant for the operation. */
  readonly policy: 'fail-open' | 'fail-closed' | (string & {});
}

/**
 * A hook failed operationally; `parentEventId` names the event it failed at.
 * @see session-events.json#/$defs/HookFailureEvent
 */
export interface HookFailureEvent extends Envelope {
  /** The event's type. */
  readonly type: 'hook.failure';
  /**
   * Id of the event at which the hook failed.
   * Valid: length at least 1.
   */
  readonly parentEventId: string;
  /** The failure. */
  readonly failure: HookFailure;
}

/**
 * A change of configuration that has not been made yet. Closed object.
 * @see session-events.json#/$defs/ProposedConfigChange
 */
export interface ProposedConfigChange {
  /**
   * Where the change comes from.
   * Valid: length at least 1.
   */
  readonly source: string;
  /**
   * What the change covers.
   * Valid: length at least 1.
   */
  readonly scope: string;
  /** Names of the settings that change; never their values. */
  readonly settings: readonly string[];
  /**
   * The change for a reader, without secrets (a runtime rule).
   * Valid: length at least 1.
   */
  readonly summary: string;
  /**
   * The file that changes.
   * Valid: length at least 1.
   */
  readonly path?: string;
}

/**
 * The session that is resumed. Open object.
 * @see session-events.json#/$defs/ResumedSession
 */
export interface ResumedSession {
  /**
   * Identity of the resumed session.
   * Valid: length at least 1.
   */
  readonly id: string;
  /** True when the adapter made the id up. */
  readonly synthesized?: boolean;
  readonly [member: string]: unknown;
}

/**
 * A session has ended.
 * @see session-events.json#/$defs/SessionEndEvent
 */
export interface SessionEndEvent extends Envelope {
  /** The event's type. */
  readonly type: 'session.end';
  /** The session that ended. */
  readonly session: Session;
  /** How it ended. */
  readonly outcome: 'completed' | 'cancelled' | 'error' | 'unknown' | (string & {});
  /**
   * Why it ended.
   * Valid: length at least 1.
   */
  readonly reason: string;
  /** Counters of the session, an open object of the harness's own. */
  readonly counters?: JsonObject;
  readonly tool?: never;
}

/**
 * A session begins. Interceptable. It tells the harness's manifest.
 * @see session-events.json#/$defs/SessionStartEvent
 */
export interface SessionStartEvent extends Envelope {
  /** The event's type. */
  readonly type: 'session.start';
  /** The session that begins. */
  readonly session: Session;
  /** Items the session begins with. */
  readonly items: readonly ModelVisibleItem[];
  /** Why it begins. */
  readonly trigger: 'startup' | 'resume' | 'clear' | 'compact' | 'fork' | (string & {});
  /** The harness. */
  readonly harness: Harness;
  /**
   * Permission mode in force, as the harness names it.
   * Valid: length at least 1.
   */
  readonly permissionMode: string;
  /** What the harness supports. */
  readonly manifest: Manifest;
  /** The session that is resumed. */
  readonly resumedFrom?: ResumedSession;
  readonly tool?: never;
  readonly outcome?: never;
}

/**
 * A turn has ended. A completed turn has no error.
 * @see session-events.json#/$defs/TurnEndEvent
 */
export interface TurnEndEvent extends Envelope {
  /** The event's type. */
  readonly type: 'turn.end';
  /** Items of the turn's response, in order. */
  readonly items: readonly ModelVisibleItem[];
  /** The turn. */
  readonly turn: Identity;
  /** How the turn ended. */
  readonly outcome: 'completed' | 'failed' | 'cancelled' | 'max_iterations' | (string & {});
  /**
   * How often the turn was continued.
   * Valid: at least 0.
   */
  readonly continuationCount: number;
  /** The last item the assistant wrote. */
  readonly lastAssistantItem?: Identity;
  /** Usage of the whole turn. */
  readonly usage?: TurnUsage;
  /** What went wrong. */
  readonly error?: ErrorInfo;
}

/**
 * A turn is about to finish; a hook may let it go on. Interceptable.
 * @see session-events.json#/$defs/TurnFinishBeforeEvent
 */
export interface TurnFinishBeforeEvent extends Envelope {
  /** The event's type. */
  readonly type: 'turn.finish.before';
  /** Items of the turn's response, in order. */
  readonly items: readonly ModelVisibleItem[];
  /** The turn. */
  readonly turn: Identity;
  /** How the turn ended. */
  readonly outcome: 'completed' | 'failed' | 'cancelled' | 'max_iterations' | (string & {});
  /**
   * How often the turn was continued.
   * Valid: at least 0.
   */
  readonly continuationCount: number;
  /** The last item the assistant wrote. */
  readonly lastAssistantItem?: Identity;
  /** Usage of the whole turn. */
  readonly usage?: TurnUsage;
}

/**
 * What events about the end of a turn carry. A part of other definitions.
 * @see session-events.json#/$defs/TurnOutcomeFields
 */
export interface TurnOutcomeFields {
  /** The turn. */
  readonly turn: Identity;
  /** How the turn ended. */
  readonly outcome: 'completed' | 'failed' | 'cancelled' | 'max_iterations' | (string & {});
  /**
   * How often the turn was continued.
   * Valid: at least 0.
   */
  readonly continuationCount: number;
  /** Items of the turn's response, in order. */
  readonly items: readonly ModelVisibleItem[];
  /** The last item the assistant wrote. */
  readonly lastAssistantItem?: Identity;
  /** Usage of the whole turn. */
  readonly usage?: TurnUsage;
  readonly [member: string]: unknown;
}

/**
 * A part of the turn's output.
 * @see session-events.json#/$defs/TurnProgressEvent
 */
export interface TurnProgressEvent extends Envelope {
  /** The event's type. */
  readonly type: 'turn.progress';
  /** The turn. */
  readonly turn: Identity;
  /** The item that grows. */
  readonly item: Identity;
  /** What was added. */
  readonly delta: ModelVisibleItem;
  /** Whether the item is now complete. */
  readonly final: boolean;
}

/**
 * A turn begins with its prompt. Interceptable.
 * @see session-events.json#/$defs/TurnStartEvent
 */
export interface TurnStartEvent extends Envelope {
  /** The event's type. */
  readonly type: 'turn.start';
  /** Items of the prompt, in order. */
  readonly items: readonly ModelVisibleItem[];
  /** The turn. */
  readonly turn: Identity;
  /** What began it. */
  readonly trigger: 'user' | 'continuation' | 'hook' | 'external' | (string & {});
  /**
   * What the prompt was expanded from, such as a command.
   * Valid: length at least 1.
   */
  readonly expandedFrom?: string;
}
