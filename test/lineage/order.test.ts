import { describe, expect, it } from 'vitest';
import { LineageError, TaskLineage } from '../../runtime/lineage/index.js';
import {
  observe,
  permutations,
  taskAfter,
  taskBefore,
  tool,
  verdicts,
  workspaceAfter,
  workspaceBefore,
} from './support.js';

type Events = readonly Readonly<Record<string, unknown>>[];

/** Sound scenarios: no order may refuse anything. */
const sound: Record<string, Events> = {
  'a child that its parent names before it starts': [
    tool('start', undefined),
    tool('k1', 'start'),
    tool('k2'),
    tool('k3', 'later'),
    tool('later', 'start'),
  ],
  'proposal, completion and what follows': [
    taskBefore('b'),
    taskAfter('a', 'b'),
    taskAfter('a2', 'b', { change: { status: 'half' } }),
    tool('t', 'a'),
    workspaceAfter('v', 'w'),
  ],
  'two pairs that share a root': [
    tool('root'),
    taskBefore('b', {}, { parentEventId: 'root' }),
    taskAfter('a', 'b'),
    workspaceBefore('w'),
    workspaceAfter('v', 'w'),
  ],
};

/** Scenarios in which one message, whichever comes last, must be refused, and nothing else. */
const unsound: Record<string, { events: Events; code: string; culprits: readonly string[] }> = {
  'a loop of two beside a root and a branch': {
    events: [tool('r'), tool('a', 'b'), tool('b', 'a'), tool('c', 'a')],
    code: 'cycle',
    culprits: ['a', 'b'],
  },
  'a loop of three': {
    events: [tool('a', 'b'), tool('b', 'c'), tool('c', 'a'), tool('d', 'b'), tool('r')],
    code: 'cycle',
    culprits: ['a', 'b', 'c'],
  },
  'a completion of another task': {
    events: [taskBefore('b'), taskAfter('a', 'b', { id: 't2' }), tool('c', 'a'), tool('d', 'b')],
    code: 'pair-mismatch',
    culprits: ['a', 'b'],
  },
  'a completion of another kind': {
    events: [workspaceBefore('w'), workspaceAfter('v', 'w', { kind: 'switch' }), tool('c', 'v')],
    code: 'pair-mismatch',
    culprits: ['v', 'w'],
  },
};

describe('§9 order of arrival', () => {
  it.each(Object.entries(sound))('%s: every order is accepted', (_name, events) => {
    for (const order of permutations(events)) {
      const lineage = new TaskLineage();
      expect(verdicts(lineage, order)).toEqual(events.map(() => 'accept'));
      expect(lineage.size).toBe(events.length);
    }
  });

  it.each(Object.entries(unsound))('%s: in every order the message that completes it is refused', (_name, scenario) => {
    const { events, code, culprits } = scenario;
    for (const order of permutations(events)) {
      const last = order.findLast(({ id }) => culprits.includes(String(id)));
      expect(verdicts(new TaskLineage(), order)).toEqual(order.map((about) => (about === last ? code : 'accept')));
    }
  });

  it('the refused loop is named, starting from the event that would close it', () => {
    for (const order of permutations([tool('a', 'b'), tool('b', 'c'), tool('c', 'a')])) {
      const lineage = new TaskLineage();
      const errors = order.flatMap((about) => {
        try {
          lineage.accept(observe(about));
          return [];
        } catch (error) {
          return error instanceof LineageError ? [error] : expect.fail('another error');
        }
      });
      expect(errors).toHaveLength(1);
      expect(errors[0]?.loop[0]).toBe(order[2]?.id);
      expect([...(errors[0]?.loop ?? [])].sort()).toEqual(['a', 'b', 'c']);
    }
  });
});
