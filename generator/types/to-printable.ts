/**
 * Puts shapes into the part of JSON Schema that json-schema-to-typescript reads without loss. What it has no word for
 * (open enums, tuples with optional elements, read-only lists) goes through as marks that `arrange` takes out again.
 */

import type { JSONSchema } from 'json-schema-to-typescript';
import type { Json } from '../model.js';
import { isList, propertyKey, stringLiteral } from '../text.js';
import { type MemberType, type Names, type ObjectType, type TypeShape, unite, type ValuesType } from './shape.js';

/** Union member that marks an optional element of a tuple. */
export const OPTIONAL_MARK = 'OPTIONAL$';

/** Names of things that every emitted family may import; a definition of the same name gets precedence. */
export interface SupportNames {
  readonly jsonValue: string;
  readonly jsonObject: string;
  readonly unknownVariant: string;
}

/** Stands for names in the printed text, so that no name meets the printer's own rules of case, digits and quotes. */
export class Placeholders {
  readonly #prefix: string;
  readonly #byName = new Map<string, string>();
  readonly #names = new Map<string, string>();

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  of(name: string): string {
    let placeholder = this.#byName.get(name);
    if (placeholder === undefined) {
      // The closing letter tells `T1X` from a `T1X1` that the printer numbered.
      placeholder = `${this.#prefix}${this.#byName.size}X`;
      this.#byName.set(name, placeholder);
      this.#names.set(placeholder, name);
    }
    return placeholder;
  }

  nameOf(placeholder: string): string | undefined {
    return this.#names.get(placeholder);
  }
}

/** Makes printable schemas. */
export class PrintableSchemas {
  readonly memberNames = new Placeholders('m');
  readonly typeNames = new Placeholders('T');
  readonly #support: SupportNames;
  readonly #names: Names;

  constructor(support: SupportNames, names: Names) {
    this.#support = support;
    this.#names = names;
  }

  /** A whole definition; an object that adds to a named one extends it instead of repeating its members. */
  printDefinition(shape: TypeShape): JSONSchema {
    if (shape.kind === 'named') return { allOf: [this.print(shape)] };
    if (shape.kind !== 'object' || shape.base === undefined) return this.print(shape);
    const base = this.#names.resolve(shape.base);
    if (base.kind !== 'object' || base.extras !== shape.extras) return this.print(shape);
    const own = new Map([...shape.members].filter(([name, member]) => base.members.get(name) !== member));
    // The printer's own type says that `extends` is a list of names; it reads schemas there.
    const heritage: object = { extends: { $ref: `#/$defs/${this.typeNames.of(shape.base)}` } };
    return { ...this.#printObject({ ...shape, members: own }, true), ...heritage };
  }

  print(shape: TypeShape): JSONSchema {
    switch (shape.kind) {
      case 'any':
        return { tsType: this.#support.jsonValue };
      case 'never':
        return { tsType: 'never' };
      case 'primitive':
        return { type: shape.name };
      case 'values':
        return { tsType: `(${valuesType(shape)})` };
      case 'prefixed':
        return { tsType: `\`${shape.prefix}\${string}\`` };
      case 'named':
        return { $ref: `#/$defs/${this.typeNames.of(shape.name)}` };
      case 'union':
        return { anyOf: this.#withoutSwallowing(shape.arms).map((arm) => this.print(arm)) };
      case 'unknown-variant':
        return {
          tsType: `(${this.#support.unknownVariant} & { ${propertyKey(shape.tag)}: string${shape.isOpen ? '; [member: string]: unknown' : ''} })`,
        };
      case 'list':
        return this.#printList(shape.prefix, shape.minItems, shape.rest);
      case 'object':
        return this.#printObject(shape);
    }
  }

  #printList(prefix: readonly TypeShape[], minItems: number, rest: TypeShape | null): JSONSchema {
    if (prefix.length === 0) {
      return { type: 'array', items: rest === null ? { tsType: 'never' } : this.print(rest) };
    }
    const items = prefix.map((part, index) =>
      index < minItems ? this.print(part) : { anyOf: [{ tsType: OPTIONAL_MARK }, this.print(part)] },
    );
    return { type: 'array', items, additionalItems: rest === null ? false : this.print(rest) };
  }

  #printObject(shape: ObjectType, isDerived = false): JSONSchema {
    if (!isDerived && shape.members.size === 0 && shape.extras === 'open') return { tsType: this.#support.jsonObject };
    const properties: Record<string, JSONSchema> = {};
    const required: string[] = [];
    for (const [name, member] of shape.members) {
      const placeholder = this.memberNames.of(name);
      properties[placeholder] = this.#printMember(member);
      if (member.isRequired) required.push(placeholder);
    }
    return { type: 'object', properties, required, additionalProperties: isDerived ? false : this.#printExtras(shape) };
  }

  #printMember(member: MemberType): JSONSchema {
    const printed = this.print(member.shape);
    if (member.doc.length === 0) return printed;
    const description = member.doc.join('\n');
    // A $ref with neighbours would be printed as a type of its own.
    return '$ref' in printed ? { allOf: [printed], description } : { ...printed, description };
  }

  /** TypeScript wants named members to fit the index signature, so that takes their types too. */
  #printExtras(shape: ObjectType): JSONSchema | boolean {
    if (shape.extras === 'closed') return false;
    if (shape.extras === 'open') return { tsType: 'unknown' };
    return this.print(unite([shape.extras, ...[...shape.members.values()].map((member) => member.shape)]));
  }

  /** Plain `string` beside an open enum would swallow the known values and with them the autocompletion. */
  #withoutSwallowing(arms: readonly TypeShape[]): readonly TypeShape[] {
    const isPlain = (arm: TypeShape): boolean => arm.kind === 'primitive' && arm.name === 'string';
    const targets = new Map(arms.map((arm) => [arm, arm.kind === 'named' ? this.#names.resolve(arm.name) : arm]));
    if (![...targets.values()].some(isOpenEnum)) return arms;
    return arms.filter((arm) => !isPlain(targets.get(arm) ?? arm));
  }
}

/** An enum of several values with a string among them: codecs keep other strings (Semantics §1). */
function isOpenEnum(shape: TypeShape): boolean {
  return shape.kind === 'values' && shape.values.length > 1 && shape.values.some((value) => typeof value === 'string');
}

function valuesType(shape: ValuesType): string {
  const literals = [...new Set(shape.values.map(literalType))];
  return [...literals, ...(isOpenEnum(shape) ? ['(string & {})'] : [])].join(' | ');
}

function literalType(value: Json): string {
  if (typeof value === 'string') return stringLiteral(value);
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : 'number';
  if (value === null || typeof value !== 'object') return String(value);
  if (isList(value)) return `[${value.map(literalType).join(', ')}]`;
  const members = Object.entries(value).map(([name, member]) => `${propertyKey(name)}: ${literalType(member)}`);
  return `{ ${members.join('; ')} }`;
}
