/** The same verdicts as validators that share nothing with ours, on the shared rows and on seeded mutants. */

import { registerSchema, unregisterSchema, validate } from '@hyperjump/json-schema/draft-2020-12';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as generated from '../../generated/index.js';
import { isDateTime, isUri } from '../../templates/support/formats.js';
import { type MessageFile, readExampleMessages } from '../support/example-messages.js';
import { readConformanceRows } from '../support/conformance.js';
import { mutate, seededRandom } from '../support/mutants.js';
import { inMemory, linkDefinitions, readDocuments, readManifest, type Validate } from '../support/schema-sets.js';

interface Case {
  readonly root: string;
  readonly value: unknown;
}

const MUTANTS = Number(process.env.AHP_MUTANTS ?? 1_500);
const SEED = Number(process.env.AHP_SEED ?? 20_261_201);
const BASE = 'https://peer.example.test/';

const documents = readDocuments();
const definitions = readManifest().definitions;
const emitted = (name: string): Validate =>
  (generated as unknown as Record<string, Validate>)[`validate${name}`] as Validate;

const rows: Case[] = readConformanceRows<Case>('wire.jsonl') ?? [];
const examples: Case[] = readExampleMessages().map((file: MessageFile) => ({ root: 'WireMessage', value: file.value }));
const random = seededRandom(SEED);
const sources = [...rows, ...examples];
const mutants: Case[] = Array.from({ length: MUTANTS }, () => {
  const source = sources[Math.floor(random() * sources.length)] as Case;
  return { root: source.root, value: mutate(source.value, random) };
});

function withoutFormats(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutFormats);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([name, member]) => name !== 'format' || typeof member !== 'string');
  return Object.fromEntries(entries.map(([name, member]) => [name, withoutFormats(member)]));
}

describe('an independent validator (structure; formats have tables of their own)', () => {
  const structure = inMemory(
    linkDefinitions(
      Object.fromEntries(
        Object.entries(documents).map(([path, document]) => [path, JSON.stringify(withoutFormats(document.$defs))]),
      ),
    ).set,
  );
  const peers = new Map<string, (value: unknown) => boolean>();

  beforeAll(async () => {
    for (const [path, document] of Object.entries(documents)) {
      const { $id: _, ...rest } = withoutFormats(document) as Record<string, unknown>;
      registerSchema(rest as never, BASE + path);
    }
    for (const [name, { document, pointer }] of Object.entries(definitions)) {
      const peer = await validate(`${BASE}${document}#${pointer}`);
      peers.set(name, (value) => peer(value as never).valid);
    }
  });
  afterAll(() => {
    for (const path of Object.keys(documents)) unregisterSchema(BASE + path);
  });

  const compare = (cases: readonly Case[]): void => {
    const differ = cases.filter(({ root, value }) => structure(root)(value).ok !== peers.get(root)?.(value));
    expect(differ.slice(0, 3)).toEqual([]);
  };

  it('agrees on every shared row', { timeout: 120_000 }, () => compare(rows));
  it('agrees on every example message', () => compare(examples));
  it(`agrees on ${MUTANTS} mutants of seed ${SEED}`, { timeout: 120_000 }, () => compare(mutants));

  it('formats only ever refuse more', () => {
    for (const { root, value } of [...rows, ...mutants]) {
      const full = emitted(root)(value);
      const isSound = structure(root)(value).ok;
      if (full.ok) expect(isSound).toBe(true);
      else if (isSound) expect(full.issues.some((issue) => issue.code === 'format')).toBe(true);
    }
  });
});

describe('the validator library as it comes, on the schemas as they stand', () => {
  const ajv = new Ajv2020({ strict: false, ownProperties: true });
  ajv.addFormat('uri', isUri);
  ajv.addFormat('date-time', isDateTime);
  for (const [path, document] of Object.entries(documents)) ajv.addSchema({ ...document, $id: BASE + path });
  const plain = (name: string): ((value: unknown) => boolean) => {
    const place = definitions[name];
    const check = ajv.getSchema(`${BASE}${place?.document}#${place?.pointer}`);
    if (check === undefined) throw new Error(`no definition ${name}`);
    return (value) => check(value) === true;
  };

  it('choosing branches by tag changes no verdict', { timeout: 120_000 }, () => {
    const differ = [...rows, ...examples, ...mutants].filter(
      ({ root, value }) => emitted(root)(value).ok !== plain(root)(value),
    );
    expect(differ.slice(0, 3)).toEqual([]);
  });

  it('mutants are both valid and invalid', () => {
    const valid = mutants.filter(({ root, value }) => emitted(root)(value).ok).length;
    expect(valid).toBeGreaterThan(MUTANTS / 50);
    expect(valid).toBeLessThan(MUTANTS - MUTANTS / 50);
  });
});
