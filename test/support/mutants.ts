/** Small, seeded changes to JSON values, so that a failing case can be made again from its number. */

/** A generator of numbers in [0, 1) that gives the same row for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const VALUES: readonly unknown[] = [
  ...[
    null,
    true,
    false,
    0,
    -1,
    1.5,
    1e21,
    '',
    'x',
    'body',
    'omit',
    'mcp',
    'skipped',
    'policy',
    'intercept',
    'continue',
  ],
  ...['a.b', 'https://example.test/', '2026-03-01T10:00:00Z', [], [''], ['a', 'a'], ['stop'], {}],
  ...[{ id: 'x' }, { ref: 'r' }, { type: 'deny' }, { path: 'url', reason: 'r' }, { value: null }],
];
const NAMES: readonly string[] = [
  ...['id', 'type', 'error', 'outcome', 'execution', 'manifest', 'effects', 'result', 'mcp', 'items', 'native', 'role'],
  ...['size', 'body', 'gap', 'flow', 'modify', 'capabilities', 'x-later', 'com.example.x', '', 'a/b~c', '10'],
  ...['constructor', 'toString', '__proto__', 'hasOwnProperty'],
];

/** A copy with one to three changes: a member dropped, added or renamed, a value replaced, elements repeated or lost. */
export function mutate(value: unknown, random: () => number): unknown {
  let mutant = value;
  const count = 1 + Math.floor(random() * 3);
  for (let change = 0; change < count; change += 1) mutant = changeSomewhere(mutant, random);
  return mutant;
}

function pick<T>(list: readonly T[], random: () => number): T {
  const picked = list[Math.floor(random() * list.length)];
  if (picked === undefined && list.length === 0) throw new Error('expected something to pick from, got nothing');
  return picked as T;
}

function changeSomewhere(value: unknown, random: () => number): unknown {
  if (Array.isArray(value)) {
    const index = Math.floor(random() * value.length);
    if (value.length > 0 && random() < 0.7) {
      return value.map((element, at) => (at === index ? changeSomewhere(element, random) : element));
    }
    return changeList(value, index, random);
  }
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value);
    const index = Math.floor(random() * entries.length);
    if (entries.length > 0 && random() < 0.7) {
      return Object.fromEntries(
        entries.map(([name, member], at) => [name, at === index ? changeSomewhere(member, random) : member]),
      );
    }
    return changeObject(entries, index, random);
  }
  return pick(VALUES, random);
}

function changeList(list: readonly unknown[], index: number, random: () => number): unknown {
  const kind = random();
  if (kind < 0.3) return list.filter((_, at) => at !== index);
  if (kind < 0.6 && list.length > 0) return [...list, list[index]];
  if (kind < 0.9) return [...list, pick(VALUES, random)];
  return pick(VALUES, random);
}

function changeObject(entries: readonly [string, unknown][], index: number, random: () => number): unknown {
  const kind = random();
  if (kind < 0.35) return Object.fromEntries(entries.filter((_, at) => at !== index));
  if (kind < 0.75) return Object.fromEntries([...entries, [pick(NAMES, random), pick(VALUES, random)]]);
  if (kind < 0.9) {
    return Object.fromEntries(entries.map(([name, member], at) => [at === index ? pick(NAMES, random) : name, member]));
  }
  return pick(VALUES, random);
}
