/** Finds by which member the branches of a union can be told apart without trying them. */

import { isJsonObject, own } from '../keywords.js';
import type { Json, JsonObject } from '../model.js';
import { isList } from '../text.js';

/** Gives the schema that a `$ref` means, undefined when there is none. */
export type Resolve = (reference: string) => Json | undefined;

/** What a branch says of one member. */
export interface BranchTag {
  /** The strings that the member may be; null when the branch does not say. */
  readonly values: ReadonlySet<string> | null;
  /** True when a value without the member, or one that is no object, never fits. */
  readonly rejectsAbsent: boolean;
}

export interface Dispatch {
  readonly member: string;
  /** Branches that a value with this string under the member can fit; no other branch can. */
  readonly cases: ReadonlyMap<string, readonly number[]>;
  /** Branches for any other value under the member. */
  readonly other: readonly number[];
  /** Branches for a value without the member or one that is no object. */
  readonly absent: readonly number[];
}

interface Known {
  readonly values: Map<string, Set<string>>;
  readonly required: Set<string>;
  isObject: boolean;
}

/** The best tag for some branches of a union but for those `decided` before, or null when no member tells any apart. */
export function findDispatch(
  branches: readonly Json[],
  indexes: readonly number[],
  decided: readonly string[],
  resolve: Resolve,
): Dispatch | null {
  const known = indexes.map((index) => readBranch(branches[index] ?? true, resolve));
  const members = new Set(known.flatMap((branch) => [...branch.values.keys()]));
  let best: Dispatch | null = null;
  let bestCost = indexes.length * indexes.length;
  for (const member of members) {
    if (decided.includes(member)) continue;
    const dispatch = dispatchOn(member, indexes, known);
    const cost = costOf(dispatch, indexes.length);
    if (cost < bestCost) {
      best = dispatch;
      bestCost = cost;
    }
  }
  return best;
}

function dispatchOn(member: string, indexes: readonly number[], known: readonly Known[]): Dispatch {
  const tags = known.map((branch): BranchTag => ({
    values: branch.values.get(member) ?? null,
    rejectsAbsent: branch.isObject && branch.required.has(member),
  }));
  const texts = new Set(tags.flatMap((tag) => (tag.values === null ? [] : [...tag.values])));
  const pick = (fits: (tag: BranchTag) => boolean): number[] =>
    indexes.filter((_, position) => {
      const tag = tags[position];
      return tag !== undefined && fits(tag);
    });
  return {
    member,
    cases: new Map([...texts].map((text) => [text, pick((tag) => tag.values === null || tag.values.has(text))])),
    other: pick((tag) => tag.values === null),
    absent: pick((tag) => !tag.rejectsAbsent),
  };
}

/** Sum of the tries over all branches that can be named, so that the tag that leaves fewest tries wins. */
function costOf(dispatch: Dispatch, count: number): number {
  const sizes = [...dispatch.cases.values()].map((branches) => branches.length);
  if (sizes.length === 0 || sizes.every((size) => size === count)) return count * count;
  return (sizes.reduce((sum, size) => sum + size, 0) / sizes.length) * count;
}

/** What holds for every value that fits the branch; each entry is proved by the keywords that were read. */
function readBranch(schema: Json, resolve: Resolve): Known {
  const known: Known = { values: new Map(), required: new Set(), isObject: false };
  read(schema, known, resolve, new Set());
  return known;
}

function read(schema: Json, known: Known, resolve: Resolve, seen: Set<string>): void {
  if (!isJsonObject(schema)) return;
  if (own(schema, 'type') === 'object') known.isObject = true;
  for (const name of listAt(schema, 'required')) if (typeof name === 'string') known.required.add(name);
  const properties = own(schema, 'properties');
  if (properties !== undefined && isJsonObject(properties)) {
    for (const [name, child] of Object.entries(properties)) {
      const texts = textsOf(child, resolve);
      if (texts === null) continue;
      const before = known.values.get(name);
      known.values.set(name, before === undefined ? texts : new Set([...before].filter((text) => texts.has(text))));
    }
  }
  for (const part of listAt(schema, 'allOf')) read(part, known, resolve, seen);
  const reference = own(schema, '$ref');
  if (typeof reference === 'string' && !seen.has(reference)) {
    seen.add(reference);
    const target = resolve(reference);
    if (target !== undefined) read(target, known, resolve, seen);
  }
}

/** The strings that a member's schema allows at most; null when it may be something else. */
function textsOf(schema: Json, resolve: Resolve): Set<string> | null {
  if (!isJsonObject(schema)) return null;
  const constant = own(schema, 'const');
  if (typeof constant === 'string') return new Set([constant]);
  const values = own(schema, 'enum');
  if (isList(values)) {
    const texts = values.filter((value): value is string => typeof value === 'string');
    if (texts.length === values.length) return new Set(texts);
  }
  const reference = own(schema, '$ref');
  const target = typeof reference === 'string' ? resolve(reference) : undefined;
  // One step only: a chain of references to constants is not worth a guard against cycles.
  return target === undefined || (isJsonObject(target) && Object.hasOwn(target, '$ref'))
    ? null
    : textsOf(target, resolve);
}

function listAt(schema: JsonObject, name: string): readonly Json[] {
  const value = own(schema, name);
  return isList(value) ? value : [];
}
