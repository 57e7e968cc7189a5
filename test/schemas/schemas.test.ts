import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { childSchemas, isJsonObject, walkSchemas } from '../../generator/keywords.js';
import { load } from '../../generator/load.js';
import { refreshManifestHashes } from '../../generator/manifest-hashes.js';
import type { Json, JsonObject } from '../../generator/model.js';
import { linkDefinitions, inMemory, readDocuments, readManifest, SCHEMAS } from '../support/schema-sets.js';

const documents = readDocuments();
const manifest = readManifest();

/** Names as the wire page lists them. */
const EVENTS = [
  'SessionStart SessionEnd ToolBefore ToolAfter TurnStart TurnFinishBefore TurnEnd TurnProgress ModelRequestBefore',
  'ModelResponseAfter ModelError ModelSwitchBefore ModelSwitchAfter ToolPermissionRequest ToolPermissionResolved',
  'ToolProgress ToolBatchAfter ContextCompactBefore ContextCompactAfter ConfigChangeBefore ConfigChangeAfter',
  'UserAttention UserElicitationRequest UserElicitationResult UserMessageInbound UserMessageOutbound HookFailure',
  'TaskChangeBefore TaskChangeAfter WorkspaceChangeBefore WorkspaceChangeAfter FileChanged',
].flatMap((line) => line.split(' '));
const OBSERVED_ONLY = new Set([
  ...['SessionEnd', 'TurnEnd', 'TurnProgress', 'ModelError', 'ModelSwitchAfter', 'ToolPermissionResolved'],
  ...['ToolProgress', 'ConfigChangeAfter', 'UserAttention', 'HookFailure', 'TaskChangeAfter', 'WorkspaceChangeAfter'],
  'FileChanged',
]);
const PUBLIC_NAMES = [
  'InterceptRequest InterceptResponse JsonRpcErrorResponse ObserveNotification CapabilitiesRequest CapabilitiesResponse',
  'WireMessage Event Registration Backend InterceptSubscription ObserveSubscription Capabilities Manifest Effect',
  'ContentItem ModelVisibleItem ContentReference ContentUploadReceipt ContentSelection ContentUpload Authentication',
  'Session Extensions ElicitRequestParams ElicitResult',
].flatMap((line) => line.split(' '));

function definition(name: string): JsonObject {
  for (const document of Object.values(documents)) {
    const definitions = document.$defs as JsonObject;
    const found = Object.hasOwn(definitions, name) ? definitions[name] : undefined;
    if (found !== undefined && isJsonObject(found)) return found;
  }
  throw new Error(`no definition ${name}`);
}

function eachSchema(visit: (schema: JsonObject, place: string) => void): void {
  for (const [path, document] of Object.entries(documents)) {
    walkSchemas(document, '', (schema, pointer) => {
      if (isJsonObject(schema)) visit(schema, `${path}#${pointer}`);
    });
  }
}

describe('manifest', () => {
  it('lists exactly the 77 public names', () => {
    const expected = [
      ...PUBLIC_NAMES,
      ...EVENTS.map((name) => `${name}Event`),
      ...EVENTS.filter((name) => !OBSERVED_ONLY.has(name)).map((name) => `${name}Capabilities`),
    ];
    expect(Object.keys(manifest.definitions).sort()).toEqual(expected.sort());
    expect(expected).toHaveLength(77);
  });

  it('points to definitions of the same name', () => {
    for (const [name, { document, pointer }] of Object.entries(manifest.definitions)) {
      expect(pointer).toBe(`/$defs/${name}`);
      expect((documents[document]?.$defs as JsonObject | undefined)?.[name]).toBeDefined();
    }
  });

  it('lists every document with its digest', () => {
    const files = readdirSync(SCHEMAS).filter((name) => name.endsWith('.json') && name !== 'manifest.json');
    expect(Object.keys(manifest.documents).sort()).toEqual(files.sort());
    expect(refreshManifestHashes(SCHEMAS, { write: false })).toEqual([]);
    expect(load(SCHEMAS)).toMatchObject({ problems: [], output: { warnings: [] } });
  });
});

describe('documents', () => {
  it('say what they are', () => {
    for (const document of Object.values(documents)) {
      expect(document.$schema).toBe('https://json-schema.org/draft/2020-12/schema');
      expect(document.title).toEqual(expect.any(String));
      expect(document.description).toEqual(expect.any(String));
    }
  });

  it('give every definition its own name as title, and a description', () => {
    for (const document of Object.values(documents)) {
      for (const [name, schema] of Object.entries(document.$defs as Record<string, JsonObject>)) {
        expect(schema.title).toBe(name);
        expect(String(schema.description).length).toBeGreaterThanOrEqual(15);
      }
    }
  });

  it('describe every member of an object that is no condition', () => {
    const bare: string[] = [];
    const visit = (schema: Json, place: string): void => {
      for (const child of childSchemas(schema)) {
        if (['if', 'then', 'else', 'not', 'contains'].includes(child.keyword)) continue;
        const inner = child.schema;
        const isMember = child.keyword === 'properties';
        const described = isJsonObject(inner) && typeof inner.description === 'string';
        if (isMember && !described) bare.push(place + child.pointer);
        visit(inner, place + child.pointer);
      }
    };
    for (const [path, document] of Object.entries(documents)) visit(document, `${path}#`);
    expect(bare).toEqual([]);
  });

  it('refer to each other by relative references alone', () => {
    eachSchema((schema, place) => {
      if (schema.$ref !== undefined) expect(schema.$ref, place).toMatch(/^(?:[a-z-]+\.json)?#\/\$defs\/[A-Za-z]+$/);
    });
  });

  it('are formatted with LF line ends', () => {
    for (const path of Object.keys(documents)) expect(readFileSync(join(SCHEMAS, path), 'utf8')).not.toContain('\r');
  });
});

describe('shapes', () => {
  it('build every event on the one envelope', () => {
    for (const name of EVENTS) {
      const event = definition(`${name}Event`);
      expect(event.allOf, name).toContainEqual({ $ref: 'common.json#/$defs/Envelope' });
      const own = Object.keys(event.properties as JsonObject);
      for (const shared of ['id', 'source', 'time', 'native', 'extensions', 'gaps']) expect(own).not.toContain(shared);
    }
  });

  it('give every branch of a union a constant tag, or are told apart by type', () => {
    const tagged: [string, string][] = [
      ['Event', 'type'],
      ['InterceptableEvent', 'type'],
      ['Effect', 'type'],
      ['ContentItem', 'selection'],
      ['Execution', 'status'],
      ['Authentication', 'type'],
      ['BackendTransport', 'type'],
      ['Subscription', 'mode'],
    ];
    for (const [name, tag] of tagged) {
      for (const branch of definition(name).oneOf as unknown as { $ref: string }[]) {
        const target = definition(branch.$ref.slice(branch.$ref.lastIndexOf('/') + 1));
        expect((target.properties as Record<string, JsonObject>)[tag]?.const, branch.$ref).toEqual(expect.any(String));
        expect(target.required).toContain(tag);
      }
    }
  });

  it('declare one discriminator: transport, on the MCP connection', () => {
    const found: string[] = [];
    eachSchema((schema, place) => {
      if (schema['x-sdk-discriminator'] !== undefined) found.push(`${place} ${String(schema['x-sdk-discriminator'])}`);
    });
    expect(found).toEqual(['execution-parts.json#/$defs/McpConnection transport']);
    expect(definition('McpConnection').oneOf).toHaveLength(4);
  });

  it('say where every modify target lives', () => {
    const places = new Map<string, string>();
    for (const name of EVENTS.filter((one) => !OBSERVED_ONLY.has(one))) {
      const modify = (definition(`${name}Capabilities`).properties as Record<string, JsonObject>).modify;
      for (const [target, schema] of Object.entries((modify?.properties ?? {}) as Record<string, JsonObject>)) {
        places.set(`${name} ${target}`, String(schema['x-sdk-place']));
      }
    }
    expect(Object.fromEntries(places)).toEqual({
      'TurnStart prompt': '/items',
      'TurnFinishBefore response': '/items',
      'ModelRequestBefore request': '/items',
      'ModelResponseAfter response': '/items',
      'ToolBefore input': '/tool/input',
      'ToolAfter output': '/items',
      'ToolPermissionRequest input': '/tool/input',
      'ContextCompactBefore instructions': '/instructions',
      'ContextCompactAfter summary': '/summary',
      'UserElicitationResult content': '/elicitation/result',
      'UserMessageInbound prompt': '/message/text',
      'UserMessageOutbound content': '/message/payload',
      'WorkspaceChangeBefore workspace': '/workspace/change',
    });
  });
});

describe('annotations', () => {
  const CONNECTIONS: readonly unknown[] = [
    { transport: 'http', url: 'https://mcp.example.test/' },
    { transport: 'http' },
    { transport: 'http', gaps: [{ path: 'url', reason: 'hidden' }] },
    { transport: 'stdio', command: 'server', args: [], cwd: '/srv' },
    { transport: 'stdio', command: 'server' },
    { transport: '_quic', addressForm: 'host', address: 'mcp.example.test' },
    { transport: '_quic' },
    { transport: '_' },
    { transport: 'quic', addressForm: 'host', address: 'mcp.example.test' },
    { transport: 1 },
    {},
    null,
  ];

  it('x-sdk-discriminator and x-sdk-place change no verdict', () => {
    const strip = (value: unknown): unknown =>
      Array.isArray(value)
        ? value.map(strip)
        : typeof value === 'object' && value !== null
          ? Object.fromEntries(
              Object.entries(value)
                .filter(([name]) => !name.startsWith('x-sdk-'))
                .map(([name, member]) => [name, strip(member)]),
            )
          : value;
    const texts = (change: (value: unknown) => unknown): Record<string, string> =>
      Object.fromEntries(
        Object.entries(documents).map(([path, document]) => [path, JSON.stringify(change(document.$defs))]),
      );
    const annotated = inMemory(linkDefinitions(texts((value) => value)).set);
    const bare = inMemory(linkDefinitions(texts(strip)).set);
    const verdicts = CONNECTIONS.map((value) => annotated('McpConnection')(value).ok);
    expect(verdicts).toEqual([true, false, true, true, false, true, false, false, false, false, false, false]);
    expect(CONNECTIONS.map((value) => bare('McpConnection')(value).ok)).toEqual(verdicts);
    for (const grants of [
      { effects: [] },
      { effects: ['modify'], modify: { input: { replace: true, merge: false } } },
      {},
    ]) {
      expect(bare('ToolBeforeCapabilities')(grants).ok).toBe(annotated('ToolBeforeCapabilities')(grants).ok);
    }
  });
});
