/** Doc comments of types and members: the schema's description, the bounds that a type cannot show, the origin. */

import { isJsonObject, own } from '../keywords.js';
import type { Definition, Json, JsonObject, Plan } from '../model.js';
import { commentLines } from '../text.js';

/** Keywords whose value a reader wants to know, and how each is told. */
const FACTS: readonly (readonly [keyword: string, (value: string) => string])[] = [
  ['format', (value) => `format ${value}`],
  ['pattern', (value) => `pattern ${value}`],
  ['minimum', (value) => `at least ${value}`],
  ['exclusiveMinimum', (value) => `above ${value}`],
  ['maximum', (value) => `at most ${value}`],
  ['exclusiveMaximum', (value) => `below ${value}`],
  ['multipleOf', (value) => `a multiple of ${value}`],
  ['minLength', (value) => `length at least ${value}`],
  ['maxLength', (value) => `length at most ${value}`],
  ['minItems', (value) => `at least ${value} elements`],
  ['maxItems', (value) => `at most ${value} elements`],
  ['uniqueItems', () => 'no repeats'],
  ['minProperties', (value) => `at least ${value} members`],
  ['maxProperties', (value) => `at most ${value} members`],
];

/** Lines for a member; a reference without a description of its own borrows the first paragraph of its target's. */
export function describeMember(schema: Json, plan: Plan): string[] {
  if (!isJsonObject(schema)) return [];
  const reference = own(schema, '$ref');
  const target = typeof reference === 'string' ? plan.byKey.get(reference)?.definition : undefined;
  const borrowed = target?.description?.split(/\r?\n\s*\r?\n/)[0];
  const text = textOf(schema, 'description') ?? textOf(schema, 'title') ?? borrowed;
  return lines([text], schema);
}

/** Lines for a type: title where it tells more than the name, description, bounds, and where the schema stands. */
export function describeType(definition: Definition): string[] {
  const { schema, title, name } = definition;
  const heading = title === null || title === name ? null : title;
  const origin = `@see ${commentLines(`${definition.place.document}#${definition.place.pointer}`).join(' ')}`;
  return [...lines([heading, definition.description], isJsonObject(schema) ? schema : {}), origin];
}

function lines(paragraphs: readonly (string | null | undefined)[], schema: JsonObject): string[] {
  const facts = FACTS.flatMap(([keyword, tell]) => {
    const value = own(schema, keyword);
    return value === undefined || value === false ? [] : [tell(String(value))];
  });
  const told = [...paragraphs, facts.length === 0 ? null : `Valid: ${facts.join(', ')}.`].filter(
    (paragraph): paragraph is string => typeof paragraph === 'string' && paragraph.trim() !== '',
  );
  const text = told.flatMap((paragraph) => commentLines(paragraph.trim()));
  return own(schema, 'deprecated') === true ? [...text, '@deprecated'] : text;
}

function textOf(schema: JsonObject, name: string): string | null {
  const value = own(schema, name);
  return typeof value === 'string' && value.trim() !== '' ? value : null;
}
