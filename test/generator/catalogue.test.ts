import { describe, expect, expectTypeOf, it } from 'vitest';
import {
  type CapabilitiesFor,
  type EffectFor,
  type EventFor,
  type EventName,
  type InterceptableEventName,
  catalogue,
  codecs,
  PROTOCOL_VERSION,
  type ToolBeforeCapabilities,
  type ToolBeforeEvent,
} from '../../generated/index.js';
import { generate } from '../../generator/generate.js';
import { GenerateError } from '../../generator/generate-error.js';
import { schemaFolder } from './sets.js';

/** Effects, targets and flow operations of the 19 interceptable events, from the wire's own table. */
const TABLE: Readonly<Record<string, readonly [effects: string, targets: string, flow: string]>> = {
  'session.start': ['inject message', '', ''],
  'config.change.before': ['deny message', '', ''],
  'turn.start': ['deny modify inject flow message', 'prompt', 'stop'],
  'turn.finish.before': ['modify flow message', 'response', 'stop continue'],
  'model.request.before': ['deny modify inject return flow message', 'request', 'stop'],
  'model.response.after': ['modify flow message', 'response', 'stop'],
  'model.switch.before': ['deny flow message', '', 'stop'],
  'tool.before': ['deny allow ask modify inject flow return message', 'input', 'stop'],
  'tool.after': ['modify inject flow message', 'output', 'stop continue'],
  'tool.permission.request': ['allow deny modify flow message', 'input', 'stop'],
  'tool.batch.after': ['flow inject message', '', 'stop'],
  'context.compact.before': ['deny modify return inject message', 'instructions', ''],
  'context.compact.after': ['inject modify message', 'summary', ''],
  'task.change.before': ['deny message', '', ''],
  'user.elicitation.request': ['deny return message', '', ''],
  'user.elicitation.result': ['modify message', 'content', ''],
  'user.message.inbound': ['deny modify message', 'prompt', ''],
  'user.message.outbound': ['deny modify message', 'content', ''],
  'workspace.change.before': ['deny modify message', 'workspace', ''],
};

const words = (text: string): string[] => text.split(' ').filter((word) => word !== '');

describe('the catalogue', () => {
  it('has the 32 events, 19 of them interceptable', () => {
    expect(catalogue.protocolVersion).toBe('draft');
    expect(PROTOCOL_VERSION).toBe('draft');
    expect(catalogue.eventNames).toHaveLength(32);
    expect([...catalogue.interceptableEventNames].sort()).toEqual(Object.keys(TABLE).sort());
    expect(Object.keys(catalogue.events)).toEqual([...catalogue.eventNames]);
  });

  it.each(Object.entries(TABLE))('grants at %s what the wire says', (name, [effects, targets, flow]) => {
    const entry = catalogue.events[name as InterceptableEventName];
    expect(entry.interceptable).toBe(true);
    expect([...entry.effects].sort()).toEqual(words(effects).sort());
    expect(Object.keys(entry.targets)).toEqual(words(targets));
    expect([...entry.flow].sort()).toEqual(words(flow).sort());
    expect(Object.keys(codecs)).toContain(entry.typeName);
  });

  it('§5 knows where targets live and which are content', () => {
    const targets = Object.values(catalogue.events).flatMap(({ name, targets }) =>
      Object.entries(targets as Record<string, { place: string; content?: boolean }>).map(
        ([target, { place, content }]) => [`${name} ${target}`, place, content === true],
      ),
    );
    expect(Object.fromEntries(targets.map(([key, ...rest]) => [key, rest]))).toMatchObject({
      'tool.before input': ['/tool/input', false],
      'tool.permission.request input': ['/tool/input', false],
      'tool.after output': ['/items', true],
      'context.compact.before instructions': ['/instructions', true],
      'context.compact.after summary': ['/summary', true],
      'user.message.outbound content': ['/message/payload', true],
      'user.elicitation.result content': ['/elicitation/result', true],
      'workspace.change.before workspace': ['/workspace/change', false],
    });
  });

  it('knows every place of content and every opt-in member, nested ones too', () => {
    expect(catalogue.events['tool.after'].content).toEqual([
      '/items/*',
      '/fileChanges/*/before',
      '/fileChanges/*/after',
    ]);
    expect(catalogue.events['file.changed'].content).toEqual(['/items/*', '/changes/*/before', '/changes/*/after']);
    expect(catalogue.events['user.attention'].content).toEqual([
      '/items/*',
      '/attention/message/*',
      '/attention/title/*',
    ]);
    expect(catalogue.events['model.error'].optIn).toEqual(['/native', '/error/native']);
  });

  it('types go by event name', () => {
    expectTypeOf<EventName>().toExtend<string>();
    expectTypeOf<EventFor<'tool.before'>>().toEqualTypeOf<ToolBeforeEvent>();
    expectTypeOf<CapabilitiesFor<'tool.before'>>().toEqualTypeOf<ToolBeforeCapabilities>();
    type Answer = EffectFor<'tool.before'>;
    expectTypeOf<Answer['type']>().toEqualTypeOf<
      'deny' | 'allow' | 'ask' | 'modify' | 'inject' | 'flow' | 'return' | 'message'
    >();
    const change: Answer = { type: 'modify', target: 'input', operation: 'replace', value: {} };
    const stop: Answer = { type: 'flow', operation: 'stop', reason: 'r' };
    // @ts-expect-error -- another target than this event has
    const target: Answer = { type: 'modify', target: 'prompt', operation: 'replace', value: {} };
    // @ts-expect-error -- an operation that this event does not grant
    const flow: Answer = { type: 'flow', operation: 'continue' };
    // @ts-expect-error -- an effect that this event does not grant
    const effect: EffectFor<'session.start'> = { type: 'deny', reason: 'r' };
    expect([change, stop, target, flow, effect]).toHaveLength(5);
  });
});

it('hints that lead nowhere stop the run with their place', async () => {
  const grants = { effect: 'modify', member: 'target', grants: ['modify'] };
  const folder = schemaFolder({
    'manifest.json': {
      protocolVersion: '1',
      documents: { 'a.json': {} },
      definitions: { Thing: { document: 'a.json', pointer: '/$defs/Thing' } },
      catalogue: {
        union: 'Missing',
        tag: 'type',
        request: 'Thing',
        content: [],
        optIn: [],
        effects: { union: 'Thing', tag: 'type', list: 'effects', targets: grants, operations: grants },
      },
    },
    'a.json': { $defs: { Thing: { type: 'object' } } },
  });
  const error: unknown = await generate(folder, { emitIr: false }).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(GenerateError);
  expect(
    (error as GenerateError).problems.map(({ code, place }) => [code, place.document, place.pointer]),
  ).toContainEqual(['catalogue', 'manifest.json', '/catalogue']);
});
