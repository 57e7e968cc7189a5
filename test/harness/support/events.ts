import {
  type Capabilities,
  catalogue,
  type EventFor,
  type InterceptableEventName,
  type Manifest,
} from '../../../generated/index.js';
import { minimalEvent } from '../../chain/events.js';

/** Everything of the catalogue, except that tool calls are granted neither `return` nor `flow`. */
export const MANIFEST: Manifest = {
  events: catalogue.eventNames.map((event) => {
    const entry = catalogue.events[event];
    if (!entry.interceptable) return { event, modes: ['observe'] };
    return { event, modes: ['observe', 'intercept'], capabilities: grantsOf(event as InterceptableEventName) };
  }),
  gaps: [],
  transports: ['http', 'stdio'],
  authentication: ['bearer'],
  toolPaths: ['bash'],
  contentCategories: ['text', 'files'],
  limits: {},
  managedPolicy: { scopes: ['user'], disableable: true },
  correlationIdentityFields: ['session.id'],
};

function grantsOf(event: InterceptableEventName): Capabilities {
  const entry = catalogue.events[event];
  const left = new Set<string>(event === 'tool.before' ? ['return', 'flow'] : []);
  const effects = entry.effects.filter((effect) => !left.has(effect));
  const has = (effect: string): boolean => (effects as readonly string[]).includes(effect);
  const targets = Object.keys(entry.targets).map((target) => [target, { replace: true, merge: true }]);
  return {
    effects: [...effects],
    ...(has('modify') ? { modify: Object.fromEntries(targets) } : {}),
    ...(has('inject') ? { inject: { context: { append: true, deliverAt: ['now', 'next_turn'] } } } : {}),
    ...(has('flow')
      ? {
          flow: {
            operations: [...entry.flow],
            remainingContinuations: 3,
            continuationCount: 0,
          } as Capabilities['flow'],
        }
      : {}),
    ...(event.startsWith('user.elicitation') ? { elicitation: { form: {}, url: {} } } : {}),
  } as Capabilities;
}

/** A minimal canonical event of that name. */
export function eventOf<N extends InterceptableEventName>(name: N, id = 'e-1'): EventFor<N> {
  return minimalEvent(name, { command: 'ls' }, id) as unknown as EventFor<N>;
}
