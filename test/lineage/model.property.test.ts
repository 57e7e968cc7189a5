/**
 * Random streams against a small model of Semantics §9 that is written apart from the code under test: it keeps the
 * list of accepted events and judges each new one by looking through all of them.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TaskLineage } from '../../runtime/lineage/index.js';
import { deepFreeze } from '../support/frozen.js';
import { observe, taskAfter, taskBefore, tool, verdict, workspaceAfter, workspaceBefore } from './support.js';

interface Step {
  readonly kind: 'tool' | 'taskBefore' | 'taskAfter' | 'workspaceBefore' | 'workspaceAfter';
  readonly source: string;
  readonly id: string;
  readonly parent: string | undefined;
  readonly task: string;
  readonly operation: string;
  readonly workspace: string;
  readonly isSame: boolean;
}

const id = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('tool', 'taskBefore', 'taskAfter', 'workspaceBefore', 'workspaceAfter'),
  source: fc.constantFrom('urn:example:one', 'urn:example:one', 'urn:example:two'),
  id,
  parent: fc.option(id, { nil: undefined }),
  task: fc.constantFrom('t1', 't1', 't2'),
  operation: fc.constantFrom('update', 'update', 'create'),
  workspace: fc.constantFrom('cwd', 'cwd', 'switch'),
  isSame: fc.boolean(),
});

function eventOf({ kind, source, id: own, parent, task, operation, workspace, isSame }: Step) {
  const parentEventId = parent === undefined ? {} : { parentEventId: parent };
  const taskParts = { id: task, operation, change: { s: 1 }, ...(isSame ? { prior: { s: 1 } } : {}) };
  const workspaceParts = { kind: workspace, change: { cwd: '/a' }, ...(isSame ? { prior: { cwd: '/a' } } : {}) };
  const made = {
    tool: () => tool(own),
    taskBefore: () => taskBefore(own, taskParts),
    taskAfter: () => taskAfter(own, undefined, taskParts),
    workspaceBefore: () => workspaceBefore(own, workspaceParts),
    workspaceAfter: () => workspaceAfter(own, undefined, workspaceParts),
  }[kind]();
  return { ...made, source, ...parentEventId };
}

/** Whether `after` is a completion whose proposal `before` disagrees with it. */
function conflicts(after: Step, before: Step): boolean {
  if (after.parent !== before.id) return false;
  if (after.kind === 'taskAfter' && before.kind === 'taskBefore') {
    return after.task !== before.task || after.operation !== before.operation;
  }
  return after.kind === 'workspaceAfter' && before.kind === 'workspaceBefore' && after.workspace !== before.workspace;
}

function closesLoop(accepted: readonly Step[], item: Step): boolean {
  const reached = new Set([item.id]);
  let at = item.parent;
  while (at !== undefined) {
    if (reached.has(at)) return true;
    reached.add(at);
    const next = accepted.find((other) => other.source === item.source && other.id === at);
    at = next?.parent;
  }
  return false;
}

function judge(
  accepted: readonly Step[],
  item: Step,
  options: { requireKnownParents: boolean; maxEvents: number },
): string {
  const isTask = item.kind === 'taskBefore' || item.kind === 'taskAfter';
  if (item.kind === 'taskAfter' && item.operation === 'update' && item.isSame) return 'no-change';
  if (item.kind === 'workspaceAfter' && item.isSame) return 'no-change';
  const siblings = accepted.filter(({ source }) => source === item.source);
  const known = siblings.find((other) => other.id === item.id);
  if (known !== undefined) {
    const isOther = known.kind !== item.kind || known.parent !== item.parent || (isTask && known.task !== item.task);
    return isOther ? 'identity-reused' : 'known';
  }
  if (closesLoop(accepted, item)) return 'cycle';
  if (options.requireKnownParents && item.parent !== undefined && !siblings.some((other) => other.id === item.parent)) {
    return 'unknown-parent';
  }
  if (siblings.some((other) => conflicts(item, other) || conflicts(other, item))) return 'pair-mismatch';
  return accepted.length >= options.maxEvents ? 'capacity' : 'accept';
}

describe('§9 random streams', () => {
  it('agree with the model; a refused message changes nothing', () => {
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 14 }),
        fc.record({ requireKnownParents: fc.boolean(), maxEvents: fc.constantFrom(3, 100) }),
        (steps, options) => {
          const lineage = new TaskLineage(options);
          const accepted: Step[] = [];
          for (const item of steps) {
            const expected = judge(accepted, item, options);
            const message = deepFreeze(observe(eventOf(item)));
            expect(verdict(lineage, message)).toBe(expected === 'known' ? 'accept' : expected);
            if (expected === 'accept') accepted.push(item);
            expect(lineage.size).toBe(accepted.length);
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});
