import { describe, expect, it } from 'vitest';
import { generate } from '../../generator/generate.js';
import { GenerateError } from '../../generator/generate-error.js';
import { DIALECT, definitionsFolder, problemsOf, schemaFolder } from './sets.js';

/** Code and place of every problem, in a line each. */
function told(folder: string): string[] {
  return problemsOf(folder).map(({ code, place }) => `${code} ${place.document}#${place.pointer}`);
}

describe('loading', () => {
  it('names a document that is no JSON, with the place', () => {
    const folder = schemaFolder({ 'a.json': '{"$defs": {"A": {"type": "string",}}}' });
    expect(told(folder)).toEqual(['not-json a.json#/$defs/A']);
  });

  it('names a member that stands twice, also when it is spelled in two ways', () => {
    const folder = schemaFolder({
      'a.json': String.raw`{"$defs": {"A": {"type": "string"}, "\u0041": {"type": "string"}}}`,
    });
    expect(told(folder)).toEqual(['duplicate-member a.json#/$defs/A']);
  });

  it('names a public name that stands twice in the manifest', () => {
    const entry = '{"document": "a.json", "pointer": "/$defs/A"}';
    const folder = schemaFolder({
      'manifest.json': `{"protocolVersion": "1", "documents": {"a.json": {}}, "definitions": {"A": ${entry}, "A": ${entry}}}`,
      'a.json': { $defs: { A: {} } },
    });
    expect(told(folder)).toContain('duplicate-member manifest.json#/definitions/A');
  });

  it('names a document of the manifest that is absent, and an entry without a place', () => {
    const folder = schemaFolder({
      'manifest.json': {
        protocolVersion: '1',
        documents: { 'b.json': {} },
        definitions: { A: { document: 'b.json' } },
      },
    });
    expect(told(folder)).toEqual(['manifest b.json#', 'manifest manifest.json#/definitions/A']);
  });

  it('refuses a set without documents, with and without a manifest', () => {
    expect(told(schemaFolder({}))).toEqual(['not-a-schema *.json#']);
    const manifest = { protocolVersion: '1', documents: {}, definitions: {} };
    expect(told(schemaFolder({ 'manifest.json': manifest }))).toEqual(['not-a-schema *.json#']);
  });

  it('names two public names for one place', () => {
    const place = { document: 'a.json', pointer: '/$defs/A' };
    const folder = schemaFolder({
      'manifest.json': { protocolVersion: '1', documents: { 'a.json': {} }, definitions: { A: place, B: place } },
      'a.json': { $defs: { A: {} } },
    });
    expect(told(folder)).toEqual(['manifest manifest.json#/definitions/B']);
  });

  it('goes on with a digest that is behind its document, and tells so', async () => {
    const folder = schemaFolder({
      'manifest.json': {
        protocolVersion: '1',
        documents: { 'a.json': { sha256: 'old' } },
        definitions: { A: { document: 'a.json', pointer: '/$defs/A' } },
      },
      'a.json': { $defs: { A: { type: 'string' } } },
    });
    expect(problemsOf(folder)).toEqual([]);
  });
});

describe('names', () => {
  it('names a public name that two documents define', () => {
    const folder = schemaFolder({ 'a.json': { $defs: { Item: {} } }, 'b.json': { $defs: { Item: {} } } });
    expect(told(folder)).toEqual(['duplicate-name b.json#/$defs/Item', 'name-collision b.json#/$defs/Item']);
  });

  it('names definitions that are one in PascalCase', () => {
    const folder = definitionsFolder({ 'turn.start': {}, turnStart: {}, turn_start: {} });
    expect(told(folder)).toEqual([
      'name-collision set.json#/$defs/turnStart',
      'name-collision set.json#/$defs/turn_start',
    ]);
  });

  it('names documents that are one module', () => {
    const folder = schemaFolder({ 'a-b.json': { $defs: {} }, 'a_b.json': { $defs: {} } });
    expect(told(folder)).toEqual(['name-collision a_b.json#']);
  });

  it('names a definition without letters or digits', () => {
    expect(told(definitionsFolder({ '***': {} }))).toEqual(['name-collision set.json#/$defs/***']);
  });
});

describe('references', () => {
  it('names those that lead nowhere, within a document and out of it', () => {
    const folder = definitionsFolder({ A: { $ref: '#/$defs/Missing' }, B: { items: { $ref: 'other.json#/$defs/X' } } });
    expect(told(folder)).toEqual([
      'unresolved-ref set.json#/$defs/A/$ref',
      'unresolved-ref set.json#/$defs/B/items/$ref',
    ]);
  });

  it('names remote ones without fetching them', () => {
    const folder = definitionsFolder({
      A: { $ref: 'https://schemas.example.invalid/x.json#/$defs/X' },
      B: { $ref: '//h/x' },
    });
    expect(told(folder)).toEqual(['remote-ref set.json#/$defs/A/$ref', 'remote-ref set.json#/$defs/B/$ref']);
  });

  it('does not take data for a schema', () => {
    const folder = definitionsFolder({ A: { const: { B: {} } }, C: { $ref: '#/$defs/A/const/B' } });
    expect(told(folder)).toEqual(['unresolved-ref set.json#/$defs/C/$ref']);
  });

  it('names a reference to itself, and a loop over two documents, once each', () => {
    const folder = schemaFolder({
      'a.json': { $defs: { Self: { allOf: [{ $ref: '#/$defs/Self' }] }, One: { $ref: 'b.json#/$defs/Two' } } },
      'b.json': { $defs: { Two: { anyOf: [{ type: 'string' }, { not: { $ref: 'a.json#/$defs/One' } }] } } },
    });
    expect(told(folder)).toEqual(['endless-cycle a.json#/$defs/One', 'endless-cycle a.json#/$defs/Self']);
  });

  it('takes a loop that leads through a member', () => {
    expect(told(definitionsFolder({ Node: { properties: { next: { $ref: '#/$defs/Node' } } } }))).toEqual([]);
  });
});

describe('keywords', () => {
  it.each([
    ['$dynamicRef', { $dynamicRef: '#x' }],
    ['dependencies', { dependencies: { a: ['b'] } }],
    ['additionalItems', { additionalItems: false }],
    ['nullable', { nullable: true }],
    ['unevaluatedProperties', { unevaluatedProperties: { type: 'string' } }],
    ['$id', { $id: 'inner.json' }],
    ['items', { items: [{ type: 'string' }] }],
  ])('names %s, which cannot be expressed', (keyword, schema) => {
    expect(told(definitionsFolder({ A: { properties: { b: schema } } }))).toContain(
      `inexpressible set.json#/$defs/A/properties/b/${keyword}`,
    );
  });

  it('names a keyword that nobody knows, and takes annotations of others', () => {
    const folder = definitionsFolder({ A: { minLenght: 1, 'x-note': 'n', 'x-sdk-tag': 't' } });
    expect(told(folder)).toEqual([
      'unknown-keyword set.json#/$defs/A/minLenght',
      'unknown-keyword set.json#/$defs/A/x-sdk-tag',
    ]);
  });

  it('names another dialect', () => {
    const folder = schemaFolder({ 'a.json': { $schema: 'http://json-schema.org/draft-07/schema#', $defs: {} } });
    expect(told(folder)).toEqual(['inexpressible a.json#/$schema']);
  });

  it.each([
    ['type', 'text'],
    ['type', ['string', 'string']],
    ['enum', []],
    ['required', 'id'],
    ['minLength', -1],
    ['multipleOf', 0],
    ['oneOf', []],
    ['properties', []],
  ])('names %s with the value %j', (keyword, value) => {
    expect(told(definitionsFolder({ A: { [keyword]: value } }))).toContain(
      `inexpressible set.json#/$defs/A/${keyword}`,
    );
  });

  it('names what is no schema', () => {
    expect(told(definitionsFolder({ A: { items: 'string' } }))).toContain('not-a-schema set.json#/$defs/A/items');
  });

  it('names patterns that are none under the u flag, with the pattern, and takes those that are', () => {
    const folder = definitionsFolder({
      A: { pattern: '^[\\w\\-]+\\:\\d+$' },
      B: { pattern: '^\\p{L}+$' },
      C: { patternProperties: { '\\-': {} } },
    });
    expect(told(folder)).toEqual([
      'pattern set.json#/$defs/A/pattern',
      'pattern set.json#/$defs/C/patternProperties/\\-',
    ]);
    expect(problemsOf(folder)[0]?.message).toContain(JSON.stringify('^[\\w\\-]+\\:\\d+$'));
  });
});

describe('x-sdk-discriminator', () => {
  const branch = (tag: unknown, required = true): object => ({
    type: 'object',
    properties: { t: tag },
    ...(required ? { required: ['t'] } : {}),
  });
  const union = (...branches: object[]): Record<string, unknown> => ({
    A: { 'x-sdk-discriminator': 't', oneOf: branches },
  });

  it('takes constants that differ, with one open branch', () => {
    const sound = union(branch({ const: 'a' }), branch({ const: 'b' }), branch({ type: 'string' }));
    expect(told(definitionsFolder(sound))).toEqual([]);
  });

  it.each([
    [
      'a branch that does not require it',
      union(branch({ const: 'a' }), branch({ const: 'b' }, false)),
      'branch 1 does not require',
    ],
    [
      'a constant that stands twice',
      union(branch({ const: 'a' }), branch({ const: 'a' })),
      'branches 0 and 1 both have',
    ],
    [
      'two open branches',
      union(branch({ type: 'string' }), branch({ pattern: '^_' })),
      'branches 0 and 1 have no string constant',
    ],
    [
      'a constant that is no string',
      union(branch({ const: 'a' }), branch({ const: 1 }), branch({ const: 2 })),
      'branches 1 and 2',
    ],
    ['no union', { A: { 'x-sdk-discriminator': 't', type: 'object' } }, 'no oneOf or anyOf'],
    ['no text', { A: { 'x-sdk-discriminator': { propertyName: 't' }, oneOf: [{}, {}] } }, 'an object and no text'],
  ] as [string, Record<string, unknown>, string][])('names %s', (_case, definitions, message) => {
    const problems = problemsOf(definitionsFolder(definitions));
    expect(problems.map(({ code, place }) => [code, place.pointer])).toEqual([
      ['discriminator', '/$defs/A/x-sdk-discriminator'],
    ]);
    expect(problems[0]?.message).toContain(message);
  });

  it('sees a member that is required beside the union, or in a base behind a reference', () => {
    const folder = definitionsFolder({
      Base: { type: 'object', properties: { t: { type: 'string' } }, required: ['t'] },
      A: {
        'x-sdk-discriminator': 't',
        oneOf: [
          { allOf: [{ $ref: '#/$defs/Base' }, { properties: { t: { const: 'a' } } }] },
          { allOf: [{ properties: { t: { const: 'b' } } }, { $ref: '#/$defs/Base' }] },
        ],
      },
      B: {
        required: ['t'],
        'x-sdk-discriminator': 't',
        oneOf: [{ properties: { t: { const: 'a' } } }, { properties: { t: { const: 'b' } } }],
      },
    });
    expect(told(folder)).toEqual([]);
  });
});

it('tells all problems of a run at once, each with its rule as a sentence, and emits nothing', async () => {
  const folder = schemaFolder({
    'a.json': {
      $schema: DIALECT,
      $defs: {
        Loop: { $ref: '#/$defs/Loop' },
        Lost: { $ref: '#/$defs/Nowhere' },
        Far: { $ref: 'https://far.example.invalid/a.json' },
        Odd: { pattern: '\\-', frobnicate: 1, $dynamicRef: '#a' },
        odd: {},
        Tagged: { 'x-sdk-discriminator': 't', oneOf: [{ type: 'object' }, { type: 'object' }] },
      },
    },
    'b.json': { $defs: { Far: {} } },
  });
  const error: unknown = await generate(folder, { emitIr: false }).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(GenerateError);
  const { problems, code, message } = error as GenerateError;
  expect(code).toBe('schema-problems');
  expect(message).toBe(`the schema set must keep all rules of the generator, got ${problems.length} problems`);
  expect([...new Set(problems.map((problem) => problem.code))].sort()).toEqual([
    'discriminator',
    'duplicate-name',
    'endless-cycle',
    'inexpressible',
    'name-collision',
    'pattern',
    'remote-ref',
    'unknown-keyword',
    'unresolved-ref',
  ]);
  for (const { rule } of problems) expect(rule).toMatch(/^(?:[A-Z]|x-sdk-|\$)[^.]* [^.]+/);
});
