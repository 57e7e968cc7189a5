/** The input side of the lock: digests of everything that the output depends on. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LockedOptions, LockInputs } from './lock.js';
import { listFiles, readToolIdentity, sha256OfText, templatesFolder } from './tool.js';

export const MANIFEST_FILE = 'manifest.json';

/** Reads and hashes schemas, templates and tool; a listed document that is absent is left out, loading names it. */
export function readLockInputs(schemas: string, options: LockedOptions): LockInputs {
  return {
    tool: readToolIdentity(),
    options,
    schemas: digestFiles(schemas, listSchemaFiles(schemas)),
    templates: digestFiles(templatesFolder(), listFiles(templatesFolder())),
  };
}

/**
 * The files of a schema set, posix paths sorted by code unit: those that manifest.json lists and itself, or without a
 * manifest every `.json` file of the folder.
 */
export function listSchemaFiles(schemas: string): string[] {
  const manifest = join(schemas, MANIFEST_FILE);
  if (existsSync(manifest)) {
    const documents = manifestDocuments(readFileSync(manifest, 'utf8'));
    if (documents !== null) return [MANIFEST_FILE, ...documents].sort();
  }
  return readdirSync(schemas)
    .filter((name) => name.endsWith('.json'))
    .sort();
}

function manifestDocuments(text: string): string[] | null {
  try {
    const value = JSON.parse(text) as { documents?: unknown } | null;
    const documents = value?.documents;
    return typeof documents === 'object' && documents !== null ? Object.keys(documents) : null;
  } catch {
    return null;
  }
}

function digestFiles(folder: string, paths: readonly string[]): Map<string, string> {
  const digests = new Map<string, string>();
  for (const path of paths) {
    const file = join(folder, path);
    if (existsSync(file)) digests.set(path, sha256OfText(readFileSync(file)));
  }
  return digests;
}
