// Makes a fresh or stale checkout ready: `npm ci` when node_modules does not hold what the lock says, nothing otherwise.

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

const major = Number(process.versions.node.split('.')[0]);
if (major < 20) {
  console.error(`ahp-toolkit needs Node.js 20 or later, this is ${process.versions.node}.`);
  process.exit(2);
}

const reason = whatIsStale();
if (reason !== null) {
  console.error(`Installing the dependencies (${reason}) …`);
  const npm = process.env.npm_execpath;
  const [command, first] = npm?.endsWith('.js') ? [process.execPath, [npm]] : ['npm', []];
  const result = spawnSync(command, [...first, 'ci', '--prefer-offline', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (result.status !== 0) {
    console.error('npm ci failed; its own report stands above.');
    process.exit(result.status ?? 1);
  }
}

/** Why node_modules has to be installed, or null. Optional packages of other platforms may be missing. */
function whatIsStale() {
  const installedFile = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(installedFile)) return 'none are there yet';
  const wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  const installed = JSON.parse(readFileSync(installedFile, 'utf8')).packages;
  for (const [path, entry] of Object.entries(wanted)) {
    if (path === '' || entry.link) continue;
    if (!Object.hasOwn(installed, path)) {
      if (entry.optional || entry.devOptional || entry.peer) continue;
      return `${path} is missing`;
    }
    if (installed[path].version !== entry.version) return `${path} is not ${entry.version}`;
    if (!entry.optional && !existsSync(join(root, path, 'package.json'))) return `${path} is missing`;
  }
  return null;
}
