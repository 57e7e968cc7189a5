/** Keeps the digests of manifest.json in step with the documents that it lists. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MANIFEST_FILE } from './inputs.js';
import { sha256OfText } from './tool.js';

interface ManifestDocuments {
  documents: Record<string, { sha256?: string }>;
}

/**
 * Writes the sha256 (over LF line ends) of every listed document into the manifest and gives the paths whose digest
 * changed; with `write: false` it only tells. Throws an `Error` when a listed document is absent.
 */
export function refreshManifestHashes(folder: string, { write = true }: { write?: boolean } = {}): string[] {
  const file = join(folder, MANIFEST_FILE);
  const text = readFileSync(file, 'utf8');
  const manifest = JSON.parse(text) as ManifestDocuments;
  const changed: string[] = [];
  let edited = text;
  for (const [path, entry] of Object.entries(manifest.documents)) {
    const document = join(folder, path);
    if (!existsSync(document)) throw new Error(`${MANIFEST_FILE}: expected the document ${path}, got no such file`);
    const sha256 = sha256OfText(readFileSync(document));
    if (entry.sha256 === sha256) continue;
    // Only the digest is put in, so that the layout of the file stays as its authors have it.
    edited = edited.replace(digestOf(path), (_, before: string) => `${before}${sha256}"`);
    changed.push(path);
  }
  if (write && changed.length > 0) writeFileSync(file, edited);
  return changed;
}

function digestOf(path: string): RegExp {
  const name = JSON.stringify(path).replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`(${name}\\s*:\\s*\\{[^{}]*"sha256"\\s*:\\s*")[^"]*"`);
}
