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
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as ManifestDocuments;
  const changed: string[] = [];
  for (const [path, entry] of Object.entries(manifest.documents)) {
    const document = join(folder, path);
    if (!existsSync(document)) throw new Error(`${MANIFEST_FILE}: expected the document ${path}, got no such file`);
    const sha256 = sha256OfText(readFileSync(document));
    if (entry.sha256 === sha256) continue;
    entry.sha256 = sha256;
    changed.push(path);
  }
  if (write && changed.length > 0) writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`);
  return changed;
}
