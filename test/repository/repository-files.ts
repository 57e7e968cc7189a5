import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listFiles } from '../../generator/tool.js';

export const repositoryRoot = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Posix paths of the files that belong to the repository: tracked ones and new ones that are not ignored. */
export function repositoryFiles(): string[] {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const git = spawnSync('git', args, { cwd: repositoryRoot, encoding: 'utf8' });
  const found =
    git.status === 0
      ? git.stdout.split('\0').filter((path) => path !== '')
      : listFiles(repositoryRoot).filter((path) => !/(?:^|\/)(?:node_modules|dist|\.git|\.tmp|coverage)\//.test(path));
  return found.filter((path) => existsSync(join(repositoryRoot, path)));
}

export function readRepositoryFile(path: string): string {
  return readFileSync(join(repositoryRoot, path), 'utf8');
}
