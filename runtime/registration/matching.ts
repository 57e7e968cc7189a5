import { catalogue } from '../../generated/index.js';

/** The parts of a subscription that decide which events it gets. */
export interface EventSelector {
  readonly mode: 'intercept' | 'observe';
  readonly events: readonly string[];
}

/** The parts of a subscription that may narrow its events further. */
export interface EventFilter {
  readonly filters?: { readonly toolKinds?: readonly string[]; readonly paths?: readonly string[] };
  readonly scope?: string;
}

interface CatalogueEntry {
  readonly interceptable: boolean;
}

const knownEvents: ReadonlyMap<string, CatalogueEntry> = new Map(Object.entries(catalogue.events));

/**
 * Tells whether a subscription names this event: by its exact name, by `*`, or by one family (`tool.*`).
 * A wildcard of an intercept subscription selects interceptable events only (Semantics §6).
 */
export function matchesEvent(subscription: EventSelector, eventName: string): boolean {
  const known = knownEvents.get(eventName);
  if (known === undefined) return false;
  if (subscription.mode === 'intercept' && !known.interceptable) return false;
  const family = `${eventName.slice(0, eventName.indexOf('.'))}.*`;
  return subscription.events.some((name) => name === eventName || name === '*' || name === family);
}

/**
 * Tells whether the hints of a subscription let this event through (Semantics §6): `toolKinds` against `tool.kind`,
 * `paths` against `path`, both as exact text. An event without the member is delivered, a batch when any one of its
 * calls passes, and a subscription of scope `managed` is never filtered.
 */
export function passesFilters(subscription: EventFilter, event: object): boolean {
  const { filters } = subscription;
  if (filters === undefined || subscription.scope === 'managed') return true;
  const calls = ownMember(event, 'calls');
  const isBatch = Array.isArray(calls) && !Object.hasOwn(event, 'tool');
  if (isBatch) return calls.some((call) => passesHints(filters, call));
  return passesHints(filters, event);
}

function passesHints(filters: NonNullable<EventFilter['filters']>, subject: unknown): boolean {
  const kind = ownMember(ownMember(subject, 'tool'), 'kind');
  const path = ownMember(subject, 'path');
  return passesHint(filters.toolKinds, kind) && passesHint(filters.paths, path);
}

function passesHint(allowed: readonly string[] | undefined, value: unknown): boolean {
  return allowed === undefined || typeof value !== 'string' || allowed.includes(value);
}

function ownMember(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return Reflect.get(value, name);
}
