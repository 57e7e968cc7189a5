/* Decoding with structure against JSON.parse alone, and against peers: one that keeps numbers, one that checks shapes. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as lossless from 'lossless-json';
import * as z from 'zod';
import { fromJsonWireMessage, parseInterceptRequest, parseWireMessage } from '../generated/index.js';
import { parse } from '../generated/json/index.js';
import type { BenchTable } from './support/table.js';

const folder = join(import.meta.dirname, '..', 'examples', 'messages');
const sources = readdirSync(folder)
  .filter((name) => name.endsWith('.json'))
  .sort()
  .map((name) => readFileSync(join(folder, name), 'utf8'));

/** Messages of which nothing has to be kept beyond their value, and the others. */
const plain = sources.filter((text) => JSON.stringify(JSON.parse(text)) === compact(text));
const kept = sources.filter((text) => !plain.includes(text));
const one = JSON.stringify(JSON.parse(readFileSync(join(folder, 'intercept.tool.before.json'), 'utf8')));

/** Without white space between tokens. */
function compact(text: string): string {
  return text.replace(/("(?:[^"\\]|\\.)*")|\s+/g, (_, literal: string | undefined) => literal ?? '');
}

/** What zod can say of a tool.before request: tags, required members and JSON types; far less than the schemas. */
const identity = z.looseObject({ id: z.string() });
const reduced = z.looseObject({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.int()]),
  method: z.literal('hooks/intercept'),
  params: z.looseObject({
    protocolVersion: z.literal('draft'),
    event: z.looseObject({
      id: z.string(),
      source: z.string(),
      type: z.literal('tool.before'),
      time: z.string(),
      call: identity,
      path: z.string(),
      tool: z.looseObject({ name: z.string(), origin: z.string(), input: z.looseObject({}) }),
    }),
    capabilities: z.looseObject({ effects: z.array(z.string()) }),
  }),
});

/**
 * The engine compiles a function in full after some thousand calls, and the check of one event runs once for each pass
 * over all messages.
 */
const warmUpMs = 2_000;

const each = (texts: readonly string[], decode: (text: string) => unknown) => (): unknown => {
  let last: unknown;
  for (const text of texts) last = decode(text);
  return last;
};

function decodeContenders(texts: readonly string[]): Record<string, () => unknown> {
  return {
    'with structure': each(texts, parseWireMessage),
    'strict JSON alone': each(texts, parse),
    'JSON.parse': each(texts, JSON.parse),
    'lossless-json': each(texts, (text) => lossless.parse(text)),
  };
}

export const tables: readonly BenchTable[] = [
  {
    title: 'decode with structure',
    note: 'Duplicates refused, spellings kept, unknown variants kept, every member of the structure looked at; warmed up.',
    rows: [
      {
        name: `${plain.length} example messages, nothing to keep`,
        baseline: 'JSON.parse',
        contenders: decodeContenders(plain),
        atMost: { 'with structure': 1.8 },
        warmUpMs,
      },
      {
        name: `the same as compact texts`,
        baseline: 'JSON.parse',
        contenders: decodeContenders(plain.map(compact)),
        atMost: { 'with structure': 1.8 },
        warmUpMs,
      },
      {
        name: `${kept.length} example messages with spellings to keep`,
        baseline: 'JSON.parse',
        contenders: decodeContenders(kept),
        atMost: { 'with structure': 4 },
        warmUpMs,
      },
    ],
  },
  {
    title: 'one interception request',
    rows: [
      {
        name: 'text to checked value',
        baseline: 'JSON.parse',
        contenders: {
          ours: () => parseInterceptRequest(one),
          'JSON.parse': () => JSON.parse(one) as unknown,
          'zod, reduced': () => reduced.safeParse(JSON.parse(one)),
        },
        atMost: { ours: 1.8 },
      },
      {
        name: 'decoded value to checked value',
        baseline: 'zod, reduced',
        contenders: {
          ours: () => fromJsonWireMessage(JSON.parse(one)),
          'zod, reduced': () => reduced.safeParse(JSON.parse(one)),
        },
      },
    ],
  },
];

if (!reduced.safeParse(JSON.parse(one)).success) throw new Error('benchmark text: expected a tool.before request');
