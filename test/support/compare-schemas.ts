/** Compares ours with the independent validator on random schemas. */

import { registerSchema, unregisterSchema, validate } from '@hyperjump/json-schema/draft-2020-12';
import { seededRandom } from './mutants.js';
import { RandomSchemas } from './random-schemas.js';
import { inMemory, linkDefinitions } from './schema-sets.js';

export interface Difference {
  readonly seed: number;
  readonly schemas: string;
  readonly name: string;
  readonly value: string;
  readonly ours: boolean;
}

/** The differing verdicts of one seed: three definitions that refer to each other, some values each. */
export async function compareSeed(seed: number, values: number): Promise<{ differ: Difference[]; valid: number }> {
  const random = seededRandom(seed);
  const plain = new RandomSchemas(random, []);
  const referring = new RandomSchemas(random, ['#/$defs/A', '#/$defs/B']);
  // Texts, since a member called __proto__ is one only there.
  const schemas = JSON.stringify({
    A: plain.schema(2),
    B: plain.union(1),
    C: referring.schema(3),
    D: referring.union(2),
  });
  const ours = inMemory(linkDefinitions({ 'random.json': schemas }).set);
  const uri = `https://random.example.test/${seed}`;
  registerSchema({ $schema: 'https://json-schema.org/draft/2020-12/schema', $defs: JSON.parse(schemas) }, uri);
  const differ: Difference[] = [];
  let valid = 0;
  try {
    for (const name of ['A', 'B', 'C', 'D']) {
      const peer = await validate(`${uri}#/$defs/${name}`);
      for (let count = 0; count < values; count += 1) {
        const value = plain.value(3);
        const verdict = ours(name)(value).ok;
        if (verdict) valid += 1;
        if (verdict !== peer(value as never).valid) {
          differ.push({ seed, schemas, name, value: JSON.stringify(value), ours: verdict });
        }
      }
    }
  } finally {
    unregisterSchema(uri);
  }
  return { differ, valid };
}
