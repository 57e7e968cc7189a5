import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, it } from 'vitest';
import { lowered, problemsOf, schemaFolder } from './sets.js';

const folder = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const irSchema = readFileSync(folder('templates/ir.schema.json'), 'utf8');

it.each(['schemas', 'test/golden/hostile/schemas', 'test/golden/billing/schemas'])(
  'the representation of %s is valid by its own schema',
  (path) => {
    const ajv = new Ajv2020({ strict: true, keywords: ['x-sdk-discriminator'] });
    const validate = ajv.compile(JSON.parse(irSchema) as object);
    // As text, since what is not plain JSON would be lost or changed on the way.
    const ir: unknown = JSON.parse(JSON.stringify(lowered(folder(path))));
    validate(ir);
    expect(validate.errors).toBeNull();
    expect((ir as { definitions: unknown[] }).definitions.length).toBeGreaterThan(10);
  },
);

it('the schema of the representation keeps the rules of the generator itself', () => {
  expect(problemsOf(schemaFolder({ 'ir.json': irSchema }))).toEqual([]);
});
