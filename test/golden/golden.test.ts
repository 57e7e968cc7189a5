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

describe.each([
  ['hostile', HOSTILE_CASES],
  ['billing', BILLING_CASES],
] as const)('golden: %s', (name, cases) => {
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

  it.runIf(name === 'hostile')('answers values deeper than the call stack, and unions within unions, in time', () => {
    const deep = (levels: number): string => `${'{"name":"n","children":['.repeat(levels)}${']}'.repeat(levels)}`;
    const parse = functions.parseTask as unknown as (text: string, limits: object) => Outcome;
    const lifted = { maxDepth: Number.POSITIVE_INFINITY };
    expect(parse(deep(50_000), lifted)).toMatchObject({ ok: false, issues: [{ code: 'too-deep' }] });
    expect(parse(deep(100), lifted).ok).toBe(true);
    // Each level has two branches that both look into the next: tried anew they would be 2^120 tries.
    const nested = `${'{"next":'.repeat(120)}{"end":1}${'}'.repeat(120)}`;
    expect(functions.parseTwice?.(nested)).toMatchObject({ ok: false });
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
