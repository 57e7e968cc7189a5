import { type Capabilities, catalogue, type InterceptableEventName, type Manifest } from '../../../generated/index.js';

/** Everything that the catalogue lets an event be granted. */
export function fullCapabilities(name: InterceptableEventName): Capabilities {
  const { effects, targets, flow } = catalogue.events[name];
  const operations: readonly string[] = flow;
  const names = Object.keys(targets);
  return {
    effects: [...effects],
    ...(names.length > 0 && {
      modify: Object.fromEntries(names.map((target) => [target, { replace: true, merge: true }])),
    }),
    ...(operations.length > 0 && {
      flow: {
        operations: [...flow],
        ...(operations.includes('continue') && { remainingContinuations: 2, continuationCount: 0 }),
      },
    }),
    ...((effects as readonly string[]).includes('inject') && {
      inject: { context: { append: true, deliverAt: ['now', 'next_turn'] } },
    }),
  };
}

/** A backend of every event. */
export const fullManifest: Manifest = {
  events: catalogue.eventNames.map((event) => {
    const interceptable = catalogue.interceptableEventNames.find((name) => name === event);
    return interceptable === undefined
      ? { event, modes: ['observe'] }
      : { event, modes: ['observe', 'intercept'], capabilities: fullCapabilities(interceptable) };
  }),
  gaps: [],
  transports: ['http', 'stdio'],
  authentication: ['bearer'],
  toolPaths: [],
  contentCategories: [],
  limits: {},
  managedPolicy: { scopes: ['user'], disableable: true },
  correlationIdentityFields: [],
};
