/** Faults that validators are known for, each against both compiled forms. */

import { beforeAll, describe, expect, it } from 'vitest';
import { check } from '../../generator/check.js';
import { JsonNumber } from '../../templates/support/json/index.js';
import { bothForms, linkDefinitions, type Validators } from '../support/schema-sets.js';

const DEFINITIONS = String.raw`{
  "RequiresConstructor": { "type": "object", "required": ["constructor"] },
  "NamesToString": { "type": "object", "properties": { "toString": { "type": "string" } } },
  "NamesProto": { "type": "object", "properties": { "__proto__": { "type": "integer" } } },
  "RequiresProto": { "type": "object", "properties": { "__proto__": true }, "required": ["__proto__"], "additionalProperties": false },
  "ProtoPattern": { "type": "object", "patternProperties": { "__proto__": { "type": "integer" } } },
  "ProtoConstant": { "const": { "__proto__": 1 } },
  "ConstructorConstant": { "const": { "constructor": { "a": 1 }, "valueOf": 2 } },
  "DateTime": { "type": "string", "format": "date-time" },
  "Cents": { "multipleOf": 0.01 },
  "Whole": { "multipleOf": 1 },
  "Sevens": { "multipleOf": 7 },
  "Letters": { "type": "string", "pattern": "^\\p{L}+$" },
  "NotBoth": { "type": "object", "properties": { "mode": { "type": "string" }, "until": { "type": "string" } }, "not": { "required": ["mode", "until"] } },
  "Patterned": { "type": "object", "properties": { "id": { "type": "string" } }, "patternProperties": { "^x-": { "type": "integer" }, "-n$": { "minimum": 5 } }, "additionalProperties": false },
  "TypedExtras": { "type": "object", "properties": { "hookId": { "type": "string" } }, "required": ["hookId"], "additionalProperties": { "type": "integer" } },
  "OneOfTwo": { "type": "object", "properties": { "inline": { "type": "string" }, "ref": { "type": "string" } }, "oneOf": [ { "required": ["inline"], "not": { "required": ["ref"] } }, { "required": ["ref"], "not": { "required": ["inline"] } } ] },
  "Base": { "type": "object", "properties": { "id": { "type": "integer" } }, "required": ["id"] },
  "Lane": { "$ref": "#/$defs/Base", "required": ["lane"], "properties": { "lane": { "enum": ["l", "r"] } } },
  "ClosedAfterIf": { "type": "object", "allOf": [{ "$ref": "#/$defs/Base" }], "properties": { "kind": { "type": "string" } }, "if": { "properties": { "kind": { "const": "d" } }, "required": ["kind"] }, "then": { "properties": { "extra": { "type": "integer" } }, "required": ["extra"] }, "unevaluatedProperties": false },
  "ClosedAfterAnyOf": { "type": "object", "properties": { "a": true }, "anyOf": [ { "properties": { "b": { "type": "string" } }, "required": ["b"] }, { "properties": { "c": { "type": "string" } }, "required": ["c"] }, { "maxProperties": 1 } ], "unevaluatedProperties": false },
  "ClosedAfterOneOf": { "type": "object", "properties": { "a": true }, "oneOf": [ { "type": "object", "properties": { "t": { "const": "x" }, "b": true }, "required": ["t"] }, { "type": "object", "properties": { "t": { "const": "y" }, "c": true }, "required": ["t"] } ], "unevaluatedProperties": false },
  "ClosedAfterDependent": { "type": "object", "properties": { "a": true }, "dependentSchemas": { "b": { "properties": { "b": true, "c": true } } }, "unevaluatedProperties": false },
  "Tree": { "type": "object", "properties": { "children": { "type": "array", "items": { "$ref": "#/$defs/Tree" } } }, "unevaluatedProperties": false },
  "Number": { "type": "number" },
  "Integer": { "type": "integer" },
  "Object": { "type": "object" },
  "AnyObjectRules": { "required": ["a"], "minProperties": 1, "additionalProperties": false },
  "Positive": { "type": "number", "exclusiveMinimum": 0 },
  "Small": { "maximum": 10 },
  "AtLeastTen": { "minimum": 10 },
  "BelowTen": { "exclusiveMaximum": 10 },
  "One": { "const": 1 },
  "OneOrTwo": { "enum": [1, 2, "two"] },
  "Nested": { "const": { "a": [1, { "b": 100 }] } },
  "Unique": { "type": "array", "uniqueItems": true },
  "ThreeCharacters": { "type": "string", "minLength": 3, "maxLength": 3 },
  "Tuple": { "prefixItems": [ { "type": "integer" }, { "type": "string" } ], "contains": { "const": 1 } },
  "InLoop": { "type": "array", "items": { "type": "object", "properties": { "k": true }, "anyOf": [ { "required": ["k"], "properties": { "k": { "const": 1 }, "m": true } }, { "properties": { "n": true } } ], "unevaluatedProperties": false } },
  "Never": false,
  "Always": true
}`;

type Row = readonly [name: string, text: string, valid: boolean];

const ROWS: readonly Row[] = [
  ['RequiresConstructor', '{}', false],
  ['RequiresConstructor', '{"constructor":null}', true],
  ['NamesToString', '{}', true],
  ['NamesToString', '{"toString":"x"}', true],
  ['NamesToString', '{"toString":1}', false],
  ['NamesProto', '{"__proto__":"x"}', false],
  ['NamesProto', '{"__proto__":1}', true],
  ['NamesProto', '{}', true],
  ['RequiresProto', '{}', false],
  ['RequiresProto', '{"__proto__":{}}', true],
  ['RequiresProto', '{"__proto__":{},"x":1}', false],
  ['ProtoPattern', '{"x__proto__x":"a"}', false],
  ['ProtoPattern', '{"__proto__":2}', true],
  ['ProtoConstant', '{"__proto__":1}', true],
  ['ProtoConstant', '{"__proto__":2}', false],
  ['ProtoConstant', '{}', false],
  ['ConstructorConstant', '{"valueOf":2,"constructor":{"a":1}}', true],
  ['ConstructorConstant', '{"valueOf":2,"constructor":{"a":2}}', false],
  ['DateTime', '"2016-12-31T24:59:60+01:00"', false],
  ['DateTime', '"2026-03-01T10:00:00+01"', false],
  ['DateTime', '"2026-03-01 10:00:00Z"', false],
  ['DateTime', '"1998-12-31T23:59:60Z"', true],
  ['DateTime', '"2026-02-30T00:00:00Z"', false],
  ['DateTime', '"2026-03-01T10:00:00.123456789Z"', true],
  ['Cents', '19.99', true],
  ['Cents', '4.35', true],
  ['Cents', '0.07', true],
  ['Cents', '0.075', false],
  ['Cents', '0', true],
  ['Cents', '-19.99', true],
  ['Cents', '1e300', true],
  ['Cents', '1e-300', false],
  ['Cents', '"x"', true],
  ['Whole', '1e21', true],
  ['Whole', '1.5', false],
  ['Sevens', '700000000000000000000', true],
  ['Sevens', '1e21', false],
  ['Letters', '"éa"', true],
  ['Letters', '"a1"', false],
  ['NotBoth', '{"mode":"m"}', true],
  ['NotBoth', '{"mode":"m","until":"u"}', false],
  ['Patterned', '{"id":"a","x-n":7}', true],
  ['Patterned', '{"x-n":3}', false],
  ['Patterned', '{"id":"a","y":1}', false],
  ['Patterned', '{"x-a":"1"}', false],
  ['TypedExtras', '{"hookId":"h1","retries":3}', true],
  ['TypedExtras', '{"hookId":"h1","retries":"3"}', false],
  ['OneOfTwo', '{"inline":"a"}', true],
  ['OneOfTwo', '{"inline":"a","ref":"b"}', false],
  ['OneOfTwo', '{}', false],
  ['Lane', '{"id":1}', false],
  ['Lane', '{"id":1,"lane":"l"}', true],
  ['Lane', '{"id":1,"lane":"m"}', false],
  ['ClosedAfterIf', '{"id":1,"kind":"x"}', true],
  ['ClosedAfterIf', '{"id":1,"kind":"d","extra":1}', true],
  ['ClosedAfterIf', '{"id":1,"kind":"x","extra":1}', false],
  ['ClosedAfterIf', '{"id":1,"kind":"d"}', false],
  ['ClosedAfterAnyOf', '{"a":1}', true],
  ['ClosedAfterAnyOf', '{"a":1,"b":"x"}', true],
  ['ClosedAfterAnyOf', '{"a":1,"b":"x","c":"y"}', true],
  ['ClosedAfterAnyOf', '{"a":1,"b":"x","c":1}', false],
  ['ClosedAfterAnyOf', '{"d":1}', false],
  ['ClosedAfterOneOf', '{"a":1,"t":"x","b":1}', true],
  ['ClosedAfterOneOf', '{"a":1,"t":"x","c":1}', false],
  ['ClosedAfterOneOf', '{"a":1,"t":"y","c":1}', true],
  ['ClosedAfterOneOf', '{"a":1,"t":"z"}', false],
  ['ClosedAfterDependent', '{"a":1}', true],
  ['ClosedAfterDependent', '{"a":1,"b":1,"c":1}', true],
  ['ClosedAfterDependent', '{"a":1,"c":1}', false],
  ['Tree', '{"children":[{"children":[{}]}]}', true],
  ['Tree', '{"children":[{"children":[{"x":1}]}]}', false],
  ['AnyObjectRules', '5', true],
  ['AnyObjectRules', '[]', true],
  ['AnyObjectRules', '{}', false],
  ['ThreeCharacters', '"a😀b"', true],
  ['ThreeCharacters', '"😀😀"', false],
  ['ThreeCharacters', '"😀😀😀😀"', false],
  ['ThreeCharacters', '"abcd"', false],
  ['Unique', '["__proto__","__proto__"]', false],
  ['Unique', '["__proto__","constructor"]', true],
  ['Unique', '[1,1.0]', false],
  ['Unique', '[0,-0]', false],
  ['Unique', '[1,"1",true]', true],
  ['Unique', '[{"a":1,"b":2},{"b":2,"a":1}]', false],
  ['Unique', '[{"constructor":1},{"constructor":2}]', true],
  ['Unique', '[[1],[1]]', false],
  ['Tuple', '[]', false],
  ['Tuple', '[1]', true],
  ['Tuple', '[2]', false],
  ['Tuple', '[2,"a",1]', true],
  ['Tuple', '[1,1]', false],
  ['InLoop', '[{"k":1,"m":1},{"k":2}]', true],
  ['InLoop', '[{"k":1,"m":1},{"k":2,"m":1}]', false],
  ['Never', '1', false],
  ['Always', '{"a":1}', true],
];

let forms: [string, Validators][] = [];
beforeAll(async () => {
  forms = await bothForms({ 'cases.json': DEFINITIONS });
});

describe.each(['in memory', 'precompiled'])('%s', (form) => {
  const validators = (name: string) => {
    const found = forms.find(([one]) => one === form);
    if (found === undefined) throw new Error(`no form ${form}`);
    return found[1](name);
  };

  it.each(ROWS)('%s of %s is valid: %s', (name, text, valid) => {
    expect(validators(name)(JSON.parse(text)).ok).toBe(valid);
  });

  it("inherited members are not the data's own", () => {
    const inherits = Object.create({ id: 1, lane: 'l' }) as object;
    expect(validators('Lane')(inherits).ok).toBe(false);
  });

  it('§1 a JsonNumber is a number and no object', () => {
    const number = (text: string) => new JsonNumber(text);
    const rows: readonly [string, unknown, boolean][] = [
      ['Number', number('1e400'), true],
      ['Integer', number('1e400'), true],
      ['Integer', number('12345678901234567890'), true],
      ['Integer', number('1.0'), true],
      ['Integer', number('0.5'), false],
      ['Integer', number('1e-400'), false],
      ['Object', number('1e400'), false],
      ['AnyObjectRules', number('1e400'), true],
      ['Positive', number('1e400'), true],
      ['Positive', number('-1e400'), false],
      ['Positive', number('1e-400'), true],
      ['Positive', number('-1e-400'), false],
      ['Positive', number('0.0'), false],
      ['Small', number('1e400'), false],
      ['Small', number('10.00000000000000000001'), false],
      ['Small', number('10.0'), true],
      ['Small', number('9.99999999999999999999'), true],
      ['AtLeastTen', number('9.99999999999999999999'), false],
      ['AtLeastTen', number('10.00000000000000000001'), true],
      ['BelowTen', number('9.99999999999999999999'), true],
      ['BelowTen', number('10'), false],
      ['One', number('1.0'), true],
      ['One', number('1.00000000000000000001'), false],
      ['OneOrTwo', number('2e0'), true],
      ['OneOrTwo', number('3'), false],
      ['Nested', { a: [number('1e0'), { b: number('1E2') }] }, true],
      ['Nested', { a: [number('1e0'), { b: number('1E3') }] }, false],
      ['Unique', [number('1e400'), number('10e399')], false],
      ['Unique', [number('1e400'), number('1e401')], true],
      ['Unique', [1, number('1.0')], false],
      ['Unique', [number('1.0'), 1], false],
      ['Cents', number('12345678901234567890.12'), true],
      ['Cents', number('12345678901234567890.123'), false],
      ['Whole', number('1e400'), true],
      ['Sevens', number('7e400'), true],
      ['Sevens', number('1e400'), false],
    ];
    const wrong = rows.filter(([name, value, valid]) => validators(name)(value).ok !== valid);
    expect(wrong).toEqual([]);
  });

  it('findings of an earlier call are not wiped by a later one', async () => {
    const validate = validators('Lane');
    const first = validate({ id: 1 });
    expect(validate({ id: 1, lane: 'l' }).ok).toBe(true);
    await Promise.resolve();
    expect(validate({ id: 'x', lane: 'l' }).ok).toBe(false);
    expect(first).toEqual({
      ok: false,
      issues: [
        { code: 'required', pointer: '', message: 'the value: expected the member "lane", got an object of 1 member' },
      ],
    });
  });

  it('nested without end is an issue, not a throw', () => {
    const cyclic: Record<string, unknown> = {};
    cyclic.children = [cyclic];
    expect(validators('Tree')(cyclic)).toMatchObject({ ok: false, issues: [{ code: 'not-json', pointer: '' }] });
  });
});

describe('patterns', () => {
  it('that are unsound under the u flag are named with file, pointer and pattern before anything is compiled', () => {
    const pattern = '^[\\w\\-]+\\:\\d+$';
    const { set, problems } = linkDefinitions({ 'p.json': JSON.stringify({ P: { type: 'string', pattern } }) });
    const checked = check(set, problems);
    expect(checked.output).toBeNull();
    expect(checked.problems).toMatchObject([
      { code: 'pattern', place: { document: 'p.json', pointer: '/$defs/P/pattern' } },
    ]);
    expect(checked.problems[0]?.message).toContain(JSON.stringify(pattern));
  });
});

describe('what validators could not assert', () => {
  it.each([
    ['format', '{"F": {"type": "string", "format": "uuid"}}', 'date, date-time, email, uri'],
    ['unevaluatedItems', '{"F": {"type": "array", "unevaluatedItems": false}}', '"items": false'],
  ])('an unknown %s stops generation', (keyword, text, hint) => {
    const { set, problems } = linkDefinitions({ 'f.json': text });
    const checked = check(set, problems);
    expect(checked.output).toBeNull();
    const place = { document: 'f.json', pointer: `/$defs/F/${keyword}` };
    expect(checked.problems).toMatchObject([{ code: 'inexpressible', place }]);
    expect(checked.problems[0]?.message).toContain(hint);
  });
});
