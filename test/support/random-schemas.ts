/** Small random schemas, and values near to them, for comparing validators on more than the schemas at hand. */

type Schema = boolean | Record<string, unknown>;

const NAMES = ['a', 'b', 't', 'toString', '__proto__'];
const TEXTS = ['x', 'y', 'z', ''];
const SCALARS: readonly unknown[] = [null, true, false, 0, 1, 2, 1.5, 'x', 'y', 'z', '', 'long text'];
const TYPES = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];

function tagIs(text: string): Schema {
  return { properties: { t: { const: text } }, required: ['t'] };
}

function conditional(condition: Schema, consequence: Schema): Record<string, unknown> {
  return Object.fromEntries([
    ['if', condition],
    ['then', consequence],
  ]);
}

export class RandomSchemas {
  readonly #random: () => number;
  readonly #references: readonly string[];

  constructor(random: () => number, references: readonly string[]) {
    this.#random = random;
    this.#references = references;
  }

  #pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.#random() * list.length)] as T;
  }

  #chance(probability: number): boolean {
    return this.#random() < probability;
  }

  #list<T>(most: number, make: () => T): T[] {
    return Array.from({ length: 1 + Math.floor(this.#random() * most) }, make);
  }

  #names(most: number): string[] {
    return [...new Set(this.#list(most, () => this.#pick(NAMES)))];
  }

  /** A schema with a few keywords; references lead only to definitions that refer no further in place. */
  schema(depth: number): Schema {
    if (this.#chance(0.04)) return this.#chance(0.7);
    const schema: Record<string, unknown> = {};
    const add: (() => void)[] = [
      () =>
        (schema.type = this.#chance(0.8) ? this.#pick(TYPES) : [...new Set(this.#list(3, () => this.#pick(TYPES)))]),
      () => (schema.const = this.#pick(SCALARS)),
      () => (schema.enum = [...new Set(this.#list(4, () => this.#pick(SCALARS)))]),
      () => (schema.minLength = this.#pick([0, 1, 2])),
      () => (schema.minimum = this.#pick([0, 1])),
      () => (schema.multipleOf = this.#pick([0.5, 1])),
    ];
    if (depth > 0) add.push(...this.#nested(schema, depth - 1));
    for (const write of this.#list(4, () => this.#pick(add))) write();
    return schema;
  }

  /** A union whose branches mostly have a constant tag. */
  union(depth: number): Schema {
    const branch = (): Schema => {
      if (this.#chance(0.15)) return this.schema(depth);
      const inner = this.schema(depth);
      const extra = typeof inner === 'boolean' ? {} : inner;
      const properties = { ...(extra.properties as object | undefined), t: this.#tag() };
      const tagged: Record<string, unknown> = { ...extra, properties };
      if (this.#chance(0.85)) tagged.type = 'object';
      if (this.#chance(0.8)) tagged.required = ['t'];
      return tagged;
    };
    const more = this.#chance(0.3) ? { unevaluatedProperties: this.#chance(0.2) } : {};
    return { [this.#pick(['oneOf', 'anyOf'])]: this.#list(4, branch), ...more };
  }

  #tag(): Schema {
    return this.#chance(0.8)
      ? { const: this.#pick(TEXTS) }
      : { enum: [...new Set(this.#list(2, () => this.#pick(TEXTS)))] };
  }

  #nested(schema: Record<string, unknown>, depth: number): (() => void)[] {
    const map = (): Record<string, Schema> =>
      Object.fromEntries(this.#names(3).map((name) => [name, this.#chance(0.3) ? this.#tag() : this.schema(depth)]));
    return [
      () => (schema.properties = map()),
      () => (schema.properties = map()),
      () => (schema.required = this.#names(2)),
      () => (schema.patternProperties = { [this.#pick(['^a', 'b', '__proto__'])]: this.schema(depth) }),
      () => (schema.additionalProperties = this.schema(depth)),
      () => (schema.unevaluatedProperties = this.#chance(0.2)),
      () => (schema.propertyNames = { enum: this.#names(4) }),
      () => (schema.minProperties = this.#pick([0, 1, 2])),
      () => (schema.items = this.schema(depth)),
      () => (schema.prefixItems = this.#list(2, () => this.schema(depth))),
      () => (schema.contains = this.schema(depth)),
      () => (schema.uniqueItems = true),
      () => (schema.not = this.schema(depth)),
      () => (schema.allOf = this.#list(3, () => this.schema(depth))),
      () => (schema.allOf = this.#cases(depth)),
      () => Object.assign(schema, this.union(depth)),
      () => Object.assign(schema, conditional(this.schema(depth), this.schema(depth)), { else: this.schema(depth) }),
      () => Object.assign(schema, conditional(tagIs('x'), this.schema(depth))),
      () => (schema.dependentSchemas = { [this.#pick(NAMES)]: this.schema(depth) }),
      () => (schema.dependentRequired = { [this.#pick(['a', 'b', 't'])]: this.#names(2) }),
      () => {
        if (this.#references.length > 0) schema.$ref = this.#pick(this.#references);
      },
    ];
  }

  /** Conditions on one constant, of which the compiler makes a choice. */
  #cases(depth: number): Schema[] {
    return ['x', 'y', 'z'].map((text) => conditional(tagIs(text), this.schema(depth)));
  }

  value(depth: number): unknown {
    const kind = this.#random();
    if (depth > 0 && kind < 0.6) {
      const entries = this.#names(4).map((name): [string, unknown] => [
        name,
        name === 't' && this.#chance(0.8) ? this.#pick(TEXTS) : this.value(depth - 1),
      ]);
      return Object.fromEntries(this.#chance(0.1) ? [] : entries);
    }
    if (depth > 0 && kind < 0.75) return this.#chance(0.2) ? [] : this.#list(3, () => this.value(depth - 1));
    return this.#pick(SCALARS);
  }
}
