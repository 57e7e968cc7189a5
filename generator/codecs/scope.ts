/** One emitted codec module in the making: its functions, hoisted constants and imports, with names that do not clash. */

import type { Plan, PlannedDefinition, PlannedFamily, Shape } from '../model.js';
import { subShapes } from '../plan.js';
import type { FunctionView } from './views.js';

export class ModuleScope {
  readonly plan: Plan;
  readonly family: PlannedFamily;
  readonly functions: FunctionView[] = [];
  readonly constants: { name: string; value: string }[] = [];
  readonly #imports = new Map<string, Set<string>>();
  readonly #names = new Set<string>();
  readonly #constantNames = new Map<string, string>();

  constructor(plan: Plan, family: PlannedFamily) {
    this.plan = plan;
    this.family = family;
  }

  /** The definition that a reference means; planning leaves none unresolved. */
  definition(key: string): PlannedDefinition {
    const planned = this.plan.byKey.get(key);
    if (planned === undefined) throw new Error(`expected a planned definition for ${key}, got none`);
    return planned;
  }

  shapeOf(key: string): Shape {
    return this.definition(key).ir.shape;
  }

  /** Name of a function of another definition, imported where it stands in another module. */
  use(planned: PlannedDefinition, name: string): string {
    if (planned.family !== this.family.name) this.#import(`./${planned.family}.js`, name);
    return name;
  }

  useSupport(...names: string[]): void {
    for (const name of names) this.#import('../support/codec.js', name);
  }

  useJson(...names: string[]): void {
    for (const name of names) this.#import('../json/index.js', name);
  }

  #import(from: string, name: string): void {
    const names = this.#imports.get(from) ?? new Set();
    this.#imports.set(from, names.add(name));
  }

  get imports(): { from: string; names: string }[] {
    return [...this.#imports]
      .map(([from, names]) => ({ from, names: [...names].sort().join(', ') }))
      .sort((left, right) => (left.from < right.from ? -1 : 1));
  }

  /** `wanted`, or the first numbered name after it that is free; asked in a fixed order, so the numbers are stable. */
  freeName(wanted: string): string {
    let name = wanted;
    for (let number = 2; this.#names.has(name); number++) name = `${wanted}${number}`;
    this.#names.add(name);
    return name;
  }

  /** Name of a constant of the module with this value; equal values share one. */
  constant(prefix: string, value: string): string {
    const known = this.#constantNames.get(value);
    if (known !== undefined) return known;
    const name = this.freeName(`${prefix}$${this.constants.length + 1}`);
    this.constants.push({ name, value });
    this.#constantNames.set(value, name);
    return name;
  }
}

/** True when the value itself may be a number that has to be lowered where it stands. */
export function holdsNumber(shape: Shape, scope: ModuleScope): boolean {
  switch (shape.kind) {
    case 'types':
      return shape.types.includes('number') || shape.types.includes('integer');
    case 'reference':
      return holdsNumber(scope.shapeOf(shape.key), scope);
    case 'every':
    case 'union':
      return subShapes(shape).some((part) => holdsNumber(part, scope));
    default:
      return false;
  }
}
