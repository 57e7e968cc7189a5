import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const MODULE = new URL('./support/memory.ts', import.meta.url).href;
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

it('§7 bodies are freed when the last delivery of their event has ended', { timeout: 180_000 }, () => {
  const program = `const { measureGrowth } = await import(${JSON.stringify(MODULE)}); console.log(await measureGrowth(300));`;
  const args = ['--expose-gc', '--import', 'tsx', '--input-type=module', '-e', program];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    cwd: ROOT,
    timeout: 150_000,
  });
  expect([stderr, status]).toEqual(['', 0]);
  // The two bodies of each call would be 60 MB, had they stayed.
  expect(Number(stdout)).toBeLessThan(20_000_000);
});
