/** Unions narrow on their tags; unknown variants are kept apart (Semantics §1). */

import type { ContentItem, ModelVisibleItem } from '../../generated/types/content.js';
import type { Effect, UnknownEffect } from '../../generated/types/effects.js';
import type { ToolAfterEvent, ToolBeforeEvent } from '../../generated/types/execution-events.js';
import type { Execution, McpConnection } from '../../generated/types/execution-parts.js';
import type { ElicitFormParams, ElicitRequestParams } from '../../generated/types/mcp-elicitation.js';
import type {
  CapabilitiesRequest,
  InterceptRequest,
  InterceptResponse,
  JsonRpcErrorResponse,
} from '../../generated/types/messages.js';
import type { Authentication } from '../../generated/types/registration.js';
import type { Event, InterceptableEvent, KnownEvent, UnknownEvent, WireMessage } from '../../generated/types/unions.js';
import {
  isKnownContentItem,
  isKnownEffect,
  isKnownEvent,
  isKnownExecution,
  isKnownMcpConnection,
} from '../../generated/index.js';
import type { JsonObject, JsonValue } from '../../generated/json/index.js';
import { expectAssignable, expectType } from './expect.js';

export function event(value: Event): void {
  // @ts-expect-error an unknown event has no known tool
  value.tool.name;
  expectAssignable<Event>({ ...value, id: 'e9' });
  if (!isKnownEvent(value)) {
    expectType<UnknownEvent>()(value);
    expectType<string>()(value.type);
    expectType<unknown>()(value.tool);
    return;
  }
  if (value.type === 'tool.before') {
    expectType<ToolBeforeEvent>()(value);
    expectType<string>()(value.tool.name);
    expectType<JsonObject>()(value.tool.input);
    expectType<unknown>()(value.madeUpName);
  }
  // @ts-expect-error the comparison can never hold
  if (value.type === 'tool.befor') return;
  switch (value.type) {
    case 'tool.after':
      expectType<ToolAfterEvent>()(value);
      expectType<readonly ModelVisibleItem[]>()(value.items);
      break;
    case 'session.start':
      expectType<string>()(value.session.id);
      break;
    case 'tool.progress':
      // Optional on the envelope, and this event says nothing else.
      expectType<string | undefined>()(value.session?.id);
      break;
    default:
      expectAssignable<KnownEvent>(value);
  }
}

export function narrowsToEveryInterceptableEvent(value: InterceptableEvent): void {
  expectAssignable<Event>(value);
  // @ts-expect-error not every event can be intercepted
  expectAssignable<InterceptableEvent>({} as ToolAfterEvent | { readonly type: 'session.end' });
}

export function effect(value: Effect): void {
  if (!isKnownEffect(value)) {
    expectType<UnknownEffect>()(value);
    // @ts-expect-error nothing but the tag is known
    value.reason;
    if ('reason' in value) expectType<unknown>()(value.reason);
    return;
  }
  switch (value.type) {
    case 'deny':
      expectType<string>()(value.reason);
      break;
    case 'modify':
      expectType<JsonValue>()(value.value);
      // @ts-expect-error only a denial has a reason
      value.reason;
      break;
    case 'flow':
      if (value.operation === 'stop') expectType<string>()(value.reason);
      else expectType<string | undefined>()(value.instruction);
      break;
    case 'allow':
    case 'ask':
    case 'message':
    case 'return':
    case 'inject':
      break;
    default:
      expectType<never>()(value);
  }
}

expectAssignable<Effect>({ type: 'deny', reason: 'no' });
expectAssignable<Effect>({ type: 'return', value: null });
expectAssignable<Effect>({ type: 'modify', target: 'input', operation: 'replace', value: { path: '/tmp' } });
// @ts-expect-error a denial has a reason
expectAssignable<Effect>({ type: 'deny' });
// @ts-expect-error a literal is no unknown variant: those come from decoding alone
expectAssignable<Effect>({ type: 'denny', reason: 'no' });
// @ts-expect-error a closed object has no other members
expectAssignable<Effect>({ type: 'allow', reason: 'yes' });
// @ts-expect-error `value` may be null but not absent
expectAssignable<Effect>({ type: 'return' });
// @ts-expect-error undefined is no JSON
expectAssignable<Effect>({ type: 'return', value: undefined });

export function contentItem(value: ContentItem): void {
  if (!isKnownContentItem(value)) return;
  if (value.selection === 'body') {
    if ('body' in value) expectType<string>()(value.body.ref);
    else expectType<string>()(value.gap.reason);
    return;
  }
  expectType<'metadata' | 'omit'>()(value.selection);
  expectType<number | undefined>()(value.size);
  // @ts-expect-error only body items have one
  value.body;
}

expectAssignable<ContentItem>({
  id: 'i',
  kind: 'text',
  mediaType: 'text/plain',
  selection: 'body',
  body: { ref: 'r' },
});
expectAssignable<ContentItem>({} as ModelVisibleItem);
expectAssignable<ModelVisibleItem>({ id: 'i', kind: 'text', mediaType: 'text/plain', role: 'user', selection: 'omit' });
// @ts-expect-error a model-visible item names its role
expectAssignable<ModelVisibleItem>({ id: 'i', kind: 'text', mediaType: 'text/plain', selection: 'omit' });
// @ts-expect-error a closed object
expectAssignable<ContentItem>({ id: 'i', kind: 'k', mediaType: 'm', selection: 'body', body: { ref: 'r' }, extra: 1 });
// @ts-expect-error the plain item may lack the role
expectAssignable<ModelVisibleItem>({} as ContentItem);

export function execution(value: Execution): void {
  if (!isKnownExecution(value)) {
    expectType<string>()(value.status);
    return;
  }
  if (value.status === 'executed') {
    // @ts-expect-error what ran was not skipped for a reason
    value.reason;
    return;
  }
  expectType<'skipped'>()(value.status);
  if (value.reason === 'supplied_result') {
    // @ts-expect-error a supplied result has no detail
    value.detail;
    return;
  }
  expectType<'policy' | 'cancelled' | 'timeout' | 'other'>()(value.reason);
  expectType<string | undefined>()(value.detail);
}

expectAssignable<Execution>({ status: 'skipped', reason: 'policy' });
// @ts-expect-error what is skipped has a reason
expectAssignable<Execution>({ status: 'skipped' });
// @ts-expect-error closed
expectAssignable<Execution>({ status: 'executed', extra: true });

export function connection(value: McpConnection): void {
  if (isKnownMcpConnection(value)) {
    expectType<'http' | 'sse' | 'stdio'>()(value.transport);
    if (value.transport === 'stdio') expectType<string | undefined>()(value.command);
    else expectType<string | undefined>()(value.url);
  } else {
    expectAssignable<string>(value.transport);
  }
}

expectAssignable<McpConnection>({ transport: 'http', url: 'https://mcp.example/' });
expectAssignable<McpConnection>({ transport: '_pipe', addressForm: 'path', address: '/run/mcp' });
// @ts-expect-error an extension transport begins with an underscore
expectAssignable<McpConnection>({ transport: 'pipe', addressForm: 'path', address: '/run/mcp' });
// @ts-expect-error a command belongs to stdio
expectAssignable<McpConnection>({ transport: 'http', command: 'mcp' });

expectAssignable<Authentication>({ type: 'bearer', tokenEnv: 'TOKEN' });
expectAssignable<Authentication>({ type: 'bearer', tokenRef: 'vault:1' });
// @ts-expect-error exactly one of the two
expectAssignable<Authentication>({ type: 'bearer', tokenEnv: 'TOKEN', tokenRef: 'vault:1' });
// @ts-expect-error exactly one of the two
expectAssignable<Authentication>({ type: 'bearer' });

export function message(value: WireMessage): void {
  if ('method' in value && value.method === 'hooks/intercept')
    expectType<InterceptRequest>()(value as InterceptRequest);
  expectAssignable<WireMessage>({} as InterceptResponse | JsonRpcErrorResponse | CapabilitiesRequest);
}

expectAssignable<ElicitRequestParams>({
  message: 'Which seat?',
  requestedSchema: { type: 'object', properties: { seat: { type: 'string', enum: ['a', 'b'] } }, required: ['seat'] },
});
expectAssignable<ElicitRequestParams>({
  mode: 'url',
  message: 'Sign in',
  url: 'https://as.example/',
  elicitationId: 'e',
});
// @ts-expect-error a URL request has an id
expectAssignable<ElicitRequestParams>({ mode: 'url', message: 'Sign in', url: 'https://as.example/' });
// @ts-expect-error the form's schema is closed
// prettier-ignore
expectAssignable<ElicitFormParams>({ mode: 'form', message: 'm', requestedSchema: { type: 'object', properties: {}, $id: 'x' } });
