import { beforeAll, describe, expect, test } from 'vitest';
import { compile, type Documents, declaration, document, emit, type Program } from './types-support.js';

interface Case {
  readonly title: string;
  readonly documents: Documents;
  /** Code that must compile; a claim that must not is marked in it. */
  readonly use: string;
}

const CASES: readonly Case[] = [
  oneDocument(
    'named members that do not fit the type of the extras',
    `{"Hook": {"type": "object", "properties": {"hookId": {"type": "string"}, "note": {"type": "boolean"},
          "parts": {"type": "array", "items": {"type": "string"}}},
          "required": ["hookId"], "additionalProperties": {"type": "integer"}},
        "Outer": {"type": "object", "properties": {"hooks": {"type": "array", "items": {"$ref": "#/$defs/Hook"}}},
          "additionalProperties": {"$ref": "#/$defs/Hook"}}}`,
    `import type { Hook, Outer } from './types/case.js';
       const hook: Hook = { hookId: 'h1', retries: 3 };
       export const id: string = hook.hookId;
       export const note: boolean | undefined = hook.note;
       export const outer: Outer = { hooks: [hook], other: { hookId: 'h2', n: 1, note: true, parts: ['a'] } };
       // @ts-expect-error a named member keeps its type
       export const bad: Hook = { hookId: 3 };
       // @ts-expect-error an object is no extra
       export const worse: Hook = { hookId: 'h1', retries: { n: 3 } };`,
  ),
  oneDocument(
    "exactly one of two members, with and without a spelt 'not'",
    `{"Spelt": {"type": "object", "properties": {"inline": {"type": "string"}, "ref": {"type": "string"}},
          "oneOf": [{"required": ["inline"], "not": {"required": ["ref"]}}, {"required": ["ref"], "not": {"required": ["inline"]}}]},
        "Short": {"type": "object", "properties": {"inline": {"type": "string"}, "ref": {"type": "string"}},
          "oneOf": [{"required": ["inline"]}, {"required": ["ref"]}], "additionalProperties": false},
        "AtLeastOne": {"type": "object", "properties": {"inline": {"type": "string"}, "ref": {"type": "string"}},
          "anyOf": [{"required": ["inline"]}, {"required": ["ref"]}], "additionalProperties": false}}`,
    `import type { AtLeastOne, Short, Spelt } from './types/case.js';
       export const ok: readonly (Spelt & Short)[] = [{ inline: 'a' }, { ref: 'b' }];
       export const both: AtLeastOne = { inline: 'a', ref: 'b' };
       export function read(value: Spelt): string {
         return value.inline === undefined ? value.ref : value.inline;
       }
       // @ts-expect-error both
       export const bad1: Spelt = { inline: 'a', ref: 'b' };
       // @ts-expect-error neither
       export const bad2: Spelt = {};
       // @ts-expect-error both
       export const bad3: Short = { inline: 'a', ref: 'b' };
       // @ts-expect-error the type of the member
       export const bad4: Short = { inline: 3 };`,
  ),
  oneDocument(
    'a tag that an overlay narrows, listed after and before its base',
    `{"Base": {"type": "object", "properties": {"kind": {"type": "string"}, "at": {"type": "string"}}, "required": ["kind", "at"]},
        "turn.start": {"allOf": [{"$ref": "#/$defs/Base"}, {"properties": {"kind": {"const": "turn.start"}, "turn": {"type": "integer"}}, "required": ["turn"]}]},
        "turn.end": {"allOf": [{"properties": {"kind": {"const": "turn.end"}, "why": {"type": "string"}}, "required": ["why"]}, {"$ref": "#/$defs/Base"}]},
        "Turn": {"oneOf": [{"$ref": "#/$defs/turn.start"}, {"$ref": "#/$defs/turn.end"}]}}`,
    `import type { KnownTurn, Turn, UnknownTurn, TurnStart } from './types/case.js';
       declare function isKnownTurn(value: Turn): value is KnownTurn;
       export function read(value: Turn): string | number {
         if (!isKnownTurn(value)) { const kept: UnknownTurn = value; return kept.kind; }
         if (value.kind === 'turn.start') return value.turn;
         // @ts-expect-error the other arm has no turn
         value.turn satisfies number;
         return value.why + value.at;
       }
       export const start: TurnStart = { kind: 'turn.start', at: 'now', turn: 1 };
       // @ts-expect-error the constant
       export const bad: TurnStart = { kind: 'turn.end', at: 'now', turn: 1 };`,
  ),
  oneDocument(
    'keywords beside $ref all hold',
    `{"Base": {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]},
        "Lane": {"$ref": "#/$defs/Base", "required": ["lane"], "properties": {"lane": {"enum": ["l", "r"]}}},
        "Text": {"type": "string"}, "Short": {"$ref": "#/$defs/Text", "maxLength": 3},
        "Holder": {"type": "object", "properties": {"lane": {"$ref": "#/$defs/Lane", "description": "A lane."}}, "additionalProperties": false}}`,
    `import type { Base, Holder, Lane, Short } from './types/case.js';
       export const lane: Lane = { id: 1, lane: 'l', other: null };
       export const base: Base = lane;
       export const holder: Holder = { lane };
       export const short: Short = 'abc';
       // @ts-expect-error the lane is required
       export const bad1: Lane = { id: 1 };
       // @ts-expect-error the base's member too
       export const bad2: Lane = { lane: 'r' };`,
  ),
  oneDocument(
    'members beside oneOf stand in every arm, at the root and nested',
    `{"Root": {"type": "object", "properties": {"sessionId": {"type": "string"}}, "required": ["sessionId"],
          "oneOf": [{"required": ["text"], "properties": {"text": {"type": "string"}}}, {"required": ["blob"], "properties": {"blob": {"type": "string"}}}]},
        "Nested": {"type": "object", "properties": {"body": {"type": "object", "properties": {"sessionId": {"type": "string"}}, "required": ["sessionId"],
          "anyOf": [{"required": ["text"], "properties": {"text": {"type": "string"}}}, {"required": ["blob"], "properties": {"blob": {"type": "string"}}}]}}}}`,
    `import type { Nested, Root } from './types/case.js';
       export const root: Root = { sessionId: 's', text: 't' };
       export const nested: Nested = { body: { sessionId: 's', blob: 'b' } };
       // @ts-expect-error the shared member
       export const bad1: Root = { text: 't' };
       // @ts-expect-error no arm
       export const bad2: Root = { sessionId: 's' };
       // @ts-expect-error the shared member
       export const bad3: Nested = { body: { blob: 'b' } };`,
  ),
  oneDocument(
    'required members without a schema of their own',
    `{"Bare": {"required": ["a", "b"]}, "Typed": {"type": "object", "required": ["a"], "additionalProperties": {"type": "string"}},
        "Overlay": {"allOf": [{"$ref": "#/$defs/Bare"}, {"properties": {"a": {"type": "number"}}}]}}`,
    `import type { Bare, Overlay, Typed } from './types/case.js';
       export const bare: readonly Bare[] = [{ a: null, b: [1] }];
       export const typed: Typed = { a: 'x', c: 'y' };
       export const overlay: Overlay = { a: 1, b: null };
       // @ts-expect-error b is required
       export const bad1: Bare = { a: 1 };
       // @ts-expect-error every member is a text
       export const bad2: Typed = { a: 1 };
       // @ts-expect-error the overlay's type
       export const bad3: Overlay = { a: 'x', b: null };`,
  ),
  oneDocument(
    'closed objects with pattern members',
    `{"Tagged": {"type": "object", "properties": {"id": {"type": "string"}}, "patternProperties": {"^x-": {"type": "integer"}, "-n$": {"type": "number", "minimum": 5}}, "additionalProperties": false}}`,
    `import type { Tagged } from './types/case.js';
       export const tagged: Tagged = { id: 'a', 'x-n': 7 };
       // @ts-expect-error no pattern takes an object
       export const bad: Tagged = { id: 'a', 'x-n': {} };
       // @ts-expect-error the named member
       export const worse: Tagged = { id: 1 };`,
  ),
  oneDocument(
    'tuples: optional elements, a rest, an end',
    `{"Pair": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "items": false, "minItems": 1},
        "Row": {"type": "array", "prefixItems": [{"type": "string"}], "items": {"type": "boolean"}, "minItems": 1},
        "Loose": {"type": "array", "prefixItems": [{"type": "string"}]},
        "Rows": {"type": "array", "items": {"type": "array", "items": {"type": "array", "items": {"$ref": "#/$defs/Pair"}}}}}`,
    `import type { Loose, Pair, Row, Rows } from './types/case.js';
       export const pairs: readonly Pair[] = [['a'], ['a', 1]];
       export const row: Row = ['a', true, false];
       export const loose: readonly Loose[] = [[], ['a', { any: [null] }]];
       export const rows: Rows = [[[['a', 2]]]];
       // @ts-expect-error too long
       export const bad1: Pair = ['a', 1, 2];
       // @ts-expect-error too short
       export const bad2: Pair = [];
       // @ts-expect-error the rest's type
       export const bad3: Row = ['a', 1];
       // @ts-expect-error read-only, at every depth
       rows[0]?.push([]);
       // @ts-expect-error read-only
       rows[0]?.[0]?.push(['a']);
       // @ts-expect-error read-only
       pairs[0]?.pop();`,
  ),
  oneDocument(
    'names: dotted, with digits, reserved, and those of the support types',
    `{"turn.start": {"type": "object", "properties": {"class": {"$ref": "#/$defs/class"}}}, "class": {"type": "string"},
        "9lives": {"type": "number"}, "Item": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Item1"}}},
        "Item1": {"type": "object", "properties": {"back": {"$ref": "#/$defs/Item"}, "any": true}, "oneOf": [{"required": ["back"]}, {"required": ["any"]}]},
        "JsonValue": {"type": "object", "properties": {"raw": true, "data": {"type": "object"}}, "additionalProperties": false},
        "Array": {"type": "array", "items": {"$ref": "#/$defs/Record"}}, "Record": {"type": "object", "additionalProperties": {"$ref": "#/$defs/Array"}}}`,
    `import type { Array as List, Class, Item, JsonValue, Record as Map, TurnStart, _9lives } from './types/case.js';
       export const start: TurnStart = { class: 'c' as Class };
       export const lives: _9lives = 9;
       export const item: Item = { next: { back: { next: { any: null } } } };
       export const value: JsonValue = { raw: [1, { a: null }], data: { b: 2 } };
       export const list: List = [{ a: [{ b: [] }] }];
       export const map: Map = { a: list };
       // @ts-expect-error the definition's own type, not any JSON
       export const bad: JsonValue = 3;`,
  ),
  oneDocument(
    'enums: open with texts, exact with one value or without texts',
    `{"Open": {"enum": ["a", "b"]}, "One": {"enum": ["a"]}, "Numbers": {"enum": [1, 2.5, -3]}, "Mixed": {"enum": ["a", 1, null, true]},
        "Deep": {"const": {"a": [1, "x"], "b": null}}, "Nullable": {"type": ["string", "null"]}, "Both": {"type": "string", "enum": ["a", "b", 3]},
        "Extended": {"anyOf": [{"$ref": "#/$defs/Open"}, {"type": "string", "pattern": "^x"}]}}`,
    `import type { Both, Deep, Extended, Mixed, Nullable, Numbers, One, Open } from './types/case.js';
       export const open: readonly Open[] = ['a', 'later'];
       export const one: One = 'a';
       export const numbers: readonly Numbers[] = [1, 2.5, -3];
       export const mixed: readonly Mixed[] = ['a', 'later', 1, null, true];
       export const deep: Deep = { a: [1, 'x'], b: null };
       export const nullable: readonly Nullable[] = ['x', null];
       export const both: Both = 'later';
       type IsSame<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
       export const offered: IsSame<Extended, 'a' | 'b' | (string & {})> = true;
       // @ts-expect-error an exact value
       export const bad1: One = 'b';
       // @ts-expect-error numbers are exact
       export const bad2: Numbers = 2;
       // @ts-expect-error not this number
       export const bad3: Mixed = 2;
       // @ts-expect-error the deep constant
       export const bad4: Deep = { a: [1], b: null };
       // @ts-expect-error not in both
       export const bad5: Both = 3;`,
  ),
  oneDocument(
    'an overlay closes its base, and unevaluatedProperties closes the whole',
    `{"Grants": {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}},
        "Narrow": {"allOf": [{"$ref": "#/$defs/Grants"}, {"properties": {"a": true}, "additionalProperties": false}]},
        "Whole": {"allOf": [{"$ref": "#/$defs/Grants"}], "properties": {"c": {"type": "number"}}, "required": ["c"], "unevaluatedProperties": false},
        "Wider": {"allOf": [{"$ref": "#/$defs/Grants"}], "properties": {"c": {"type": "number"}}, "required": ["a"]}}`,
    `import type { Grants, Narrow, Whole, Wider } from './types/case.js';
       export const narrow: Narrow = { a: 'x' };
       export const whole: Whole = { a: 'x', b: 'y', c: 1 };
       export const wider: Wider = { a: 'x', c: 1, d: [] };
       export const grants: Grants = wider;
       // @ts-expect-error taken away
       export const bad1: Narrow = { b: 'x' };
       // @ts-expect-error closed
       export const bad2: Whole = { c: 1, d: 2 };
       // @ts-expect-error required by the overlay
       export const bad3: Wider = { c: 1 };`,
  ),
  quotedCase(),
  recursionCase(),
];

function oneDocument(title: string, definitions: string, use: string): Case {
  return { title, documents: { 'case.json': document(definitions) }, use };
}

describe('types of hostile schemas compile and say what the schema says', () => {
  let complaints: readonly string[] = [];

  beforeAll(async () => {
    const programs: Program[] = [];
    for (const { documents, use } of CASES) programs.push({ files: await emit(documents), use });
    complaints = await compile(programs);
  }, 120_000);

  test.each(CASES.map(({ title }, index) => [title, index] as const))('%s', (_title, index) => {
    expect(complaints).toHaveLength(CASES.length);
    expect(complaints[index]).toBe('');
  });
});

/** Texts that end literals, templates, lines and comments, in values, names and descriptions. */
function quotedCase(): Case & { readonly texts: readonly string[] } {
  const dollar = '$';
  const exact = `C:\\*/\n\`${dollar}{x}"'`;
  const texts = [
    'C:\\logs\\',
    'two\nlines',
    "it's",
    'say "hi"',
    `${dollar}{x}`,
    '`',
    '*/',
    '\u2028',
    '\ud800',
    '__proto__',
  ];
  const members = Object.fromEntries(
    [...texts, 'constructor', 'default', '10', '9', 'a-b'].map((name, index) => [`${name}`, { const: index }]),
  );
  const definitions = {
    Path: { enum: texts, description: 'Ends */ early /* and "quotes"\r\n@param no tag\u2028next' },
    Exact: { const: exact },
  };
  // `__proto__` has to be a member of the text.
  const odd = `{"type": "object", "properties": {${Object.entries(members)
    .map(([name, schema]) => `${JSON.stringify(name)}: ${JSON.stringify(schema)}`)
    .join(', ')}}, "required": ["__proto__", "10"], "additionalProperties": false}`;
  const text = `{"Odd": ${odd}, ${JSON.stringify(definitions).slice(1)}`;
  return {
    title: 'quotes, backslashes, line ends and comment ends in values and names',
    documents: { 'case.json': document(text) },
    texts,
    use: `import type { Exact, Odd, Path } from './types/case.js';
       type Literal<T> = T extends string ? (string extends T ? never : T) : never;
       export const known: Literal<Exclude<Path, string & {}>>[] = [];
       export const exact: Exact = ${JSON.stringify(exact)};
       export const odd: Odd = { ${Object.keys(members)
         .filter((name) => name !== '__proto__')
         .map((name) => `[${JSON.stringify(name)}]: ${members[name]?.const}`)
         .join(', ')}, ['__proto__']: ${texts.indexOf('__proto__')} };
       // @ts-expect-error the exact text
       export const bad: Exact = 'C:';
       // @ts-expect-error the member's own constant
       export const worse: Odd['two\\nlines'] = 99;`,
  };
}

function recursionCase(): Case {
  return {
    title: 'recursion across documents',
    documents: {
      'a.json': document(
        `{"X": {"type": "object", "properties": {"y": {"$ref": "b.json#/$defs/Y"}, "children": {"type": "array", "items": {"$ref": "#/$defs/X"}}}}}`,
      ),
      'b.json': document(
        `{"Y": {"type": "object", "properties": {"x": {"$ref": "a.json#/$defs/X"}}, "additionalProperties": false}}`,
      ),
    },
    use: `import type { X } from './types/a.js';
      import type { Y } from './types/b.js';
      export const x: X = { y: { x: { children: [{ y: {} }] } } };
      // @ts-expect-error closed, five deep
      export const bad: Y = { x: { y: { x: { y: { z: 1 } } } } };`,
  };
}

test('literals of types are the JSON texts themselves', async () => {
  const { documents, texts } = quotedCase();
  const [file] = await emit(documents);
  for (const value of texts.slice(0, 8)) {
    expect(file?.text).toContain(JSON.stringify(value).replaceAll('\u2028', '\\u2028'));
  }
});

test('each document has a file of its own', async () => {
  const files = await emit(recursionCase().documents);
  expect(files.map(({ path }) => path)).toEqual(['types/a.ts', 'types/b.ts']);
});

describe('comments', () => {
  test('carry description, bounds, deprecation and the place of the schema', async () => {
    const files = await emit({
      'case.json': document(
        `{"Part": {"title": "A part", "description": "First line.\\n\\nSecond */ line.", "type": "object", "properties": {
            "size": {"type": "integer", "minimum": 0, "description": "Bytes."}, "old": {"type": "string", "deprecated": true},
            "whole": {"$ref": "#/$defs/Whole"}}}, "Whole": {"description": "The whole.\\n\\nMore.", "type": "string", "deprecated": true}}`,
      ),
    });
    expect(declaration(files, 'Part')).toBe(
      '/** * A part * First line. * * Second *\\/ line. * @see case.json#/$defs/Part */ export interface Part { ' +
        '/** * Bytes. * Valid: at least 0. */ readonly size?: number ' +
        '/** @deprecated */ readonly old?: string ' +
        '/** The whole. */ readonly whole?: Whole ' +
        'readonly [member: string]: unknown }',
    );
    expect(declaration(files, 'Whole')).toBe(
      '/** * The whole. * * More. * @deprecated * @see case.json#/$defs/Whole */ export type Whole = string',
    );
  });

  test('of all generated types name document and pointer', async () => {
    const files = await emit({
      'case.json': document(
        '{"A": {"oneOf": [{"$ref": "#/$defs/B"}, {"$ref": "#/$defs/C"}]}, "B": {"type": "object", "properties": {"t": {"const": "b"}}, "required": ["t"]}, "C": {"type": "object", "properties": {"t": {"const": "c"}}, "required": ["t"]}}',
      ),
    });
    for (const name of ['A', 'KnownA', 'UnknownA', 'B', 'C']) {
      expect(declaration(files, name)).toContain(`@see case.json#/$defs/${name.replace(/Known|Unknown/, '')} `);
    }
  });
});

test('the same types, byte for byte, whatever the order of documents and definitions', async () => {
  const a = `"A": {"type": "object", "properties": {"b": {"$ref": "two.json#/$defs/B"}}}`;
  const c = `"C": {"enum": ["x", "y"]}`;
  const b = document('{"B": {"type": "array", "items": {"$ref": "one.json#/$defs/C"}}}');
  const first = await emit({ 'one.json': document(`{${a}, ${c}}`), 'two.json': b });
  const second = await emit({ 'two.json': b, 'one.json': document(`{${c}, ${a}}`) });
  expect(second).toEqual(first);
});

test('two types of one name stop the generation, none is numbered', async () => {
  const tagged = (tag: string): string =>
    `{"type": "object", "properties": {"t": {"const": "${tag}"}}, "required": ["t"]}`;
  const definitions = `{"A": {"oneOf": [{"$ref": "#/$defs/B"}, {"$ref": "#/$defs/C"}]}, "B": ${tagged('b')}, "C": ${tagged('c')}, "KnownA": {"type": "string"}}`;
  await expect(emit({ 'case.json': document(definitions) })).rejects.toMatchObject({
    name: 'GenerateError',
    problems: [
      {
        code: 'name-collision',
        place: { document: 'case.json', pointer: '/$defs/KnownA' },
        message: '"KnownA" is also made for the variants of a union',
      },
    ],
  });
});

test('unions may have hundreds of branches; a conjunction of two such unions stops with its place', async () => {
  const branches = (prefix: string, count: number): string =>
    Array.from({ length: count }, (_, index) => {
      const name = `"${prefix}${index}"`;
      return `{"type": "object", "properties": {"${prefix}": {"const": ${name}}, ${name}: {"type": "string"}}, "required": ["${prefix}", ${name}]}`;
    }).join(', ');
  const files = await emit({ 'case.json': document(`{"Many": {"oneOf": [${branches('a', 400)}]}}`) });
  expect(declaration(files, 'KnownMany').match(/'a\d+'|"a\d+"/g)?.length).toBe(400);
  const both = `{"Both": {"allOf": [{"oneOf": [${branches('a', 80)}]}, {"oneOf": [${branches('b', 80)}]}]}}`;
  await expect(emit({ 'case.json': document(both) })).rejects.toMatchObject({
    problems: [
      {
        code: 'inexpressible',
        place: { document: 'case.json', pointer: '/$defs/Both' },
        message: 'expected at most 4096 pairs of branches, got 6561',
      },
    ],
  });
});
