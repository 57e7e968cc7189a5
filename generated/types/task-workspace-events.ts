import type { JsonObject } from '../json/index.js';
import type { Envelope } from './common.js';
import type { ContentItem } from './content.js';

/**
 * A file that changed on disk. Closed object.
 * @see task-workspace-events.json#/$defs/ChangedFile
 */
export interface ChangedFile {
  /**
   * The file's path.
   * Valid: length at least 1.
   */
  readonly path: string;
  /** What happens to it. */
  readonly operation: 'create' | 'update' | 'remove' | (string & {});
  /** Whether the agent caused it. */
  readonly agentCaused: boolean;
  /** Content before the change. */
  readonly before?: ContentItem;
  /** Content after the change. */
  readonly after?: ContentItem;
}

/**
 * Files changed on disk.
 * @see task-workspace-events.json#/$defs/FileChangedEvent
 */
export interface FileChangedEvent extends Envelope {
  /** The event's type. */
  readonly type: 'file.changed';
  /**
   * The files, at least one.
   * Valid: at least 1 elements.
   */
  readonly changes: readonly ChangedFile[];
}

/**
 * A change to a task. Closed object. Links between tasks are checked at run time.
 * @see task-workspace-events.json#/$defs/TaskChange
 */
export interface TaskChange {
  /**
   * The task's identity, non-empty.
   * Valid: length at least 1.
   */
  readonly id: string;
  /** What happens to it. */
  readonly operation: 'create' | 'update' | 'remove' | (string & {});
  /** What changes, an open object of the harness's own. */
  readonly change: JsonObject;
  /** What it was before, an open object of the harness's own. */
  readonly prior?: JsonObject;
  /** The change for a reader. */
  readonly description?: string;
  /** True when the adapter made the id up; it then stays stable for the life of the task. */
  readonly synthesized?: boolean;
}

/**
 * A task has changed.
 * @see task-workspace-events.json#/$defs/TaskChangeAfterEvent
 */
export interface TaskChangeAfterEvent extends Envelope {
  /** The event's type. */
  readonly type: 'task.change.after';
  /** The change. */
  readonly task: TaskChange;
}

/**
 * A task is about to change. Interceptable.
 * @see task-workspace-events.json#/$defs/TaskChangeBeforeEvent
 */
export interface TaskChangeBeforeEvent extends Envelope {
  /** The event's type. */
  readonly type: 'task.change.before';
  /** The change. */
  readonly task: TaskChange;
}

/**
 * A change of the workspace. Closed object.
 * @see task-workspace-events.json#/$defs/WorkspaceChange
 */
export interface WorkspaceChange {
  /** Kind of change. */
  readonly kind: 'cwd' | 'roots' | 'switch' | (string & {});
  /** Where the agent will work, or now works. */
  readonly change: WorkspacePlace;
  /** Where it worked before. */
  readonly prior?: WorkspacePlace;
  /** Why. */
  readonly reason?: string;
}

/**
 * The workspace has changed.
 * @see task-workspace-events.json#/$defs/WorkspaceChangeAfterEvent
 */
export interface WorkspaceChangeAfterEvent extends Envelope {
  /** The event's type. */
  readonly type: 'workspace.change.after';
  /** The change. */
  readonly workspace: WorkspaceChange;
}

/**
 * The workspace is about to change. Interceptable.
 * @see task-workspace-events.json#/$defs/WorkspaceChangeBeforeEvent
 */
export interface WorkspaceChangeBeforeEvent extends Envelope {
  /** The event's type. */
  readonly type: 'workspace.change.before';
  /** The change. */
  readonly workspace: WorkspaceChange;
}

/**
 * Where the agent works. Closed object with at least one member.
 * Valid: at least 1 members.
 * @see task-workspace-events.json#/$defs/WorkspacePlace
 */
export interface WorkspacePlace {
  /**
   * Working directory.
   * Valid: length at least 1.
   */
  readonly cwd?: string;
  /**
   * Root directories, no repeats.
   * Valid: no repeats.
   */
  readonly workspaceRoots?: readonly string[];
}
