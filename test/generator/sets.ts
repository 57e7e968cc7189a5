import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { check } from '../../generator/check.js';
import { link } from '../../generator/link.js';
import { load } from '../../generator/load.js';
import { lower } from '../../generator/lower.js';
import type { Ir, Problem, Shape } from '../../generator/model.js';
import { temporaryFolder } from '../support/temporary-folder.js';

export const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

/** A folder with these documents; texts are written as they are, objects as JSON. */
export function schemaFolder(documents: Readonly<Record<string, unknown>>): string {
  const folder = temporaryFolder();
  for (const [path, document] of Object.entries(documents)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), typeof document === 'string' ? document : JSON.stringify(document));
  }
  return folder;
}

/** A folder with one document of these definitions. */
export function definitionsFolder(definitions: Readonly<Record<string, unknown>>): string {
  return schemaFolder({ 'set.json': { $schema: DIALECT, $defs: definitions } });
}

/** Everything that is wrong with a folder. */
export function problemsOf(folder: string): readonly Problem[] {
  const loaded = load(folder);
  const linked = link(loaded.output);
  return check(linked.output, [...loaded.problems, ...linked.problems]).problems;
}

/** The intermediate representation of a folder without problems. */
export function lowered(folder: string): Ir {
  const linked = link(load(folder).output);
  const { output, problems } = check(linked.output, []);
  if (output === null) throw new Error(`expected a sound set, got ${JSON.stringify(problems)}`);
  return lower(output).ir;
}

/** The shape of one definition. */
export function shapeOf(definitions: Readonly<Record<string, unknown>>, name: string): Shape {
  const found = lowered(definitionsFolder(definitions)).definitions.find((definition) => definition.name === name);
  if (found === undefined) throw new Error(`expected a definition ${name}, got none`);
  return found.shape;
}
