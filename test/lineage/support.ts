import { LineageError, type TaskLineage } from '../../runtime/lineage/index.js';

type Members = Readonly<Record<string, unknown>>;

const HOST = 'urn:example:host';

export function event(id: string, type: string, members: Members = {}): Members {
  return { id, source: HOST, type, time: '2026-10-05T12:00:00Z', ...members };
}

/** A plain event that binds nothing. */
export function tool(id: string, parentEventId?: string, members: Members = {}): Members {
  return event(id, 'tool.before', {
    call: { id: 'c1' },
    tool: { name: 'Bash', input: {}, origin: 'native' },
    path: 'native',
    ...parent(parentEventId),
    ...members,
  });
}

export function taskBefore(id: string, task: Members = {}, members: Members = {}): Members {
  return event(id, 'task.change.before', { task: { ...TASK, ...task }, ...members });
}

export function taskAfter(id: string, parentEventId?: string, task: Members = {}, members: Members = {}): Members {
  return event(id, 'task.change.after', { task: { ...TASK, ...task }, ...parent(parentEventId), ...members });
}

export function workspaceBefore(id: string, workspace: Members = {}): Members {
  return event(id, 'workspace.change.before', { workspace: { ...WORKSPACE, ...workspace } });
}

export function workspaceAfter(id: string, parentEventId?: string, workspace: Members = {}): Members {
  return event(id, 'workspace.change.after', { workspace: { ...WORKSPACE, ...workspace }, ...parent(parentEventId) });
}

const TASK = { id: 't1', operation: 'update', change: { status: 'done' } };
const WORKSPACE = { kind: 'cwd', change: { cwd: '/srv/a' } };

function parent(id: string | undefined): Members {
  return id === undefined ? {} : { parentEventId: id };
}

export function observe(about: Members): Members {
  return { jsonrpc: '2.0', method: 'hooks/observe', params: { protocolVersion: 'draft', event: about } };
}

export function intercept(about: Members, id: unknown = about.id, effects: readonly string[] = ['deny']): Members {
  return {
    jsonrpc: '2.0',
    id,
    method: 'hooks/intercept',
    params: { protocolVersion: 'draft', event: about, capabilities: { effects } },
  };
}

/** `accept`, `no event`, or the code of the refusal. */
export function verdict(lineage: TaskLineage, message: unknown): string {
  try {
    return lineage.accept(message) === null ? 'no event' : 'accept';
  } catch (error) {
    if (error instanceof LineageError) return error.code;
    throw error;
  }
}

export function verdicts(lineage: TaskLineage, events: readonly Members[]): string[] {
  return events.map((about) => verdict(lineage, observe(about)));
}

export function permutations<T>(list: readonly T[]): T[][] {
  if (list.length <= 1) return [[...list]];
  return list.flatMap((first, index) =>
    permutations([...list.slice(0, index), ...list.slice(index + 1)]).map((rest) => [first, ...rest]),
  );
}
