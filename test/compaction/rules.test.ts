import { describe, expect, it } from 'vitest';
import {
  type CompactionHook,
  type CompactionOptions,
  type CompactionOutcome,
  type CompactionSnapshot,
  compactionCapabilities,
  runCompaction,
} from '../../runtime/compaction/index.js';
import { isDeepFrozen } from '../support/frozen.js';

const edit = (value: unknown) => ({ type: 'modify', target: 'instructions', operation: 'replace', value });
const redact = (value: unknown) => ({ type: 'modify', target: 'summary', operation: 'replace', value });
const supply = (value: unknown) => ({ type: 'return', value });
const message = (text: unknown) => ({ type: 'message', text });
const deny = (reason: unknown) => ({ type: 'deny', reason });

type Answer = unknown | ((snapshot: CompactionSnapshot) => unknown);

function hook(answer: Answer, supplier = 'h', failurePolicy: 'fail-open' | 'fail-closed' = 'fail-closed') {
  const run = (snapshot: CompactionSnapshot): unknown =>
    typeof answer === 'function' ? (answer as (seen: CompactionSnapshot) => unknown)(snapshot) : answer;
  return { supplier, failurePolicy, run } as CompactionHook<never>;
}

function run(options: Partial<CompactionOptions>): Promise<CompactionOutcome> {
  return runCompaction({ instructions: 'i', generate: (text) => `summary:${text}`, ...options });
}

describe('compactionCapabilities', () => {
  it('§3 advertises exactly what is implemented', () => {
    expect(compactionCapabilities('before')).toEqual({
      effects: ['modify', 'message', 'return', 'deny'],
      modify: { instructions: { replace: true, merge: false } },
    });
    expect(compactionCapabilities('after', {})).toEqual({
      effects: ['modify', 'message'],
      modify: { summary: { replace: true, merge: false } },
    });
    expect(compactionCapabilities('before', { observeOnly: true })).toEqual({ effects: [] });
    expect(compactionCapabilities('after', { observeOnly: true })).toEqual({ effects: [] });
    expect(compactionCapabilities('before', { observeOnly: false })).toEqual(compactionCapabilities('before'));
  });

  it('is frozen and refuses another boundary', () => {
    expect(isDeepFrozen(compactionCapabilities('before'))).toBe(true);
    expect(isDeepFrozen(compactionCapabilities('after'))).toBe(true);
    expect(isDeepFrozen(compactionCapabilities('after', { observeOnly: true }))).toBe(true);
    expect(() => compactionCapabilities('during' as never)).toThrow(
      expect.objectContaining({
        name: 'CompactionError',
        code: 'configuration',
        place: '',
        message: 'Boundary: expected "before" or "after", got something else',
      }),
    );
  });
});

describe('order and snapshots', () => {
  it('§3 hooks run one after the other, may be async, and each sees what the one before left', async () => {
    const log: string[] = [];
    const slow = (name: string, effects: unknown[]) =>
      hook(async ({ instructions, messages }: CompactionSnapshot) => {
        log.push(`${name} starts with ${instructions} ${messages.join()}`);
        await new Promise((resolve) => setImmediate(resolve));
        log.push(`${name} ends`);
        return effects;
      });
    const outcome = await run({
      before: [slow('a', [edit('one'), message('m1')]), slow('b', [message('m2')])],
      after: [slow('c', [message('m3')]), slow('d', [])],
    });
    expect(log).toEqual([
      'a starts with i ',
      'a ends',
      'b starts with one m1',
      'b ends',
      'c starts with one m1,m2',
      'c ends',
      'd starts with one m1,m2,m3',
      'd ends',
    ]);
    expect(outcome.messages).toEqual(['m1', 'm2', 'm3']);
  });

  it('§3 a snapshot is frozen, isolated, and names its boundary, item and capabilities', async () => {
    const seen: CompactionSnapshot[] = [];
    const look = hook((snapshot: CompactionSnapshot) => {
      seen.push(snapshot);
      return [message('m')];
    });
    const outcome = await run({ itemId: 'sum', before: [look, look], after: [look, look] });
    expect(seen.map(({ boundary, itemId, summary }) => [boundary, itemId, summary?.id ?? null])).toEqual([
      ['before', 'sum', null],
      ['before', 'sum', null],
      ['after', 'sum', 'sum'],
      ['after', 'sum', 'sum'],
    ]);
    expect(seen.map(({ capabilities }) => capabilities)).toEqual([
      compactionCapabilities('before'),
      compactionCapabilities('before'),
      compactionCapabilities('after'),
      compactionCapabilities('after'),
    ]);
    expect(new Set(seen).size).toBe(4);
    expect(seen.every(isDeepFrozen)).toBe(true);
    expect(isDeepFrozen(outcome)).toBe(true);
  });

  it('§3 writing to a snapshot throws in the hook, and is then its failure', async () => {
    const writes: ((snapshot: CompactionSnapshot) => void)[] = [
      (snapshot) => Reflect.set(snapshot, 'instructions', 'x') || fail(),
      (snapshot) => (snapshot.messages as string[]).push('x'),
      (snapshot) => {
        (snapshot as { instructions: string }).instructions = 'x';
      },
      (snapshot) => {
        (snapshot.capabilities.effects as string[]).length = 0;
      },
    ];
    const outcome = await run({
      before: writes.map((write, index) =>
        hook(
          (snapshot: CompactionSnapshot) => {
            write(snapshot);
            return [];
          },
          `w${index}`,
          'fail-open',
        ),
      ),
    });
    expect(outcome.instructions).toBe('i');
    expect(outcome.messages).toEqual([]);
    expect(outcome.failures).toEqual(['w0', 'w1', 'w2', 'w3'].map((supplier) => ({ boundary: 'before', supplier })));
  });

  it('§3 before hooks see no summary, even when one was supplied', async () => {
    const seen: unknown[] = [];
    await run({
      before: [
        hook([supply('text')]),
        hook(({ summary }: CompactionSnapshot) => {
          seen.push(summary);
          return [];
        }),
      ],
    });
    expect(seen).toEqual([null]);
  });

  it('no hook, observer or generator is told who else takes part', async () => {
    const told: unknown[] = [];
    const look = (snapshot: unknown) => {
      told.push(snapshot);
      return [];
    };
    await run({
      before: [hook([supply('text'), message('m')], 'secret-one'), hook(look, 'secret-two')],
      after: [hook(look, 'secret-three')],
      observers: [{ supplier: 'secret-four', run: look }],
      schedule: (task) => task(),
    });
    expect(told).toHaveLength(3);
    expect(JSON.stringify(told)).not.toContain('secret');
  });

  it('ten thousand hooks that change nothing share one message list and one handle', async () => {
    const lists = new Set<unknown>();
    const handles = new Set<unknown>();
    const look = hook(({ messages, summary }: CompactionSnapshot) => {
      lists.add(messages);
      handles.add(summary);
      return [];
    });
    const many = Array.from({ length: 5_000 }, () => look);
    const outcome = await run({ before: [...many, hook([message('m')])], after: many });
    expect(outcome.applied).toBe(true);
    expect(lists.size).toBe(2);
    expect(handles.size).toBe(2);
  });

  it('what a host does to its lists during the run reaches no run', async () => {
    const before = [
      hook(() => {
        before.push(hook([message('late')]));
        after.length = 0;
        return [];
      }),
    ];
    const after = [hook([message('kept')])];
    expect((await run({ before, after })).messages).toEqual(['kept']);
  });

  it('hooks, observers and the generator keep their own this', async () => {
    class Redactor {
      readonly supplier = 'r';
      readonly failurePolicy = 'fail-closed';
      readonly word = 'clean';
      run() {
        return [redact(this.word)] as never;
      }
    }
    class Generator {
      readonly instructions = 'i';
      readonly prefix = 'own:';
      readonly after = [new Redactor()];
      generate(text: string): string {
        return this.prefix + text;
      }
    }
    const outcome = await runCompaction(new Generator());
    expect([...outcome.bodies.values()]).toEqual(['own:i', 'clean']);
  });

  it('runs at once do not mix', async () => {
    const outcomes = await Promise.all(
      ['p', 'c'].map((name) => run({ instructions: name, before: [hook(async () => [message(name)])] })),
    );
    expect(outcomes.map(({ messages, summary }) => [messages, summary?.text])).toEqual([
      [['p'], 'summary:p'],
      [['c'], 'summary:c'],
    ]);
    expect(outcomes[0]?.summary?.id).not.toBe(outcomes[1]?.summary?.id);
  });
});

describe('staging a response', () => {
  it.each([
    ['an unknown type', [message('gone'), { type: 'summon' }]],
    ['an unknown member', [{ type: 'message', text: 'gone', extra: 1 }]],
    ['merge', [{ type: 'modify', target: 'instructions', operation: 'merge', value: {} }]],
    ['text by merge', [{ type: 'modify', target: 'instructions', operation: 'merge', value: 'x' }]],
    ['the other boundary', [redact('gone')]],
    ['another target', [{ type: 'modify', target: 'prompt', operation: 'replace', value: 'gone' }]],
    ['no text', [edit(7)]],
    ['null', [edit(null)]],
    ['a return of no text', [supply({})]],
    ['a message of no text', [message(1)]],
    ['a denial without reason', [deny('')]],
    ['allow', [{ type: 'allow' }]],
    ['ask', [{ type: 'ask' }]],
    ['flow', [{ type: 'flow', operation: 'stop', reason: 'r' }]],
    ['inject', [{ type: 'inject', target: 'context', operation: 'append', deliverAt: 'now', value: 1 }]],
    ['a hole', Array(1)],
    ['null in the list', [null]],
    ['no list', { 0: message('gone'), length: 1 }],
    ['nothing', undefined],
    ['text', 'deny'],
    ['a loop', loopOfEffects()],
    [
      'a foreign object',
      [
        new (class Message {
          type = 'message';
          text = 'gone';
        })(),
      ],
    ],
  ])('§3 rejects all of a before response with %s', async (_name, effects) => {
    const list = Array.isArray(effects) ? [edit('lost'), supply('lost'), message('lost'), ...effects] : effects;
    for (const failurePolicy of ['fail-open', 'fail-closed'] as const) {
      const outcome = await run({
        before: [hook([edit('kept'), message('kept')]), hook(list, 'bad', failurePolicy)],
      });
      expect(outcome).toMatchObject({
        applied: failurePolicy === 'fail-open',
        generated: failurePolicy === 'fail-open',
        denied: false,
        reason: null,
        instructions: 'kept',
        messages: ['kept'],
        failures: [{ boundary: 'before', supplier: 'bad' }],
      });
      expect(outcome.summary?.text ?? null).toBe(failurePolicy === 'fail-open' ? 'summary:kept' : null);
      expect([...outcome.bodies.values()]).not.toContain('lost');
    }
  });

  it.each([
    ['return', supply('lost')],
    ['deny', deny('no')],
    ['the other boundary', edit('lost')],
    ['merge', { type: 'modify', target: 'summary', operation: 'merge', value: {} }],
    ['no text', redact(['lost'])],
    ['inject', { type: 'inject', target: 'context', operation: 'append', deliverAt: 'now', value: 'lost' }],
    ['an unknown type', { type: 'summon' }],
  ])('§3 rejects all of an after response with %s', async (_name, effect) => {
    for (const failurePolicy of ['fail-open', 'fail-closed'] as const) {
      const outcome = await run({
        after: [hook([redact('kept')]), hook([redact('lost'), message('lost'), effect], 'bad', failurePolicy)],
      });
      expect(outcome).toMatchObject({
        applied: failurePolicy === 'fail-open',
        generated: true,
        denied: false,
        summary: { text: 'kept' },
        messages: [],
        failures: [{ boundary: 'after', supplier: 'bad' }],
        provenance: { kind: 'generated' },
      });
      expect([...outcome.bodies.values()]).toEqual(['summary:i', 'kept']);
    }
  });

  it('§3 a response is read once: what a hook changes afterwards, or behind an accessor, changes nothing', async () => {
    const effects: unknown[] = [];
    let reads = 0;
    effects.push({
      type: 'modify',
      target: 'instructions',
      operation: 'replace',
      get value() {
        reads += 1;
        return reads === 1 ? 'first' : 42;
      },
    });
    const late = [message('as returned')];
    const outcome = await run({
      before: [
        hook(effects),
        hook(() => {
          queueMicrotask(() => setImmediate(() => late.push(message('late'))));
          return late;
        }),
      ],
      after: [hook(() => new Promise((resolve) => setImmediate(() => resolve([]))))],
    });
    expect(outcome.instructions).toBe('first');
    expect(outcome.messages).toEqual(['as returned']);
  });

  it('§3 a denial carries its edits and messages, voids what was supplied, and ends the chain', async () => {
    const called: string[] = [];
    const outcome = await run({
      before: [
        hook([supply('supplied')]),
        hook([deny('first reason'), message('m'), edit('e'), supply('mine'), deny('second reason')]),
        hook(() => called.push('never')),
      ],
      after: [hook(() => called.push('never'))],
      generate: () => {
        called.push('generate');
        return 'x';
      },
    });
    expect(outcome).toMatchObject({
      applied: false,
      generated: false,
      denied: true,
      reason: 'first reason',
      instructions: 'e',
      summary: null,
      messages: ['m'],
      failures: [],
      provenance: null,
    });
    expect(outcome.bodies.size).toBe(0);
    expect(called).toEqual([]);
  });

  it('§3 a denial with a code and extensions is canonical, and a fail-closed failure is none', async () => {
    const coded = { type: 'deny', reason: 'r', code: 'com.example.no', extensions: { 'com.example.x': 1 } };
    expect(await run({ before: [hook([coded])] })).toMatchObject({ denied: true, reason: 'r' });
    expect(await run({ before: [hook([{ ...coded, code: 'nodots' }])] })).toMatchObject({
      applied: false,
      denied: false,
      reason: null,
    });
  });

  it('§3 edits apply before a return is bound, whatever their order', async () => {
    for (const effects of [
      [supply('s'), edit('other')],
      [edit('other'), supply('s')],
    ]) {
      const outcome = await run({ before: [hook(effects, 'x')] });
      expect(outcome).toMatchObject({ instructions: 'other', summary: { text: 's' }, generated: false });
      expect(outcome.provenance).toEqual({ kind: 'supplied', supplier: 'x' });
    }
  });

  it('§3 a later change of instructions drops the supplied summary, the same text does not', async () => {
    const dropped = await run({ before: [hook([supply('stale')]), hook([edit('new')])] });
    expect(dropped).toMatchObject({ generated: true, summary: { text: 'summary:new' } });
    expect([...dropped.bodies.values()]).toEqual(['summary:new']);
    const kept = await run({ before: [hook([supply('s')]), hook([edit('other'), edit('i')])] });
    expect(kept).toMatchObject({ generated: false, summary: { text: 's' } });
    const there = await run({ before: [hook([supply('s')]), hook([edit('other')]), hook([edit('i')])] });
    expect(there).toMatchObject({ generated: true, summary: { text: 'summary:i' } });
  });

  it('§3 the last return wins, across hooks and within one', async () => {
    const outcome = await run({ before: [hook([supply('a')], 'one'), hook([supply('b'), supply('c')], 'two')] });
    expect(outcome.provenance).toEqual({ kind: 'supplied', supplier: 'two' });
    expect([...outcome.bodies.values()]).toEqual(['c']);
  });

  it('§3 a supplied summary skips generation alone: every after hook runs, and redacting keeps the provenance', async () => {
    const outcome = await run({
      before: [hook([supply('secret')], 'cache')],
      after: [hook([redact('clean')], 'r'), hook([message('seen')], 's')],
      generate: () => {
        throw new Error('must not generate');
      },
    });
    expect(outcome).toMatchObject({ applied: true, generated: false, summary: { text: 'clean' }, messages: ['seen'] });
    expect(outcome.provenance).toEqual({ kind: 'supplied', supplier: 'cache' });
  });
});

describe('summary handles', () => {
  it('§3 the id stays, changed bytes have a new ref, old refs keep their bytes, equal text has no new ref', async () => {
    const handles: CompactionSnapshot['summary'][] = [];
    const step = (effects: unknown[]) =>
      hook(({ summary }: CompactionSnapshot) => {
        handles.push(summary);
        return effects;
      });
    const outcome = await run({
      itemId: 'sum',
      after: [step([redact('x')]), step([redact('x')]), step([redact('summary:i')]), step([])],
    });
    const [first, second, third, fourth] = handles.map((handle) => handle?.ref);
    expect(handles.map((handle) => handle?.id)).toEqual(['sum', 'sum', 'sum', 'sum']);
    expect(second).not.toBe(first);
    expect(third).toBe(second);
    expect(fourth).toBe(first);
    expect(outcome.summary?.ref).toBe(first);
    expect([...outcome.bodies]).toEqual([
      [first, 'summary:i'],
      [second, 'x'],
    ]);
  });

  it('§3 without itemId a random one is made', async () => {
    const ids = await Promise.all([run({}), run({})]);
    expect(ids[0]?.summary?.id).toMatch(/^[0-9a-f-]{36}$/);
    expect(ids[0]?.summary?.id).not.toBe(ids[1]?.summary?.id);
    expect(ids[0]?.summary?.ref).not.toBe(ids[1]?.summary?.ref);
  });

  it('the outcome is immutable, its bodies too', async () => {
    const outcome = await run({ after: [hook([message('m')], 'a'), hook('bad', 'b', 'fail-open')] });
    const bodies = outcome.bodies as Map<unknown, unknown>;
    expect(isDeepFrozen(outcome)).toBe(true);
    for (const change of [() => bodies.set(1, 'x'), () => bodies.clear(), () => bodies.delete(outcome.summary?.ref)]) {
      expect(change).toThrow(TypeError);
      expect(change).toThrow('Summary bodies: expected to be read only, got a change');
    }
    expect(bodies.size).toBe(1);
  });
});

describe('failures', () => {
  it('§3 a throwing or rejecting hook fails under its policy, recorded without what it said', async () => {
    const throwing = () => {
      throw new Error('the secret');
    };
    const rejecting = () => Promise.reject(new Error('the secret'));
    for (const answer of [throwing, rejecting]) {
      const open = await run({ before: [hook(answer, 's', 'fail-open')], after: [hook(answer, 's', 'fail-open')] });
      expect(open.applied).toBe(true);
      expect(open.failures).toEqual([
        { boundary: 'before', supplier: 's' },
        { boundary: 'after', supplier: 's' },
      ]);
      expect(JSON.stringify(open)).not.toContain('secret');
      const closed = await run({ before: [hook(answer, 's')], generate: () => expect.fail('generated') });
      expect(closed).toMatchObject({ applied: false, generated: false, denied: false, provenance: null });
      expect(closed.bodies.size).toBe(0);
    }
  });

  it('§3 a fail-closed failure ends the run at once, after generation too', async () => {
    const called: string[] = [];
    const note = (name: string) => hook(() => noted(called, name), name);
    const outcome = await run({ after: [note('a'), hook(null, 'bad'), note('never')] });
    expect(called).toEqual(['a']);
    expect(outcome).toMatchObject({ applied: false, generated: true, summary: { text: 'summary:i' } });
    const before = await run({ before: [note('b'), hook(null, 'bad'), note('never')], after: [note('never')] });
    expect(called).toEqual(['a', 'b']);
    expect(before.applied).toBe(false);
  });

  it('§3 a throwing generator rejects the run, its error kept as the cause', async () => {
    const cause = new Error('the secret');
    for (const generate of [
      () => {
        throw cause;
      },
      () => Promise.reject(cause),
    ]) {
      await expect(run({ generate })).rejects.toMatchObject({
        name: 'CompactionError',
        code: 'generator',
        place: '/generate',
        message: 'Generator: expected text, got a failure',
        cause,
      });
    }
  });

  it.each([undefined, null, 7, ['x'], {}, Buffer.from('x')])(
    '§3 a generator that gives %s rejects the run',
    async (text) => {
      await expect(run({ generate: (() => text) as never })).rejects.toMatchObject({
        code: 'generator',
        place: '/generate',
        message: `Generator: expected text, got ${typeof text}`,
      });
      await expect(run({ generate: (async () => text) as never })).rejects.toMatchObject({ code: 'generator' });
    },
  );

  it('an empty text is text', async () => {
    expect((await run({ instructions: '', generate: () => '' })).summary?.text).toBe('');
  });
});

describe('configuration', () => {
  const ran: string[] = [];
  const good = hook(() => noted(ran, 'ran'));

  it.each<[string, string, Record<string, unknown>]>([
    ['instructions that are no text', '/instructions', { instructions: 7 }],
    ['no instructions', '/instructions', { instructions: undefined }],
    ['no generator', '/generate', { generate: undefined }],
    ['a generator that is no function', '/generate', { generate: 'text' }],
    ['an empty supplier', '/before/1/supplier', { before: [good, { ...good, supplier: '' }] }],
    ['a blank supplier', '/after/0/supplier', { after: [{ ...good, supplier: ' \n' }] }],
    ['a supplier that is no text', '/after/0/supplier', { after: [{ ...good, supplier: 1 }] }],
    ['an unknown policy', '/before/0/failurePolicy', { before: [{ ...good, failurePolicy: 'fail-soft' }] }],
    ['no policy', '/after/1/failurePolicy', { after: [good, { supplier: 's', run: good.run }] }],
    ['no function', '/before/0/run', { before: [{ ...good, run: 'x' }] }],
    ['no hook', '/before/1', { before: [good, undefined] }],
    ['null for a hook', '/before/0', { before: [null] }],
    ['hooks that are no list', '/before', { before: good }],
    ['an observer without supplier', '/observers/0/supplier', { observers: [{ run: good.run }] }],
    ['an observer without function', '/observers/0/run', { observers: [{ supplier: 's' }] }],
    ['observers that are no list', '/observers', { observers: {} }],
    ['observeOnly that is no boolean', '/observeOnly', { observeOnly: 'yes' }],
    ['a scheduler that is no function', '/schedule', { schedule: 1 }],
    ['an empty item id', '/itemId', { itemId: '' }],
    ['an item id that is no text', '/itemId', { itemId: 7 }],
    ['a signal that is none', '/signal', { signal: {} }],
  ])('§3 rejects %s before any hook runs', async (_name, place, options) => {
    await expect(run({ before: [good], ...options } as never)).rejects.toMatchObject({
      name: 'CompactionError',
      code: 'configuration',
      place,
      message: expect.stringContaining(`Compaction option ${place}: expected `),
    });
    expect(ran).toEqual([]);
  });

  it('messages name place, rule and type, never a value', async () => {
    await expect(run({ instructions: 7 as never })).rejects.toThrow(
      /^Compaction option \/instructions: expected string, got number$/,
    );
    await expect(run({ before: [null as never] })).rejects.toThrow(
      /^Compaction option \/before\/0: expected object, got null$/,
    );
    await expect(run({ before: [{ ...good, supplier: ' ' }] })).rejects.toThrow(
      /^Compaction option \/before\/0\/supplier: expected text that is not blank, got blank text$/,
    );
    await expect(run({ before: [{ ...good, failurePolicy: 'secret' as never }] })).rejects.toThrow(
      /^Compaction option \/before\/0\/failurePolicy: expected "fail-open" or "fail-closed", got something else$/,
    );
    await expect(run({ after: 'secret' as never })).rejects.toThrow(
      /^Compaction option \/after: expected a list, got string$/,
    );
    await expect(run({ signal: 1 as never })).rejects.toThrow(
      /^Compaction option \/signal: expected an AbortSignal, got something else$/,
    );
  });
});

function loopOfEffects(): unknown[] {
  const list: unknown[] = [];
  list.push({ type: 'return', value: list });
  return list;
}

function fail(): never {
  throw new TypeError('refused');
}

/** Pushes a word and answers with no effect. */
function noted(list: string[], word: string): never[] {
  list.push(word);
  return [];
}
