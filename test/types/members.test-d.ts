/** Presence against null, open and closed objects, open enums, read-only members, any JSON (Semantics §1). */

import type { Capabilities, Manifest, ToolBeforeCapabilities } from '../../generated/types/capabilities.js';
import type { Session } from '../../generated/types/common.js';
import type { ContentReference, ContentSelection } from '../../generated/types/content.js';
import type { ToolBeforeEvent } from '../../generated/types/execution-events.js';
import type { ErrorInfo, Usage } from '../../generated/types/execution-parts.js';
import type { ElicitResult } from '../../generated/types/mcp-elicitation.js';
import type { InterceptRequest, JsonRpcErrorResponse } from '../../generated/types/messages.js';
import type { InterceptSubscription, ObserveSubscription, Registration } from '../../generated/types/registration.js';
import type { Extensions } from '../../generated/types/common.js';
import { JsonNumber, type JsonValue } from '../../generated/json/index.js';
import { expectAssignable, expectType } from './expect.js';

export const event: ToolBeforeEvent = {
  id: 'e1',
  source: 'urn:example:harness',
  type: 'tool.before',
  time: '2026-03-01T10:00:00Z',
  call: { id: 'c1' },
  tool: { name: 'read', input: { path: '/etc/hosts', deep: [1, null, { a: true }] }, origin: 'native' },
  path: 'main',
  native: new JsonNumber('1e400'),
  'com.example.note': 'open envelopes keep unknown members',
};

expectType<JsonValue | undefined>()(event.tool.input.path);
expectType<JsonValue | undefined>()(event.native);
// @ts-expect-error a required member is missing
expectAssignable<ToolBeforeEvent>({ ...event, call: undefined });
// @ts-expect-error an optional member may be absent, not undefined (exactOptionalPropertyTypes)
expectAssignable<ToolBeforeEvent>({ ...event, parentEventId: undefined });
// @ts-expect-error nor null
expectAssignable<ToolBeforeEvent>({ ...event, parentEventId: null });
// @ts-expect-error the type is a constant
expectAssignable<ToolBeforeEvent>({ ...event, type: 'tool.after' });
// @ts-expect-error a call has not run yet
expectAssignable<ToolBeforeEvent>({ ...event, outcome: 'ok' });
// @ts-expect-error members are read-only
event.path = 'other';
// @ts-expect-error so are those of open data
event.tool.input.path = 'other';
// @ts-expect-error no JSON
expectAssignable<ToolBeforeEvent>({ ...event, native: () => 1 });

// Open objects take unknown members, of any type; named members keep theirs.
expectAssignable<Session>({ id: 's', color: 'red', depth: 3 });
// @ts-expect-error a named member of an open object
expectAssignable<Session>({ id: 's', cwd: 3 });
// @ts-expect-error a closed object
expectAssignable<ContentReference>({ ref: 'r', size: 3 });
// @ts-expect-error a closed object inside a message
expectAssignable<ToolBeforeEvent>({ ...event, call: { id: 'c', extra: true } });

// Read-only lists take mutable and frozen ones.
declare const roots: string[];
declare const frozenRoots: readonly string[];
expectAssignable<Session>({ id: 's', workspaceRoots: roots });
expectAssignable<Session>({ id: 's', workspaceRoots: Object.freeze(frozenRoots) });
export function push(session: Session): void {
  // @ts-expect-error lists are read-only
  session.workspaceRoots?.push('x');
  // @ts-expect-error noUncheckedIndexedAccess
  expectType<string>()(session.workspaceRoots?.[0]);
}

// Open enums: known values are offered, others are taken, other JSON types are not.
expectAssignable<Usage['completeness']>('complete');
expectAssignable<Usage['completeness']>('mostly');
// @ts-expect-error a number is none
expectAssignable<Usage['completeness']>(3);
expectType<'amount' | 'total' | (string & {})>()({} as Usage['kind']);
expectAssignable<Capabilities['effects']>(['deny', 'com.example.redact']);
expectAssignable<ToolBeforeCapabilities>({
  effects: ['deny', 'modify'],
  modify: { input: { replace: true, merge: false } },
});
// @ts-expect-error only the event's own targets
expectAssignable<ToolBeforeCapabilities>({ effects: ['modify'], modify: { output: { replace: true, merge: false } } });
expectAssignable<Capabilities>({} as ToolBeforeCapabilities);

// Where only the JSON type differs.
expectType<string | number | undefined>()({} as ErrorInfo['status']);
// @ts-expect-error neither text nor number
expectAssignable<ErrorInfo>({ message: 'm', class: 'c', status: true });

// A map with a required key: every value has the type.
expectAssignable<ContentSelection>({ default: 'metadata', text: 'body' });
// @ts-expect-error the default is required
expectAssignable<ContentSelection>({ text: 'body' });
// @ts-expect-error values are texts
expectAssignable<ContentSelection>({ default: 'omit', text: 1 });

// Presence against null: required members of any JSON may be null.
expectAssignable<NonNullable<InterceptRequest['params']['state']>>({ candidate: { value: null }, permission: 'none' });
expectAssignable<NonNullable<InterceptRequest['params']['state']>>({ candidate: null, permission: 'none' });
// @ts-expect-error the candidate is required
expectAssignable<NonNullable<InterceptRequest['params']['state']>>({ permission: 'none' });
expectAssignable<JsonRpcErrorResponse>({ jsonrpc: '2.0', id: null, error: { code: -32001, message: 'm', data: null } });
// @ts-expect-error the constant
expectAssignable<JsonRpcErrorResponse>({ jsonrpc: '1.0', id: null, error: { code: -32001, message: 'm' } });
// @ts-expect-error an error is no result
expectAssignable<JsonRpcErrorResponse>({ jsonrpc: '2.0', id: null, error: { code: 1, message: 'm' }, result: {} });

expectAssignable<Extensions>({ 'com.example.audit': { level: 3 } });
expectAssignable<ElicitResult>({
  action: 'accept',
  content: { seats: 2, tags: ['a'], ok: true, name: 'n' },
  other: null,
});
// @ts-expect-error answers are flat
expectAssignable<ElicitResult>({ action: 'accept', content: { seats: { count: 2 } } });
// @ts-expect-error null is no answer
expectAssignable<ElicitResult>({ action: 'accept', content: { seats: null } });

export const registration: Registration = {
  protocolVersion: 'draft',
  hooks: [
    {
      id: 'com.example.policy',
      transport: { type: 'stdio', command: 'policy', lifecycle: 'persistent' },
      subscriptions: [
        {
          events: ['tool.*'],
          mode: 'intercept',
          content: { default: 'omit' },
          timeoutMs: 500,
          failurePolicy: 'fail-closed',
        },
        { events: ['*'], mode: 'observe', content: { default: 'metadata' } },
      ],
    },
  ],
};
// @ts-expect-error an interceptor has a deadline
// prettier-ignore
expectAssignable<InterceptSubscription>({ events: ['*'], mode: 'intercept', content: { default: 'omit' }, failurePolicy: 'fail-open' });
// @ts-expect-error an observer has no failure policy
// prettier-ignore
expectAssignable<ObserveSubscription>({ events: ['*'], mode: 'observe', content: { default: 'omit' }, failurePolicy: 'fail-open' });

// @ts-expect-error the harness's manifest carries no identity
expectAssignable<Manifest['identity']>('me');
