/* What the lineage checker adds to decoding and validating the same messages, and how it grows. */
import { parseWireMessage, validateObserveNotification } from '../generated/index.js';
import { TaskLineage } from '../runtime/lineage/index.js';
import type { BenchTable } from './support/table.js';

/** A chain of events, each the child of the one before. */
function chainOf(length: number): readonly string[] {
  return Array.from({ length }, (_, index) =>
    JSON.stringify({
      jsonrpc: '2.0',
      method: 'hooks/observe',
      params: {
        protocolVersion: 'draft',
        event: {
          id: `e${index}`,
          source: 'urn:example:harness',
          type: 'task.change.after',
          time: '2026-10-05T12:00:00Z',
          parentEventId: `e${index - 1}`,
          task: { id: 't1', operation: 'update', change: { step: index }, prior: { step: index - 1 } },
        },
      },
    }),
  );
}

function check(messages: readonly string[]): () => number {
  return () => {
    const lineage = new TaskLineage();
    for (const message of messages) lineage.acceptWire(message);
    return lineage.size;
  };
}

function validate(messages: readonly string[]): () => void {
  return () => {
    for (const message of messages) {
      const decoded = parseWireMessage(message);
      if (!decoded.ok || !validateObserveNotification(decoded.value).ok) throw new Error('the message is not valid');
    }
  };
}

const few = chainOf(1_000);
const many = chainOf(10_000);
const backwards = many.toReversed();

export const tables: readonly BenchTable[] = [
  {
    title: 'Task lineage: a chain of task changes',
    note: 'Growth is linear when ten times the events take ten times as long, in whatever order they come.',
    rows: [
      {
        name: '1,000 events',
        baseline: 'decode and validate',
        contenders: { checked: check(few), 'decode and validate': validate(few) },
      },
      { name: '1,000 to 10,000 events', baseline: 'less', contenders: { more: check(many), less: check(few) } },
      {
        name: 'parents last',
        baseline: 'parents first',
        contenders: { 'parents last': check(backwards), 'parents first': check(many) },
      },
    ],
  },
];
