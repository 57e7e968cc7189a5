/** Who generated: version, digest of the generator's own code, and the versions of the libraries whose output is emitted. */

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

export const TOOL_NAME = 'ahp-toolkit';

/** Libraries whose version shows in the emitted bytes. */
export const OUTPUT_LIBRARIES = ['ajv', 'handlebars', 'json-schema-to-typescript', 'prettier', 'ts-morph'] as const;

export interface ToolIdentity {
  readonly name: string;
  readonly version: string;
  /** sha256 over the generator's TypeScript sources; the same from a checkout and from the built package. */
  readonly generator: string;
  /** Installed version by library name; `null` when it is not installed. */
  readonly libraries: Readonly<Record<string, string | null>>;
}

const here = dirname(fileURLToPath(import.meta.url));
/** Written by the build beside the compiled generator, whose bytes differ from the sources. */
const BUILT_DIGEST = 'source-digest.json';

/** Folder of the package that this module belongs to, from a checkout as well as from `dist/`. */
export function packageRoot(): string {
  for (let folder = here; ; folder = dirname(folder)) {
    const file = join(folder, 'package.json');
    if (existsSync(file) && readJson(file).name === TOOL_NAME) return folder;
    if (dirname(folder) === folder) throw new Error(`expected a package.json of ${TOOL_NAME} above ${here}, got none`);
  }
}

export function templatesFolder(): string {
  return join(packageRoot(), 'templates');
}

export function toolVersion(): string {
  return String(readJson(join(packageRoot(), 'package.json')).version);
}

export function readToolIdentity(): ToolIdentity {
  const built = join(here, BUILT_DIGEST);
  return {
    name: TOOL_NAME,
    version: toolVersion(),
    generator: existsSync(built) ? String(readJson(built).sha256) : digestGeneratorSources(here),
    libraries: Object.fromEntries(OUTPUT_LIBRARIES.map((name) => [name, installedVersion(name)])),
  };
}

/** Digest of all `.ts` files of a generator folder, by path and text with LF line ends. */
export function digestGeneratorSources(folder: string): string {
  const hash = createHash('sha256');
  for (const path of listFiles(folder).filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))) {
    hash.update(`${path}\n${sha256OfText(readFileSync(join(folder, path)))}\n`);
  }
  return hash.digest('hex');
}

/** Lowercase hex sha256 of a text file with CRLF read as LF, so that a checkout's line-ending setting does not show. */
export function sha256OfText(content: Uint8Array | string): string {
  const text = typeof content === 'string' ? content : Buffer.from(content).toString('latin1');
  const lf = text.includes('\r\n') ? text.replaceAll('\r\n', '\n') : text;
  return createHash('sha256')
    .update(lf, typeof content === 'string' ? 'utf8' : 'latin1')
    .digest('hex');
}

/** Posix paths of all files below a folder, sorted by code unit; symbolic links are not followed. */
export function listFiles(folder: string): string[] {
  const found: string[] = [];
  const visit = (current: string): void => {
    for (const entry of readdirSync(current, { withFileTypes: true })) {
      const path = join(current, entry.name);
      if (entry.isDirectory()) visit(path);
      else found.push(relative(folder, path).split(sep).join('/'));
    }
  };
  visit(folder);
  return found.sort();
}

function installedVersion(name: string): string | null {
  for (let folder = here; ; folder = dirname(folder)) {
    const file = join(folder, 'node_modules', name, 'package.json');
    if (existsSync(file)) return String(readJson(file).version);
    if (dirname(folder) === folder) return null;
  }
}

function readJson(file: string): Record<string, unknown> {
  return JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
}
