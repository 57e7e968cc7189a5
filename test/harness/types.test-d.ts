/** The types of `createHooks`: events, outcomes and targets by name. Checked by types.test.ts. */

import type { ContextCompactAfterEvent, ToolBeforeEvent, SessionEndEvent } from '../../generated/index.js';
import type { JsonValue } from '../../generated/json/index.js';
import type { ContentTargetFor, Hooks, InterceptOptions } from '../../runtime/harness/index.js';
import { expectAssignable, expectType } from '../types/expect.js';

declare const hooks: Hooks;
declare const tool: ToolBeforeEvent;
declare const summary: ContextCompactAfterEvent;
declare const end: SessionEndEvent;

export async function typedByName(): Promise<void> {
  const called = await hooks.intercept(tool);
  expectType<ToolBeforeEvent>()(called.event);
  expectAssignable<JsonValue | undefined>(called.event.tool.input.command as JsonValue | undefined);
  const either = await hooks.intercept(Math.random() > 0.5 ? tool : summary);
  expectType<ToolBeforeEvent | ContextCompactAfterEvent>()(either.event);

  const compacted = await hooks.intercept(summary, {
    values: { summary: 'text' },
    materialize: ({ event, target, value }) => {
      expectType<ContextCompactAfterEvent>()(event);
      expectType<'summary'>()(target);
      return { event: { ...event, removed: [] }, content: { sum: new TextEncoder().encode(String(value)) } };
    },
  });
  expectType<ContextCompactAfterEvent>()(compacted.event);

  // @ts-expect-error this event has another target
  await hooks.intercept(summary, { values: { prompt: 'text' } });
  // @ts-expect-error the materialized event has to be of the same name
  await hooks.intercept(summary, { materialize: () => ({ event: tool, content: {} }) });
  // @ts-expect-error this event cannot be intercepted
  await hooks.intercept(end);
  // @ts-expect-error nor is this one an event
  await hooks.intercept({ type: 'tool.before' });
  hooks.observe(end);
}

export function targets(any: InterceptOptions): void {
  expectType<'summary'>()('summary' as ContentTargetFor<'context.compact.after'>);
  expectType<'prompt'>()('prompt' as ContentTargetFor<'turn.start'>);
  const none: ContentTargetFor<'tool.before'>[] = [];
  expectType<never[]>()(none);
  expectAssignable<JsonValue | undefined>(any.values?.summary);
}
