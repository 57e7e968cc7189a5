/** First phase: reads the documents of a schema set and its manifest. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from '../templates/support/json/index.js';
import { listSchemaFiles, MANIFEST_FILE } from './inputs.js';
import { childSchemas, isJsonObject, own, pointerNames, pointerStep } from './keywords.js';
import type {
  CatalogueHints,
  GrantHints,
  Json,
  JsonObject,
  LoadedDocument,
  LoadedSet,
  Phase,
  Place,
  Problem,
} from './model.js';
import { isList, kebabCase } from './text.js';
import { sha256OfText } from './tool.js';

/**
 * Reads a folder: what manifest.json lists, or without a manifest every `.json` file, every `$defs` entry then being
 * public. Throws what the file system throws when the folder cannot be read.
 */
export function load(folder: string): Phase<LoadedSet> {
  const problems: Problem[] = [];
  const warnings: Problem[] = [];
  const manifest = readManifest(folder, problems);
  const documents: LoadedDocument[] = [];
  for (const path of listSchemaFiles(folder)) {
    if (path === MANIFEST_FILE) continue;
    const document = readDocument(folder, path, problems);
    if (document !== null) documents.push(document);
  }
  documents.sort((left, right) => compareText(left.path, right.path));
  if (documents.length === 0 && problems.length === 0) problems.push(noDocument());
  checkFamilies(documents, problems);
  const publicNames = manifest === null ? everyDefinition(documents, problems) : listedNames(manifest, problems);
  if (manifest !== null) compareHashes(manifest, documents, warnings);
  const output: LoadedSet = {
    protocolVersion: manifest === null ? '' : textMember(manifest, 'protocolVersion', problems),
    documents,
    publicNames,
    catalogue: manifest === null ? null : readCatalogueHints(manifest, problems),
    warnings,
  };
  return { output, problems };
}

/** Nothing would come of an empty set but an empty output in place of the old one. */
function noDocument(): Problem {
  const place = { document: '*.json', pointer: '' };
  return { code: 'not-a-schema', place, rule: 'A schema set holds a document', message: 'there is none' };
}

/** Order by UTF-16 code units, the same in every locale. */
export function compareText(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

function readManifest(folder: string, problems: Problem[]): JsonObject | null {
  if (!existsSync(join(folder, MANIFEST_FILE))) return null;
  const json = readJson(folder, MANIFEST_FILE, problems);
  if (json === undefined) return null;
  if (isJsonObject(json)) return json;
  problems.push(manifestProblem('', 'The manifest is an object', 'it is something else'));
  return null;
}

function readDocument(folder: string, path: string, problems: Problem[]): LoadedDocument | null {
  const place = { document: path, pointer: '' };
  if (!existsSync(join(folder, path))) {
    problems.push({
      code: 'manifest',
      place,
      rule: 'Every document of the manifest is there',
      message: 'the file is absent',
    });
    return null;
  }
  const json = readJson(folder, path, problems);
  if (json === undefined) return null;
  if (!isJsonObject(json)) {
    problems.push({ code: 'not-a-schema', place, rule: 'A document is an object', message: 'it is something else' });
    return null;
  }
  const family = kebabCase(path.replace(/\.json$/, ''));
  return { path, family, json, sha256: sha256OfText(readFileSync(join(folder, path))) };
}

/** The JSON of a file; undefined after reporting why there is none. A member that stands twice is reported too. */
function readJson(folder: string, path: string, problems: Problem[]): Json | undefined {
  const result = parse(readFileSync(join(folder, path)));
  if (!result.ok) {
    for (const issue of result.issues) {
      const code = issue.code === 'duplicate-member' ? 'duplicate-member' : 'not-json';
      const rule =
        code === 'duplicate-member'
          ? 'A member stands once in an object'
          : 'A document is strict JSON in UTF-8 without a mark';
      problems.push({ code, place: { document: path, pointer: issue.pointer }, rule, message: issue.message });
    }
    return undefined;
  }
  // Schemas go to libraries that expect plain values, so that kept spellings end here.
  return JSON.parse(readFileSync(join(folder, path), 'utf8')) as Json;
}

function checkFamilies(documents: readonly LoadedDocument[], problems: Problem[]): void {
  const first = new Map<string, string>();
  for (const { family, path } of documents) {
    const place = { document: path, pointer: '' };
    const rule = 'Documents have file names that give different module names';
    const other = first.get(family);
    if (family === '' || family === 'index') {
      problems.push({
        code: 'name-collision',
        place,
        rule,
        message: `the module name would be ${JSON.stringify(family)}`,
      });
    } else if (other !== undefined) {
      problems.push({ code: 'name-collision', place, rule, message: `${other} gives the module name ${family} too` });
    }
    first.set(family, path);
  }
}

/** Without a manifest every `$defs` entry of a document root is public under its own name, and so is a root schema. */
function everyDefinition(documents: readonly LoadedDocument[], problems: Problem[]): Map<string, Place> {
  const names = new Map<string, Place>();
  const add = (name: string, place: Place): void => {
    const other = names.get(name);
    if (other === undefined) names.set(name, place);
    else problems.push(duplicateName(name, place, other));
  };
  for (const document of documents) {
    if (hasRootSchema(document.json)) add(document.family, { document: document.path, pointer: '' });
    for (const child of childSchemas(document.json)) {
      if (child.keyword !== '$defs' && child.keyword !== 'definitions') continue;
      add(String(child.name), { document: document.path, pointer: child.pointer });
    }
  }
  return names;
}

function duplicateName(name: string, place: Place, other: Place): Problem {
  return {
    code: 'duplicate-name',
    place,
    rule: 'A public name stands for one definition',
    message: `${JSON.stringify(name)} is also ${other.document}#${other.pointer}`,
  };
}

/** True when the root says more than identity, description and `$defs`. */
export function hasRootSchema(root: JsonObject): boolean {
  const aside = new Set(['$schema', '$id', '$comment', '$defs', 'definitions', 'title', 'description']);
  return Object.keys(root).some((name) => !aside.has(name) && !name.startsWith('x-'));
}

function listedNames(manifest: JsonObject, problems: Problem[]): Map<string, Place> {
  const names = new Map<string, Place>();
  const definitions = own(manifest, 'definitions');
  if (!isJsonObject(definitions)) {
    problems.push(
      manifestProblem('/definitions', 'The manifest maps public names to places', 'definitions is no object'),
    );
    return names;
  }
  const owners = new Map<string, string>();
  for (const [name, entry] of Object.entries(definitions)) {
    const pointer = `/definitions${pointerStep(name)}`;
    const document = isJsonObject(entry) ? own(entry, 'document') : undefined;
    const target = isJsonObject(entry) ? own(entry, 'pointer') : undefined;
    if (typeof document !== 'string' || typeof target !== 'string' || (target !== '' && !target.startsWith('/'))) {
      problems.push(
        manifestProblem(pointer, 'A public name has document and pointer', 'one of them is no text of that form'),
      );
      continue;
    }
    const place = { document, pointer: pointerNames(target).map(pointerStep).join('') };
    const key = `${place.document}#${place.pointer}`;
    const other = owners.get(key);
    if (other !== undefined) {
      problems.push(
        manifestProblem(pointer, 'A definition has one public name', `${JSON.stringify(other)} is the same place`),
      );
      continue;
    }
    owners.set(key, name);
    names.set(name, place);
  }
  return names;
}

function compareHashes(manifest: JsonObject, documents: readonly LoadedDocument[], warnings: Problem[]): void {
  const listed = own(manifest, 'documents');
  if (!isJsonObject(listed)) return;
  for (const document of documents) {
    const entry = own(listed, document.path);
    const sha256 = isJsonObject(entry) ? own(entry, 'sha256') : undefined;
    if (sha256 === document.sha256) continue;
    const pointer = `/documents${pointerStep(document.path)}/sha256`;
    warnings.push(
      manifestProblem(pointer, 'The manifest holds the sha256 of each document', 'the document has another one'),
    );
  }
}

function readCatalogueHints(manifest: JsonObject, problems: Problem[]): CatalogueHints | null {
  if (own(manifest, 'catalogue') === undefined) return null;
  const hints = new HintReader(manifest, '', problems).object('catalogue');
  const effects = hints.object('effects');
  return {
    union: hints.text('union'),
    tag: hints.text('tag'),
    request: hints.text('request'),
    content: hints.texts('content'),
    optIn: hints.texts('optIn'),
    effects: {
      union: effects.text('union'),
      tag: effects.text('tag'),
      list: effects.text('list'),
      targets: grantHints(effects.object('targets')),
      operations: grantHints(effects.object('operations')),
    },
  };
}

function grantHints(hints: HintReader): GrantHints {
  return { effect: hints.text('effect'), member: hints.text('member'), grants: hints.texts('grants') };
}

/** Reads members of the expected form and reports those that are not. */
class HintReader {
  readonly #object: JsonObject;
  readonly #pointer: string;
  readonly #problems: Problem[];

  constructor(object: JsonObject, pointer: string, problems: Problem[]) {
    this.#object = object;
    this.#pointer = pointer;
    this.#problems = problems;
  }

  text(name: string): string {
    return textMember(this.#object, name, this.#problems, this.#pointer);
  }

  texts(name: string): readonly string[] {
    const list = own(this.#object, name);
    if (isList(list) && list.every((item) => typeof item === 'string')) return list;
    this.#report(name, 'The manifest says this as a list of texts');
    return [];
  }

  object(name: string): HintReader {
    const value = own(this.#object, name);
    if (!isJsonObject(value)) this.#report(name, 'The manifest says this as an object');
    return new HintReader(isJsonObject(value) ? value : {}, this.#pointer + pointerStep(name), this.#problems);
  }

  #report(name: string, rule: string): void {
    this.#problems.push(manifestProblem(this.#pointer + pointerStep(name), rule, 'it is absent or something else'));
  }
}

function textMember(object: JsonObject, name: string, problems: Problem[], base = ''): string {
  const value = own(object, name);
  if (typeof value === 'string') return value;
  problems.push(
    manifestProblem(base + pointerStep(name), 'The manifest says this as text', 'it is absent or something else'),
  );
  return '';
}

function manifestProblem(pointer: string, rule: string, message: string): Problem {
  return { code: 'manifest', place: { document: MANIFEST_FILE, pointer }, rule, message };
}
