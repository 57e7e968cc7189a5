import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.js';

it('§7 the spool leaves nothing behind when its process is killed', async () => {
  const directory = temporaryFolder();
  const program = join(import.meta.dirname, 'support/hold-spool.ts');
  const child = spawn(process.execPath, ['--import', 'tsx', program, directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  try {
    const [said] = (await once(child.stdout, 'data')) as [Buffer];
    expect(String(said)).toBe('3000000\n');
    expect(readdirSync(directory)).toEqual([]);
  } finally {
    child.kill('SIGKILL');
    await exited;
  }
  expect(readdirSync(directory)).toEqual([]);
});
