import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as generated from '../../generated/index.js';
import { readExampleMessages } from '../support/example-messages.js';
import { mutate, seededRandom } from '../support/mutants.js';
import { readManifest, type Validate } from '../support/schema-sets.js';

const names = Object.keys(readManifest().definitions);
const validators = names.map(
  (name) => (generated as unknown as Record<string, Validate>)[`validate${name}`] as Validate,
);

/** Verdicts of all validators; a throw fails the test, and so does a verdict of another form. */
function judge(value: unknown): boolean[] {
  return validators.map((validate) => {
    const verdict = validate(value);
    if (verdict.ok) return true;
    expect(verdict.issues.length).toBeGreaterThan(0);
    expect(verdict.issues.length).toBeLessThanOrEqual(20);
    for (const { code, pointer, message } of verdict.issues) {
      expect([typeof code, typeof pointer, typeof message]).toEqual(['string', 'string', 'string']);
    }
    return false;
  });
}

const hostile = fc.anything({
  maxDepth: 3,
  withBigInt: true,
  withBoxedValues: true,
  withDate: true,
  withMap: true,
  withNullPrototype: true,
  withSet: true,
  withSparseArray: true,
  withTypedArray: true,
  key: fc.oneof(
    fc.constantFrom('id', 'type', 'event', 'params', 'method', '__proto__', 'constructor', 'toString'),
    fc.string(),
  ),
});

function nest(depth: number, wrap: (inner: unknown) => unknown): unknown {
  let value: unknown = null;
  for (let level = 0; level < depth; level += 1) value = wrap(value);
  return value;
}

describe('§1 nothing makes a validator throw', () => {
  it('anything at all', () =>
    fc.assert(
      fc.property(hostile, (value) => void judge(value)),
      { numRuns: 60, seed: 1 },
    ));

  it('anything in the places of a message', () => {
    const messages = readExampleMessages().map((file) => file.value);
    const property = fc.property(fc.constantFrom(...messages), fc.nat(), hostile, (message, seed, odd) => {
      const random = seededRandom(seed);
      const replace = (value: unknown): unknown => {
        if (typeof value !== 'object' || value === null || random() < 0.05) return odd;
        const entries = Object.entries(value);
        const index = Math.floor(random() * entries.length);
        const copy = entries.map(([name, member], at): [string, unknown] => [
          name,
          at === index ? replace(member) : member,
        ]);
        return Array.isArray(value) ? copy.map(([, member]) => member) : Object.fromEntries(copy);
      };
      judge(replace(message));
    });
    fc.assert(property, { numRuns: 60, seed: 2 });
  });

  it('mutated messages', () => {
    const random = seededRandom(3);
    for (const { value } of readExampleMessages()) judge(mutate(value, random));
  });

  it('cycles, getters, proxies and depth give issues', () => {
    const cyclic: Record<string, unknown> = { type: 'session.end', id: 'x' };
    cyclic.session = cyclic;
    cyclic.items = [cyclic];
    const getter = Object.defineProperty({}, 'type', {
      enumerable: true,
      get: () => {
        throw new Error('secret-1');
      },
    });
    const trap = (): never => {
      throw new Error('secret-2');
    };
    const proxy = new Proxy(
      {},
      { get: trap, has: trap, ownKeys: trap, getPrototypeOf: trap, getOwnPropertyDescriptor: trap },
    );
    const { proxy: revoked, revoke } = Proxy.revocable({}, {});
    revoke();
    const values = [
      ...[cyclic, getter, proxy, revoked, [proxy], { params: proxy, method: 'hooks/observe', jsonrpc: '2.0' }],
      ...[nest(50_000, (inner) => [inner]), nest(50_000, (inner) => ({ params: inner, event: inner }))],
      ...[() => 1, Symbol('x'), 1n, undefined, Number.NaN, new Date(0), new Map(), /x/, Object(1), Object('x')],
    ];
    for (const value of values) {
      expect(judge(value).filter((ok) => !ok).length).toBeGreaterThan(60);
      for (const validate of validators) {
        const verdict = validate(value);
        if (!verdict.ok) expect(JSON.stringify(verdict.issues)).not.toContain('secret');
      }
    }
  });

  it('a large value is judged in bounded time and space', () => {
    const large = { effects: Array.from({ length: 50_000 }, (_, index) => `com.example.e${index}`) };
    expect(generated.validateCapabilities(large)).toMatchObject({ ok: true });
    const repeated = { effects: [...large.effects, 'com.example.e0'] };
    expect(generated.validateCapabilities(repeated)).toMatchObject({ ok: false, issues: [{ code: 'uniqueItems' }] });
    expect(generated.validateContentReference({ ref: 'x'.repeat(10_000_000) })).toMatchObject({ ok: true });
    expect(judge({ id: 'x', source: 'a'.repeat(10_000_000), sha256: '0'.repeat(10_000_000) }).some((ok) => ok)).toBe(
      true,
    );
  });
});
