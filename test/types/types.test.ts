import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const folder = dirname(fileURLToPath(import.meta.url));
const root = join(folder, '../..');

test('type tests hold under strict settings, without DOM and node types', { timeout: 120_000 }, () => {
  const run = spawnSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder], {
    encoding: 'utf8',
  });
  expect(run.stdout).toBe('');
  expect(run.status).toBe(0);
});

test('each assertion about a type has a counterpart that must not compile', () => {
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.test-d.ts'))) {
    expect(readFileSync(join(folder, file), 'utf8'), file).toContain('@ts-expect-error');
  }
});
