/** Reads the catalogue off the schemas: which events there are, and what each may be answered with. */

import { isJsonObject, own, pointerStep, walkSchemas } from '../keywords.js';
import type { CatalogueHints, Json, JsonObject, Plan, Place, PlannedDefinition, Problem, Shape } from '../model.js';
import { isList } from '../text.js';

export interface EventEntry {
  readonly name: string;
  readonly typeName: string;
  readonly capabilities: string | null;
  readonly effects: readonly string[];
  readonly targets: readonly TargetEntry[];
  readonly flow: readonly string[];
  /** JSON Pointers from the event with `*` for each element of a list. */
  readonly content: readonly string[];
  readonly optIn: readonly string[];
}

export interface TargetEntry {
  readonly name: string;
  /** JSON Pointer from the event. */
  readonly place: string;
  /** True when the place holds content items. */
  readonly content: boolean;
}

/** The events in the order of their union, with problems for what the hints or the schemas leave open. */
export function readEvents(plan: Plan, hints: CatalogueHints): { events: EventEntry[]; problems: Problem[] } {
  const reader = new Reader(plan, hints);
  const events = reader.events();
  return { events, problems: reader.problems };
}

class Reader {
  readonly #plan: Plan;
  readonly #hints: CatalogueHints;
  readonly problems: Problem[] = [];

  constructor(plan: Plan, hints: CatalogueHints) {
    this.#plan = plan;
    this.#hints = hints;
  }

  events(): EventEntry[] {
    const union = this.#named(this.#hints.union);
    const shape = union?.ir.shape;
    if (
      union === null ||
      shape?.kind !== 'union' ||
      shape.choice.kind !== 'tag' ||
      shape.choice.member !== this.#hints.tag
    ) {
      this.#report(
        union?.definition.place ?? MANIFEST,
        `the union is not told apart by ${JSON.stringify(this.#hints.tag)}`,
      );
      return [];
    }
    const capabilities = this.#capabilitiesByEvent();
    return shape.choice.cases.flatMap(({ values, choice }) => {
      const branch = choice.kind === 'branch' ? shape.branches[choice.index] : undefined;
      const planned = branch?.kind === 'reference' ? this.#plan.byKey.get(branch.key) : undefined;
      const [name] = values;
      if (planned === undefined || name === undefined || values.length !== 1) {
        this.#report(union.definition.place, `${values.join(', ')}: the branch is no definition of its own`);
        return [];
      }
      return [this.#event(name, planned, capabilities.get(name) ?? null)];
    });
  }

  #event(name: string, planned: PlannedDefinition, capabilities: PlannedDefinition | null): EventEntry {
    const content = new Set<string>();
    const optIn = new Set<string>();
    const places = new Set<string>();
    this.#walk({ kind: 'reference', key: planned.definition.key }, '', [], { content, optIn, places });
    const base = { name, typeName: planned.typeName, content: [...content], optIn: [...optIn] };
    if (capabilities === null) return { ...base, capabilities: null, effects: [], targets: [], flow: [] };
    const { list, operations } = this.#hints.effects;
    return {
      ...base,
      capabilities: capabilities.typeName,
      effects: this.#listed(capabilities, [list]),
      targets: this.#targets(capabilities, places, content),
      flow: this.#listed(capabilities, operations.grants),
    };
  }

  /** Collects content places, opt-in members and all places of an event; recursive definitions are entered once. */
  #walk(
    shape: Shape,
    at: string,
    path: readonly string[],
    into: { content: Set<string>; optIn: Set<string>; places: Set<string> },
  ): void {
    into.places.add(at);
    switch (shape.kind) {
      case 'reference': {
        const target = this.#plan.byKey.get(shape.key);
        if (target === undefined || path.includes(shape.key)) return;
        if (this.#hints.content.includes(target.typeName)) into.content.add(at);
        this.#walk(target.ir.shape, at, [...path, shape.key], into);
        return;
      }
      case 'object':
        for (const member of shape.members) {
          const place = at + pointerStep(member.name);
          if (this.#hints.optIn.includes(member.name)) into.optIn.add(place);
          this.#walk(member.shape, place, path, into);
        }
        if (shape.extras !== null) this.#walk(shape.extras, `${at}/*`, path, into);
        return;
      case 'list':
        for (const [index, item] of shape.prefix.entries()) this.#walk(item, `${at}/${index}`, path, into);
        if (shape.rest !== null) this.#walk(shape.rest, `${at}/*`, path, into);
        return;
      case 'every':
        for (const part of shape.parts) this.#walk(part, at, path, into);
        return;
      case 'union':
        for (const branch of shape.branches) this.#walk(branch, at, path, into);
        return;
      default:
        return;
    }
  }

  /** `if` the event's tag is N `then` its capabilities are a definition: read off the request's own schemas. */
  #capabilitiesByEvent(): Map<string, PlannedDefinition> {
    const found = new Map<string, PlannedDefinition>();
    const request = this.#named(this.#hints.request);
    if (request === null) return found;
    const visited = new Set<string>();
    const visit = (schema: Json): void => {
      walkSchemas(schema, '', (part) => {
        if (!isJsonObject(part)) return;
        const pair = this.#pair(part);
        if (pair !== null) found.set(pair.event, pair.capabilities);
        const reference = own(part, '$ref');
        const target = typeof reference === 'string' ? this.#plan.byKey.get(reference) : undefined;
        // Only what belongs to the request alone is looked into: its document.
        if (target === undefined || target.family !== request.family || visited.has(target.typeName)) return;
        visited.add(target.typeName);
        visit(target.definition.schema);
      });
    };
    visit(request.definition.schema);
    if (found.size === 0) this.#report(request.definition.place, 'no condition pairs an event with its capabilities');
    return found;
  }

  #pair(schema: JsonObject): { event: string; capabilities: PlannedDefinition } | null {
    const tested = Object.values(propertiesOf(own(schema, 'if')));
    const then = Object.values(propertiesOf(own(schema, 'then')));
    const [event, capabilities] = [tested[0], then[0]];
    if (tested.length !== 1 || then.length !== 1 || event === undefined || !isJsonObject(capabilities)) return null;
    const tag = own(propertiesOf(event), this.#hints.tag);
    const name = isJsonObject(tag) ? own(tag, 'const') : undefined;
    const reference = own(capabilities, '$ref');
    const target = typeof reference === 'string' ? this.#plan.byKey.get(reference) : undefined;
    return typeof name === 'string' && target !== undefined ? { event: name, capabilities: target } : null;
  }

  /** The strings of the list at a path of members into the capabilities' own schema; none when it says nothing there. */
  #listed(capabilities: PlannedDefinition, path: readonly string[]): string[] {
    const list = this.#below(capabilities, path);
    const items = isJsonObject(list) ? own(list, 'items') : undefined;
    const values = isJsonObject(items) ? own(items, 'enum') : undefined;
    return isList(values) ? values.filter((value) => typeof value === 'string') : [];
  }

  #targets(capabilities: PlannedDefinition, places: ReadonlySet<string>, content: ReadonlySet<string>): TargetEntry[] {
    const grants = propertiesOf(this.#below(capabilities, this.#hints.effects.targets.grants));
    return Object.entries(grants).flatMap(([name, grant]): TargetEntry[] => {
      const place = isJsonObject(grant) ? own(grant, 'x-sdk-place') : undefined;
      if (typeof place !== 'string' || !places.has(place)) {
        this.#report(
          capabilities.definition.place,
          `${JSON.stringify(name)}: x-sdk-place names no member of the event`,
        );
        return [];
      }
      return [{ name, place, content: content.has(place) || content.has(`${place}/*`) }];
    });
  }

  #below(planned: PlannedDefinition, path: readonly string[]): Json | undefined {
    let schema: Json | undefined = planned.definition.schema;
    for (const name of path) schema = own(propertiesOf(schema), name);
    return schema;
  }

  #named(name: string): PlannedDefinition | null {
    const planned = this.#plan.definitions.find(({ typeName }) => typeName === name) ?? null;
    if (planned === null) this.#report(MANIFEST, `the catalogue names ${JSON.stringify(name)}, which is no definition`);
    return planned;
  }

  #report(place: Place, message: string): void {
    this.problems.push({
      code: 'catalogue',
      place,
      rule: 'The schemas say what the catalogue hints point to',
      message,
    });
  }
}

const MANIFEST: Place = { document: 'manifest.json', pointer: '/catalogue' };

function propertiesOf(schema: Json | undefined): JsonObject {
  const properties = schema !== undefined && isJsonObject(schema) ? own(schema, 'properties') : undefined;
  return isJsonObject(properties) ? properties : {};
}
