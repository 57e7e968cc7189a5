import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KnownEvent } from '../../generated/index.js';
import { type JsonValue, jsonEqual } from '../../generated/json/index.js';
import { barrier, settleTurns } from '../support/barrier.js';
import { minimalEvent } from './events.js';
import { answerOf, manualClock, runScripted } from './support.js';

type Effect =
  | { readonly type: 'allow' | 'ask' }
  | { readonly type: 'deny'; readonly reason: string }
  | { readonly type: 'message'; readonly text: string }
  | { readonly type: 'return'; readonly value: JsonValue }
  | { readonly type: 'flow'; readonly operation: 'stop'; readonly reason: string }
  | {
      readonly type: 'modify';
      readonly target: 'input';
      readonly operation: 'replace' | 'merge';
      readonly value: object;
    };

const small = fc.dictionary(fc.constantFrom('a', 'b', '__proto__', '1'), fc.constantFrom<JsonValue>(null, 0, 1, 'x'), {
  maxKeys: 3,
});
const edit = fc.record({
  type: fc.constant('modify' as const),
  target: fc.constant('input' as const),
  operation: fc.constantFrom('replace' as const, 'merge' as const),
  value: small,
});
const effect: fc.Arbitrary<Effect> = fc.oneof(
  { weight: 3, arbitrary: edit },
  { weight: 2, arbitrary: fc.record({ type: fc.constantFrom('allow' as const, 'ask' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant('return' as const), value: fc.constantFrom<JsonValue>(1, 'r') }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('message' as const), text: fc.constantFrom('m', 'n') }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('deny' as const), reason: fc.constant('no') }) },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('flow' as const),
      operation: fc.constant('stop' as const),
      reason: fc.constant('enough'),
    }),
  },
);
const hook = fc.record({
  failurePolicy: fc.constantFrom('fail-open' as const, 'fail-closed' as const),
  reply: fc.oneof(
    { weight: 6, arbitrary: fc.array(effect, { maxLength: 4 }) },
    { weight: 1, arbitrary: fc.constant('broken' as const) },
  ),
});
type Hook = { failurePolicy: 'fail-open' | 'fail-closed'; reply: Effect[] | 'broken' };

interface Model {
  input: JsonValue;
  candidate: { value: JsonValue } | null;
  permission: string;
  flow: string;
  messages: string[];
  decision: string;
  called: number;
}

/** The rules of Semantics §5 once more, as a table of what each hook leaves; nothing of the product is used. */
function model(hooks: readonly Hook[], input: JsonValue): Model {
  let now: Model = {
    input,
    candidate: null,
    permission: 'none',
    flow: 'none',
    messages: [],
    decision: 'proceed',
    called: 0,
  };
  for (const { reply, failurePolicy } of hooks) {
    now = { ...now, called: now.called + 1 };
    if (reply === 'broken') {
      if (failurePolicy === 'fail-open') continue;
      return { ...now, candidate: null, permission: 'deny', flow: 'none', decision: 'denied' };
    }
    const of = <T extends Effect['type']>(type: T) =>
      reply.filter((one): one is Extract<Effect, { type: T }> => one.type === type);
    let value = now.input as Record<string, JsonValue>;
    for (const one of of('modify')) {
      value = one.operation === 'replace' ? { ...one.value } : { ...value, ...one.value };
    }
    const changed = !jsonEqual(value, now.input);
    const base = changed ? { candidate: null, permission: now.permission === 'allow' ? 'none' : now.permission } : now;
    const returned = of('return').at(-1);
    const words = ['none', 'allow', 'ask', 'deny'];
    const ranks = [base.permission, ...of('allow').map(() => 'allow'), ...of('ask').map(() => 'ask')];
    now = {
      ...now,
      input: value,
      candidate: returned === undefined ? base.candidate : { value: returned.value },
      permission: words[Math.max(...ranks.map((rank) => words.indexOf(rank)))] ?? 'none',
      messages: [...now.messages, ...of('message').map(({ text }) => text)],
    };
    const isDenied = of('deny').length > 0;
    const isStopped = of('flow').length > 0;
    if (!isDenied && !isStopped) continue;
    return {
      ...now,
      candidate: null,
      permission: isDenied ? 'deny' : now.permission,
      flow: isStopped ? 'stop' : 'none',
      decision: isDenied ? 'denied' : 'stopped',
    };
  }
  return now;
}

describe('§5 against a model', () => {
  it('§5 settles random chains as the model does', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(hook, { maxLength: 6 }), small, async (hooks, input) => {
        const { outcome } = await runScripted(
          hooks.map(({ failurePolicy, reply }, index) => ({
            id: `h${index}`,
            failurePolicy,
            reply: reply === 'broken' ? () => 'no JSON' : reply,
          })),
          { event: minimalEvent('tool.before', input) },
        );
        const expected = model(hooks, input);
        const { called, decision, candidate, permission, flow, messages } = outcome;
        const actual = {
          called: called.length,
          decision,
          candidate,
          permission,
          flow,
          messages,
          input: inputOf(outcome.event),
        };
        if (!jsonEqual(actual as unknown as JsonValue, expected as unknown as JsonValue))
          expect(actual).toEqual(expected);
      }),
      { numRuns: 400 },
    );
  });

  it('§5 never publishes anything after an interruption, however cancel, deadline, reply and retry interleave', async () => {
    const step = fc.constantFrom('answer', 'advance', 'cancel', 'fail', 'turn');
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
        const clock = manualClock();
        const cancel = new AbortController();
        const open: ReturnType<typeof barrier<unknown>>[] = [];
        const running = runScripted(
          [0, 1].map((index) => ({
            id: `h${index}`,
            failurePolicy: 'fail-open' as const,
            timeoutMs: 100,
            reply: () => {
              const reply = barrier<unknown>();
              open.push(reply);
              return reply.promise;
            },
          })),
          { clock, signal: cancel.signal, retries: 1 },
        );
        let cancelled = false;
        let ended = false;
        let accepted = 0;
        const settled = running.then((run) => {
          ended = true;
          return run;
        });
        for (const name of steps) {
          await settleTurns(2);
          if (ended) break;
          const reply = open.at(-1);
          if (name === 'answer') {
            reply?.open(answerOf({ id: 'e-1' }, [{ type: 'message', text: 'm' }, { type: 'allow' }]));
            accepted += 1;
          }
          if (name === 'fail') reply?.fail(new Error('down'));
          if (name === 'advance') clock.advance(100);
          if (name === 'cancel') {
            cancel.abort();
            cancelled = true;
          }
        }
        await settleTurns(2);
        if (!ended) {
          cancel.abort();
          cancelled = true;
        }
        const { outcome } = await settled;
        for (const reply of open) reply.open(answerOf({ id: 'e-1' }, [{ type: 'deny', reason: 'late' }]));
        await settleTurns(2);
        if (cancelled) expect(outcome).toMatchObject({ decision: 'interrupted', permission: 'none', candidate: null });
        else expect(outcome.decision).toBe('proceed');
        expect(outcome.messages.length).toBeLessThanOrEqual(accepted);
        expect(clock.pending).toBe(0);
      }),
      { numRuns: 150 },
    );
  });
});

function inputOf(event: KnownEvent): JsonValue {
  return event.type === 'tool.before' ? (event.tool.input as JsonValue) : null;
}
