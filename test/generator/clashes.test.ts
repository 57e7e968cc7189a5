import { expect, it } from 'vitest';
import { definitionsFolder, problemsOf, schemaFolder } from './sets.js';

const CLASHING = { 'turn.start': {}, turnStart: {}, turn_start: {}, Other: { type: 'sideways' }, Item: {} };

const reversed = (members: object): object => Object.fromEntries(Object.entries(members).reverse());
/** In an order of their own: which problem is met first may follow the source. */
const told = (folder: string): string[] =>
  problemsOf(folder)
    .map(({ code, place, message }) => `${code} ${place.document}#${place.pointer}: ${message}`)
    .sort();

it('names that clash stop the run with the same words, whatever the order of definitions and files', () => {
  const within = told(definitionsFolder(CLASHING));
  expect(within).toHaveLength(3);
  expect(told(definitionsFolder({ ...reversed(CLASHING) }))).toEqual(within);

  const across = told(schemaFolder({ 'a.json': { $defs: CLASHING }, 'b.json': { $defs: { Item: {}, OTHER: {} } } }));
  expect(across.length).toBeGreaterThan(within.length);
  const other = { 'b.json': { $defs: { OTHER: {}, Item: {} } }, 'a.json': { $defs: reversed(CLASHING) } };
  expect(told(schemaFolder(other))).toEqual(across);
});
