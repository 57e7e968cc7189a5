import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { generate } from '../../generator/generate.js';
import { listFiles } from '../../generator/tool.js';
import { encode } from '../../templates/support/json/index.js';
import { schemaFolder } from './sets.js';

const HOSTILE = fileURLToPath(new URL('../golden/hostile/schemas', import.meta.url));

type Document = { readonly $defs?: Readonly<Record<string, unknown>> };

function readDocuments(): Map<string, string> {
  return new Map(listFiles(HOSTILE).map((path) => [path, readFileSync(join(HOSTILE, path), 'utf8')]));
}

function reversed(text: string): string {
  const document = JSON.parse(text) as Document;
  const definitions = Object.fromEntries(Object.entries(document.$defs ?? {}).reverse());
  // Of the schemas' values JSON.stringify would lose one: the sign of -0.
  return encode({ ...document, ...(document.$defs && { $defs: definitions }) });
}

async function bytes(documents: Iterable<readonly [string, string]>): Promise<[string, string][]> {
  const files = await generate(schemaFolder(Object.fromEntries(documents)), { emitIr: true });
  return files.map(({ path, text }) => [path, text]);
}

it('the same schemas give the same bytes from any folder, in any order of files and definitions, with any line ends', async () => {
  const documents = readDocuments();
  const original = await bytes(documents);
  expect(await bytes([...documents].reverse())).toEqual(original);
  expect(await bytes([...documents].map(([path, text]) => [path, reversed(text)] as const))).toEqual(original);
  expect(await bytes([...documents].map(([path, text]) => [path, text.replaceAll('\n', '\r\n')] as const))).toEqual(
    original,
  );
}, 120_000);

it('nothing in the output tells the time, the machine or the folder', async () => {
  for (const [path, text] of await bytes(readDocuments())) {
    expect(text, path).not.toContain(process.cwd());
    expect(text, path).not.toMatch(/\b20[0-9]{2}-[0-9]{2}-[0-9]{2}\b|\/tmp\/|file:\/\//);
  }
}, 60_000);
