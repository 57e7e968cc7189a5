import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { bundleSchema, REGISTRATION_BUNDLE } from '../../cli/bundle-schema.js';
import { makeRegistrationBundle } from '../../cli/registration-bundle.js';
import { REGISTRATION_SHAPE, type Shape, type ShapeChoice } from '../../runtime/registration/recognized.js';

const root = join(import.meta.dirname, '../..');
const published = readFileSync(join(root, REGISTRATION_BUNDLE), 'utf8');
const about = { title: 't', description: 'd' };

describe('the published registration schema', () => {
  it('is what schemas/ makes of it; mend with "npm run schemas:bundle"', async () => {
    expect(published).toBe(await makeRegistrationBundle(join(root, 'schemas')));
  });

  it('stands alone: it refers to nothing outside itself', () => {
    const references = [...published.matchAll(/"\$ref": "([^"]*)"/g)].map(([, reference]) => reference ?? '');
    expect(references.length).toBeGreaterThan(10);
    const { $defs } = JSON.parse(published) as { $defs: object };
    for (const reference of references) expect($defs).toHaveProperty(reference.replace('#/$defs/', ''));
  });

  it('accepts and refuses documents by itself', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    const validate = ajv.compile(JSON.parse(published));
    const transport = { type: 'stdio', command: 'policy', lifecycle: 'persistent' };
    const subscription = { events: ['tool.*'], mode: 'observe', content: { default: 'omit' } };
    const document = (more: object): unknown => ({
      protocolVersion: 'draft',
      hooks: [{ id: 'com.example.policy', transport, subscriptions: [{ ...subscription, ...more }] }],
    });
    expect(validate(document({}))).toBe(true);
    expect(validate(document({ events: ['tool.sideways'] }))).toBe(false);
    expect(validate(document({ timeoutMs: 1 }))).toBe(false);
    expect(validate(document({ upload: { endpoint: 'http://u.example/', timeoutMs: 1, maxBytes: 1 } }))).toBe(false);
  });
});

describe('bundling', () => {
  it('keeps definitions of one name in two documents apart, and ends at loops', async () => {
    const documents = new Map<string, unknown>([
      ['a.json', { $defs: { X: { properties: { y: { $ref: 'b.json#/$defs/X' }, x: { $ref: '#/$defs/X' } } } } }],
      ['b.json', { $defs: { X: { anyOf: [{ $ref: 'a.json#/$defs/X' }, { type: 'null' }] } } }],
    ]);
    const bundle: unknown = JSON.parse(await bundleSchema(documents, { document: 'a.json', name: 'X' }, about));
    expect(bundle).toMatchObject({
      $ref: '#/$defs/X',
      $defs: {
        X: { properties: { y: { $ref: '#/$defs/b.X' }, x: { $ref: '#/$defs/X' } } },
        'b.X': { anyOf: [{ $ref: '#/$defs/X' }, { type: 'null' }] },
      },
    });
  });

  it.each(['https://x.example/a.json', '#/definitions/X', 'b.json#/$defs/Missing', 'missing.json#/$defs/X'])(
    'stops at the reference %s',
    async (reference) => {
      const documents = new Map<string, unknown>([
        ['a.json', { $defs: { X: { $ref: reference } } }],
        ['b.json', { $defs: {} }],
      ]);
      await expect(bundleSchema(documents, { document: 'a.json', name: 'X' }, about)).rejects.toThrow(/expected/);
    },
  );
});

describe('the loader knows the members that the schema names', () => {
  const { $defs } = JSON.parse(published) as { $defs: Record<string, SchemaNode> };

  interface SchemaNode {
    readonly $ref?: string;
    readonly properties?: Readonly<Record<string, SchemaNode>>;
    readonly allOf?: readonly SchemaNode[];
    readonly oneOf?: readonly SchemaNode[];
    readonly items?: SchemaNode;
    readonly const?: string;
    readonly type?: string;
  }

  const resolve = (node: SchemaNode): SchemaNode =>
    node.$ref === undefined ? node : resolve($defs[node.$ref.replace('#/$defs/', '')] ?? {});

  const propertiesOf = (node: SchemaNode): Readonly<Record<string, SchemaNode>> => {
    const resolved = resolve(node);
    const inherited = (resolved.allOf ?? []).map(propertiesOf);
    return Object.assign({}, ...inherited, resolved.properties ?? {}) as Record<string, SchemaNode>;
  };

  const compare = (node: SchemaNode, known: Shape | ShapeChoice, place: string): void => {
    const resolved = resolve(node);
    if (resolved.items !== undefined) {
      compare(resolved.items, known, `${place}/*`);
      return;
    }
    if ('tag' in known) {
      const branches = (resolved.oneOf ?? []).map((branch) => {
        const tag = propertiesOf(branch)[known.tag]?.const ?? '';
        return [tag, branch] as const;
      });
      expect([place, branches.map(([tag]) => tag).sort()]).toEqual([place, Object.keys(known.shapes).sort()]);
      for (const [tag, branch] of branches) {
        const shape = known.shapes[tag];
        if (shape !== undefined) compare(branch, shape, `${place}(${tag})`);
      }
      return;
    }
    const properties = propertiesOf(resolved);
    const names = Object.keys(known.members).filter((name) => name !== '$schema');
    expect([place, names.sort()]).toEqual([place, Object.keys(properties).sort()]);
    for (const [name, below] of Object.entries(known.members)) {
      const property = properties[name];
      if (below !== null && property !== undefined) compare(property, below, `${place}/${name}`);
    }
  };

  it('in every object of the document', () => {
    compare({ $ref: '#/$defs/Registration' }, REGISTRATION_SHAPE, '');
  });
});
