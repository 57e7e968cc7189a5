/** Emits the types of schema documents that a test states, and compiles them with code that uses them. */

import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { check } from '../../generator/check.js';
import { emitTypes } from '../../generator/emit-types.js';
import { link } from '../../generator/link.js';
import { load } from '../../generator/load.js';
import { lower } from '../../generator/lower.js';
import type { EmittedFile } from '../../generator/model.js';
import { plan } from '../../generator/plan.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

/** JSON texts rather than objects: a member `__proto__` is one only there. */
export type Documents = Readonly<Record<string, string>>;

/** The document with these `$defs`. */
export function document(definitions: string): string {
  return `{"$schema": "${DIALECT}", "title": "Case", "$defs": ${definitions}}`;
}

/** Runs the phases up to the types in a folder of its own, which is gone afterwards. */
export async function emit(documents: Documents): Promise<EmittedFile[]> {
  return inFolder(async (folder) => {
    for (const [name, text] of Object.entries(documents)) writeFileSync(join(folder, name), text);
    const loaded = load(folder);
    const linked = link(loaded.output);
    const checked = check(linked.output, [...loaded.problems, ...linked.problems]);
    if (checked.output === null) throw new Error(JSON.stringify(checked.problems, null, 2));
    return emitTypes(plan(lower(checked.output), '0.0.0'));
  });
}

/** Emitted types and the code `use.ts` that uses them. */
export interface Program {
  readonly files: readonly EmittedFile[];
  readonly use: string;
}

/**
 * What `tsc` says of each program under strict settings, without DOM and node types; empty when all is well. All are
 * compiled in one run.
 */
export async function compile(programs: readonly Program[]): Promise<string[]> {
  return inFolder(async (folder) => {
    for (const [index, { files, use }] of programs.entries()) {
      const own = join(folder, `p${index}`);
      for (const { path, text } of [...files, { path: 'use.ts', text: use }]) {
        mkdirSync(dirname(join(own, path)), { recursive: true });
        writeFileSync(join(own, path), text);
      }
      cpSync(join(root, 'templates/support/json'), join(own, 'json'), { recursive: true });
      mkdirSync(join(own, 'support'), { recursive: true });
      cpSync(join(root, 'templates/support/results.ts'), join(own, 'support/results.ts'));
    }
    const compilerOptions = {
      target: 'es2022',
      lib: ['es2023'],
      types: [],
      module: 'nodenext',
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      isolatedModules: true,
      erasableSyntaxOnly: true,
      verbatimModuleSyntax: true,
      noEmit: true,
    };
    writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['**/*.ts'] }));
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const run = spawnSync(process.execPath, [tsc, '-p', folder, '--pretty', 'false'], { encoding: 'utf8' });
    const lines = (run.stdout + run.stderr).split('\n');
    const found = programs.map((_, index) => lines.filter((line) => line.includes(`/p${index}/`)).join('\n'));
    if (run.status !== 0 && found.every((text) => text === '')) throw new Error(run.stdout + run.stderr);
    return found;
  });
}

/** The text of one declaration, its comment included, with runs of blanks as one. */
export function declaration(files: readonly EmittedFile[], name: string): string {
  for (const { text } of files) {
    const blocks = text.split(/\n\n(?=\/\*\*)/);
    const block = blocks.find((one) => new RegExp(`^export (?:type|interface) ${name}\\b`, 'm').test(one));
    if (block !== undefined) return block.replace(/\s+/g, ' ').trim();
  }
  return '';
}

async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const base = join(root, 'test/.tmp');
  mkdirSync(base, { recursive: true });
  const folder = mkdtempSync(join(base, 'types-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
