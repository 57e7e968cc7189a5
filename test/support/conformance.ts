import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));
const SET_BY_CALLER = process.env['AHP_CONFORMANCE'];

/** Folder of the shared cases; it sits beside the project and need not be there. */
export const CONFORMANCE_FOLDER = resolve(REPOSITORY, SET_BY_CALLER ?? '../shared/conformance');

/** The rows of a case file: a JSON list, or one JSON value a line. Null when the folder is absent. */
export function readConformanceRows<Row>(file: string): Row[] | null {
  if (!existsSync(CONFORMANCE_FOLDER)) return null;
  const text = readFileSync(join(CONFORMANCE_FOLDER, file), 'utf8');
  if (!file.endsWith('.jsonl')) return JSON.parse(text) as Row[];
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row);
}

/**
 * One test per row of a shared case file. Without the folder the suite reports itself as skipped by name; with
 * AHP_CONFORMANCE set, an absent folder is a failure.
 */
export function conformanceSuite<Row extends { readonly name: string }>(
  file: string,
  runRow: (row: Row) => Promise<void> | void,
): void {
  describe(`conformance: ${file}`, () => {
    const rows = readConformanceRows<Row>(file);
    if (rows === null) {
      it.skipIf(SET_BY_CALLER === undefined)('the shared cases are there', () => {
        expect.fail(`AHP_CONFORMANCE names a folder that is not there: ${CONFORMANCE_FOLDER}`);
      });
      return;
    }
    it('has rows', () => expect(rows.length).toBeGreaterThan(0));
    it.each(rows.map((row) => [row.name, row] as const))('%s', (_name, row) => runRow(row));
  });
}
