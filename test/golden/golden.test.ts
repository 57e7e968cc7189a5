import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EmittedFile } from '../../generator/model.js';
import { jsonTokens } from '../support/json-tokens.js';
import { BILLING_CASES, type GoldenCase, HOSTILE_CASES } from './cases.js';
import { compile, type Functions, generateFolder, load, readExpected, specificFiles } from './support.js';

interface Outcome {
  readonly ok: boolean;
  readonly value?: unknown;
  readonly warnings?: readonly { readonly code: string }[];
  readonly issues?: readonly { readonly code: string }[];
}

const HERE = fileURLToPath(new URL('.', import.meta.url));

const nest = (levels: number, open: string, core: string, close: string): string =>
  open.repeat(levels) + core + close.repeat(levels);

const LINE = '{"text":"t","count":1,"price":{"amount":1,"currency":"EUR"},"parts":[';

describe.each([
  // Each level of this type has two branches that both look into the next: tried anew they would be 2^100 tries.
  [
    'hostile',
    HOSTILE_CASES,
    { parse: 'parseTwice', text: (n: number) => nest(n, '{"next":', '{"end":1}', '}'), isSound: false },
  ],
  [
    'billing',
    BILLING_CASES,
    {
      parse: 'parseInvoice',
      text: (n: number) =>
        `{"number":1,"customer":{"id":"c","email":null},"status":"open","lines":[${nest(n, LINE, '', ']}')}]}`,
      isSound: true,
    },
  ],
] as const)('golden: %s', (name, cases, deep) => {
  const schemas = join(HERE, name, 'schemas');
  const folder = realpathSync(mkdtempSync(join(tmpdir(), `ahp-golden-${name}-`)));
  let files: EmittedFile[] = [];
  let functions: Functions = {};
  let json: Functions = {};

  beforeAll(async () => {
    files = await generateFolder(schemas);
    await compile(folder, files);
    functions = await load(folder, 'index');
    json = await load(folder, 'json/index');
  }, 60_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('gives the committed files', () => {
    const now = specificFiles(files);
    const expected = readExpected(join(HERE, name, 'expected'), now);
    expect([...now.keys()]).toEqual([...expected.keys()].sort());
    for (const [path, text] of now) expect(text, path).toBe(expected.get(path));
  });

  it.each(cases.map((row) => [row.type, row.text, row] as const))('%s %s', (_type, _text, row) =>
    runCase(row, functions, json),
  );

  it('answers values deeper than the call stack, and unions within unions, in time', () => {
    const parse = functions[deep.parse] as unknown as (text: string, limits: object) => Outcome;
    const lifted = { maxDepth: Number.POSITIVE_INFINITY };
    expect(parse(deep.text(50_000), lifted)).toMatchObject({ ok: false, issues: [{ code: 'too-deep' }] });
    expect(parse(deep.text(100), lifted).ok).toBe(deep.isSound);
  });

  it('loads its codec modules from either side of a cycle', async () => {
    for (const { path } of files) {
      if (!path.startsWith('codecs/')) continue;
      await expect(
        import(/* @vite-ignore */ join(folder, 'built', path.replace(/\.ts$/, '.js'))),
      ).resolves.toBeDefined();
    }
  });
});

function runCase(row: GoldenCase, functions: Functions, json: Functions): void {
  const call = (prefix: string, input: unknown): Outcome => functions[prefix + row.type]?.(input) as Outcome;
  const parsed = call('parse', row.text);
  const found = (parsed.ok ? parsed.warnings : parsed.issues) ?? [];
  expect({ ok: parsed.ok, codes: found.map(({ code }) => code) }).toEqual({ ok: row.parses, codes: row.codes ?? [] });
  const plain = (json.parse?.(row.text) as Outcome | undefined)?.value;
  expect(call('validate', parsed.ok ? parsed.value : plain).ok).toBe(row.valid);
  expect(call('fromJson', plain).ok).toBe(row.parses);
  if (!parsed.ok) return;
  const encoded = functions[`encode${row.type}`]?.(parsed.value);
  expect(jsonTokens(String(encoded))).toEqual(jsonTokens(row.text));
}
