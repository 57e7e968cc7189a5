/**
 * Checks a recorded connection, one JSON-RPC message a line, against itself. On its own:
 * `npx tsx examples/main/lineage-part.ts [FILE]`; exit code 1 when a line of FILE is refused.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LineageError, TaskLineage } from '../../runtime/lineage/index.js';
import { isProgram, type Part, runParts } from './part.js';
import { tableLines } from './table.js';

/** A sample connection; the lines that must be refused are among `expectedRefusals`. */
export const sampleFile = join(fileURLToPath(new URL('../lineage', import.meta.url)), 'connection.jsonl');

const expectedRefusals = ['5 no-change', '8 pair-mismatch', '10 cycle', '11 identity-reused', '12 not-json'];

export interface LineVerdict {
  /** From 1. */
  readonly line: number;
  readonly event: string;
  /** `accepted`, `no event`, or the code of the refusal. */
  readonly verdict: string;
  readonly detail: string;
}

/** The verdict of every line that is not blank, in order, by one checker. */
export function checkLines(text: string): LineVerdict[] {
  const lineage = new TaskLineage();
  return text.split('\n').flatMap((line, index): LineVerdict[] => {
    if (line.trim() === '') return [];
    try {
      const event = lineage.acceptWire(line);
      const verdict = event === null ? 'no event' : 'accepted';
      return [{ line: index + 1, event: event === null ? '' : `${event.type} ${event.id}`, verdict, detail: '' }];
    } catch (error) {
      if (!(error instanceof LineageError)) throw error;
      const detail = error.loop.length > 0 ? `${error.message}: ${error.loop.join(' → ')}` : error.message;
      return [{ line: index + 1, event: '', verdict: error.code, detail }];
    }
  });
}

function lineagePartOf(file: string, expected: readonly string[]): Part {
  return {
    name: 'lineage',
    title: 'A recorded connection checked against itself',
    async run(print) {
      const verdicts = checkLines(readFileSync(file, 'utf8'));
      const rows = verdicts.map(({ line, event, verdict, detail }) => [String(line), verdict, event, detail]);
      for (const row of tableLines(['line', 'verdict', 'event', 'why'], rows)) print(row);
      const refused = verdicts.filter(({ verdict }) => verdict !== 'accepted' && verdict !== 'no event');
      print(`\n${verdicts.length - refused.length} lines taken, ${refused.length} refused`);
      return refused.map(({ line, verdict }) => `${line} ${verdict}`).join() === expected.join();
    },
  };
}

export const lineagePart = lineagePartOf(sampleFile, expectedRefusals);

if (isProgram(import.meta.url)) {
  const [, , file] = process.argv;
  process.exitCode = await runParts([file === undefined ? lineagePart : lineagePartOf(file, [])]);
}
