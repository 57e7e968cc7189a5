/** The generator's libraries are optional peers: those who only use the runtime install none of them. */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { OUTPUT_LIBRARIES, packageRoot } from '../generator/tool.js';
import { UsageError } from './command.js';

/** Throws a `UsageError` that names the missing libraries and the command that installs them. */
export function requireGeneratorLibraries(): void {
  const require = createRequire(import.meta.url);
  const missing = OUTPUT_LIBRARIES.filter((name) => !isInstalled(require, name));
  if (missing.length === 0) return;
  const { peerDependencies } = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as {
    peerDependencies: Record<string, string>;
  };
  const wanted = missing.map((name) => `${name}@${peerDependencies[name] ?? 'latest'}`);
  throw new UsageError(
    `ahp generate needs ${missing.join(', ')}, which the runtime does without; install with\n` +
      `  npm install --save-dev ${wanted.map((spec) => `'${spec}'`).join(' ')}`,
  );
}

function isInstalled(require: NodeJS.Require, name: string): boolean {
  try {
    require.resolve(name);
    return true;
  } catch (error) {
    // A package that can only be imported is there all the same.
    return !(error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND');
  }
}
