/** What `Validated` says: who validated need not validate again, and a changed copy is not validated. */

import type { ParseResult, Validated, ValidationResult } from '../../generated/support/results.js';
import type { ToolBeforeEvent } from '../../generated/types/execution-events.js';
import type { McpConnection, McpExtensionConnection } from '../../generated/types/execution-parts.js';
import type { Effect, UnknownEffect } from '../../generated/types/effects.js';
import type { Event } from '../../generated/types/unions.js';
import { expectAssignable, expectType } from './expect.js';

declare const validate: (value: unknown) => ValidationResult<Event>;
declare const parse: (text: string) => ParseResult<Event>;
declare function deliver(event: Validated<Event>): void;

export function validated(value: unknown): void {
  const result = validate(value);
  if (!result.ok) {
    expectType<string>()(result.issues.map(({ pointer, code, message }) => pointer + code + message).join());
    // @ts-expect-error there is no value
    result.value;
    return;
  }
  deliver(result.value);
  expectAssignable<Event>(result.value);
  // The unknown variant is left out, so that tags narrow at once.
  if (result.value.type === 'tool.before') {
    expectType<string>()(result.value.tool.name);
    expectAssignable<ToolBeforeEvent>(result.value);
    expectAssignable<Validated<ToolBeforeEvent>>(result.value);
    const changed = { ...result.value, path: 'other' };
    expectAssignable<ToolBeforeEvent>(changed);
    // @ts-expect-error a changed copy was not validated
    deliver(changed);
  }
}

export function parsed(text: string): void {
  const result = parse(text);
  if (!result.ok) return;
  expectAssignable<'unknown-enum-value' | 'unknown-variant' | undefined>(result.warnings[0]?.code);
  // @ts-expect-error decoding is not validation
  deliver(result.value);
}

// @ts-expect-error a literal was not validated
// prettier-ignore
deliver({ id: 'e', source: 'urn:x', type: 'session.end', time: 't', session: { id: 's' }, outcome: 'completed', reason: 'r' });
// @ts-expect-error no unknown effect is valid
expectAssignable<Validated<Effect>>({} as UnknownEffect);
export function connection(value: Validated<McpConnection>): void {
  if (value.transport === 'http' || value.transport === 'sse') expectType<string | undefined>()(value.url);
  else if (value.transport !== 'stdio') expectAssignable<McpExtensionConnection>(value);
}
export function generic<T>(value: Validated<T>): T {
  return value;
}
