import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

/** Runs a program beside this file to its end. One that does not end fails the test and is stopped. */
async function runProgram(name: string): Promise<{ output: string; code: unknown }> {
  const program = fileURLToPath(new URL(name, import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: 20_000,
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
  });
  const [code] = await once(child, 'close');
  return { output, code };
}

it('§3, §4 a process with pending observers and queues exits', async () => {
  expect(await runProgram('./pending-observers.ts')).toEqual({
    output: 'pending 3, compaction applied\n',
    code: 0,
  });
});

it('§4 a process that is idle but alive delivers its observations', async () => {
  expect(await runProgram('./idle-observers.ts')).toEqual({ output: 'told a\ntold b\n', code: 0 });
});
