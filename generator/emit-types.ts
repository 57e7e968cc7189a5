/**
 * Emits `types/<family>.ts`: every definition as a TypeScript type. Schemas become shapes (`types/read-schema`), shapes
 * become text by json-schema-to-typescript (`types/to-printable`), text is shaped by ts-morph (`types/arrange`).
 *
 * Rules of the types:
 * - members and lists are read-only: parsed values are frozen and shared; plain literals still fit;
 * - an enum of several values is open, `'a' | 'b' | (string & {})`, since codecs keep unknown strings; a constant, and an
 *   enum of one value, is exact;
 * - a closed object has its members alone; an open one has `[member: string]: unknown`; where other members have a type,
 *   the index signature is that type and the types of the named members;
 * - any JSON is `JsonValue`, an open object without named members `JsonObject`;
 * - a union whose codec keeps unknown tags is `KnownX | UnknownX`; only decoding makes an `UnknownX`, of which the tag
 *   alone is typed; beside open objects it is open too, else `'name' in value` opens the others;
 * - `?: never` marks a member that validation forbids; bounds, patterns and conditions are not in the types.
 */

import { compile } from 'json-schema-to-typescript';
import { GenerateError } from './generate-error.js';
import type { EmittedFile, Place, Plan, PlannedDefinition, PlannedFamily, Problem } from './model.js';
import { docComment, stringLiteral } from './text.js';
import { arrange, type Declaration } from './types/arrange.js';
import { describeType } from './types/describe.js';
import { knownName, splitKnown, unknownName } from './types/known.js';
import { type NamedShapes, readShapes } from './types/read-schema.js';
import { ANY, type TypeShape, unite } from './types/shape.js';
import { PrintableSchemas, type SupportNames } from './types/to-printable.js';

/** A type to print, with the comment that stands over it. */
interface TypeEntry {
  readonly name: string;
  readonly family: PlannedFamily;
  readonly shape: TypeShape;
  readonly doc: readonly string[];
  /** Where its definition stands; null for the types that are made for a union's variants. */
  readonly place: Place | null;
}

const BUNDLE = 'BundleOfAllTypes';

/** One file per family, without header and not yet formatted. */
export async function emitTypes(plan: Plan): Promise<EmittedFile[]> {
  const read = readShapes(plan);
  const entries = plan.families.flatMap((family) =>
    family.definitions.flatMap((planned) => entriesOf(planned, family, plan, read)),
  );
  const byName = new Map(entries.map(({ name, shape }) => [name, shape]));
  const names = new Set(entries.map(({ name }) => name));
  requireDifferentNames(entries);
  const support = supportNames(names);
  const printer = new PrintableSchemas(support, { ...read, resolve: (name) => byName.get(name) ?? ANY });
  const definitions = Object.fromEntries(
    entries.map(({ name, shape }) => {
      const title = printer.typeNames.of(name);
      return [title, { ...printer.printDefinition(shape), title }];
    }),
  );
  const printed = await compile({ $defs: definitions }, BUNDLE, {
    bannerComment: '',
    format: false,
    unknownAny: true,
    unreachableDefinitions: true,
    ignoreMinAndMaxItems: true,
    additionalProperties: true,
    strictIndexSignatures: false,
  });
  const declarations = arrange(printed, printer, BUNDLE);
  return plan.families.map((family) => ({
    path: family.typesFile,
    text: printFamily(family, entries, declarations, support),
  }));
}

function entriesOf(planned: PlannedDefinition, family: PlannedFamily, plan: Plan, read: NamedShapes): TypeEntry[] {
  const { typeName } = planned;
  const shape = read.resolve(typeName);
  const doc = describeType(planned.definition);
  const { place } = planned.definition;
  if (!planned.ir.hasUnknownVariant) return [{ name: typeName, family, shape, doc, place }];
  const withUnknown = new Set(plan.definitions.filter((one) => one.ir.hasUnknownVariant).map((one) => one.typeName));
  const { known, unknown } = splitKnown(shape, (name) => withUnknown.has(name), read);
  const union = unite([
    { kind: 'named', name: knownName(typeName) },
    { kind: 'named', name: unknownName(typeName) },
  ]);
  const guard = planned.isKnownName;
  const told = guard === null ? '' : ` \`${guard}\` tells them from the others.`;
  return [
    { name: typeName, family, shape: union, doc, place },
    {
      name: knownName(typeName),
      family,
      shape: known,
      place: null,
      doc: [`The variants of \`${typeName}\` that this revision knows.${told}`, ...doc.slice(-1)],
    },
    {
      name: unknownName(typeName),
      family,
      shape: unknown,
      place: null,
      doc: [`A value of \`${typeName}\` whose tag this revision does not know, kept whole.`, ...doc.slice(-1)],
    },
  ];
}

/** A definition called `KnownX` beside a union `X` that has a type of that name. */
function requireDifferentNames(entries: readonly TypeEntry[]): void {
  const problems: Problem[] = [];
  const seen = new Map<string, TypeEntry>();
  for (const entry of entries) {
    const other = seen.get(entry.name);
    seen.set(entry.name, entry);
    if (other === undefined) continue;
    const [made, stated] = entry.place === null ? [entry, other] : [other, entry];
    problems.push({
      code: 'name-collision',
      place: stated.place ?? { document: made.family.document.path, pointer: '' },
      rule: 'No definition has the name of a type that is made for another one',
      message: `${JSON.stringify(entry.name)} is also made for the variants of a union`,
    });
  }
  if (problems.length > 0) throw new GenerateError(problems);
}

/** A definition called `JsonValue` keeps its name; the imported type steps aside. */
function supportNames(taken: ReadonlySet<string>): SupportNames {
  const free = (name: string): string => (taken.has(name) ? `${name}$` : name);
  return {
    jsonValue: free('JsonValue'),
    jsonObject: free('JsonObject'),
    unknownVariant: free('UnknownVariant'),
  };
}

function printFamily(
  family: PlannedFamily,
  entries: readonly TypeEntry[],
  declarations: ReadonlyMap<string, Declaration>,
  support: SupportNames,
): string {
  const own = entries.filter((entry) => entry.family === family);
  const uses = new Set<string>();
  const blocks = own.map(({ name, doc }) => {
    const declaration = declarations.get(name);
    if (declaration === undefined) throw new Error(`types: expected a type ${name}, got none`);
    for (const used of declaration.uses) uses.add(used);
    return `${docComment(doc)}\n${declaration.text}`;
  });
  const imports: string[] = [];
  const addImport = (names: readonly string[], path: string): void => {
    if (names.length > 0) imports.push(`import type { ${names.join(', ')} } from ${stringLiteral(path)};`);
  };
  const aliased = (name: string, local: string): string[] =>
    uses.has(local) ? [local === name ? name : `${name} as ${local}`] : [];
  addImport(
    [...aliased('JsonObject', support.jsonObject), ...aliased('JsonValue', support.jsonValue)],
    '../json/index.js',
  );
  const byFile = new Map<string, string[]>();
  for (const entry of entries) {
    if (entry.family === family || !uses.has(entry.name)) continue;
    byFile.set(entry.family.typesFile, [...(byFile.get(entry.family.typesFile) ?? []), entry.name]);
  }
  for (const [file, names] of byFile)
    addImport(names.sort(), `./${file.split('/').at(-1)?.replace(/\.ts$/, '.js') ?? file}`);
  addImport(aliased('UnknownVariant', support.unknownVariant), '../support/results.js');
  return `${imports.join('\n')}\n\n${blocks.join('\n\n')}\n`;
}
