/** Second phase: finds all named schemas, gives them their final names and resolves every `$ref` to one of them. */

import { childSchemas, isJsonObject, own, pointerNames, pointerStep, walkSchemas } from './keywords.js';
import { compareText, hasRootSchema } from './load.js';
import type {
  Definition,
  Json,
  JsonObject,
  LinkedSet,
  LoadedDocument,
  LoadedSet,
  Phase,
  Place,
  Problem,
} from './model.js';
import { isList, pascalCase } from './text.js';

/** Base of documents without an absolute `$id`; it never leaves this module. */
const LOCAL_BASE = 'ahp-local:/set/';

interface Source {
  readonly document: LoadedDocument;
  readonly base: string;
}

/** Definitions are `$defs` entries, roots that are schemas, and whatever else a `$ref` points to. */
export function link(loaded: LoadedSet): Phase<LinkedSet> {
  const problems: Problem[] = [];
  const sources = loaded.documents.map((document) => ({ document, base: baseOf(document) }));
  const byUri = new Map<string, Source>();
  for (const source of sources) byUri.set(source.base, source);
  for (const source of sources) byUri.set(LOCAL_BASE + encodeURI(source.document.path), source);

  const places = new Map<string, Place>();
  const addPlace = (place: Place): void => void places.set(keyOf(place), place);
  for (const { document } of sources) {
    if (hasRootSchema(document.json)) addPlace({ document: document.path, pointer: '' });
    walkSchemas(document.json, '', (schema, pointer) => {
      for (const child of childSchemas(schema)) {
        if (child.keyword !== '$defs' && child.keyword !== 'definitions') continue;
        addPlace({ document: document.path, pointer: pointer + child.pointer });
      }
    });
  }
  const publicByKey = new Map<string, string>();
  for (const [name, place] of loaded.publicNames) {
    publicByKey.set(keyOf(place), name);
    const document = sources.find((source) => source.document.path === place.document)?.document;
    if (document !== undefined && schemaAt(document.json, place.pointer) !== undefined) addPlace(place);
    else problems.push(unresolvedPublic(name, place));
  }

  const targets = new Map<Json, string>();
  for (const source of sources) {
    walkSchemas(source.document.json, '', (schema, pointer) => {
      if (!isJsonObject(schema)) return;
      const reference = own(schema, '$ref');
      if (reference === undefined) return;
      const place = { document: source.document.path, pointer: `${pointer}/$ref` };
      const target = resolve(reference, source, byUri, place, problems);
      if (target === null) return;
      targets.set(schema, keyOf(target));
      addPlace(target);
    });
  }

  const definitions = [...places.values()]
    .map((place) => define(place, sources, publicByKey, targets))
    .sort(
      (left, right) =>
        compareText(left.place.document, right.place.document) ||
        compareText(left.name, right.name) ||
        compareText(left.key, right.key),
    );
  const byKey = new Map(definitions.map((definition) => [definition.key, definition]));
  const byName = new Map<string, Definition>();
  for (const definition of definitions) {
    const other = byName.get(definition.name);
    if (other === undefined) byName.set(definition.name, definition);
    else problems.push(collision(definition, other));
  }
  return { output: { ...loaded, definitions, byKey, byName }, problems };
}

export function keyOf(place: Place): string {
  return `${place.document}#${place.pointer}`;
}

function baseOf(document: LoadedDocument): string {
  const local = LOCAL_BASE + encodeURI(document.path);
  const id = own(document.json, '$id');
  if (typeof id !== 'string') return local;
  try {
    const url = new URL(id, local);
    url.hash = '';
    return url.href;
  } catch {
    return local;
  }
}

/** The place that a `$ref` points to; null after reporting why there is none. */
function resolve(
  reference: Json,
  source: Source,
  byUri: ReadonlyMap<string, Source>,
  place: Place,
  problems: Problem[],
): Place | null {
  const fail = (code: 'unresolved-ref' | 'remote-ref', message: string): null => {
    const rule =
      code === 'remote-ref' ? 'A $ref stays inside the schema set' : 'A $ref points to a schema that is there';
    problems.push({ code, place, rule, message });
    return null;
  };
  if (typeof reference !== 'string') return fail('unresolved-ref', 'the $ref is no text');
  let url: URL;
  try {
    url = new URL(reference, source.base);
  } catch {
    return fail('unresolved-ref', `${JSON.stringify(reference)} is no URI reference`);
  }
  const fragment = url.hash.slice(1);
  url.hash = '';
  // A document is found by its $id, and also by its path, whatever its $id says.
  const target = byUri.get(url.href) ?? byUri.get(localUri(reference, source));
  if (target === undefined) {
    const isRemote = /^[a-z][a-z0-9+.-]*:/i.test(reference) || reference.startsWith('//');
    return fail(isRemote ? 'remote-ref' : 'unresolved-ref', `there is no document for ${JSON.stringify(reference)}`);
  }
  const { json, path } = target.document;
  const pointer = fragmentPointer(fragment, json);
  if (pointer === null || schemaAt(json, pointer) === undefined) {
    return fail('unresolved-ref', `${path} has no schema at ${JSON.stringify(fragment)}`);
  }
  return { document: path, pointer };
}

function localUri(reference: string, source: Source): string {
  try {
    const url = new URL(reference, LOCAL_BASE + encodeURI(source.document.path));
    url.hash = '';
    return url.href;
  } catch {
    return '';
  }
}

/** The JSON Pointer that a fragment means: a pointer, or the name of an `$anchor`. */
function fragmentPointer(fragment: string, root: JsonObject): string | null {
  let decoded: string;
  try {
    decoded = decodeURIComponent(fragment);
  } catch {
    return null;
  }
  if (decoded === '') return '';
  if (decoded.startsWith('/')) return pointerNames(decoded).map(pointerStep).join('');
  let found: string | null = null;
  walkSchemas(root, '', (schema, pointer) => {
    if (isJsonObject(schema) && own(schema, '$anchor') === decoded) found ??= pointer;
  });
  return found;
}

const indexes = new WeakMap<object, Map<string, Json>>();

/** The schema at a pointer, or undefined when there is none: data that merely looks like a schema is none. */
export function schemaAt(root: JsonObject, pointer: string): Json | undefined {
  let index = indexes.get(root);
  if (index === undefined) {
    const fresh = new Map<string, Json>();
    walkSchemas(root, '', (schema, at) => {
      if (typeof schema === 'boolean' || isJsonObject(schema)) fresh.set(at, schema);
    });
    indexes.set(root, fresh);
    index = fresh;
  }
  return index.get(pointer);
}

function define(
  place: Place,
  sources: readonly Source[],
  publicByKey: ReadonlyMap<string, string>,
  targets: ReadonlyMap<Json, string>,
): Definition {
  const source = sources.find(({ document }) => document.path === place.document);
  const schema = source === undefined ? undefined : schemaAt(source.document.json, place.pointer);
  const key = keyOf(place);
  const publicName = publicByKey.get(key);
  const family = source?.document.family ?? '';
  return {
    key,
    place,
    family,
    name: pascalCase(publicName ?? internalName(place, family)),
    isPublic: publicName !== undefined,
    title: textOf(schema, 'title'),
    description: textOf(schema, 'description'),
    schema: schema === undefined || !isJsonObject(schema) ? schema === true : (rewrite(schema, targets) as JsonObject),
  };
}

/** Name of what no manifest names: the `$defs` key, with what stands below it, or the family for a root. */
function internalName(place: Place, family: string): string {
  const names = pointerNames(place.pointer);
  const start = names.findLastIndex((name) => name === '$defs' || name === 'definitions');
  if (start >= 0 && start === names.length - 2) return names[names.length - 1] ?? family;
  return [family, ...names.filter((name) => name !== '$defs' && name !== 'definitions')].join(' ');
}

function textOf(schema: Json | undefined, name: string): string | null {
  const value = schema !== undefined && isJsonObject(schema) ? own(schema, name) : undefined;
  return typeof value === 'string' ? value : null;
}

/** A copy in which each `$ref` is the key of its target and `$defs` are gone: those are definitions of their own. */
function rewrite(schema: Json, targets: ReadonlyMap<Json, string>): Json {
  if (!isJsonObject(schema)) return schema;
  const children = new Map<string, Map<string | number | null, Json>>();
  for (const child of childSchemas(schema)) {
    const group = children.get(child.keyword) ?? new Map<string | number | null, Json>();
    children.set(child.keyword, group.set(child.name, rewrite(child.schema, targets)));
  }
  const entries: [string, Json][] = [];
  for (const [name, value] of Object.entries(schema)) {
    if (name === '$defs' || name === 'definitions' || name === '$id' || name === '$schema') continue;
    const group = children.get(name);
    if (name === '$ref') entries.push([name, targets.get(schema) ?? value]);
    else if (group === undefined) entries.push([name, value]);
    else if (group.has(null)) entries.push([name, group.get(null) ?? null]);
    else if (isList(value)) entries.push([name, value.map((_, index) => group.get(index) ?? null)]);
    else
      entries.push([
        name,
        Object.fromEntries(Object.keys(value as JsonObject).map((key) => [key, group.get(key) ?? null])),
      ]);
  }
  return Object.fromEntries(entries);
}

function unresolvedPublic(name: string, place: Place): Problem {
  return {
    code: 'unresolved-ref',
    place,
    rule: 'A public name points to a schema that is there',
    message: `${JSON.stringify(name)} of the manifest finds none`,
  };
}

function collision(definition: Definition, other: Definition): Problem {
  const rule = 'Definitions have different names in PascalCase';
  return {
    code: 'name-collision',
    place: definition.place,
    rule,
    message: `${other.key} is ${JSON.stringify(definition.name)} too`,
  };
}
