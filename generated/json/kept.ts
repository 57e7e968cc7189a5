/*
 * What a plain JavaScript container cannot hold by itself: how its numbers were spelled, and the order of members whose
 * names look like array indexes. Both stand in one record under one shared enumerable symbol on the container, so that
 * object spread, sharing and freezing carry it along. A record speaks only while it is true: a spelling counts as long
 * as the member still is the number that it spells, a name as long as the member is there.
 */

/** Key of the record on a container. Registered, so that two copies of this module in one program understand each other. */
export const KEPT: unique symbol = Symbol.for('ahp-toolkit.json.kept') as never;

/** What was kept of one object: member name -> spelling, and all names in the order of the text. */
export interface KeptOfObject {
  readonly spellings: Map<string, string> | null;
  readonly order: readonly string[] | null;
}

/** What was kept of one list: spellings by index, holes where nothing was kept. */
export interface KeptOfList {
  readonly spellings: (string | undefined)[];
}

/** A container seen as the bearer of a record. */
interface Bearer {
  [KEPT]?: unknown;
}

/** Puts a record on a container that nobody else has seen yet. */
export function attachKept(container: object, kept: KeptOfObject | KeptOfList): void {
  Object.defineProperty(container, KEPT, { value: kept, enumerable: true, writable: true, configurable: true });
}

/** Gives the record of an object, or null. Anything else that stands under the symbol counts as none. */
export function keptOfObject(container: object): KeptOfObject | null {
  const kept = (container as Bearer)[KEPT];
  if (kept === undefined || kept === null) return null;
  const { spellings, order } = kept as Partial<KeptOfObject>;
  const known = (spellings === null || spellings instanceof Map) && (order === null || Array.isArray(order));
  return known ? (kept as KeptOfObject) : null;
}

/** Gives the record of a list, or null. Anything else that stands under the symbol counts as none. */
export function keptOfList(container: readonly unknown[]): KeptOfList | null {
  const kept = (container as Bearer)[KEPT];
  if (kept === undefined || kept === null) return null;
  return Array.isArray((kept as Partial<KeptOfList>).spellings) ? (kept as KeptOfList) : null;
}

/**
 * Gives the spelling that is kept for a member or an element and still in force, or undefined.
 * It is in force while the place holds the very number that was decoded (`Object.is`).
 */
export function keptSpelling(container: object, key: string | number): string | undefined {
  const value: unknown = (container as Record<string | number, unknown>)[key];
  if (typeof value !== 'number') return undefined;
  const spelling = Array.isArray(container)
    ? keptOfList(container)?.spellings[Number(key)]
    : keptOfObject(container)?.spellings?.get(String(key));
  return spelling !== undefined && Object.is(value, Number(spelling)) ? spelling : undefined;
}

/** Gives the member names of an object in the order in which `encode` writes them: the kept order, new names last. */
export function memberNames(container: object): string[] {
  const names = Object.keys(container);
  const order = keptOfObject(container)?.order;
  if (order === null || order === undefined) return names;
  const left = new Set(names);
  const ordered: string[] = [];
  for (const name of order) if (left.delete(name)) ordered.push(name);
  for (const name of left) ordered.push(name);
  return ordered;
}
