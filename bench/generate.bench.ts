/* The command as a process: full generation into a new folder, and a check of a folder that is current. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { BenchTable } from './support/table.js';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..');
const command = [
  join(root, 'node_modules', 'tsx', 'dist', 'cli.mjs'),
  join(root, 'cli', 'ahp.ts'),
  'generate',
  '--quiet',
];

export async function tables(): Promise<readonly BenchTable[]> {
  const folder = mkdtempSync(join(tmpdir(), 'ahp-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const current = join(folder, 'current');
  await run(process.execPath, [...command, '--out', current]);
  let count = 0;
  return [
    {
      title: 'the generator as a process, from source',
      note: 'The baseline is a timer of 100 ms, so that ratios are tenths of a second.',
      rows: [
        {
          name: 'ahp generate, ahp generate --check',
          baseline: '0.1 s',
          contenders: {
            'full generation': () => run(process.execPath, [...command, '--out', join(folder, `fresh-${count++}`)]),
            'unchanged --check': () => run(process.execPath, [...command, '--check', '--out', current]),
            '0.1 s': () => new Promise((resolve) => setTimeout(resolve, 100)),
          },
          atMost: { 'full generation': 40, 'unchanged --check': 10 },
        },
      ],
    },
  ];
}
