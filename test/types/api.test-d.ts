/** The types of the generated functions and of the catalogue. */

import {
  type CapabilitiesFor,
  catalogue,
  type EffectFor,
  type EventFor,
  type EventName,
  encodeEvent,
  fromJsonEffect,
  type InterceptableEventName,
  isKnownEvent,
  type PROTOCOL_VERSION,
  parseEvent,
  type ToolBeforeCapabilities,
  type ToolBeforeEvent,
  type Validated,
  validateEvent,
} from '../../generated/index.js';
import { encode, JsonNumber, jsonEqual, parse } from '../../generated/json/index.js';
import { expectAssignable, expectType } from './expect.js';

export function codecs(input: string | Uint8Array): void {
  const parsed = parseEvent(input, { maxDepth: 10 });
  if (!parsed.ok) {
    expectAssignable<string>(parsed.issues[0]?.code ?? '');
    // @ts-expect-error no value
    parsed.value;
    return;
  }
  expectType<string>()(encodeEvent(parsed.value));
  // @ts-expect-error decoding is no validation
  expectAssignable<Validated<ToolBeforeEvent>>(parsed.value);
  if (isKnownEvent(parsed.value) && parsed.value.type === 'tool.before') expectType<ToolBeforeEvent>()(parsed.value);
  const checked = validateEvent(parsed.value);
  if (checked.ok && checked.value.type === 'tool.before') {
    expectAssignable<Validated<ToolBeforeEvent>>(checked.value);
    expectAssignable<ToolBeforeEvent>(checked.value);
  }
  const effect = fromJsonEffect({});
  if (effect.ok && effect.value.type === 'deny') {
    // @ts-expect-error an unknown effect has a type too: isKnownEffect comes first
    effect.value.reason.length;
  }
  // @ts-expect-error an event is no text
  encodeEvent('{}');
  // @ts-expect-error limits have names
  parseEvent(input, { depth: 3 });
}

// An intercept handler's answer.
expectAssignable<EffectFor<'tool.before'>[]>([
  { type: 'modify', target: 'input', operation: 'merge', value: { path: '/tmp' } },
  { type: 'deny', reason: 'no' },
  { type: 'flow', operation: 'stop', reason: 'enough' },
  { type: 'inject', target: 'context', operation: 'append', deliverAt: 'now', value: null },
]);
// @ts-expect-error another event's target
expectAssignable<EffectFor<'tool.before'>>({ type: 'modify', target: 'output', operation: 'replace', value: 1 });
// @ts-expect-error tool.before cannot continue
expectAssignable<EffectFor<'tool.before'>>({ type: 'flow', operation: 'continue' });
expectAssignable<EffectFor<'turn.finish.before'>>({ type: 'flow', operation: 'continue', instruction: 'go on' });
// @ts-expect-error session.start denies nothing
expectAssignable<EffectFor<'session.start'>>({ type: 'deny', reason: 'no' });
// @ts-expect-error a closed effect
expectAssignable<EffectFor<'session.start'>>({ type: 'message', text: 't', to: 'user' });
// @ts-expect-error cannot be intercepted
type _None = EffectFor<'tool.progress'>;

expectType<ToolBeforeEvent>()({} as EventFor<'tool.before'>);
expectType<ToolBeforeCapabilities>()({} as CapabilitiesFor<'tool.before'>);
expectAssignable<EventName>('file.changed');
// @ts-expect-error is observed only
expectAssignable<InterceptableEventName>('file.changed');
// @ts-expect-error no event
expectAssignable<EventName>('file.change');
expectType<'draft'>()({} as typeof PROTOCOL_VERSION);
expectType<true>()(catalogue.events['tool.before'].interceptable);
expectType<'/tool/input'>()(catalogue.events['tool.before'].targets.input.place);
// @ts-expect-error the catalogue is read-only
catalogue.events['tool.before'].interceptable = false;

// Any JSON.
export const value = parse('1e400', { maxSize: 10 });
if (value.ok) expectType<string>()(encode(value.value));
expectType<boolean>()(jsonEqual(new JsonNumber('1'), 1));
expectType<string>()(new JsonNumber('1e400').text);
// @ts-expect-error frozen
new JsonNumber('1').text = '2';
