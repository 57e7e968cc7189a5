import { describe, expect, it } from 'vitest';
import {
  type Event,
  encodeEffect,
  encodeManifest,
  encodeToolBeforeEvent,
  parseEffect,
  parseEvent,
  encodeEvent,
  parseManifest,
  parseToolBeforeEvent,
} from '../../generated/index.js';
import { jsonTokens } from '../support/json-tokens.js';

const ENVELOPE = '"id":"e","source":"urn:a:b","time":"2026-01-01T00:00:00Z"';
const toolEvent = (more: string): string =>
  `{${ENVELOPE},"type":"tool.before","call":{"id":"c"},"path":"p","tool":{"name":"t","input":{},"origin":"native"}${more}}`;

function decoded<T>(result: { ok: true; value: T } | { ok: false; issues: readonly unknown[] }): T {
  if (!result.ok) throw new Error(`expected a value, got ${JSON.stringify(result.issues)}`);
  return result.value;
}

describe('§1 number texts', () => {
  const numbers = '{"cost":1.50,"limit":1E3,"nonce":12345678901234567890,"zero":-0,"far":1e400}';
  /** A text with numbers where nothing types them, and what becomes of it when one member is edited. */
  const places: readonly (readonly [string, (own: string) => string, (text: string) => string])[] = [
    [
      'an unknown member of an event',
      (own) => toolEvent(`,"x-more":${numbers},"own":"${own}"`),
      (text) => encodeToolBeforeEvent({ ...decoded(parseToolBeforeEvent(text)), own: 'new' }),
    ],
    [
      'an unknown variant of the event union',
      (own) => `{${ENVELOPE},"type":"com.example.own","list":[${numbers}],"own":"${own}"}`,
      (text) => encodeEvent({ ...decoded(parseEvent(text)), own: 'new' } as Event),
    ],
    [
      'an unknown effect',
      (own) => `{"type":"com.example.own","deep":{"list":[[${numbers}]]},"own":"${own}"}`,
      (text) => encodeEffect(Object.defineProperty({ ...decoded(parseEffect(text)) }, 'own', { value: 'new' })),
    ],
  ];
  it.each(places)('of %s come back, also when another member was edited', (_place, textWith, edit) => {
    expect(jsonTokens(edit(textWith('new')))).toEqual(jsonTokens(textWith('new')));
    expect(jsonTokens(edit(textWith('old')))).toEqual(jsonTokens(textWith('new')));
  });
});

describe('§1 a member called __proto__', () => {
  const rows = ['"__proto__"', '"\\u005f\\u005fproto__"'].flatMap((name): (readonly [string, string])[] => [
    [`${name} of an unknown variant`, `{"type":"com.example.own","id":"x",${name}:{"role":"owner"}}`],
    [`${name} inside lists`, `{"type":"com.example.own","list":[[{${name}:{"role":"owner"}}]]}`],
    [`${name} inside a value of any JSON`, `{"type":"return","value":{"map":{${name}:{"role":"owner"}}}}`],
  ]);
  it.each(rows)('%s stays an own member, and nothing inherits from it', (_row, text) => {
    const effect = decoded(parseEffect(text));
    for (const one of [effect, { ...effect }]) {
      expect(encodeEffect(one)).toBe(text.replaceAll('\\u005f', '_'));
      expect(rolesIn(one)).toEqual([]);
    }
    expect(({} as { role?: unknown }).role).toBeUndefined();
  });

  it('of a map by names is an entry', () => {
    const text =
      '{"events":[],"gaps":[],"transports":[],"authentication":[],"toolPaths":[],"contentCategories":[],' +
      '"limits":{"__proto__":5,"constructor":1.0},"managedPolicy":{"scopes":[],"disableable":true},"correlationIdentityFields":[]}';
    const manifest = decoded(parseManifest(text));
    expect(Object.keys(manifest.limits)).toEqual(['__proto__', 'constructor']);
    expect(encodeManifest({ ...manifest })).toBe(text);
  });
});

/** Containers through which `role` can be read although they have no member of that name. */
function rolesIn(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  const found = 'role' in value && !Object.hasOwn(value, 'role') ? [value] : [];
  return [...found, ...Object.values(value).flatMap(rolesIn)];
}
