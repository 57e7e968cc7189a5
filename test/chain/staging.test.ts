import { describe, expect, it } from 'vitest';
import type { KnownEvent } from '../../generated/index.js';
import { JsonNumber } from '../../generated/json/index.js';
import { minimalEvent } from './events.js';
import { boundary, runScripted } from './support.js';

const RETURN = (value: unknown) => ({ type: 'return', value });
const DENY = { type: 'deny', reason: 'no' };
const STOP = { type: 'flow', operation: 'stop', reason: 'enough' };
const ALLOW = { type: 'allow' };
const ASK = { type: 'ask' };
const MESSAGE = (text: string) => ({ type: 'message', text });
const REPLACE = (value: object, target = 'input') => ({ type: 'modify', target, operation: 'replace', value });
const MERGE = (value: object, target = 'input') => ({ type: 'modify', target, operation: 'merge', value });
const INJECT = (value: unknown, deliverAt = 'now') => ({
  type: 'inject',
  target: 'context',
  operation: 'append',
  deliverAt,
  value,
});
const inputOf = (event: KnownEvent): unknown => (event.type === 'tool.before' ? event.tool.input : null);

describe('§5 staging', () => {
  it('§5 applies edits in order, over the value of the edit before', async () => {
    const { outcome } = await runScripted([{ id: 'a', reply: [REPLACE({ x: 1 }), MERGE({ y: 2 }), MERGE({ x: 3 })] }]);
    expect(inputOf(outcome.event)).toEqual({ x: 3, y: 2 });
  });

  it('§5 invalidates an earlier candidate and an earlier allow when the operation changed, and keeps an ask', async () => {
    const changed = await runScripted([
      { id: 'a', reply: [RETURN(1), ALLOW] },
      { id: 'b', reply: [REPLACE({ z: 1 })] },
    ]);
    expect(changed.outcome).toMatchObject({ candidate: null, permission: 'none' });
    const asked = await runScripted([
      { id: 'a', reply: [ASK] },
      { id: 'b', reply: [REPLACE({ z: 1 })] },
    ]);
    expect(asked.outcome.permission).toBe('ask');
  });

  it('§5 counts by JSON equality what changed: 1 and 1.0 are the same number', async () => {
    const { outcome } = await runScripted(
      [
        { id: 'a', reply: [RETURN('kept')] },
        {
          id: 'b',
          reply: ({ id }) =>
            `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"protocolVersion":"draft","effects":[{"type":"modify","target":"input","operation":"replace","value":{"n":1.0}}]}}`,
        },
      ],
      {
        event: {
          ...boundary('tool.before', { effects: [] }).event,
          tool: { name: 'n', origin: 'native', input: { n: 1 } },
        } as never,
      },
    );
    expect(outcome.candidate).toEqual({ value: 'kept' });
  });

  it.each([
    [[ALLOW, ASK], 'ask'],
    [[ASK, ALLOW], 'ask'],
    [[ALLOW, ALLOW], 'allow'],
    [[ASK, DENY, ALLOW], 'deny'],
  ])('§5 settles %j as %s whatever the order', async (list, permission) => {
    const { outcome } = await runScripted([{ id: 'a', reply: list }]);
    expect(outcome.permission).toBe(permission);
  });

  it('§5 voids a candidate by a denial, a stop and a fail-closed failure', async () => {
    for (const reply of [[DENY], [STOP], () => Promise.reject(new Error('down'))]) {
      const { outcome } = await runScripted([
        { id: 'a', reply: [RETURN('x')] },
        { id: 'b', reply },
      ]);
      expect(outcome.candidate).toBeNull();
      expect(outcome.called).toEqual(['a', 'b']);
    }
  });

  it('§5 leaves the permission of a stopped outcome as it was', async () => {
    for (const [effect, permission] of [
      [ALLOW, 'allow'],
      [ASK, 'ask'],
    ] as const) {
      const { outcome } = await runScripted([
        { id: 'a', reply: [effect] },
        { id: 'b', reply: [STOP] },
      ]);
      expect(outcome).toMatchObject({ decision: 'stopped', flow: 'stop', permission });
      expect(outcome.ended).toEqual({ by: 'b', kind: 'stop', reason: 'enough' });
    }
  });

  it('§5 makes deny and stop together a denial whose flow is stop', async () => {
    for (const list of [
      [DENY, STOP],
      [STOP, DENY],
    ]) {
      const { outcome } = await runScripted([{ id: 'a', reply: list }]);
      expect(outcome).toMatchObject({ decision: 'denied', flow: 'stop', permission: 'deny' });
      expect(outcome.ended).toEqual({ by: 'a', kind: 'deny', reason: 'no' });
    }
  });

  it("§5 tells a denial's own code and the first denial's reason", async () => {
    const { outcome } = await runScripted([
      { id: 'a', reply: [{ type: 'deny', reason: 'first', code: 'com.example.policy' }, DENY] },
    ]);
    expect(outcome.ended).toEqual({ by: 'a', kind: 'deny', reason: 'first', code: 'com.example.policy' });
  });

  it('§5 accepts edits, messages, injections and instructions of a response that ends the chain', async () => {
    const { outcome } = await runScripted([
      { id: 'a', reply: [DENY, REPLACE({ command: 'ls' }), MESSAGE('m'), INJECT('i'), RETURN(1)] },
      { id: 'b', reply: [MESSAGE('never')] },
    ]);
    expect(inputOf(outcome.event)).toEqual({ command: 'ls' });
    expect(outcome).toMatchObject({ messages: ['m'], injections: [{ deliverAt: 'now', value: 'i' }], candidate: null });
    expect(outcome.called).toEqual(['a']);
  });

  it('§5 lets stop beat continue and keeps the instructions as a record', async () => {
    const finish = boundary('turn.finish.before', {
      effects: ['flow'],
      flow: { operations: ['stop', 'continue'], remainingContinuations: 1, continuationCount: 0 },
    });
    const { outcome } = await runScripted(
      [
        { id: 'a', reply: [{ type: 'flow', operation: 'continue', instruction: 'more' }] },
        { id: 'b', reply: [STOP] },
      ],
      finish,
    );
    expect(outcome).toMatchObject({ decision: 'stopped', flow: 'stop', instructions: ['more'] });
  });

  it('§5 shows the same allowance to all interceptors of a boundary', async () => {
    const finish = boundary('turn.finish.before', {
      effects: ['flow'],
      flow: { operations: ['continue'], remainingContinuations: 1, continuationCount: 4 },
    });
    const { outcome, sent } = await runScripted(
      ['a', 'b', 'c'].map((id) => ({ id, reply: [{ type: 'flow', operation: 'continue' }] })),
      finish,
    );
    expect(outcome).toMatchObject({ decision: 'proceed', flow: 'continue', instructions: [] });
    expect(sent.map(({ message }) => message.params.capabilities.flow?.remainingContinuations)).toEqual([1, 1, 1]);
  });

  it('§5 gives a denied outcome no flow, also after an accepted continuation', async () => {
    const { outcome } = await runScripted(
      [
        { id: 'a', reply: [{ type: 'flow', operation: 'continue' }] },
        { id: 'b', reply: () => Promise.reject(new Error('down')) },
      ],
      boundary('turn.finish.before', {
        effects: ['flow'],
        flow: { operations: ['continue'], remainingContinuations: 1, continuationCount: 0 },
      }),
    );
    expect(outcome).toMatchObject({ decision: 'denied', permission: 'deny', flow: 'none' });
    expect(outcome.ended).toMatchObject({ by: 'b', kind: 'fail-closed', code: 'connection' });
  });

  it('§5 rejects an edit after which the event would not be canonical', async () => {
    const { outcome } = await runScripted(
      [{ id: 'a', failurePolicy: 'fail-open', reply: [REPLACE({}, 'workspace'), MESSAGE('gone')] }],
      boundary('workspace.change.before', {
        effects: ['modify', 'message'],
        modify: { workspace: { replace: true, merge: true } },
      }),
    );
    expect(outcome.failures).toEqual([{ subscription: 'a', policy: 'fail-open', code: 'event-invalid' }]);
    expect(outcome.messages).toEqual([]);
    expect(outcome.event).toMatchObject({ workspace: { change: { cwd: '/b' } } });
  });

  it('§5 keeps a workspace edit in the event', async () => {
    const { outcome } = await runScripted(
      [{ id: 'a', reply: [MERGE({ cwd: '/c' }, 'workspace')] }],
      boundary('workspace.change.before', {
        effects: ['modify'],
        modify: { workspace: { replace: true, merge: true } },
      }),
    );
    expect(outcome.event).toMatchObject({ workspace: { kind: 'cwd', change: { cwd: '/c' }, prior: { cwd: '/a' } } });
  });

  it('§1 counts a number that no double holds as a number: it is no input and no object to merge into', async () => {
    const reply = ({ id }: { id: unknown }) =>
      `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"protocolVersion":"draft","effects":[{"type":"modify","target":"input","operation":"replace","value":1e400}]}}`;
    const { outcome } = await runScripted([{ id: 'a', failurePolicy: 'fail-open', reply }]);
    expect(outcome.failures).toEqual([{ subscription: 'a', policy: 'fail-open', code: 'effect-malformed' }]);
    const merged = await runScripted([{ id: 'a', failurePolicy: 'fail-open', reply: [MERGE({ a: 1 }, 'content')] }], {
      ...boundary('user.message.outbound', {
        effects: ['modify'],
        modify: { content: { replace: true, merge: true } },
      }),
      values: { content: new JsonNumber('1e400') },
      materialize: ({ event }) => event,
    });
    expect(merged.outcome.failures).toMatchObject([{ code: 'effect-malformed' }]);
  });

  it.each([null, 'text', 7, [1]])('§5 merges into no %j', async (held) => {
    const { outcome } = await runScripted(
      [{ id: 'a', failurePolicy: 'fail-open', reply: [MERGE({ a: 1 }, 'content')] }],
      {
        ...boundary('user.message.outbound', {
          effects: ['modify'],
          modify: { content: { replace: true, merge: true } },
        }),
        values: { content: held },
        materialize: ({ event }) => event,
      },
    );
    expect(outcome.failures).toMatchObject([{ code: 'effect-malformed' }]);
    expect(outcome.values).toEqual({ content: held });
  });

  it('§1 keeps number spellings of an answer on their way into the next request', async () => {
    const { outcome, sent } = await runScripted([
      {
        id: 'a',
        reply: ({ id }) =>
          `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"protocolVersion":"draft","effects":[{"type":"modify","target":"input","operation":"merge","value":{"n":12345678901234567890}}]}}`,
      },
      { id: 'b', reply: [] },
    ]);
    const input = inputOf(sent[1]?.message.params.event as KnownEvent) as { n: JsonNumber };
    expect(input.n).toBeInstanceOf(JsonNumber);
    expect(input.n.text).toBe('12345678901234567890');
    expect(outcome.event).toBe(sent[1]?.message.params.event);
  });

  it('§1 takes `__proto__` as a name like any other', async () => {
    const { outcome } = await runScripted([
      {
        id: 'a',
        reply: ({ id }) =>
          `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"protocolVersion":"draft","effects":[{"type":"modify","target":"input","operation":"merge","value":{"__proto__":{"role":"owner"}}}]}}`,
      },
    ]);
    const input = inputOf(outcome.event) as object;
    expect(Object.hasOwn(input, '__proto__')).toBe(true);
    expect(Reflect.get(input, 'role')).toBeUndefined();
    expect(({} as { role?: unknown }).role).toBeUndefined();
  });

  it('§5 freezes what it settles, and shares what did not change', async () => {
    const { outcome, sent } = await runScripted([
      { id: 'a', reply: [] },
      { id: 'b', reply: [MESSAGE('m')] },
      { id: 'c', reply: [] },
    ]);
    expect(new Set(sent.map(({ message }) => message.params.event)).size).toBe(1);
    expect(Object.isFrozen(outcome.event)).toBe(true);
    expect(() => (outcome.messages as string[]).push('x')).toThrow(TypeError);
    expect(() => Object.assign(outcome, { decision: 'denied' })).toThrow(TypeError);
  });

  it('§5 asks ten thousand hooks with one event and one state, for as long as nothing changes', async () => {
    const events = new Set<unknown>();
    const states = new Set<unknown>();
    const reply = ({ id, params }: { id: unknown; params: { event: unknown; state?: unknown } }) => {
      events.add(params.event);
      states.add(params.state);
      return { jsonrpc: '2.0', id, result: { protocolVersion: 'draft', effects: [] } };
    };
    const { outcome } = await runScripted([], {
      subscriptions: Array.from({ length: 10_000 }, (_, index) => ({
        id: `h${index}`,
        mode: 'intercept' as const,
        timeoutMs: 60_000,
        failurePolicy: 'fail-closed' as const,
      })),
      deliver: ({ message }) => reply(message),
    });
    expect(outcome.called).toHaveLength(10_000);
    expect({ events: events.size, states: states.size }).toEqual({ events: 1, states: 1 });
    expect(events.has(outcome.event)).toBe(true);
  });

  it('§5 takes an equal value for no change: the event stays the object that it was', async () => {
    const { outcome, sent } = await runScripted(
      [
        { id: 'a', reply: [REPLACE({ y: 2, x: 1 })] },
        { id: 'b', reply: [MERGE({ x: 3 }), MERGE({ x: 1 })] },
      ],
      { event: minimalEvent('tool.before', { x: 1, y: 2 }) },
    );
    expect(outcome.event).toBe(sent[0]?.message.params.event);
    expect(Object.keys(inputOf(outcome.event) as object)).toEqual(['x', 'y']);
  });
});
