/**
 * Finds the members of a message that its schema does not name. They are legal wherever an object is open, and the
 * codecs keep them; this only makes them visible.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

type Schema = { readonly [keyword: string]: unknown };

interface Located {
  readonly document: string;
  readonly schema: Schema;
}

/** The JSON Pointers of unknown members of a value that is meant as the definition `name` of the schema folder. */
export function unknownMembers(folder: string, name: string, value: unknown): string[] {
  const documents = new Map<string, Schema>(
    readdirSync(folder)
      .filter((file) => file.endsWith('.json'))
      .map((file) => [file, JSON.parse(readFileSync(join(folder, file), 'utf8')) as Schema]),
  );
  const manifest = documents.get('manifest.json')?.definitions as Record<string, { document: string; pointer: string }>;
  const place = manifest[name];
  if (place === undefined) throw new Error(`expected a public definition called ${name}, got none`);
  const root = resolveReference(documents, place.document, `#${place.pointer}`);
  return visit(documents, [root], value, '');
}

function visit(
  documents: ReadonlyMap<string, Schema>,
  schemas: readonly Located[],
  value: unknown,
  at: string,
): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const all = schemas.flatMap((located) => applicable(documents, located));
  if (Array.isArray(value)) {
    const items = all.flatMap((located) => below(located, [located.schema.items]));
    return value.flatMap((element, index) => visit(documents, items, element, `${at}/${index}`));
  }
  const named = all.filter(({ schema }) => isSchema(schema.properties));
  const takesAnyName = all.some(({ schema }) => isSchema(schema.additionalProperties) || 'propertyNames' in schema);
  return Object.entries(value).flatMap(([member, content]) => {
    const path = `${at}/${member.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const matching = named.filter(({ schema }) => Object.hasOwn(schema.properties as Schema, member));
    if (matching.length === 0) return named.length === 0 || takesAnyName ? [] : [path];
    const children = matching.flatMap((located) => below(located, [(located.schema.properties as Schema)[member]]));
    return visit(documents, children, content, path);
  });
}

/** A schema and all others that may speak of the same value. */
function applicable(documents: ReadonlyMap<string, Schema>, located: Located): Located[] {
  const { schema, document } = located;
  const lists = ['allOf', 'anyOf', 'oneOf'].flatMap((keyword) => (schema[keyword] as unknown[] | undefined) ?? []);
  const branches = below(located, [...lists, schema.then, schema.else]);
  const reference = schema.$ref;
  const target = typeof reference === 'string' ? [resolveReference(documents, document, reference)] : [];
  return [located, ...[...branches, ...target].flatMap((next) => applicable(documents, next))];
}

function below({ document }: Located, candidates: readonly unknown[]): Located[] {
  return candidates.filter(isSchema).map((schema) => ({ document, schema }));
}

function resolveReference(documents: ReadonlyMap<string, Schema>, from: string, reference: string): Located {
  const [file = '', pointer = ''] = reference.split('#');
  const document = file === '' ? from : file;
  let schema: unknown = documents.get(document);
  for (const step of pointer.split('/').slice(1)) {
    schema = (schema as Schema)[step.replaceAll('~1', '/').replaceAll('~0', '~')];
  }
  return { document, schema: schema as Schema };
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
