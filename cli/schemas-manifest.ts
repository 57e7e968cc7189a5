/** `npm run schemas:manifest`: refreshes the digests in schemas/manifest.json after an edit of a document. */

import { refreshManifestHashes } from '../generator/manifest-hashes.js';

const folder = process.argv[2] ?? 'schemas';
const changed = refreshManifestHashes(folder);
process.stdout.write(
  changed.length === 0 ? 'manifest.json is up to date\n' : `manifest.json: new digest of ${changed.join(', ')}\n`,
);
