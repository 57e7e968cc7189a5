import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type JsonValue, parse } from '../../generated/json/index.js';
import { checkAnswers, compiledFormCount, type Form } from '../../runtime/elicitation/answer-check.js';
import { validateElicitationExchange } from '../../runtime/elicitation/index.js';
import { isAnswered } from './answer-model.js';
import { bodies, codeOf, PRINCIPAL, requestEnvelope, resultEnvelope } from './support.js';

/** `ok`, or why not: `schema`, or the rules that the answers break. */
function judge(form: unknown, answers: unknown): string | readonly string[] {
  const verdict = checkAnswers(form as Form, answers as object);
  if (verdict.ok) return 'ok';
  return verdict.reason === 'schema' ? 'schema' : verdict.issues.map(({ pointer, code }) => `${pointer} ${code}`);
}

function form(properties: object, rest: object = {}): object {
  return { type: 'object', properties, ...rest };
}

/** From JSON text, in which `__proto__` is a member like any other. */
function json(text: string): JsonValue {
  const parsed = parse(text);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return parsed.value;
}

describe('§2 answers, JSON Schema 2020-12', () => {
  test.each<[string, object, unknown, string]>([
    ['length in characters, not units', { type: 'string', minLength: 2 }, '🜁', '/a minLength'],
    ['length in characters, not units', { type: 'string', maxLength: 1 }, '🜁', 'ok'],
    ['a number that is whole', { type: 'integer' }, 2, 'ok'],
    ['a fraction', { type: 'integer' }, 2.5, '/a type'],
    ['a bound', { type: 'number', minimum: 0 }, -0.5, '/a minimum'],
    ['a bound', { type: 'number', maximum: 1 }, 1, 'ok'],
    ['no coercion', { type: 'number' }, '1', '/a type'],
    ['no coercion', { type: 'boolean' }, 'true', '/a type'],
    ['no coercion', { type: 'string' }, 1, '/a type'],
    ['a list where a text belongs', { type: 'string' }, ['a'], '/a type'],
    ['an unknown value', { type: 'string', enum: ['r'], enumNames: ['Red'] }, 'Red', '/a enum'],
    ['a known value', { type: 'string', enum: ['r'], enumNames: ['Red'] }, 'r', 'ok'],
    ['a titled value', { type: 'string', oneOf: [{ const: 'r', title: 'Red' }] }, 'r', 'ok'],
    ['a title', { type: 'string', oneOf: [{ const: 'r', title: 'Red' }] }, 'Red', '/a enum'],
    [
      'a value that two branches name',
      {
        type: 'string',
        oneOf: [
          { const: 'r', title: '1' },
          { const: 'r', title: '2' },
        ],
      },
      'r',
      '/a not',
    ],
    ['an empty choice', { type: 'string', enum: [] }, 'r', '/a not'],
    ['an empty choice of items', { type: 'array', items: { type: 'string', enum: [] } }, ['r'], '/a/0 not'],
    ['an empty choice of items, none chosen', { type: 'array', items: { type: 'string', enum: [] } }, [], 'ok'],
  ])('%s: %j takes %j: %s', (_name, field, answer, expected) => {
    expect([judge(form({ a: field }), { a: answer })].flat()).toEqual([expected]);
  });

  test('multiple titled choices take their constants, and hold their bounds', () => {
    const c = {
      type: 'array',
      items: {
        anyOf: [
          { const: 'r', title: 'Red' },
          { const: 'g', title: 'Green' },
        ],
      },
      minItems: 1,
      maxItems: 2,
    };
    expect(judge(form({ c }), { c: ['g'] })).toBe('ok');
    expect(judge(form({ c }), { c: ['x'] })).toEqual(['/c/0 enum']);
    expect(judge(form({ c }), { c: [] })).toEqual(['/c minItems']);
    expect(judge(form({ c }), { c: ['r', 'g', 'r'] })).toEqual(['/c maxItems']);
  });

  test.each([
    ['date', ['2024-02-29'], ['2023-02-29', '2024-2-29', '2024-02-29T00:00:00Z', '']],
    [
      'date-time',
      ['1998-12-31T23:59:60Z', '2026-03-01t10:00:00.123456789z'],
      ['2026-03-01 10:00:00Z', '2016-12-31T24:59:60+01:00', '2026-03-01T10:00:00+01'],
    ],
    ['uri', ['urn:uuid:1', 'https://a.example/%20#f'], ['/relative', 'https://a.example/ b', 'https://é.example/']],
    ['email', ['a@b', 'first.last@example.com'], ['a', '@b', 'a@', 'a b@c']],
  ] as const)('the format %s is asserted', (format, good, bad) => {
    for (const text of good)
      expect([text, judge(form({ a: { type: 'string', format } }), { a: text })]).toEqual([text, 'ok']);
    for (const text of bad)
      expect([text, judge(form({ a: { type: 'string', format } }), { a: text })]).toEqual([text, ['/a format']]);
  });

  test('answers under names that the form does not declare are fine', () => {
    expect(judge(form({}), { extra: 'x', toString: 't' })).toBe('ok');
  });

  test('defaults are neither injected nor tested', () => {
    const answers = Object.freeze({});
    expect(judge(form({ a: { type: 'integer', default: 2.5 } }), answers)).toBe('ok');
    expect(judge(form({ a: { type: 'string', default: 'x' } }, { required: ['a'] }), answers)).toEqual([' required']);
    expect(answers).toEqual({});
  });

  test.each([
    undefined,
    'https://json-schema.org/draft/2020-12/schema',
    'http://json-schema.org/draft-07/schema#',
    'urn:unknown',
    'no uri at all',
  ])('whatever $schema says (%s), it is checked as 2020-12', ($schema) => {
    const dialect = form(
      { seats: { type: 'integer', minimum: 1 } },
      { required: ['seats'], ...($schema === undefined ? {} : { $schema }) },
    );
    expect(judge(dialect, { seats: 2 })).toBe('ok');
    expect(judge(dialect, { seats: 0 })).toEqual(['/seats minimum']);
  });

  test.each<[string, object]>([
    ['a negative length', form({ a: { type: 'string', minLength: -1 } })],
    ['a length that is no integer', form({ a: { type: 'string', maxLength: 2.5 } })],
    ['a repeated required', form({}, { required: ['a', 'a'] })],
    ['an empty oneOf', form({ a: { type: 'string', oneOf: [] } })],
    ['an empty anyOf', form({ a: { type: 'array', items: { anyOf: [] } } })],
    ['a negative count', form({ a: { type: 'array', items: { type: 'string', enum: ['a'] }, minItems: -1 } })],
    [
      'more fields than a form may have',
      form(Object.fromEntries(Array.from({ length: 1_001 }, (_, index) => [`f${index}`, { type: 'string' }]))),
    ],
  ])('%s makes the form unusable, each time', (_name, unusable) => {
    expect([judge(unusable, {}), judge(unusable, {})]).toEqual(['schema', 'schema']);
  });

  test('members called __proto__ and toString are members', () => {
    const hostile = json(
      '{"type":"object","properties":{"__proto__":{"type":"integer"},"toString":{"type":"string"}},"required":["__proto__","toString","constructor"]}',
    );
    expect(judge(hostile, {})).toEqual([' required', ' required', ' required']);
    expect(judge(hostile, json('{"__proto__":1,"toString":"t","constructor":true}'))).toBe('ok');
    expect(judge(hostile, json('{"__proto__":"x","toString":1,"constructor":true}'))).toEqual(
      expect.arrayContaining(['/toString type', '/__proto__ type']),
    );
    expect(judge(form({ toString: { type: 'string' } }), {})).toBe('ok');
  });

  test('names and values are data, never code', () => {
    const dollar = '$';
    const evil = '"];globalThis.evil=1;//';
    const texts = [
      evil,
      `\`${dollar}{globalThis.evil=1}\``,
      "'+(globalThis.evil=1)+'",
      '\u2028globalThis.evil=1',
      '*/globalThis.evil=1/*',
    ];
    for (const text of texts) {
      const hostile = form(
        {
          [text]: { type: 'string', title: text, description: text, enum: [text] },
          b: { type: 'string', oneOf: [{ const: text, title: text }] },
        },
        { required: [text] },
      );
      expect(judge(hostile, { [text]: text, b: text })).toBe('ok');
      expect(judge(hostile, { b: 'other' })).toEqual(expect.arrayContaining([' required', '/b enum']));
    }
    expect(globalThis).not.toHaveProperty('evil');
  });

  test('agree with a plain model of the form grammar on random forms and answers', () => {
    const name = fc.constantFrom('a', 'b', '__proto__', 'toString', 'a/b~c');
    const text = fc.constantFrom('', 'r', 'g', 'red', '🜁', '2024-02-29', 'a@b', 'urn:x', '2026-03-01T10:00:00Z');
    const count = fc.integer({ min: 0, max: 3 });
    const field = fc.oneof(
      fc.record(
        {
          type: fc.constant('string'),
          minLength: count,
          maxLength: count,
          format: fc.constantFrom('date', 'date-time', 'email', 'uri'),
        },
        { requiredKeys: ['type'] },
      ),
      fc.record(
        { type: fc.constantFrom('integer', 'number'), minimum: count, maximum: count },
        { requiredKeys: ['type'] },
      ),
      fc.record({ type: fc.constant('boolean') }),
      fc.record({ type: fc.constant('string'), enum: fc.array(text, { maxLength: 3 }) }),
      fc.record({
        type: fc.constant('string'),
        oneOf: fc.array(fc.record({ const: text, title: text }), { minLength: 1, maxLength: 3 }),
      }),
      fc.record(
        {
          type: fc.constant('array'),
          items: fc.record({ type: fc.constant('string'), enum: fc.array(text, { maxLength: 3 }) }),
          minItems: count,
          maxItems: count,
        },
        { requiredKeys: ['type', 'items'] },
      ),
      fc.record({
        type: fc.constant('array'),
        items: fc.record({ anyOf: fc.array(fc.record({ const: text, title: text }), { minLength: 1, maxLength: 3 }) }),
      }),
    );
    const answer = fc.oneof(text, fc.array(text, { maxLength: 4 }), fc.boolean(), fc.constantFrom(0, 1, 2, 2.5, -1, 4));
    const members = <T>(value: fc.Arbitrary<T>) =>
      fc.array(fc.tuple(name, value), { maxLength: 4 }).map((list) => Object.fromEntries(list));
    const random = fc.record({
      properties: members(field),
      required: fc.uniqueArray(name, { maxLength: 2 }),
      answers: members(answer),
    });
    fc.assert(
      fc.property(random, ({ properties, required, answers }) => {
        const requested = { type: 'object', properties, required };
        expect(judge(requested, answers) === 'ok').toBe(isAnswered(requested, answers));
      }),
      { numRuns: 300 },
    );
  });
});

describe('§2 answers, compilation is bounded and reused', () => {
  test('two thousand different forms keep at most 128 compiled ones', { timeout: 120_000 }, () => {
    for (let index = 0; index < 2_000; index += 1) {
      const name = `field${index}`;
      const requested = form({ [name]: { type: 'string', minLength: 1 } }, { required: [name] });
      expect(judge(requested, { [name]: 'x' })).toBe('ok');
      expect(judge(requested, {})).toEqual([' required']);
      expect(compiledFormCount()).toBeLessThanOrEqual(128);
    }
  });

  test('equal forms that were parsed anew, and those that differ in $schema alone, share one', () => {
    const text = '{"type":"object","properties":{"once":{"type":"string"}}}';
    judge(json(text), {});
    const before = compiledFormCount();
    for (let index = 0; index < 200; index += 1) {
      judge({ ...(json(text) as object), ...(index % 2 === 0 ? {} : { $schema: `urn:${index}` }) }, {});
    }
    expect(compiledFormCount()).toBe(before);
  });

  test('forms of one $id and other contents are never confused', () => {
    // MCP's grammar refuses an $id at the wire; the cache stands on its own all the same.
    const first = form({ a: { type: 'string' } }, { $id: 'https://x.example/form' });
    const second = form({ a: { type: 'number' } }, { $id: 'https://x.example/form' });
    for (let index = 0; index < 2; index += 1) {
      expect([judge(first, { a: 'x' }), judge(second, { a: 'x' })]).toEqual(['ok', ['/a type']]);
      expect([judge(first, { a: 1 }), judge(second, { a: 1 })]).toEqual([['/a type'], 'ok']);
    }
  });

  test('a form in use stays, however many others come', () => {
    const used = form({ used: { type: 'string' } });
    for (let index = 0; index < 300; index += 1) {
      expect(judge(used, { used: 1 })).toEqual(['/used type']);
      judge(form({ [`passing${index}`]: { type: 'string' } }), {});
    }
    expect(compiledFormCount()).toBe(128);
  });

  test('a very long form is compiled for its answer and not kept', () => {
    const values = Array.from({ length: 20_000 }, (_, index) => `value${index}`);
    const long = form({ a: { type: 'string', enum: values } });
    judge(form({ short: { type: 'string' } }), {});
    const before = compiledFormCount();
    expect([judge(long, { a: 'value19999' }), judge(long, { a: 'value20000' })]).toEqual(['ok', ['/a enum']]);
    expect(compiledFormCount()).toBe(before);
  });
});

describe('§2 choices as MCP 2025-11-25 spells them', () => {
  const exchange = (field: object, content: object): Promise<unknown> =>
    validateElicitationExchange({
      request: requestEnvelope(),
      result: resultEnvelope(),
      resolveBody: bodies({ message: 'm', requestedSchema: form({ c: field }) }, { action: 'accept', content })
        .resolveBody,
      principal: PRINCIPAL,
    });

  test('four shapes are taken, a list of free texts is not MCP', async () => {
    await expect(
      exchange({ type: 'string', oneOf: [{ const: 'r', title: 'Red' }] }, { c: 'r' }),
    ).resolves.toHaveProperty('result');
    const several = {
      type: 'array',
      items: {
        anyOf: [
          { const: 'r', title: 'Red' },
          { const: 'g', title: 'Green' },
        ],
      },
      minItems: 1,
    };
    await expect(exchange(several, { c: ['g'] })).resolves.toHaveProperty('result');
    await expect(
      exchange({ type: 'array', items: { type: 'string', enum: ['r', 'g'] } }, { c: ['r'] }),
    ).resolves.toHaveProperty('result');
    await expect(exchange({ type: 'string', enum: ['r'], enumNames: ['Red'] }, { c: 'r' })).resolves.toHaveProperty(
      'result',
    );
    expect(await codeOf(() => exchange(several, { c: ['x'] }))).toBe('answer-invalid');
    expect(await codeOf(() => exchange(several, { c: [] }))).toBe('answer-invalid');
    expect(await codeOf(() => exchange({ type: 'array', items: { type: 'string' } }, { c: ['r'] }))).toBe(
      'body-not-mcp',
    );
    expect(await codeOf(() => exchange({ oneOf: [{ const: 'r', title: 'Red' }] }, { c: 'r' }))).toBe('body-not-mcp');
    expect(await codeOf(() => exchange({ type: 'array', items: [{ type: 'string' }] }, { c: ['r'] }))).toBe(
      'body-not-mcp',
    );
  });
});
