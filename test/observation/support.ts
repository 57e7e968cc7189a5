import type { Event } from '../../generated/index.js';
import type { ObservableSubscription } from '../../runtime/observation/index.js';

/** A settled event, valid on the wire; mutable, so that tests can show who touches it. */
export function toolEvent(id = 'e1'): Event & { native?: unknown } {
  return {
    id,
    source: 'urn:example:host',
    type: 'tool.before',
    time: '2026-10-05T12:00:00Z',
    call: { id: 'c1' },
    tool: { name: 'Bash', input: { command: 'ls' }, origin: 'native' },
    path: 'native',
  } as Event;
}

export function observe(id: string): ObservableSubscription {
  return { id, mode: 'observe' };
}

export function intercept(id: string): ObservableSubscription {
  return { id, mode: 'intercept' };
}
