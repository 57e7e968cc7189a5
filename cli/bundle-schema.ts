import { formatFiles } from '../generator/format.js';

/** Where the bundle for editors stands, from the repository root. */
export const REGISTRATION_BUNDLE = 'schemas/bundles/registration.schema.json';

/** One definition of one document, such as `registration.json#/$defs/Registration`. */
interface DefinitionPlace {
  readonly document: string;
  readonly name: string;
}

/**
 * Makes one schema that stands alone out of a definition and everything that it refers to: the text of a file, for
 * editors that complete documents. Names that occur in two documents get the document's name in front. Throws when a
 * reference is not of the form `#/$defs/Name` or `document.json#/$defs/Name`, or leads nowhere.
 */
export async function bundleSchema(
  documents: ReadonlyMap<string, unknown>,
  root: DefinitionPlace,
  about: { readonly title: string; readonly description: string },
): Promise<string> {
  const names = new Map<string, string>();
  const definitions = new Map<string, unknown>();

  const include = (place: DefinitionPlace): string => {
    const key = `${place.document}#${place.name}`;
    const known = names.get(key);
    if (known !== undefined) return known;
    const isTaken = [...names.values()].includes(place.name);
    const name = isTaken ? `${place.document.replace(/\.json$/, '')}.${place.name}` : place.name;
    names.set(key, name);
    // Reserved before descending, so that definitions that refer to each other end.
    definitions.set(name, null);
    definitions.set(name, rewrite(findDefinition(documents, place), place.document));
    return name;
  };

  const rewrite = (schema: unknown, document: string): unknown => {
    if (Array.isArray(schema)) return schema.map((entry) => rewrite(entry, document));
    if (typeof schema !== 'object' || schema === null) return schema;
    return Object.fromEntries(
      Object.entries(schema).map(([key, value]) =>
        key === '$ref' && typeof value === 'string'
          ? [key, `#/$defs/${include(readReference(value, document))}`]
          : [key, rewrite(value, document)],
      ),
    );
  };

  const rootName = include(root);
  const bundle = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    ...about,
    $comment: `Made from ${root.document} by "npm run schemas:bundle"; do not edit.`,
    $ref: `#/$defs/${rootName}`,
    $defs: Object.fromEntries([...definitions].sort(([left], [right]) => (left < right ? -1 : 1))),
  };
  const [file] = await formatFiles([{ path: REGISTRATION_BUNDLE, text: JSON.stringify(bundle, null, 2) }]);
  return file?.text ?? '';
}

function readReference(reference: string, document: string): DefinitionPlace {
  const parts = /^([^#]*)#\/\$defs\/([^/]+)$/.exec(reference);
  if (parts === null) throw new Error(`${document}: expected a reference to a definition, got ${reference}`);
  const [, other = '', name = ''] = parts;
  return { document: other === '' ? document : other, name };
}

function findDefinition(documents: ReadonlyMap<string, unknown>, { document, name }: DefinitionPlace): unknown {
  const found = member(member(documents.get(document), '$defs'), name);
  if (found === undefined) throw new Error(`${document}: expected the definition ${name}, got none`);
  return found;
}

function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return Reflect.get(value, name);
}
