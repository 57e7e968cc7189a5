/** How the value of a union finds its branch (Semantics §1, union selection), worked out from the branches alone. */

import {
  declaredNames,
  isClosed,
  possibleTypes,
  requiredPaths,
  resolveShape,
  type Shapes,
  type Tag,
  tagsOf,
} from './analyse.js';
import type { Choice, JsonType } from './model.js';
import { JSON_TYPES, type RawShape, type RawUnion } from './shapes.js';

interface Branch {
  readonly index: number;
  readonly shape: RawShape;
}

/** The choice of a union, or null when its branches only narrow members that stand beside it: a rule of the validator. */
export function choose(union: RawUnion, shapes: Shapes): Choice | null {
  const branches = union.branches.map((shape, index) => ({ index, shape }));
  const context: RawShape = { kind: 'every', parts: union.context };
  const selector = new Selector(shapes, context);
  if (union.discriminator !== null) return selector.byDeclaredTag(branches, union.discriminator);
  if (selector.isNarrowingOnly(branches)) {
    const tag = selector.byTag(branches, []);
    return tag;
  }
  return selector.select(branches, []);
}

class Selector {
  readonly #shapes: Shapes;
  readonly #context: RawShape;
  readonly #contextTags: ReadonlyMap<string, Tag>;

  constructor(shapes: Shapes, context: RawShape) {
    this.#shapes = shapes;
    this.#context = context;
    this.#contextTags = tagsOf(context, shapes);
  }

  select(branches: readonly Branch[], usedTags: readonly string[]): Choice {
    const [first] = branches;
    if (first !== undefined && branches.length === 1) return { kind: 'branch', index: first.index };
    return (
      this.#byType(branches, usedTags) ??
      this.byTag(branches, usedTags) ??
      this.#byPresence(branches, usedTags) ??
      this.#byTrial(branches)
    );
  }

  /** The tag is given; branches without a constant for it are the open ones. */
  byDeclaredTag(branches: readonly Branch[], member: string): Choice {
    const cases = new Map<string, Branch[]>();
    for (const branch of branches) {
      for (const value of this.#tag(branch, member)?.values ?? [])
        cases.set(value, [...(cases.get(value) ?? []), branch]);
    }
    return {
      kind: 'tag',
      member,
      cases: [...cases].map(([value, found]) => ({ values: [value], choice: this.select(found, [member]) })),
      absent: null,
    };
  }

  /** True when no branch says more than presence, or narrows anything but members declared beside the union. */
  isNarrowingOnly(branches: readonly Branch[]): boolean {
    const declared = declaredNames(this.#context, this.#shapes);
    return branches.every(({ shape }) => {
      if (shape.kind === 'any' || shape.kind === 'never') return true;
      if (shape.kind !== 'object' || shape.patterns.length > 0 || shape.extras !== null) return false;
      if (shape.closed && shape.members.some((member) => !declared.has(member.name))) return false;
      return shape.members.every((member) => member.shape.kind === 'any' || declared.has(member.name));
    });
  }

  /** By JSON type, where different types admit different branches. */
  #byType(branches: readonly Branch[], usedTags: readonly string[]): Choice | null {
    const possible = branches.map(({ shape }) => possibleTypes(shape, this.#shapes));
    const groups = new Map<string, { types: JsonType[]; branches: Branch[] }>();
    for (const type of JSON_TYPES) {
      const admitted = branches.filter((_, at) => possible[at]?.has(type) === true);
      if (admitted.length === 0) continue;
      const key = admitted.map(({ index }) => index).join();
      const group = groups.get(key) ?? { types: [], branches: admitted };
      group.types.push(type);
      groups.set(key, group);
    }
    if (groups.size < 2) return null;
    return {
      kind: 'type',
      cases: [...groups.values()].map((group) => ({
        types: group.types,
        choice: this.#simplest(group.branches, group.types) ?? this.select(group.branches, usedTags),
      })),
    };
  }

  /** A branch that says nothing but the type takes whatever its neighbours take. */
  #simplest(branches: readonly Branch[], types: readonly JsonType[]): Choice | null {
    const plain = branches.find(({ shape }) => {
      const target = resolveShape(shape, this.#shapes);
      return target?.kind === 'any' || (target?.kind === 'types' && types.every((type) => target.types.includes(type)));
    });
    return plain === undefined ? null : { kind: 'branch', index: plain.index };
  }

  byTag(branches: readonly Branch[], usedTags: readonly string[]): Choice | null {
    const names = new Set(branches.flatMap((branch) => [...tagsOf(branch.shape, this.#shapes).keys()]));
    let best: { member: string; distinct: number; absent: readonly Branch[] } | null = null;
    for (const member of names) {
      if (usedTags.includes(member)) continue;
      const tags = branches.map((branch) => this.#tag(branch, member));
      if (tags.some((tag) => tag !== undefined && tag.values === null)) continue;
      const distinct = new Set(tags.flatMap((tag) => [...(tag?.values ?? [])])).size;
      const absent = branches.filter((_, at) => tags[at]?.required !== true);
      const optional = tags.filter((tag) => tag !== undefined && !tag.required).length;
      // Without the tag at most one tagged branch may remain, or those that know no such member.
      if (distinct < 2 || optional > 1 || (optional === 1 && absent.length > 1)) continue;
      const better =
        best === null ||
        absent.length < best.absent.length ||
        (absent.length === best.absent.length && distinct > best.distinct);
      if (better) best = { member, distinct, absent };
    }
    return best === null ? null : this.#tagChoice(branches, best.member, best.absent, usedTags);
  }

  #tagChoice(
    branches: readonly Branch[],
    member: string,
    absent: readonly Branch[],
    usedTags: readonly string[],
  ): Choice {
    const groups = new Map<string, { values: string[]; branches: Branch[] }>();
    const byValue = new Map<string, Branch[]>();
    for (const branch of branches) {
      for (const value of this.#tag(branch, member)?.values ?? [])
        byValue.set(value, [...(byValue.get(value) ?? []), branch]);
    }
    for (const [value, found] of byValue) {
      const key = found.map(({ index }) => index).join();
      const group = groups.get(key) ?? { values: [], branches: found };
      group.values.push(value);
      groups.set(key, group);
    }
    const used = [...usedTags, member];
    return {
      kind: 'tag',
      member,
      cases: [...groups.values()].map((group) => ({ values: group.values, choice: this.select(group.branches, used) })),
      absent: absent.length === 0 ? null : this.select(absent, used),
    };
  }

  /** By a path that only one branch requires; a branch closed to the mark of another is no match when that is there. */
  #byPresence(branches: readonly Branch[], usedTags: readonly string[]): Choice | null {
    const paths = branches.map(({ shape }) => requiredPaths(shape, this.#shapes));
    const marks = branches.map((_, at) => {
      const others = new Set(
        paths.flatMap((list, other) => (other === at ? [] : list.map((path) => JSON.stringify(path)))),
      );
      return paths[at]?.find((path) => !others.has(JSON.stringify(path))) ?? null;
    });
    if (marks.includes(null)) return null;
    const cases = branches.map((branch, at) => {
      const names = declaredNames(branch.shape, this.#shapes);
      const foreign = marks.flatMap((mark, other) => (other === at || mark?.length !== 1 ? [] : mark));
      const excluded = isClosed(branch.shape, this.#shapes) ? foreign.filter((name) => !names.has(name)) : [];
      return { path: marks[at] ?? [], excluded, choice: this.select([branch], usedTags) };
    });
    return { kind: 'presence', cases: cases.sort((left, right) => left.path.length - right.path.length) };
  }

  #byTrial(branches: readonly Branch[]): Choice {
    const [common] = branches.map(({ shape }) => [...possibleTypes(shape, this.#shapes)]);
    return this.#simplest(branches, common ?? []) ?? { kind: 'trial', indexes: branches.map(({ index }) => index) };
  }

  #tag(branch: Branch, member: string): Tag | undefined {
    const tag = tagsOf(branch.shape, this.#shapes).get(member);
    if (tag === undefined) return undefined;
    return { values: tag.values, required: tag.required || this.#contextTags.get(member)?.required === true };
  }
}

/** True when some value is kept as an unknown variant: wherever a tag decides. */
export function hasUnknownVariant(choice: Choice): boolean {
  switch (choice.kind) {
    case 'tag':
      return true;
    case 'presence':
    case 'type':
      return choice.cases.some((item) => hasUnknownVariant(item.choice));
    case 'branch':
    case 'trial':
      return false;
  }
}
