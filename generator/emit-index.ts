/** Emits the index modules: everything public, by name. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { catalogueExports } from './emit-catalogue.js';
import type { EmittedFile, Plan } from './model.js';
import { templatesFolder } from './tool.js';

/** What the index gives out of the shared modules besides all of `support/results.ts`, unless a definition has the name. */
const SHARED_TYPES: readonly (readonly [module: string, names: readonly string[]])[] = [
  ['./support/codec.js', ['FromJsonLimits']],
  ['./json/index.js', ['EncodeErrorCode', 'EncodeLimits', 'JsonArray', 'JsonObject', 'JsonValue', 'ParseLimits']],
];
const SHARED_VALUES: readonly (readonly [module: string, names: readonly string[]])[] = [
  ['./json/index.js', ['EncodeError', 'isJsonNumber', 'JsonNumber']],
];

export function emitIndex(plan: Plan): EmittedFile[] {
  return [
    { path: 'types/index.ts', text: starExports(plan, (family) => `./${family}.js`) },
    { path: 'index.ts', text: `${rootExports(plan).join('\n')}\n` },
  ];
}

function starExports(plan: Plan, moduleOf: (family: string) => string): string {
  const families = plan.families.filter(({ definitions }) => definitions.length > 0);
  const lines = families.map(({ name }) => `export type * from '${moduleOf(name)}';`);
  return lines.length === 0 ? 'export {};\n' : `${lines.join('\n')}\n`;
}

function rootExports(plan: Plan): string[] {
  const taken = new Set(plan.definitions.map(({ typeName }) => typeName));
  const free = (names: readonly string[]): string[] => names.filter((name) => !taken.has(name));
  // Names that stand here outrank those that come with a star.
  const lines = [`export type * from './types/index.js';`];
  const catalogue = catalogueExports(plan);
  if (catalogue.values.length > 0) lines.push(`export { ${catalogue.values.join(', ')} } from './catalogue.js';`);
  if (catalogue.types.length > 0) lines.push(`export type { ${catalogue.types.join(', ')} } from './catalogue.js';`);
  for (const family of plan.families) {
    const codecs = family.definitions.flatMap(({ functions, isKnownName }) => [
      ...(functions === null ? [] : [functions.parse, functions.fromJson, functions.encode]),
      ...(isKnownName === null ? [] : [isKnownName]),
    ]);
    const validators = family.definitions.flatMap(({ functions }) => (functions === null ? [] : [functions.validate]));
    if (codecs.length > 0) lines.push(`export { ${codecs.join(', ')} } from './${moduleName(family.codecsFile)}';`);
    if (validators.length > 0)
      lines.push(`export { ${validators.join(', ')} } from './${moduleName(family.validatorsFile)}';`);
  }
  lines.push(`export { codecs } from './codecs/index.js';`);
  for (const [from, names] of SHARED_VALUES) {
    const kept = free(names);
    if (kept.length > 0) lines.push(`export { ${kept.join(', ')} } from '${from}';`);
  }
  for (const [from, names] of [['./support/results.js', resultTypes()] as const, ...SHARED_TYPES]) {
    const kept = free(names);
    if (kept.length > 0) lines.push(`export type { ${kept.join(', ')} } from '${from}';`);
  }
  return lines;
}

/** Types that `support/results.ts` exports. */
function resultTypes(): string[] {
  const text = readFileSync(join(templatesFolder(), 'support', 'results.ts'), 'utf8');
  return [...text.matchAll(/^export (?:type|interface) (\w+)/gm)].flatMap(([, name]) => name ?? []).sort();
}

function moduleName(file: string): string {
  return file.replace(/\.ts$/, '.js');
}
