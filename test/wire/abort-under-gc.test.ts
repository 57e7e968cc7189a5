import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const PROGRAM = fileURLToPath(new URL('./support/wait-under-gc.ts', import.meta.url));

it('time-outs that the host gives as a signal fire although memory is collected meanwhile', () => {
  const args = ['--expose-gc', '--import', 'tsx', PROGRAM];
  const run = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 20_000 });
  expect(run.stdout.trim()).toBe('TimeoutError,TimeoutError');
});
