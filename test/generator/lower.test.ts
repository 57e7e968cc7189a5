import { describe, expect, it } from 'vitest';
import type { Choice, Shape } from '../../generator/model.js';
import { definitionsFolder, lowered, shapeOf } from './sets.js';

function choiceOf(shape: Shape): Choice {
  const union = shape.kind === 'every' ? shape.parts.find((part) => part.kind === 'union') : shape;
  if (union?.kind !== 'union') throw new Error(`expected a union, got ${JSON.stringify(shape)}`);
  return union.choice;
}

const object = (
  properties: object,
  required: readonly string[] = Object.keys(properties),
  more: object = {},
): object => ({
  type: 'object',
  properties,
  required,
  ...more,
});

describe('shapes', () => {
  it.each([
    ['any JSON', {}, { kind: 'any' }],
    ['any JSON', true, { kind: 'any' }],
    ['nothing', false, { kind: 'never' }],
    [
      'bounds are left to the validator',
      { type: 'string', minLength: 1, format: 'uri' },
      { kind: 'types', types: ['string'] },
    ],
    [
      'conditions are left to the validator',
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      { if: { required: ['a'] }, then: { required: ['b'] }, not: {} },
      { kind: 'any' },
    ],
    ['a constant', { type: 'string', const: 'a' }, { kind: 'constant', value: 'a' }],
    [
      'an enum keeps what its type admits',
      { type: 'string', enum: ['a', 1, 'b'] },
      { kind: 'enum', values: ['a', 'b'] },
    ],
    ['an enum of one is an enum', { enum: ['a'] }, { kind: 'enum', values: ['a'] }],
    [
      'presence alone',
      { required: ['a', 'b'] },
      {
        kind: 'object',
        typed: false,
        closed: false,
        extras: null,
        patterns: [],
        members: [
          { name: 'a', required: true, shape: { kind: 'any' } },
          { name: 'b', required: true, shape: { kind: 'any' } },
        ],
      },
    ],
    [
      'none of a member is left to the validator',
      { properties: { a: false } },
      {
        kind: 'object',
        typed: false,
        closed: false,
        extras: null,
        patterns: [],
        members: [{ name: 'a', required: false, shape: { kind: 'any' } }],
      },
    ],
  ])('%s', (_name, schema, shape) => expect(shapeOf({ A: schema }, 'A')).toEqual(shape));

  it('joins the members of allOf and of the schema around it, whichever comes first', () => {
    const base = { properties: { kind: { type: 'string' } }, required: ['kind'] };
    const overlay = { properties: { kind: { const: 'a' } } };
    const kinds = [
      { kind: 'types', types: ['string'] },
      { kind: 'constant', value: 'a' },
    ];
    const member = (parts: unknown): unknown => [{ name: 'kind', required: true, shape: { kind: 'every', parts } }];
    expect(shapeOf({ A: { allOf: [base, overlay] } }, 'A')).toMatchObject({ members: member(kinds) });
    expect(shapeOf({ A: { allOf: [overlay, base] } }, 'A')).toMatchObject({ members: member([...kinds].reverse()) });
  });

  it('keeps everything beside a reference', () => {
    const definitions = { Base: object({ id: { type: 'integer' } }), A: { $ref: '#/$defs/Base', required: ['lane'] } };
    expect(shapeOf(definitions, 'A')).toMatchObject({
      kind: 'every',
      parts: [{ kind: 'reference' }, { kind: 'object' }],
    });
  });
});

describe('§1 union selection', () => {
  it('by a constant tag', () => {
    const shape = shapeOf({ A: { oneOf: [object({ t: { const: 'a' } }), object({ t: { const: 'b' } })] } }, 'A');
    expect(choiceOf(shape)).toEqual({
      kind: 'tag',
      member: 't',
      absent: null,
      cases: [
        { values: ['a'], choice: { kind: 'branch', index: 0 } },
        { values: ['b'], choice: { kind: 'branch', index: 1 } },
      ],
    });
  });

  it('by a pair of tags', () => {
    const pair = (t: string, o: string): object => object({ t: { const: t }, o: { const: o } });
    const shape = shapeOf({ A: { oneOf: [object({ t: { const: 'x' } }), pair('f', 'stop'), pair('f', 'go')] } }, 'A');
    expect(choiceOf(shape)).toMatchObject({
      member: 't',
      cases: [{ values: ['x'] }, { values: ['f'], choice: { kind: 'tag', member: 'o', absent: null } }],
    });
  });

  it('by the member that only one branch has, where the tag is the same', () => {
    const item = (mark: string): object =>
      object({ s: { const: 'body' }, [mark]: {} }, ['s', mark], { additionalProperties: false });
    const shape = shapeOf({ A: { oneOf: [item('body'), item('gap'), object({ s: { const: 'omit' } })] } }, 'A');
    expect(choiceOf(shape)).toMatchObject({
      cases: [
        {
          values: ['body'],
          choice: {
            kind: 'presence',
            cases: [
              { path: ['body'], excluded: ['gap'] },
              { path: ['gap'], excluded: ['body'] },
            ],
          },
        },
        { values: ['omit'] },
      ],
    });
  });

  it('an optional tag selects its branch when it is absent', () => {
    const shape = shapeOf(
      { A: { anyOf: [object({ m: { const: 'url' } }), object({ m: { const: 'form' } }, [])] } },
      'A',
    );
    expect(choiceOf(shape)).toMatchObject({ kind: 'tag', member: 'm', absent: { kind: 'branch', index: 1 } });
  });

  it('two optional tags select nothing', () => {
    const shape = shapeOf(
      { A: { anyOf: [object({ m: { const: 'url' } }, []), object({ m: { const: 'form' } }, [])] } },
      'A',
    );
    expect(choiceOf(shape)).toEqual({ kind: 'trial', indexes: [0, 1] });
  });

  it('by tag, else by member, else by a member inside: messages', () => {
    const version = { const: '2.0' };
    const message = (more: object): object => object({ jsonrpc: version, ...more });
    const shape = shapeOf(
      {
        A: {
          anyOf: [
            message({ method: { const: 'ask' } }),
            message({ result: object({ answer: {} }) }),
            message({ error: object({ code: { type: 'integer' } }) }),
            message({ method: { const: 'tell' } }),
            message({ result: object({ list: {} }) }),
          ],
        },
      },
      'A',
    );
    expect(choiceOf(shape)).toMatchObject({
      member: 'method',
      cases: [{ values: ['ask'] }, { values: ['tell'] }],
      absent: {
        kind: 'presence',
        cases: [{ path: ['error'] }, { path: ['result', 'answer'] }, { path: ['result', 'list'] }],
      },
    });
  });

  it('by the JSON type alone', () => {
    const shape = shapeOf(
      { A: { oneOf: [{ type: 'null' }, { type: 'integer' }, { type: 'array' }, { type: 'object' }] } },
      'A',
    );
    expect(choiceOf(shape)).toMatchObject({
      kind: 'type',
      cases: [{ types: ['array'] }, { types: ['null'] }, { types: ['number'] }, { types: ['object'] }],
    });
  });

  it('by type first, then by tag', () => {
    const tagged = [object({ t: { const: 'a' } }), object({ t: { const: 'b' } })];
    const shape = shapeOf({ A: { anyOf: [{ type: 'string' }, ...tagged] } }, 'A');
    expect(choiceOf(shape)).toMatchObject({
      kind: 'type',
      cases: [{ types: ['object'], choice: { kind: 'tag' } }, { types: ['string'] }],
    });
  });

  it('a tag behind references, bases and overlays, in either order', () => {
    const base = object({ kind: { type: 'string' }, at: { type: 'string' } });
    const definitions = {
      Base: base,
      Start: { allOf: [{ $ref: '#/$defs/Base' }, { properties: { kind: { const: 'start' } } }] },
      End: { allOf: [{ properties: { kind: { const: 'end' } } }, { $ref: '#/$defs/Base' }] },
      A: { oneOf: [{ $ref: '#/$defs/Start' }, { $ref: '#/$defs/End' }] },
    };
    expect(choiceOf(shapeOf(definitions, 'A'))).toMatchObject({ kind: 'tag', member: 'kind', absent: null });
  });

  it('unions of unions: the tag of the inner ones selects', () => {
    const definitions = {
      One: { oneOf: [object({ t: { const: 'a' } }), object({ t: { const: 'b' } })] },
      Two: { oneOf: [object({ t: { const: 'c' } }), object({ t: { const: 'd' } })] },
      A: { oneOf: [{ $ref: '#/$defs/One' }, { $ref: '#/$defs/Two' }] },
    };
    expect(choiceOf(shapeOf(definitions, 'A'))).toMatchObject({
      cases: [{ values: ['a', 'b'] }, { values: ['c', 'd'] }],
    });
  });

  it('a declared discriminator has an open branch, which is the unknown variant', () => {
    const open = object({ t: { type: 'string', pattern: '^_' }, x: { type: 'integer' } });
    const shape = shapeOf({ A: { 'x-sdk-discriminator': 't', oneOf: [object({ t: { const: 'a' } }), open] } }, 'A');
    expect(shape).toMatchObject({ hasUnknownVariant: true, choice: { cases: [{ values: ['a'] }], absent: null } });
  });

  it.each([
    ['presence alone', [{ required: ['a'] }, { required: ['b'] }]],
    [
      'presence and absence',
      [
        { required: ['a'], not: { required: ['b'] } },
        { required: ['b'], not: { required: ['a'] } },
      ],
    ],
    [
      'narrowing of members beside it',
      [{ properties: { a: { const: true } } }, { properties: { b: { const: true } } }],
    ],
  ])('%s is a rule of the validator and no union', (_name, branches) => {
    const flags = object({ a: { type: 'boolean' }, b: { type: 'boolean' } }, []);
    expect(shapeOf({ A: { ...flags, anyOf: branches } }, 'A')).toMatchObject({ kind: 'object' });
  });
});

it('the unknown variant shows through references and allOf, and not through members', () => {
  const ir = lowered(
    definitionsFolder({
      Union: { oneOf: [object({ t: { const: 'a' } }), object({ t: { const: 'b' } })] },
      Alias: { $ref: '#/$defs/Union' },
      Narrowed: { allOf: [{ $ref: '#/$defs/Union' }], required: ['role'] },
      Holder: object({ union: { $ref: '#/$defs/Union' } }),
      Plain: { oneOf: [{ type: 'string' }, { type: 'null' }] },
    }),
  );
  const unknown = ir.definitions.filter(({ hasUnknownVariant }) => hasUnknownVariant).map(({ name }) => name);
  expect(unknown).toEqual(['Alias', 'Narrowed', 'Union']);
});
