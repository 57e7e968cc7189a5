import type { KnownEvent } from '../../generated/index.js';

/** What is kept of an accepted event: enough to recognise it and to check its pair, nothing of its content. */
export interface EventFacts {
  readonly type: string;
  readonly parentId: string | undefined;
  /** Of a task change. */
  readonly taskId: string | undefined;
  /** What a completion has to share with its proposal, beside the task id. */
  readonly pairedBy: string | undefined;
}

/** One event of one source: accepted, or only named as a parent so far. */
export interface EventNode {
  readonly id: string;
  /** Undefined while the event itself has not been accepted. */
  facts: EventFacts | undefined;
  parent: EventNode | undefined;
  /** Accepted completions that wait for this event; none once it has been accepted. */
  waiting: EventFacts[];
}

const PROPOSAL_OF: Readonly<Record<string, string>> = {
  'task.change.after': 'task.change.before',
  'workspace.change.after': 'workspace.change.before',
};

/** The facts of an event. */
export function factsOf(event: KnownEvent): EventFacts {
  const base = { type: event.type, parentId: event.parentEventId, taskId: undefined, pairedBy: undefined };
  switch (event.type) {
    case 'task.change.before':
    case 'task.change.after':
      return { ...base, taskId: event.task.id, pairedBy: event.task.operation };
    case 'workspace.change.before':
    case 'workspace.change.after':
      return { ...base, pairedBy: event.workspace.kind };
    default:
      return base;
  }
}

/** Whether a known key may come back so (Semantics §9): other differences are another subscription's view. */
export function isSameIdentity(known: EventFacts, again: EventFacts): boolean {
  return known.type === again.type && known.parentId === again.parentId && known.taskId === again.taskId;
}

/** Whether `type` is a completion, which may have a proposal as its parent. */
export function isCompletion(type: string): boolean {
  return Object.hasOwn(PROPOSAL_OF, type);
}

/** Whether a completion agrees with its parent; a parent that is not its kind of proposal binds nothing. */
export function agrees(completion: EventFacts, parent: EventFacts): boolean {
  if (PROPOSAL_OF[completion.type] !== parent.type) return true;
  return completion.taskId === parent.taskId && completion.pairedBy === parent.pairedBy;
}

/**
 * The way from `node` along its parents back to itself, or null when there is none. It follows what is known; since
 * known events hold no loop, it ends.
 */
export function findLoop(id: string, parentId: string, parent: EventNode | undefined): string[] | null {
  if (parentId === id) return [id];
  const loop = [id];
  for (let node = parent; node !== undefined; node = node.parent) {
    if (node.id === id) return loop;
    loop.push(node.id);
  }
  return null;
}
