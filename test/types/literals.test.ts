/** Real messages, written out as literals, against the types: what is valid compiles, most of what is not does not. */

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { CONFORMANCE_FOLDER, readConformanceRows } from '../support/conformance.js';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '../..');

interface Row {
  readonly root: string;
  readonly valid: boolean;
  readonly change: string;
  readonly value: unknown;
}

/** Rows whose literal does not compile as a value of the root's type. */
function refusedRows(rows: readonly Row[]): Row[] {
  const base = join(root, 'test/.tmp');
  mkdirSync(base, { recursive: true });
  const folder = mkdtempSync(join(base, 'literals-'));
  try {
    const head = "import type * as types from '../../../generated/types/index.js';";
    const lines = rows.map((row, index) => `export const v${index}: types.${row.root} = ${literal(row.value)};`);
    writeFileSync(join(folder, 'rows.ts'), [head, ...lines].join('\n'));
    writeFileSync(join(folder, 'tsconfig.json'), '{"extends": "../../types/tsconfig.json", "include": ["rows.ts"]}');
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const { stdout } = spawnSync(process.execPath, [tsc, '-p', folder, '--pretty', 'false'], {
      encoding: 'utf8',
      maxBuffer: 256 * 1024 * 1024,
    });
    const places = stdout.split('\n').filter((line) => /^\S/.test(line));
    return [...new Set(places.map((line) => Number(/rows\.ts\((\d+),/.exec(line)?.[1])))].map((line) => {
      const row = rows[line - 2];
      if (row === undefined) throw new Error(stdout.slice(0, 2_000));
      return row;
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** JSON as a literal: a member `__proto__` would set the prototype without its brackets. */
function literal(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  const members = Object.entries(value).map(([name, member]) => {
    return `${name === '__proto__' ? '["__proto__"]' : JSON.stringify(name)}: ${literal(member)}`;
  });
  return `{ ${members.join(', ')} }`;
}

test('the example messages are literals of WireMessage', { timeout: 120_000 }, () => {
  const folder = join(root, 'examples/messages');
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
  const rows = files.map((change) => ({
    root: 'WireMessage',
    valid: true,
    change,
    value: JSON.parse(readFileSync(join(folder, change), 'utf8')) as unknown,
  }));
  const broken = rows.map(({ value, ...row }) => ({ ...row, value: { ...(value as object), jsonrpc: 2 } }));
  expect(rows.length).toBeGreaterThan(30);
  expect(refusedRows([...rows, ...broken])).toEqual(broken);
});

const rows = readConformanceRows<Row>('wire.jsonl');

test.skipIf(rows === null && process.env.AHP_CONFORMANCE === undefined)(
  'conformance: wire.jsonl, every valid value is a literal of its type',
  { timeout: 120_000 },
  () => {
    if (rows === null) expect.fail(`AHP_CONFORMANCE names a folder that is not there: ${CONFORMANCE_FOLDER}`);
    const refused = refusedRows(rows);
    expect(refused.filter(({ valid }) => valid).map(({ root, change }) => `${root} ${change}`)).toEqual([]);
    // Formats, bounds, repeats, open enums and conditions are not in the types; everything else is.
    const invalid = rows.filter(({ valid }) => !valid);
    expect(refused.length / invalid.length).toBeGreaterThan(0.7);
  },
);
