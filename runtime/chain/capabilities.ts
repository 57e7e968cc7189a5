import { type Capabilities, catalogue, type KnownEvent, type Manifest } from '../../generated/index.js';
import type { ChainOptions, ChainSubscription } from './types.js';

/** Where a `modify` target stands in the event, and whether it is content behind descriptors. */
export interface TargetPlace {
  readonly place: string;
  readonly content?: boolean;
}

/** What the catalogue tells of one interceptable event. */
export interface Boundary {
  readonly type: string;
  readonly targets: ReadonlyMap<string, TargetPlace>;
  /** Places of the `native` members that the event's schema declares. */
  readonly optIn: readonly string[];
  /** Effects that section 2 of the semantics stages, when the boundary is one of the two elicitation events. */
  readonly elicitation: 'request' | 'result' | null;
}

const boundaries: ReadonlyMap<string, Boundary> = new Map(
  catalogue.interceptableEventNames.map((type) => {
    const entry = catalogue.events[type];
    const targets = new Map<string, TargetPlace>(Object.entries(entry.targets));
    return [type, { type, targets, optIn: entry.optIn, elicitation: elicitationSide(type) }];
  }),
);

/** The boundary of an event name; undefined when the event cannot be intercepted. */
export function boundaryOf(type: string): Boundary | undefined {
  return boundaries.get(type);
}

function elicitationSide(type: string): Boundary['elicitation'] {
  if (type === 'user.elicitation.request') return 'request';
  return type === 'user.elicitation.result' ? 'result' : null;
}

/** The options that decide what can be granted. */
type GrantOptions = Pick<ChainOptions<ChainSubscription>, 'event' | 'capabilities' | 'manifest' | 'values'> & {
  readonly materialize?: unknown;
  readonly elicitation?: unknown;
};

type Grants = Pick<Capabilities, 'effects' | 'modify' | 'flow' | 'inject' | 'elicitation'>;
type TargetGrants = Readonly<Record<string, { readonly replace: boolean; readonly merge: boolean }>>;

/**
 * The capabilities that this boundary's requests advertise (Semantics §5): the host's, cut down to the manifest's entry,
 * to what is left of the continuation allowance, and to targets that the host can give a value of and materialize.
 * Effects whose block has nothing left go, and so do blocks whose effect is not granted.
 */
export function narrowCapabilities(options: GrantOptions, boundary: Boundary): Capabilities {
  const host = options.capabilities;
  const entry = options.manifest === undefined ? host : manifestGrants(options.manifest, options.event);
  const { effects: _effects, modify: _modify, flow: _flow, inject: _inject, elicitation: _elicitation, ...rest } = host;
  const modify = narrowTargets(options, boundary, host, entry);
  const flow = narrowFlow(host, entry);
  const inject = narrowInject(host, entry);
  const elicitation = narrowElicitation(host, entry);
  const granted = host.effects.filter((effect) => {
    if (!entry.effects.includes(effect) || !stageable(options, boundary, effect)) return false;
    if (effect === 'modify') return modify !== undefined;
    if (effect === 'flow') return flow !== undefined;
    return effect === 'inject' ? inject !== undefined : true;
  });
  return {
    ...rest,
    effects: granted,
    ...(modify !== undefined && granted.includes('modify') ? { modify } : {}),
    ...(flow !== undefined && granted.includes('flow') ? { flow } : {}),
    ...(inject !== undefined && granted.includes('inject') ? { inject } : {}),
    ...(elicitation !== undefined ? { elicitation } : {}),
  };
}

function manifestGrants(manifest: Manifest, event: KnownEvent): Grants {
  const entry = manifest.events.find((row) => row.event === event.type);
  if (entry?.capabilities === undefined || !entry.modes.includes('intercept')) return { effects: [] };
  return entry.capabilities;
}

/** Without the means to stage by section 2, an elicitation boundary advertises only what needs no staging. */
function stageable(options: GrantOptions, boundary: Boundary, effect: string): boolean {
  if (boundary.elicitation === null || options.elicitation !== undefined) return true;
  return effect === 'message' || (effect === 'deny' && boundary.elicitation === 'request');
}

function narrowTargets(
  options: GrantOptions,
  boundary: Boundary,
  host: Grants,
  entry: Grants,
): Capabilities['modify'] | undefined {
  const wanted = { ...host.modify } as TargetGrants;
  const allowed = new Map(Object.entries<TargetGrants[string]>({ ...entry.modify } as TargetGrants));
  const kept: [string, TargetGrants[string]][] = [];
  for (const [target, operations] of Object.entries(wanted)) {
    const cut = allowed.get(target);
    const place = boundary.targets.get(target);
    if (cut === undefined || place === undefined || (place.content && !canMaterialize(options, target))) continue;
    const both = { ...operations, replace: operations.replace && cut.replace, merge: operations.merge && cut.merge };
    if (both.replace || both.merge) kept.push([target, both]);
  }
  return kept.length === 0 ? undefined : (Object.fromEntries(kept) as NonNullable<Capabilities['modify']>);
}

function canMaterialize(options: GrantOptions, target: string): boolean {
  return options.materialize !== undefined && options.values !== undefined && Object.hasOwn(options.values, target);
}

function narrowFlow(host: Grants, entry: Grants): Capabilities['flow'] | undefined {
  const flow = host.flow;
  if (flow === undefined) return undefined;
  const operations = flow.operations.filter(
    (operation) =>
      entry.flow?.operations.includes(operation) &&
      (operation !== 'continue' || (flow.remainingContinuations ?? 0) > 0),
  );
  return operations.length === 0 ? undefined : { ...flow, operations };
}

function narrowInject(host: Grants, entry: Grants): Capabilities['inject'] | undefined {
  const context = host.inject?.context;
  if (context === undefined) return undefined;
  const deliverAt = context.deliverAt.filter((moment) => entry.inject?.context.deliverAt.includes(moment));
  return deliverAt.length === 0 ? undefined : { ...host.inject, context: { ...context, deliverAt } };
}

function narrowElicitation(host: Grants, entry: Grants): Capabilities['elicitation'] | undefined {
  if (host.elicitation === undefined || host === entry) return host.elicitation;
  const { form, url, ...rest } = host.elicitation;
  return {
    ...rest,
    ...(form !== undefined && entry.elicitation?.form !== undefined ? { form } : {}),
    ...(url !== undefined && entry.elicitation?.url !== undefined ? { url } : {}),
  };
}
