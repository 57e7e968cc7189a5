import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const TSC = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));
const PROJECT = fileURLToPath(new URL('./tsconfig.types.json', import.meta.url));

test('events, outcomes and targets are typed by name', { timeout: 120_000 }, () => {
  const run = spawnSync(process.execPath, [TSC, '-p', PROJECT], { encoding: 'utf8' });
  expect(run.stdout).toBe('');
  expect(run.status).toBe(0);
  expect(readFileSync(new URL('./types.test-d.ts', import.meta.url), 'utf8')).toContain('@ts-expect-error');
});
