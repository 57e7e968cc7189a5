import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { afterAll, beforeAll, expect, it } from 'vitest';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ahp-observers-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/**
 * Runs a program beside this file to its end, as plain JavaScript: a loader in the process would keep its event loop
 * busy. One that does not end is stopped after ten seconds.
 */
async function runProgram(name: string): Promise<{ output: string; code: unknown }> {
  const program = join(folder, `${name}.mjs`);
  const source = fileURLToPath(new URL(`./${name}.ts`, import.meta.url));
  buildSync({
    entryPoints: [source],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
  });
  const child = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'], timeout: 10_000 });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
  });
  const [code] = await once(child, 'close');
  return { output, code };
}

it('§3, §4 a process with pending observers and queues exits', async () => {
  expect(await runProgram('pending-observers')).toEqual({ output: 'pending 3, compaction applied\n', code: 0 });
});

it('§4 a process that is idle but alive delivers its observations', async () => {
  expect(await runProgram('idle-observers')).toEqual({ output: 'told a\ntold b\n', code: 0 });
});
