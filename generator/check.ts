/** Third phase: the rules that a linked set must satisfy. Each rule is named by the sentence that its problems show. */

import { tagsOf } from './analyse.js';
import { FORMATS } from './formats.js';
import { childSchemas, isJsonObject, keywordOf, own, pointerStep, walkSchemas } from './keywords.js';
import type {
  CheckedSet,
  Definition,
  Json,
  JsonObject,
  LinkedSet,
  Phase,
  Place,
  Problem,
  ProblemCode,
} from './model.js';
import { ANY, isJsonType, JSON_TYPES, type RawShape, shapeDefinitions, toShape } from './shapes.js';
import { isList } from './text.js';

interface Finding {
  readonly place: Place;
  readonly message: string;
}

interface Rule {
  readonly code: ProblemCode;
  readonly sentence: string;
  readonly find: (set: LinkedSet) => readonly Finding[];
}

/** One more rule is one more entry here. */
const RULES: readonly Rule[] = [
  { code: 'not-a-schema', sentence: 'A schema is an object or a boolean', find: findNonSchemas },
  {
    code: 'unknown-keyword',
    sentence: 'Every keyword is one of JSON Schema 2020-12 or a known annotation',
    find: findUnknownKeywords,
  },
  {
    code: 'inexpressible',
    sentence: 'Every keyword can be expressed in types, codecs and validators',
    find: findInexpressible,
  },
  {
    code: 'inexpressible',
    sentence: 'A keyword has a value of the form that JSON Schema 2020-12 gives it',
    find: findMalformed,
  },
  {
    code: 'endless-cycle',
    sentence: 'References lead through a member or an element before they come back',
    find: findEndlessCycles,
  },
  { code: 'pattern', sentence: 'A pattern is a regular expression under the u flag', find: findBadPatterns },
  { code: 'name-collision', sentence: 'A name has letters or digits to make an identifier of', find: findEmptyNames },
  {
    code: 'discriminator',
    sentence:
      'x-sdk-discriminator names a member that each branch requires, with string constants that differ and at most one open branch',
    find: findBadDiscriminators,
  },
];

/** Applies all rules. The output is a checked set only when neither these nor the earlier phases found a problem. */
export function check(linked: LinkedSet, earlier: readonly Problem[]): Phase<CheckedSet | null> {
  const problems = [...earlier];
  for (const { code, sentence, find } of RULES) {
    for (const { place, message } of find(linked)) problems.push({ code, place, rule: sentence, message });
  }
  return { output: problems.length === 0 ? { ...linked, checked: true } : null, problems };
}

/** Calls back for every schema of every document, also for those that no definition reaches. */
function eachSchema(set: LinkedSet, visit: (schema: Json, place: Place) => void): void {
  for (const { json, path } of set.documents) {
    walkSchemas(json, '', (schema, pointer) => visit(schema, { document: path, pointer }));
  }
}

function eachObjectSchema(set: LinkedSet, visit: (schema: JsonObject, place: Place) => void): void {
  eachSchema(set, (schema, place) => {
    if (isJsonObject(schema)) visit(schema, place);
  });
}

function at(place: Place, ...names: (string | number)[]): Place {
  return { document: place.document, pointer: place.pointer + names.map(pointerStep).join('') };
}

function findNonSchemas(set: LinkedSet): Finding[] {
  const found: Finding[] = [];
  eachSchema(set, (schema, place) => {
    if (!isJsonObject(schema) && typeof schema !== 'boolean')
      found.push({ place, message: `it is ${describe(schema)}` });
  });
  return found;
}

function findUnknownKeywords(set: LinkedSet): Finding[] {
  const found: Finding[] = [];
  eachObjectSchema(set, (schema, place) => {
    for (const name of Object.keys(schema)) {
      if (keywordOf(name) === null && !INEXPRESSIBLE.has(name)) {
        found.push({ place: at(place, name), message: `${JSON.stringify(name)} is neither` });
      }
    }
  });
  return found;
}

/** Keywords with a meaning, old or new, that is not carried through all emitters. */
const INEXPRESSIBLE: ReadonlyMap<string, string> = new Map([
  ['$dynamicRef', 'a reference that depends on where it is used from has no type of its own'],
  ['$dynamicAnchor', 'a reference that depends on where it is used from has no type of its own'],
  ['$recursiveRef', 'a reference that depends on where it is used from has no type of its own'],
  ['$recursiveAnchor', 'a reference that depends on where it is used from has no type of its own'],
  ['$vocabulary', 'vocabularies of other schema languages are not read'],
  ['dependencies', 'JSON Schema 2020-12 has dependentRequired and dependentSchemas instead'],
  ['additionalItems', 'JSON Schema 2020-12 has prefixItems and items instead'],
  ['contentSchema', 'the content of a string is not decoded'],
  ['nullable', 'JSON Schema 2020-12 has the type null instead'],
  ['discriminator', 'x-sdk-discriminator names the tag of a union instead'],
]);

function findInexpressible(set: LinkedSet): Finding[] {
  const found: Finding[] = [];
  const report = (place: Place, message: string): void => void found.push({ place, message });
  eachObjectSchema(set, (schema, place) => {
    for (const name of Object.keys(schema)) {
      const reason = INEXPRESSIBLE.get(name);
      if (reason !== undefined) report(at(place, name), `${name}: ${reason}`);
    }
    for (const name of ['unevaluatedProperties', 'unevaluatedItems']) {
      if (isJsonObject(own(schema, name))) report(at(place, name), `${name}: only true and false can be expressed`);
    }
    const format = own(schema, 'format');
    if (typeof format === 'string' && !Object.hasOwn(FORMATS, format)) {
      const known = Object.keys(FORMATS).join(', ');
      report(at(place, 'format'), `format: ${JSON.stringify(format)} is none that validators assert (${known})`);
    }
    if (own(schema, 'unevaluatedItems') === false) {
      report(at(place, 'unevaluatedItems'), 'unevaluatedItems: close a list by "items": false beside its prefixItems');
    }
    if (place.pointer !== '' && own(schema, '$id') !== undefined) {
      report(at(place, '$id'), '$id: a document inside a document cannot be expressed');
    }
    const dialect = own(schema, '$schema');
    if (dialect !== undefined && String(dialect).replace(/#$/, '') !== 'https://json-schema.org/draft/2020-12/schema') {
      report(at(place, '$schema'), '$schema: the dialect is another one than draft 2020-12');
    }
    if (isList(own(schema, 'items')))
      report(at(place, 'items'), 'items: JSON Schema 2020-12 has prefixItems for lists of schemas');
  });
  return found;
}

type Form = (value: Json) => boolean;
const isText: Form = (value) => typeof value === 'string';
const isNumber: Form = (value) => typeof value === 'number';
const isFlag: Form = (value) => typeof value === 'boolean';
const isCount: Form = (value) => Number.isInteger(value) && Number(value) >= 0;
const isTexts: Form = (value) => isList(value) && value.every(isText) && new Set(value).size === value.length;
const isTypes: Form = (value) =>
  isList(value)
    ? value.length > 0 && value.every(isJsonType) && new Set(value).size === value.length
    : isJsonType(value);

const FORMS: ReadonlyMap<string, readonly [form: Form, expected: string]> = new Map([
  ['type', [isTypes, `one or more of ${JSON_TYPES.join(', ')} and integer, each once`]],
  ['enum', [(value) => isList(value) && value.length > 0, 'a list with at least one value']],
  ['required', [isTexts, 'a list of different texts']],
  ['title', [isText, 'a text']],
  ['description', [isText, 'a text']],
  ['format', [isText, 'a text']],
  ['pattern', [isText, 'a text']],
  ['minLength', [isCount, 'an integer of at least 0']],
  ['maxLength', [isCount, 'an integer of at least 0']],
  ['minItems', [isCount, 'an integer of at least 0']],
  ['maxItems', [isCount, 'an integer of at least 0']],
  ['minContains', [isCount, 'an integer of at least 0']],
  ['maxContains', [isCount, 'an integer of at least 0']],
  ['minProperties', [isCount, 'an integer of at least 0']],
  ['maxProperties', [isCount, 'an integer of at least 0']],
  ['uniqueItems', [isFlag, 'true or false']],
  ['deprecated', [isFlag, 'true or false']],
  ['minimum', [isNumber, 'a number']],
  ['maximum', [isNumber, 'a number']],
  ['exclusiveMinimum', [isNumber, 'a number']],
  ['exclusiveMaximum', [isNumber, 'a number']],
  ['multipleOf', [(value) => typeof value === 'number' && value > 0, 'a number above 0']],
  [
    'dependentRequired',
    [(value) => isJsonObject(value) && Object.values(value).every(isTexts), 'lists of different texts by name'],
  ],
]);

function findMalformed(set: LinkedSet): Finding[] {
  const found: Finding[] = [];
  eachObjectSchema(set, (schema, place) => {
    for (const [name, value] of Object.entries(schema)) {
      const form = FORMS.get(name);
      if (form !== undefined && !form[0](value))
        found.push({ place: at(place, name), message: `${name}: expected ${form[1]}` });
      const holds = keywordOf(name)?.holds;
      if (holds === 'schemas' && !(isList(value) && value.length > 0)) {
        found.push({ place: at(place, name), message: `${name}: expected a list with at least one schema` });
      }
      if (holds === 'schema-map' && !isJsonObject(value)) {
        found.push({ place: at(place, name), message: `${name}: expected schemas by name` });
      }
    }
  });
  return found;
}

/** Definitions that judge one value by themselves again, at once or by way of others; each loop is told once. */
function findEndlessCycles(set: LinkedSet): Finding[] {
  const next = new Map(set.definitions.map((definition) => [definition.key, inPlaceReferences(definition)]));
  const found: Finding[] = [];
  const done = new Set<string>();
  const visit = (key: string, path: readonly string[]): void => {
    const start = path.indexOf(key);
    if (start >= 0) {
      const loop = path.slice(start);
      const definition = set.byKey.get(key);
      if (definition !== undefined)
        found.push({ place: definition.place, message: `the way ${[...loop, key].join(' -> ')} never ends` });
      return;
    }
    if (done.has(key)) return;
    for (const target of next.get(key) ?? []) visit(target, [...path, key]);
    done.add(key);
  };
  for (const { key } of set.definitions) visit(key, []);
  return found;
}

function inPlaceReferences(definition: Definition): string[] {
  const found: string[] = [];
  const visit = (schema: Json): void => {
    const reference = isJsonObject(schema) ? own(schema, '$ref') : undefined;
    if (typeof reference === 'string') found.push(reference);
    for (const child of childSchemas(schema)) if (child.inPlace) visit(child.schema);
  };
  visit(definition.schema);
  return found;
}

function findBadPatterns(set: LinkedSet): Finding[] {
  const found: Finding[] = [];
  const test = (pattern: string, place: Place): void => {
    try {
      new RegExp(pattern, 'u');
    } catch (error) {
      const reason =
        error instanceof Error ? error.message.slice(error.message.lastIndexOf(':') + 1).trim() : 'it is not';
      found.push({ place, message: `${JSON.stringify(pattern)}: ${reason}` });
    }
  };
  eachObjectSchema(set, (schema, place) => {
    const pattern = own(schema, 'pattern');
    if (typeof pattern === 'string') test(pattern, at(place, 'pattern'));
    const patterns = own(schema, 'patternProperties');
    if (isJsonObject(patterns))
      for (const name of Object.keys(patterns)) test(name, at(place, 'patternProperties', name));
  });
  return found;
}

function findEmptyNames(set: LinkedSet): Finding[] {
  return set.definitions
    .filter(({ name }) => name === '')
    .map(({ place }) => ({ place, message: 'the name has none' }));
}

function findBadDiscriminators(set: LinkedSet): Finding[] {
  const found: Finding[] = [];
  const shapes = shapeDefinitions(set);
  for (const definition of set.definitions) {
    walkSchemas(definition.schema, definition.place.pointer, (schema, pointer) => {
      const member = isJsonObject(schema) ? own(schema, 'x-sdk-discriminator') : undefined;
      if (member === undefined || !isJsonObject(schema)) return;
      const place = at({ document: definition.place.document, pointer }, 'x-sdk-discriminator');
      const report = (message: string): void => void found.push({ place, message });
      const branches = own(schema, 'oneOf') ?? own(schema, 'anyOf');
      if (typeof member !== 'string') return report(`it is ${describe(member)} and no text`);
      if (!isList(branches)) return report('there is no oneOf or anyOf beside it');
      const { oneOf: _oneOf, anyOf: _anyOf, ...beside } = schema;
      const context = toShape(beside, definition.place);
      for (const message of discriminatorFaults(member, branches, context, shapes)) report(message);
    });
  }
  return found;
}

function discriminatorFaults(
  member: string,
  branches: readonly Json[],
  context: RawShape,
  shapes: ReadonlyMap<string, RawShape>,
): string[] {
  const faults: string[] = [];
  const owners = new Map<string, number>();
  const open: number[] = [];
  const isRequiredBeside = tagsOf(context, shapes).get(member)?.required === true;
  for (const [index, branch] of branches.entries()) {
    const shape: RawShape = branch === undefined ? ANY : toShape(branch, { document: '', pointer: '' });
    const tag = tagsOf(shape, shapes).get(member);
    if (tag?.required !== true && !isRequiredBeside) {
      faults.push(`branch ${index} does not require ${JSON.stringify(member)}`);
    }
    if (tag === undefined || tag.values === null) open.push(index);
    for (const value of tag?.values ?? []) {
      const other = owners.get(value);
      if (other !== undefined)
        faults.push(`branches ${other} and ${index} both have the constant ${JSON.stringify(value)}`);
      owners.set(value, index);
    }
  }
  if (open.length > 1)
    faults.push(`branches ${open.join(' and ')} have no string constant for ${JSON.stringify(member)}`);
  return faults;
}

function describe(value: Json): string {
  if (value === null) return 'null';
  return isList(value) ? 'a list' : typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
