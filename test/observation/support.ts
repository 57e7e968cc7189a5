import type { KnownEvent, ObserveNotification, ToolBeforeEvent } from '../../generated/index.js';
import type { ObservableSubscription } from '../../runtime/observation/index.js';

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** The event that a notification carries. */
export function sentEvent(message: unknown): KnownEvent {
  return (message as ObserveNotification).params.event as KnownEvent;
}

/** A settled event, valid on the wire; mutable, so that tests can show who touches it. */
export function toolEvent(id = 'e1'): Writable<ToolBeforeEvent> {
  return {
    id,
    source: 'urn:example:host',
    type: 'tool.before',
    time: '2026-10-05T12:00:00Z',
    call: { id: 'c1' },
    tool: { name: 'Bash', input: { command: 'ls' }, origin: 'native' },
    path: 'native',
  };
}

export function observe(id: string): ObservableSubscription {
  return { id, mode: 'observe' };
}

export function intercept(id: string): ObservableSubscription {
  return { id, mode: 'intercept' };
}
