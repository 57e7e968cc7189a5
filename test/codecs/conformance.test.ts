import { describe, expect, it } from 'vitest';
import { codecs } from '../../generated/codecs/index.js';
import { jsonEqual } from '../../generated/json/index.js';
import { conformanceSuite, readConformanceRows } from '../support/conformance.js';
import { jsonTokens } from '../support/json-tokens.js';

type Root = keyof typeof codecs;

interface CodecRow {
  readonly name: string;
  readonly root: Root;
  readonly text?: string;
  readonly base64?: string;
  readonly expected: 'roundtrip' | 'reject';
}

interface WireRow {
  readonly root: Root;
  readonly valid: boolean;
  readonly change: string;
  readonly value: unknown;
}

/** The parts of one codec with the type taken out, for tables of cases. */
function codecOf(root: Root): {
  parse: (input: string | Uint8Array) => ReturnType<(typeof codecs)[Root]['parse']>;
  fromJson: (value: unknown) => ReturnType<(typeof codecs)[Root]['fromJson']>;
  encode: (value: unknown) => string;
} {
  return codecs[root] as unknown as ReturnType<typeof codecOf>;
}

conformanceSuite<CodecRow>('codec.json', ({ root, text, base64, expected }) => {
  const input = text ?? new Uint8Array(Buffer.from(base64 ?? '', 'base64'));
  const { parse, encode } = codecOf(root);
  const result = parse(input);
  if (expected === 'reject') {
    expect(result).toMatchObject({ ok: false });
    return;
  }
  if (!result.ok) expect.fail(JSON.stringify(result.issues));
  const source = jsonTokens(typeof input === 'string' ? input : Buffer.from(input).toString());
  expect(jsonTokens(encode(result.value))).toEqual(source);
  expect(jsonTokens(encode({ ...(result.value as object) }))).toEqual(source);
});

/** A message with a method is judged by that method's shape alone (Semantics §1). */
function rootOf({ root, value }: WireRow): Root {
  if (root !== 'WireMessage' || typeof value !== 'object' || value === null || !('method' in value)) return root;
  const byMethod: Record<string, Root> = {
    'hooks/intercept': 'InterceptRequest',
    'hooks/observe': 'ObserveNotification',
    'hooks/capabilities': 'CapabilitiesRequest',
  };
  return byMethod[String(value.method)] ?? root;
}

const rows = readConformanceRows<WireRow>('wire.jsonl');
describe.skipIf(rows === null)('conformance: wire.jsonl, the parse half', () => {
  const roots = [...new Set((rows ?? []).map(({ root }) => root))];
  it.each(roots)('§1 every valid %s parses structurally and encodes back to an equal value', (root) => {
    const failed: unknown[] = [];
    for (const row of rows ?? []) {
      if (row.root !== root || !row.valid) continue;
      const { parse, fromJson, encode } = codecOf(rootOf(row));
      const parsed = parse(JSON.stringify(row.value));
      const taken = fromJson(row.value);
      const isKept =
        parsed.ok && taken.ok && jsonEqual(JSON.parse(encode(parsed.value)), row.value) && taken.value === row.value;
      if (!isKept) failed.push({ change: row.change, issues: parsed.ok ? [] : parsed.issues });
    }
    expect(failed).toEqual([]);
  });
});
