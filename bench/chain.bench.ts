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

type Run = () => Promise<unknown>;
type Options = Partial<Parameters<typeof runInterceptionChain>[0]>;

function chain(hooks: number, bytes: number, options: Options = {}): Run {
  const event = eventOf(bytes);
  const subscriptions = subscriptionsOf(hooks);
  return () => runInterceptionChain({ event, capabilities: CAPABILITIES, subscriptions, deliver, ...options });
}

function plainLoop(hooks: number): Run {
  return async () => {
    for (let hook = 0; hook < hooks; hook += 1) JSON.parse(await deliver());
  };
}

function againstLoop(name: string, hooks: number, bytes: number, options?: Options): BenchRow {
  const contenders = { chain: chain(hooks, bytes, options), 'a plain loop': plainLoop(hooks) };
  return { name, baseline: 'a plain loop', contenders };
}

function againstTenth(name: string, hooks: number, bytes: number): BenchRow {
  const contenders = { chain: chain(hooks, bytes), 'a tenth of the hooks': chain(hooks / 10, bytes) };
  return { name, baseline: 'a tenth of the hooks', contenders };
}

/** What a large body costs a chain: once, to validate and to freeze it, and nothing per hook. */
function againstSmall(name: string, hooks: number, bytes: number): BenchRow {
  const contenders = { chain: chain(hooks, bytes), 'a small event': chain(hooks, 100) };
  return { name, baseline: 'a small event', contenders };
}

export const tables: readonly BenchTable[] = [
  {
    title: 'Interception chain: hooks that change nothing',
    note: 'The loop parses each answer and does nothing else; growth is linear when ten times the hooks take ten times as long.',
    rows: [
      againstLoop('100 hooks, small event', 100, 100),
      againstLoop('10,000 hooks, small event', 10_000, 100),
      againstLoop('10,000 hooks, interruptible', 10_000, 100, { signal: new AbortController().signal }),
      againstLoop('100 hooks, 5 MiB event', 100, 5 * 1024 * 1024),
      againstTenth('10,000 hooks, growth', 10_000, 100),
      againstTenth('100 hooks, 5 MiB event, growth', 100, 5 * 1024 * 1024),
      againstSmall('1 hook, 5 MiB event', 1, 5 * 1024 * 1024),
      againstSmall('10,000 hooks, 5 MiB event', 10_000, 5 * 1024 * 1024),
    ],
  },
];
