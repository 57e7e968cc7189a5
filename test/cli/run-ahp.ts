import { spawn, type SpawnOptions } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { repositoryRoot } from '../repository/repository-files.js';

export interface Result {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const entry = join(repositoryRoot, 'cli', 'ahp.ts');
/** Resolved from here, so that the child may run in any folder. */
const loader = pathToFileURL(join(repositoryRoot, 'node_modules', 'tsx', 'dist', 'esm', 'index.mjs')).href;

/** Arguments of a Node process that runs the command from source. */
export function ahpArguments(args: readonly string[]): string[] {
  return ['--import', loader, entry, ...args];
}

/** Runs the command as a process of its own. */
export async function runAhp(
  args: readonly string[],
  options: SpawnOptions & { readonly input?: string | Uint8Array } = {},
): Promise<Result> {
  const { input = '', ...rest } = options;
  const child = spawn(process.execPath, ahpArguments(args), { cwd: repositoryRoot, ...rest, stdio: 'pipe' });
  // A child that does not read its input has left by itself; its exit code tells.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const exit = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), exit]);
  return { code, stdout, stderr };
}
