// Builds dist/: TypeScript output, plus the digest of the generator's sources, whose bytes differ once compiled.

import { spawnSync } from 'node:child_process';
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, 'dist');

rmSync(dist, { recursive: true, force: true });
const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
const result = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' });
if (result.status !== 0) process.exit(result.status ?? 1);

const { digestGeneratorSources } = await import(pathToFileURL(join(dist, 'generator', 'tool.js')).href);
const sha256 = digestGeneratorSources(join(root, 'generator'));
writeFileSync(join(dist, 'generator', 'source-digest.json'), `${JSON.stringify({ sha256 })}\n`);
chmodSync(join(dist, 'cli', 'ahp.js'), 0o755);
