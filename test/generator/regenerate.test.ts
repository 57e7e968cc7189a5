import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { generate } from '../../generator/generate.js';
import type { EmittedFile } from '../../generator/model.js';
import { compile, type Functions, load } from '../golden/support.js';

const SCHEMAS = fileURLToPath(new URL('../../schemas', import.meta.url));
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'ahp-regenerate-')));

let files = new Map<string, string>();
let functions: Functions = {};

type Schema = { [name: string]: Schema } & { readonly [name: string]: unknown };

function edit(schemas: string, document: string, change: (definitions: Schema) => void): void {
  const path = join(schemas, document);
  const json = JSON.parse(readFileSync(path, 'utf8')) as { $defs: Schema };
  change(json.$defs);
  writeFileSync(path, JSON.stringify(json));
}

/** What somebody does who changes the protocol: a new required member, a new enum value, one effect less, a new event. */
beforeAll(async () => {
  const schemas = join(folder, 'schemas');
  cpSync(SCHEMAS, schemas, { recursive: true });
  edit(schemas, 'execution-events.json', (definitions) => {
    const event = definitions.ToolBeforeEvent as unknown as { properties: object; required: string[] };
    event.properties = { ...event.properties, lane: { enum: ['left', 'right'], description: 'Which lane.' } };
    event.required = [...event.required, 'lane'];
    Object.assign(definitions, {
      ToolPausedEvent: {
        title: 'ToolPausedEvent',
        description: 'A tool was paused.',
        allOf: [{ $ref: 'common.json#/$defs/Envelope' }],
        properties: { type: { const: 'tool.paused' }, minutes: { type: 'integer' } },
        required: ['minutes'],
      },
    });
  });
  edit(schemas, 'unions.json', (definitions) => {
    const union = definitions.Event as unknown as { oneOf: object[] };
    union.oneOf.push({ $ref: 'execution-events.json#/$defs/ToolPausedEvent' });
  });
  edit(schemas, 'capabilities.json', (definitions) => {
    const capabilities = JSON.stringify(definitions.ToolBeforeCapabilities);
    const fewer = JSON.parse(capabilities.replace('"return",', '')) as Schema;
    Object.assign(definitions, { ToolBeforeCapabilities: fewer });
  });
  const emitted: EmittedFile[] = await generate(schemas, { emitIr: false });
  files = new Map(emitted.map(({ path, text }) => [path, text]));
  const out = join(folder, 'out');
  await compile(out, emitted);
  functions = await load(out, 'index');
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const event = { id: 'e', source: 'urn:a:b', time: '2026-01-01T00:00:00Z' };
const before = {
  ...event,
  type: 'tool.before',
  call: { id: 'c' },
  path: 'p',
  tool: { name: 't', input: {}, origin: 'native' },
};

it('types follow', () => {
  expect(files.get('types/execution-events.ts')).toMatch(/Which lane\.[\s\S]*?readonly lane: 'left' \| 'right'/);
  expect(files.get('types/unions.ts')).toContain('ToolPausedEvent');
});

it('codecs follow', () => {
  const answer = (value: unknown): unknown => functions.parseEvent?.(JSON.stringify(value));
  expect(answer(before)).toMatchObject({ ok: false, issues: [{ code: 'missing-member', pointer: '/lane' }] });
  expect(answer({ ...before, lane: 'left' })).toMatchObject({ ok: true, warnings: [] });
  expect(answer({ ...before, lane: 'up' })).toMatchObject({
    ok: true,
    warnings: [{ code: 'unknown-enum-value', pointer: '/lane' }],
  });
  expect(answer({ ...event, type: 'tool.paused' })).toMatchObject({ ok: false, issues: [{ pointer: '/minutes' }] });
});

it('validators follow', () => {
  const isValid = (value: unknown): unknown => (functions.validateEvent?.(value) as { ok: boolean } | undefined)?.ok;
  expect(isValid(before)).toBe(false);
  expect(isValid({ ...before, lane: 'left' })).toBe(true);
  expect(isValid({ ...before, lane: 'up' })).toBe(false);
  expect(isValid({ ...event, type: 'tool.paused', minutes: 3 })).toBe(true);
});

it('the catalogue follows', () => {
  const catalogue = functions.catalogue as unknown as {
    events: Record<string, { effects: string[] }>;
    eventNames: string[];
  };
  expect(catalogue.events['tool.before']?.effects).toEqual([
    'deny',
    'allow',
    'ask',
    'modify',
    'inject',
    'flow',
    'message',
  ]);
  expect(catalogue.eventNames).toHaveLength(33);
  expect(catalogue.events['tool.paused']).toMatchObject({
    typeName: 'ToolPausedEvent',
    interceptable: false,
    content: ['/items/*'],
  });
  expect(files.get('catalogue.ts')).toMatch(/'tool\.paused': types\.ToolPausedEvent/);
});
