import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { codecs } from '../../generated/codecs/index.js';
import type { ParseResult } from '../../generated/index.js';
import { JsonNumber, memberNames } from '../../generated/json/index.js';

export type Root = keyof typeof codecs;

export const ROOTS = Object.keys(codecs) as Root[];

export interface UntypedCodec {
  readonly parse: (input: string | Uint8Array, limits?: { maxDepth?: number }) => ParseResult<unknown>;
  readonly fromJson: (value: unknown, limits?: { maxDepth?: number }) => ParseResult<unknown>;
  readonly encode: (value: unknown) => string;
  readonly validate: (value: unknown) => { readonly ok: boolean };
}

/** A codec with its type taken out, for tables of cases. */
export function codecOf(root: Root): UntypedCodec {
  return codecs[root] as unknown as UntypedCodec;
}

const EXAMPLES = fileURLToPath(new URL('../../examples/messages', import.meta.url));

/** The example messages as texts. */
export function exampleMessages(): string[] {
  return readdirSync(EXAMPLES)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => readFileSync(join(EXAMPLES, name), 'utf8'));
}

/** Names that JavaScript objects treat in a way of their own. */
export const HOSTILE_NAMES = [
  '__proto__',
  'constructor',
  'toString',
  'valueOf',
  'hasOwnProperty',
  '10',
  '9',
  '0',
  '-1',
  '',
  'a/b~c',
  '\u2028',
  '\ud800',
];

const NUMBERS = [
  '0',
  '-0',
  '1.0',
  '1.50',
  '1E2',
  '1e-7',
  '12345678901234567890',
  '1e400',
  '-1e400',
  '9007199254740993',
  '5e-324',
  '0.1',
  '100',
];

/** JSON texts of any shape, with every spelling of numbers and hostile names; no name stands twice in an object. */
export const jsonTexts: fc.Arbitrary<string> = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, depthSize: 'small' },
    fc.constantFrom('null', 'true', 'false', ...NUMBERS),
    fc.string({ unit: 'binary', maxLength: 8 }).map((text) => JSON.stringify(text)),
    fc.array(tie('value'), { maxLength: 4 }).map((items) => `[${items.join(',')}]`),
    fc
      .uniqueArray(fc.tuple(fc.oneof(fc.constantFrom(...HOSTILE_NAMES), fc.string({ maxLength: 4 })), tie('value')), {
        maxLength: 5,
        selector: ([name]) => name,
      })
      .map((members) => `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`),
  ),
})).value;

/** A text with one piece of it replaced, added or taken out: still JSON in most cases. */
export function mutateText(text: string, at: number, kind: number, piece: string): string {
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*|[{}[\],:]|true|false|null|\s+/gs) ?? [];
  const index = at % Math.max(1, tokens.length);
  if (kind === 0) tokens[index] = piece;
  else if (kind === 1) tokens.splice(index, 1);
  else if (kind === 2) tokens.splice(index, 0, piece);
  else {
    const opening = tokens.findIndex((token, position) => position >= index && token === '{');
    if (opening >= 0) tokens.splice(opening + 1, 0, `"x-${at}":${piece},`);
  }
  return tokens.join('').replace(/,\s*\}/g, '}');
}

/** Copies every object and list by the means that keep what has to be kept. */
export function spreadDeeply(value: unknown): unknown {
  if (Array.isArray(value)) {
    const copy: unknown[] = value;
    for (const [index, item] of value.entries()) copy[index] = spreadDeeply(item);
    return copy;
  }
  if (typeof value !== 'object' || value === null || value instanceof JsonNumber) return value;
  const copy = { ...value } as Record<string, unknown>;
  for (const name of memberNames(copy)) {
    Object.defineProperty(copy, name, {
      value: spreadDeeply(copy[name]),
      writable: true,
      enumerable: true,
      configurable: true,
    });
  }
  return copy;
}

/** The text with members put at the front of one of its objects. */
export function insertMembers(text: string, members: readonly (readonly [string, string])[], at: number): string {
  const openings = [...text.matchAll(/\{(?=\s*")/g)].map(({ index }) => index + 1);
  const position = openings[at % openings.length] ?? 1;
  const inserted = members.map(([name, value]) => `${JSON.stringify(name)}:${value},`).join('');
  return text.slice(0, position) + inserted + text.slice(position);
}
