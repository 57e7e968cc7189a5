import { describe, expect, it } from 'vitest';
import * as generated from '../../generated/index.js';
import { parse } from '../../generated/json/index.js';
import { readConformanceRows } from '../support/conformance.js';
import { projectValidators, readManifest, type Validate, type Validators } from '../support/schema-sets.js';

interface WireRow {
  readonly root: string;
  readonly valid: boolean;
  readonly change: string;
  readonly value: unknown;
}

const emitted: Validators = (name) => (generated as unknown as Record<string, Validate>)[`validate${name}`] as Validate;
const forms: readonly [string, Validators][] = [
  ['in memory', projectValidators()],
  ['precompiled', emitted],
];
const names = Object.keys(readManifest().definitions);
const rows = readConformanceRows<WireRow>('wire.jsonl');

describe('names', () => {
  it('there is a precompiled validator for each public name', () => {
    for (const name of names) expect(emitted(name), name).toBeTypeOf('function');
  });
});

describe.skipIf(rows === null)('conformance: wire.jsonl, the validation half', () => {
  it('has rows for every public name', () => {
    expect([...new Set((rows ?? []).map(({ root }) => root))].sort()).toEqual([...names].sort());
  });

  describe.each(forms)('%s', (_form, validators) => {
    it.each(names)('§1 every row of %s has the verdict that it states', (name) => {
      const validate = validators(name);
      const own = (rows ?? []).filter(({ root }) => root === name);
      expect(own.length).toBeGreaterThan(0);
      expect(own.filter(({ valid, value }) => validate(value).ok !== valid)).toEqual([]);
    });

    it('gives the very value that came, unchanged, also when the JSON module read it', () => {
      for (const { root, value, valid } of rows ?? []) {
        if (!valid) continue;
        expect(validators(root)(value)).toEqual({ ok: true, value });
        const read = parse(JSON.stringify(value));
        if (!read.ok) expect.fail(`${root}: the row is no strict JSON`);
        const verdict = validators(root)(read.value);
        if (!verdict.ok) expect.fail(JSON.stringify(verdict.issues));
        expect(verdict.value).toBe(read.value);
      }
    });
  });

  it('both forms give the same issues', () => {
    const [memory, precompiled] = forms;
    for (const { root, value, valid } of rows ?? []) {
      if (!valid) expect(precompiled?.[1](root)(value)).toEqual(memory?.[1](root)(value));
    }
  });
});

/** Own cases, so that a clone without the shared folder tests both forms too. */
const OWN_ROWS: readonly (readonly [string, string, boolean])[] = [
  ['ContentReference', '{"ref":"r1"}', true],
  ['ContentReference', '{"ref":""}', false],
  ['ContentReference', '{"ref":"r1","size":1}', false],
  ['ContentItem', '{"id":"i","kind":"text","mediaType":"text/plain","selection":"body","body":{"ref":"r"}}', true],
  [
    'ContentItem',
    '{"id":"i","kind":"text","mediaType":"text/plain","selection":"body","gap":{"reason":"x"},"size":1}',
    true,
  ],
  [
    'ContentItem',
    '{"id":"i","kind":"text","mediaType":"text/plain","selection":"body","body":{"ref":"r"},"size":1}',
    false,
  ],
  ['ContentItem', '{"id":"i","kind":"text","mediaType":"text/plain","selection":"body"}', false],
  ['ContentItem', '{"id":"i","kind":"text","mediaType":"text/plain","selection":"later"}', false],
  ['ModelVisibleItem', '{"id":"i","kind":"text","mediaType":"text/plain","selection":"omit"}', false],
  ['ModelVisibleItem', '{"id":"i","kind":"text","mediaType":"text/plain","selection":"omit","role":"user"}', true],
  ['Effect', '{"type":"modify","target":"input","operation":"replace","value":{}}', true],
  ['Effect', '{"type":"modify","target":"input","operation":"replace","value":1e400}', false],
  ['Effect', '{"type":"modify","target":"output","operation":"merge","value":[]}', false],
  ['Effect', '{"type":"modify","target":"output","operation":"replace","value":null}', true],
  ['Effect', '{"type":"flow","operation":"stop","reason":"r"}', true],
  ['Effect', '{"type":"flow","operation":"continue","reason":"r"}', false],
  ['Effect', '{"type":"com.example.later"}', false],
  ['Authentication', '{"type":"bearer","tokenEnv":"T","tokenRef":"r"}', false],
  ['Authentication', '{"type":"bearer"}', false],
  ['Capabilities', '{"effects":["flow"]}', false],
  ['Capabilities', '{"effects":["flow"],"flow":{"operations":["stop"]}}', true],
  ['Capabilities', '{"effects":["flow"],"flow":{"operations":["continue"]}}', false],
  ['Capabilities', '{"effects":["com.example.audit"]}', true],
  ['ToolBeforeCapabilities', '{"effects":["com.example.audit"]}', false],
  ['JsonRpcErrorResponse', '{"jsonrpc":"2.0","id":null,"error":{"code":-32004,"message":""}}', true],
  ['JsonRpcErrorResponse', '{"jsonrpc":"2.0","id":1.0,"error":{"code":1e400,"message":""}}', true],
  ['JsonRpcErrorResponse', '{"jsonrpc":"2.0","id":1.5,"error":{"code":1,"message":""}}', false],
  [
    'CapabilitiesRequest',
    '{"jsonrpc":"2.0","id":"1","method":"hooks/capabilities","params":{"protocolVersion":"draft"}}',
    true,
  ],
  ['WireMessage', '{"jsonrpc":"2.0","method":"hooks/observe","id":1,"error":{"code":1,"message":"m"}}', true],
  [
    'ElicitRequestParams',
    '{"message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"array","items":{"type":"string"}}}}}',
    false,
  ],
  [
    'ElicitRequestParams',
    '{"message":"m","requestedSchema":{"type":"object","properties":{"__proto__":{"type":"boolean"}}}}',
    true,
  ],
  [
    'ElicitRequestParams',
    '{"message":"m","requestedSchema":{"type":"object","properties":{"__proto__":{"type":"object"}}}}',
    false,
  ],
  ['Extensions', '{"__proto__":1}', false],
  ['Extensions', '{"com.example.a":null}', true],
];

describe.each(forms)('own rows, %s', (_form, validators) => {
  it.each(OWN_ROWS)('%s of %s is valid: %s', (name, text, valid) => {
    const read = parse(text);
    if (!read.ok) expect.fail('the row is no strict JSON');
    expect(validators(name)(read.value).ok).toBe(valid);
  });
});
