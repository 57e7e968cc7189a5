import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import { repositoryRoot } from '../../repository/repository-files.js';

export const backendModule = join(import.meta.dirname, 'backend.mjs');

/** The command in one file, so that processes that are started often start fast. */
export interface BuiltCommand {
  readonly entry: string;
  remove(): void;
}

/** Bundles `ahp serve` from source into a folder of its own inside the repository's scratch space. */
export async function buildServe(): Promise<BuiltCommand> {
  const folder = mkdtempSync(join(repositoryRoot, 'node_modules', '.ahp-serve-'));
  const entry = join(folder, 'serve.mjs');
  await build({
    stdin: {
      contents: `
        import { readArguments } from './cli/command.js';
        import { serveCommand } from './cli/serve.js';
        process.exitCode = await serveCommand.run(readArguments(process.argv.slice(2), serveCommand.options));`,
      resolveDir: repositoryRoot,
      loader: 'ts',
    },
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    outfile: entry,
    logLevel: 'error',
  });
  return { entry, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** A process of `ahp serve` over HTTP. */
export interface ServeProcess {
  readonly child: ChildProcessWithoutNullStreams;
  readonly hooks: string;
  readonly content: string;
  readonly exited: Promise<number | null>;
  kill(signal?: NodeJS.Signals): Promise<number | null>;
}

/** Starts Node with `nodeArguments` and waits for the line that says where it listens. */
export async function startServe(nodeArguments: readonly string[]): Promise<ServeProcess> {
  const child = spawn(process.execPath, nodeArguments, { cwd: repositoryRoot, stdio: 'pipe' });
  const errors: Buffer[] = [];
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
  const exited = once(child, 'exit').then(([code]) => code as number | null);
  const lines = createInterface({ input: child.stdout });
  const line = await Promise.race([
    once(lines, 'line').then(([text]) => text as string),
    exited.then((code) => {
      throw new Error(`ahp serve ended with ${code}: ${Buffer.concat(errors).toString()}`);
    }),
  ]);
  const { hooks, content } = JSON.parse(line) as { hooks: string; content: string };
  const kill = (signal: NodeJS.Signals = 'SIGKILL'): Promise<number | null> => {
    child.kill(signal);
    return exited;
  };
  return { child, hooks, content, exited, kill };
}
