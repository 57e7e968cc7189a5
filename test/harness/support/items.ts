import type { ContextCompactAfterEvent } from '../../../generated/index.js';
import { eventOf } from './events.js';
import type { Arrived } from './kit.js';

export type ContentCompactAfter = ContextCompactAfterEvent;

/** A `context.compact.after` whose summary has the id `sum`; a text changes the event's id. */
export function summaryEvent(change: string | object = {}): ContextCompactAfterEvent {
  const event = eventOf('context.compact.after', typeof change === 'string' ? change : 'e-1');
  const { id, kind, mediaType, role } = event.summary as { id: string; kind: string; mediaType: string; role: string };
  const item = { id, kind, mediaType, role, selection: 'omit', ...(typeof change === 'string' ? {} : change) };
  return { ...event, summary: item } as unknown as ContextCompactAfterEvent;
}

/** The reference in the summary that arrived, if there is one. */
export function refOf({ event }: Arrived): string | undefined {
  const { summary } = event as { summary?: { body?: { ref: string } } };
  return summary?.body?.ref;
}
