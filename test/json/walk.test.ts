/* The scan by words and the walk over text and value side by side: their borders, held against the independent judge. */
import { describe, expect, it } from 'vitest';
import { parse } from '../../templates/support/json/index.js';
import { findDifference } from './support/differential.js';
import { seededRandom } from './support/random-text.js';

const encoder = new TextEncoder();

/** What differs from the judge's reading, as text and as bytes, at every offset of the bytes in their buffer. */
function difference(text: string): string | null {
  const bytes = encoder.encode(text);
  const shifted = new Uint8Array(bytes.length + 7);
  const offset = text.length % 7;
  shifted.set(bytes, offset);
  return findDifference(text) ?? findDifference(shifted.subarray(offset, offset + bytes.length));
}

describe('§1 strings end where they end', () => {
  const marks = ['', '\\"', '\\\\', '\\\\\\"', '\\u0022', 'é', '€', '😀', ':', '{', '\\"\\"', '\\\\\\\\\\"'];

  it('whatever their length, and wherever an escape or a wide character stands in them', () => {
    for (const mark of marks) {
      for (let before = 0; before <= 140; before += before < 20 || (before > 60 && before < 72) ? 1 : 7) {
        const inner = `${'s'.repeat(before)}${mark}${'t'.repeat((before * 7) % 90)}`;
        for (const text of [`["${inner}","${inner}"]`, `{"${inner}":"${mark}","k":"${inner}"}`, `{"n":"${inner}"}`]) {
          expect(difference(text), text).toBeNull();
        }
        expect(difference(`{"${inner}":1,"x":"${inner}","${inner}":2}`)).toBeNull();
        expect(difference(`{"${inner}":1.0,"x":"${inner}","${inner}":2}`)).toBeNull();
      }
    }
  });

  it('also behind any indentation and at the very end of the bytes', () => {
    for (let spaces = 0; spaces < 40; spaces += 1) {
      const gap = `\n${' '.repeat(spaces)}`;
      for (const text of [`[${gap}"a",${gap}1${gap}]`, `{${gap}"a":${gap}"b",${gap}"a"${gap}:1}`, `${gap}{"1":""}`]) {
        expect(difference(text), JSON.stringify(text)).toBeNull();
      }
    }
  });
});

describe('§1 duplicates are found where something has to be kept too', () => {
  const names = ['1', '2', '10', 'a', 'b', '\\u0031', '\\u0061', '01', '-', 'text', '__proto__'];
  const scalars = ['1', '1.0', '1e400', '-0', '1E2', '"1"', 'null', 'true', 'false', '""', '12345678901234567890'];

  function randomValue(random: () => number, depth: number): string {
    const pick = (list: readonly string[]): string => list[Math.floor(random() * list.length)] ?? '';
    const kind = depth === 0 ? 0 : random();
    const count = Math.floor(random() * 4);
    if (kind < 0.35) return pick(scalars);
    if (kind < 0.55) return `[${Array.from({ length: count }, () => randomValue(random, depth - 1)).join(',')}]`;
    return `{${Array.from({ length: count }, () => `"${pick(names)}":${randomValue(random, depth - 1)}`).join(',')}}`;
  }

  it('in 3,000 random texts that are full of them', () => {
    const random = seededRandom(815);
    let refused = 0;
    for (let count = 0; count < 3_000; count += 1) {
      const text = randomValue(random, 4);
      expect(difference(text), text).toBeNull();
      if (!parse(text).ok) refused += 1;
    }
    expect(refused).toBeGreaterThan(300);
    expect(refused).toBeLessThan(2_500);
  });

  it.each([
    '{"1":1e400,"1":{"b":1e400}}',
    '{"1":1e400,"1":{},"1":5,"2":0,"3":0}',
    '{"1":1e400,"1":{"text":1.0},"1":5,"2":0}',
    '{"1":[1e400,2],"1":[3.0,4],"2":0}',
    '{"a":[1.0],"b":{"c":1},"a":{}}',
    '{"a":1.0,"b":[],"b":[[]]}',
    '[1.0,{"a":{"x":1,"y":2},"a":{"x":1}}]',
    '{"0":{"__proto__":1},"1":{"__proto__":1,"__proto__":2}}',
  ])('in %s', (text) => {
    expect(difference(text)).toBeNull();
    expect(parse(text)).toMatchObject({ ok: false, issues: [{ code: 'duplicate-member' }] });
  });
});

describe('§1 depth is bounded where something has to be kept too', () => {
  it.each(['[1.0', '{"1":2,"x":3', '[1e400'])('behind %s', (start) => {
    const close = start.startsWith('[') ? ']' : '}';
    const nest = (levels: number): string =>
      `${start},${start.startsWith('[') ? '' : '"n":'}${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}${close}`;
    expect(parse(nest(256)).ok).toBe(true);
    expect(parse(nest(257))).toMatchObject({ ok: false, issues: [{ code: 'too-deep' }] });
    expect(parse(nest(3), { maxDepth: 2 })).toMatchObject({ ok: false, issues: [{ code: 'too-deep' }] });
    expect(parse(nest(2_000), { maxDepth: 2_000 }).ok).toBe(true);
  });

  it('in a long list that is canonical as a whole', () => {
    const list = (inner: string): string => `[0.1234567890123456,${'0,'.repeat(40)}${inner}]`;
    expect(difference(list('[[]]'))).toBeNull();
    expect(parse(list('[[]]'), { maxDepth: 3 }).ok).toBe(true);
    expect(parse(list('[[]]'), { maxDepth: 2 })).toMatchObject({ ok: false, issues: [{ code: 'too-deep' }] });
    expect(difference(list('{"a":1,"a":1}'))).toBeNull();
  });
});
