import { expect } from 'vitest';
import type { Capabilities, KnownEvent, ObserveNotification } from '../../generated/index.js';
import { jsonEqual, type JsonValue } from '../../generated/json/index.js';
import { type ChainOptions, type Delivery, runInterceptionChain } from '../../runtime/chain/index.js';
import { freezeDeep } from '../../runtime/wire/index.js';
import { conformanceSuite } from '../support/conformance.js';
import { minimalEvent } from './events.js';

interface Interceptor {
  readonly id: string;
  readonly failurePolicy: 'fail-open' | 'fail-closed';
  readonly effects?: readonly object[];
  readonly failure?: string;
}

interface Row {
  readonly name: string;
  readonly event: string;
  readonly input: Record<string, JsonValue> | null;
  readonly capabilities: Capabilities;
  readonly interceptors: readonly Interceptor[];
  readonly observers: readonly string[];
  readonly values?: Record<string, JsonValue>;
  readonly interrupt?: string;
  readonly expected: Record<string, JsonValue>;
}

/** For interceptors that have to miss it; all others have all the time that a busy machine may need. */
const TIMEOUT_MS = 40;
const MISSES_THE_DEADLINE = new Set(['timeout', 'late response', 'event loop held past the deadline']);
const encoder = new TextEncoder();

type Reply = (message: Delivery['message']) => Promise<unknown> | unknown;

const FAILURES: Readonly<Record<string, Reply>> = {
  timeout: () => new Promise(() => undefined),
  'connection refused': () => Promise.reject(new Error('connect ECONNREFUSED')),
  'status 500': () => Promise.reject(Object.assign(new Error('500'), { code: 'status' })),
  'process exit 1': () => Promise.reject(Object.assign(new Error('exit 1'), { code: 'process-exit' })),
  'malformed JSON': () => '{"jsonrpc":',
  'malformed UTF-8': () => new Uint8Array([0x7b, 0x22, 0xc0, 0xaf, 0x22, 0x7d]),
  'duplicate member': ({ id }) =>
    `{"jsonrpc":"2.0","id":"${id}","result":{"protocolVersion":"draft","effects":[],"effects":[]}}`,
  'another protocol version': ({ id }) => ({ jsonrpc: '2.0', id, result: { protocolVersion: 'v9', effects: [] } }),
  'id null': () => ({ jsonrpc: '2.0', id: null, result: { protocolVersion: 'draft', effects: [] } }),
  'wrong id': () => ({ jsonrpc: '2.0', id: 'other', result: { protocolVersion: 'draft', effects: [] } }),
  'JSON-RPC error': ({ id }) => ({ jsonrpc: '2.0', id, error: { code: -32004, message: 'no' } }),
  'late response': async (message) => {
    await new Promise((resolve) => setTimeout(resolve, TIMEOUT_MS + 20));
    return answer(message, []);
  },
  'event loop held past the deadline': (message) => {
    const until = performance.now() + TIMEOUT_MS + 5;
    while (performance.now() < until);
    return answer(message, []);
  },
  'missing effects member': ({ id }) => ({ jsonrpc: '2.0', id, result: { protocolVersion: 'draft' } }),
};

function answer({ id }: Delivery['message'], effects: readonly object[]): object {
  return { jsonrpc: '2.0', id, result: { protocolVersion: 'draft', effects } };
}

conformanceSuite<Row>('chain.json', (row) => {
  const seen: unknown[] = [];
  const states: unknown[] = [];
  const interruption = new AbortController();
  const notified: string[] = [];
  let turns = 0;
  let released = (): void => undefined;
  const deliver: ChainOptions['deliver'] = async ({ message, subscription }) => {
    const interceptor = row.interceptors.find((one) => one.id === subscription.id);
    if (interceptor === undefined) throw new Error('unknown subscription');
    const { event, state } = message.params as { event: KnownEvent; state?: unknown };
    if (event.type === 'tool.before') seen.push([subscription.id, event.tool.input]);
    states.push(state);
    expect(JSON.stringify(message)).not.toContain(`"${subscription.id}"`);
    if (row.interrupt === subscription.id) {
      interruption.abort(new Error('stop'));
      await new Promise<void>((resolve) => {
        released = resolve;
      });
    }
    if (interceptor.failure !== undefined) {
      const reply = FAILURES[interceptor.failure];
      if (reply === undefined) throw new Error(`no failure kind ${interceptor.failure}`);
      return reply(message);
    }
    const value = answer(message, interceptor.effects ?? []);
    const form = turns++ % 3;
    if (form === 0) return value;
    return form === 1 ? JSON.stringify(value) : encoder.encode(JSON.stringify(value));
  };
  return runRow(row, {
    deliver,
    interruption,
    notify: ({ message, subscription }) => {
      expectNotification(message);
      notified.push(subscription.id);
    },
  }).then(async (outcome) => {
    released();
    const { expected } = row;
    const input = outcome.event.type === 'tool.before' ? outcome.event.tool.input : null;
    const actual: Record<string, unknown> = {
      ...outcome,
      input,
      saw: seen,
      states,
      failures: outcome.failures.map(({ subscription, policy }) => ({ subscription, policy })),
    };
    for (const [name, value] of Object.entries(expected)) {
      if (name === 'observed') {
        expect([...outcome.observed].sort()).toEqual([...(value as string[])].sort());
        continue;
      }
      if (!jsonEqual(actual[name] as JsonValue, value)) expect(actual[name], name).toEqual(value);
    }
    await outcome.observations?.done;
    expect(notified.sort()).toEqual([...outcome.observed].sort());
  });
});

function expectNotification(message: ObserveNotification): void {
  expect(Object.keys(message)).toEqual(['jsonrpc', 'method', 'params']);
  expect(Object.keys(message.params)).toEqual(['protocolVersion', 'event']);
}

function runRow(
  row: Row,
  parts: {
    deliver: ChainOptions['deliver'];
    interruption: AbortController;
    notify: NonNullable<ChainOptions['notify']>;
  },
) {
  let refs = 0;
  const options: ChainOptions = {
    event: freezeDeep(minimalEvent(row.event, row.input ?? {})),
    capabilities: freezeDeep(row.capabilities),
    subscriptions: freezeDeep([
      ...row.interceptors.map(({ id, failurePolicy, failure }) => ({
        id,
        mode: 'intercept' as const,
        timeoutMs: MISSES_THE_DEADLINE.has(failure ?? '') ? TIMEOUT_MS : 60_000,
        failurePolicy,
      })),
      ...row.observers.map((id) => ({ id, mode: 'observe' as const })),
    ]),
    deliver: parts.deliver,
    notify: parts.notify,
    signal: parts.interruption.signal,
    ...(row.values === undefined ? {} : { values: freezeDeep(row.values), materialize }),
  };
  const before = JSON.stringify([options.event, options.capabilities, options.values]);
  return runInterceptionChain(options).then((outcome) => {
    expect(JSON.stringify([options.event, options.capabilities, options.values])).toBe(before);
    return outcome;
  });

  function materialize({ event }: { event: KnownEvent }): KnownEvent {
    if (event.type !== 'user.message.outbound') throw new Error('only outbound messages have values here');
    refs += 1;
    const payload = event.message.payload.map((item) => ({ ...item, body: { ref: `new-${refs}` } }));
    return { ...event, message: { ...event.message, payload } } as KnownEvent;
  }
}
