import { vi } from 'vitest';
import type { Capabilities, InterceptRequest, KnownEvent } from '../../generated/index.js';
import {
  type ChainOptions,
  type ChainOutcome,
  type ChainSubscription,
  runInterceptionChain,
} from '../../runtime/chain/index.js';
import type { Clock } from '../../runtime/wire/index.js';
import { FULL_TOOL_CAPABILITIES, minimalEvent } from './events.js';

export const effects = (...list: readonly object[]): Reply => list;

/** A list of effects, or a function that makes the raw answer. */
export type Reply = readonly object[] | ((message: InterceptRequest, signal: AbortSignal) => unknown);

export interface ScriptedHook {
  readonly id: string;
  readonly reply: Reply;
  readonly failurePolicy?: 'fail-open' | 'fail-closed';
  readonly timeoutMs?: number;
  readonly includeNative?: boolean;
}

export interface Run {
  readonly outcome: ChainOutcome;
  /** Every request as it was sent, by subscription. */
  readonly sent: readonly { readonly id: string; readonly message: InterceptRequest }[];
}

export function answerOf(message: Pick<InterceptRequest, 'id'>, list: readonly object[]): object {
  return { jsonrpc: '2.0', id: message.id, result: { protocolVersion: 'draft', effects: list } };
}

/** Runs a chain over scripted hooks; what is not given is a tool call with all capabilities. */
export async function runScripted(
  hooks: readonly ScriptedHook[],
  options: Partial<ChainOptions> & { readonly observers?: readonly string[] } = {},
): Promise<Run> {
  const sent: { id: string; message: InterceptRequest }[] = [];
  const { observers = [], ...rest } = options;
  const subscriptions: ChainSubscription[] = [
    ...hooks.map(({ id, failurePolicy = 'fail-closed', timeoutMs = 60_000, includeNative = false }) => ({
      id,
      mode: 'intercept' as const,
      timeoutMs,
      failurePolicy,
      includeNative,
    })),
    ...observers.map((id) => ({ id, mode: 'observe' as const })),
  ];
  const outcome = await runInterceptionChain({
    event: minimalEvent('tool.before'),
    capabilities: FULL_TOOL_CAPABILITIES,
    subscriptions,
    deliver: ({ message, subscription, signal }) => {
      sent.push({ id: subscription.id, message });
      const reply = hooks.find(({ id }) => id === subscription.id)?.reply ?? [];
      return typeof reply === 'function' ? reply(message, signal) : answerOf(message, reply);
    },
    ...rest,
  });
  return { outcome, sent };
}

/** Options of an event other than a tool call. */
export function boundary(type: string, capabilities: Capabilities): { event: KnownEvent; capabilities: Capabilities } {
  return { event: minimalEvent(type), capabilities };
}

/** A clock that only moves when told, and whose timers fire when it does. */
export function manualClock(): Clock & { advance(ms: number): void; readonly pending: number } {
  let nowMs = 0;
  let nextId = 1;
  const timers = new Map<number, { readonly at: number; readonly task: () => void }>();
  return {
    now: () => nowMs,
    setTimeout(task, delayMs) {
      timers.set(nextId, { at: nowMs + delayMs, task });
      nextId += 1;
      return nextId - 1;
    },
    clearTimeout: (handle) => void timers.delete(handle as number),
    get pending() {
      return timers.size;
    },
    advance(ms) {
      nowMs += ms;
      for (const [id, { at, task }] of [...timers]) {
        if (at > nowMs || !timers.delete(id)) continue;
        task();
      }
    },
  };
}

/** Waits until `condition` holds, by turns of the event loop; fails after many. */
export async function turnsUntil(condition: () => boolean): Promise<void> {
  await vi.waitFor(() => {
    if (!condition()) throw new Error('the condition does not hold');
  });
}
