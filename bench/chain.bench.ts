/* What the interception chain adds to a plain loop over the same delivery function, and how it grows. */
import type { Capabilities, KnownEvent } from '../generated/index.js';
import { type ChainSubscription, runInterceptionChain } from '../runtime/chain/index.js';
import { snapshot } from '../runtime/wire/index.js';
import type { BenchRow, BenchTable } from './support/table.js';

const CAPABILITIES: Capabilities = { effects: ['deny', 'message'] };

/** A tool call whose input holds so many bytes. */
function eventOf(bytes: number): KnownEvent {
  return snapshot({
    id: 'e-1',
    source: 'urn:example:harness',
    type: 'tool.before',
    time: '2026-10-05T12:00:00Z',
    native: { raw: 'x' },
    call: { id: 'c-1' },
    path: 'bash',
    tool: { name: 'write', input: { lines: linesOf(bytes) }, origin: 'native' },
  } as const) as unknown as KnownEvent;
}

/** A body of many small members, so that anything that walks it once per hook shows. */
function linesOf(bytes: number): readonly { readonly n: number; readonly text: string }[] {
  return Array.from({ length: Math.ceil(bytes / 100) }, (_, n) => ({ n, text: 'x'.repeat(80) }));
}

function subscriptionsOf(count: number): readonly ChainSubscription[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `hook-${index}`,
    mode: 'intercept',
    timeoutMs: 60_000,
    failurePolicy: 'fail-closed',
  }));
}

const ANSWER = '{"jsonrpc":"2.0","id":"e-1","result":{"protocolVersion":"draft","effects":[]}}';
const deliver = async (): Promise<string> => ANSWER;

function row(name: string, hooks: number, bytes: number, baseline: 'a plain loop' | 'fewer'): BenchRow {
  const event = eventOf(bytes);
  const subscriptions = subscriptionsOf(hooks);
  const run = (): Promise<unknown> =>
    runInterceptionChain({ event, capabilities: CAPABILITIES, subscriptions, deliver });
  if (baseline === 'a plain loop') {
    const loop = async (): Promise<void> => {
      for (const _ of subscriptions) JSON.parse(await deliver());
    };
    return { name, baseline, contenders: { chain: run, 'a plain loop': loop } };
  }
  const tenth = subscriptions.slice(0, hooks / 10);
  const few = (): Promise<unknown> =>
    runInterceptionChain({ event, capabilities: CAPABILITIES, subscriptions: tenth, deliver });
  return { name, baseline: 'a tenth of the hooks', contenders: { chain: run, 'a tenth of the hooks': few } };
}

export const tables: readonly BenchTable[] = [
  {
    title: 'Interception chain: hooks that change nothing',
    note: 'The loop parses each answer and does nothing else; growth is linear when ten times the hooks take ten times as long.',
    rows: [
      row('100 hooks, small event', 100, 100, 'a plain loop'),
      row('10,000 hooks, small event', 10_000, 100, 'a plain loop'),
      row('10,000 hooks, growth', 10_000, 100, 'fewer'),
      row('100 hooks, 5 MiB event', 100, 5 * 1024 * 1024, 'a plain loop'),
      row('100 hooks, 5 MiB event, growth', 100, 5 * 1024 * 1024, 'fewer'),
    ],
  },
];
