/** Schema sets for tests of the validators: the project's own, and documents that a test states, in both compiled forms. */

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { check } from '../../generator/check.js';
import { compileDefinitions } from '../../generator/compile.js';
import { emitSupport } from '../../generator/emit-support.js';
import { emitValidators } from '../../generator/emit-validators.js';
import { link } from '../../generator/link.js';
import { load } from '../../generator/load.js';
import { lower } from '../../generator/lower.js';
import type { EmittedFile, JsonObject, LinkedSet, LoadedSet, Plan, Problem } from '../../generator/model.js';
import { plan } from '../../generator/plan.js';
import { kebabCase } from '../../generator/text.js';
import type { ValidationIssue } from '../../generated/support/results.js';

export const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));
export const SCHEMAS = join(REPOSITORY, 'schemas');
const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

/** Either form's verdict; the marks in their types differ. */
export type Verdict =
  { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly issues: readonly ValidationIssue[] };
export type Validate = (value: unknown) => Verdict;
/** Gives the validator of a definition by its name. */
export type Validators = (name: string) => Validate;

interface Manifest {
  readonly documents: Readonly<Record<string, { readonly sha256: string }>>;
  readonly definitions: Readonly<Record<string, { readonly document: string; readonly pointer: string }>>;
}

export function readManifest(): Manifest {
  return JSON.parse(readFileSync(join(SCHEMAS, 'manifest.json'), 'utf8')) as Manifest;
}

/** The documents of the canonical schemas, by path. */
export function readDocuments(): Record<string, JsonObject> {
  return Object.fromEntries(
    Object.keys(readManifest().documents).map((path) => [
      path,
      JSON.parse(readFileSync(join(SCHEMAS, path), 'utf8')) as JsonObject,
    ]),
  );
}

/** The canonical schemas, compiled in memory. */
export function projectValidators(): Validators {
  return inMemory(link(load(SCHEMAS).output).output);
}

/** Documents by file name, each given as JSON text of its `$defs`; every definition is public. */
export function linkDefinitions(documents: Readonly<Record<string, string>>): { set: LinkedSet; problems: Problem[] } {
  const loaded = Object.entries(documents).map(([path, text]) => ({
    path,
    family: kebabCase(path.replace('.json', '')),
    json: { $schema: DIALECT, $defs: JSON.parse(text) as JsonObject },
    sha256: '',
  }));
  const publicNames = new Map(
    loaded.flatMap(({ path, json }) =>
      Object.keys(json.$defs).map((name) => [name, { document: path, pointer: `/$defs/${name}` }] as const),
    ),
  );
  const set: LoadedSet = { protocolVersion: '', documents: loaded, publicNames, catalogue: null, warnings: [] };
  const linked = link(set);
  return { set: linked.output, problems: [...linked.problems] };
}

export function inMemory(set: LinkedSet): Validators {
  const compiled = compileDefinitions(set.definitions);
  return (name) => {
    const key = set.byName.get(name)?.key ?? name;
    return (value) => compiled.validate(key, value);
  };
}

export function planDefinitions(documents: Readonly<Record<string, string>>): Plan {
  const { set, problems } = linkDefinitions(documents);
  const checked = check(set, problems);
  if (checked.output === null) throw new Error(JSON.stringify(checked.problems, null, 2));
  return plan(lower(checked.output), '0.0.0');
}

/** The same documents as emitted modules, bundled, imported from a folder without packages. */
export async function precompiled(documents: Readonly<Record<string, string>>): Promise<Validators> {
  const planned = planDefinitions(documents);
  const files = [...emitSupport(), ...emitValidators(planned)];
  const modules = planned.families.map((family) => `export * from './${family.validatorsFile.replace(/ts$/, 'js')}';`);
  const found = await importEmitted([...files, { path: 'entry.ts', text: modules.join('\n') }]);
  return (name) => found[`validate${name}`] as Validate;
}

async function importEmitted(files: readonly EmittedFile[]): Promise<Record<string, unknown>> {
  const base = join(REPOSITORY, 'test/.tmp');
  mkdirSync(base, { recursive: true });
  const folder = mkdtempSync(join(base, 'validators-'));
  try {
    for (const { path, text } of files) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const outfile = join(folder, 'bundle.mjs');
    await build({ entryPoints: [join(folder, 'entry.ts')], outfile, bundle: true, format: 'esm', logLevel: 'silent' });
    return (await import(pathToFileURL(outfile).href)) as Record<string, unknown>;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Both forms of the same documents, by the name of the form. */
export async function bothForms(documents: Readonly<Record<string, string>>): Promise<[string, Validators][]> {
  return [
    ['in memory', inMemory(linkDefinitions(documents).set)],
    ['precompiled', await precompiled(documents)],
  ];
}
