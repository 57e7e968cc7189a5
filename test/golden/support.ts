import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { generate } from '../../generator/generate.js';
import type { EmittedFile } from '../../generator/model.js';
import { listFiles } from '../../generator/tool.js';

const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));
const TSC = join(REPOSITORY, 'node_modules', 'typescript', 'bin', 'tsc');

/** Settings that other people's projects may have: no node types, no DOM, everything strict. */
const STRICT_SETTINGS = {
  compilerOptions: {
    target: 'es2022',
    lib: ['es2022'],
    types: [],
    module: 'nodenext',
    moduleResolution: 'nodenext',
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noImplicitOverride: true,
    noUnusedLocals: true,
    noUnusedParameters: true,
    isolatedModules: true,
    verbatimModuleSyntax: true,
    erasableSyntaxOnly: true,
    declaration: true,
    outDir: 'built',
    rootDir: '.',
  },
};

/** What a compiled folder gives out, by name. */
export type Functions = Readonly<Record<string, (input: unknown) => unknown>>;

/** Everything that a schema folder generates, with the intermediate representation. */
export function generateFolder(schemas: string): Promise<EmittedFile[]> {
  return generate(schemas, { emitIr: true });
}

/** The part of the output that differs between schema sets, without machine code, which is judged by what it does. */
export function specificFiles(files: readonly EmittedFile[]): Map<string, string> {
  const aside = ['json/', 'support/', 'validators/compiled/', 'ir.schema.json'];
  const specific = files.filter(({ path }) => !aside.some((start) => path.startsWith(start)));
  return new Map(specific.map(({ path, text }) => [path, text]));
}

/** The committed files, by path; after a wanted change they are written anew with UPDATE_GOLDEN=1. */
export function readExpected(folder: string, now: ReadonlyMap<string, string>): Map<string, string> {
  if (process.env['UPDATE_GOLDEN'] === '1') {
    rmSync(folder, { recursive: true, force: true });
    writeFiles(folder, now);
  }
  if (!existsSync(folder)) return new Map();
  return new Map(
    listFiles(folder).map((path) => [path, readFileSync(join(folder, path), 'utf8').replaceAll('\r\n', '\n')]),
  );
}

/** Loads a module of a folder that was compiled. */
export async function load(folder: string, entry: string): Promise<Functions> {
  return (await import(/* @vite-ignore */ pathToFileURL(join(folder, 'built', `${entry}.js`)).href)) as Functions;
}

/** Writes the folder out alone and compiles it under strict settings; rejects with what the compiler says. */
export async function compile(folder: string, files: readonly EmittedFile[]): Promise<void> {
  writeFiles(folder, new Map(files.map(({ path, text }) => [path, text])));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n');
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(STRICT_SETTINGS));
  try {
    await promisify(execFile)(process.execPath, [TSC, '-p', folder]);
  } catch (error) {
    throw new Error(`expected a folder that compiles, got ${String((error as { stdout?: string }).stdout)}`);
  }
}

function writeFiles(folder: string, files: ReadonlyMap<string, string>): void {
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}
