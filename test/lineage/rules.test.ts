import { describe, expect, it } from 'vitest';
import { LineageError, TaskLineage } from '../../runtime/lineage/index.js';
import { deepFreeze } from '../support/frozen.js';
import {
  event,
  intercept,
  observe,
  taskAfter,
  taskBefore,
  tool,
  verdict,
  verdicts,
  workspaceAfter,
  workspaceBefore,
} from './support.js';

const bytes = (text: string) => new TextEncoder().encode(text);

function refusal(step: () => unknown): LineageError {
  try {
    step();
  } catch (error) {
    if (error instanceof LineageError) return error;
  }
  return expect.fail('the message was not refused');
}

describe('messages', () => {
  it('§9 return their event; a valid message without one returns null', () => {
    const lineage = new TaskLineage();
    const about = deepFreeze(tool('a'));
    expect(lineage.accept(observe(about))).toBe(about);
    expect(lineage.accept(intercept(about))).toBe(about);
    expect(lineage.acceptWire(JSON.stringify(observe(about)))).toEqual(about);
    expect(lineage.acceptWire(bytes(JSON.stringify(intercept(about))))).toEqual(about);
    for (const message of [
      { jsonrpc: '2.0', id: 1, method: 'hooks/capabilities', params: { protocolVersion: 'draft' } },
      { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'm' } },
      { jsonrpc: '2.0', id: 'a', result: { protocolVersion: 'draft', effects: [] } },
    ]) {
      expect(lineage.accept(message)).toBeNull();
      expect(lineage.acceptWire(JSON.stringify(message))).toBeNull();
      // A member that is undefined is absent, as it is on the wire.
      if (!('method' in message)) expect(lineage.accept({ ...message, method: undefined })).toBeNull();
    }
    expect(lineage.size).toBe(1);
  });

  it.each<[string, string | Uint8Array]>([
    ['no JSON', '{'],
    ['empty', ''],
    ['trailing text', '{} {}'],
    ['invalid UTF-8', new Uint8Array([0x7b, 0xff, 0x7d])],
    ['a byte-order mark', bytes('\uFEFF{}')],
    ['a duplicate member', '{"jsonrpc":"2.0","jsonrpc":"2.0"}'],
    ['a duplicate spelt two ways', '{"id":1,"i\\u0064":1}'],
    ['a number JSON does not know', '{"id":01}'],
    ['too deep', '['.repeat(300) + ']'.repeat(300)],
  ])('§9 acceptWire decodes strictly: %s is not-json', (_name, input) => {
    const lineage = new TaskLineage();
    const error = refusal(() => lineage.acceptWire(input));
    expect(error.code).toBe('not-json');
    expect(error.message).toMatch(/^Message: expected strict JSON, got [a-z0-9-]+$/);
    expect(lineage.size).toBe(0);
  });

  it.each<[string, unknown]>([
    ['null', null],
    ['a list', [observe(tool('a'))]],
    ['text', 'hooks/observe'],
    ['an empty object', {}],
    ['an unknown method', { ...observe(tool('a')), method: 'hooks/other' }],
    ['a method that is no text', { ...observe(tool('a')), method: null }],
    ['a notification with an id', { ...observe(tool('a')), id: 'a' }],
    ['another version', { ...observe(tool('a')), params: { protocolVersion: '1', event: tool('a') } }],
    ['an unknown event', observe(event('a', 'tool.other'))],
    ['a time that is none', observe({ ...tool('a'), time: 'today' })],
    ['an event without its members', observe(event('a', 'tool.before'))],
    ['an interception of an event that is only observed', intercept(event('a', 'user.attention'))],
    ['an effect that is not for this event', intercept(tool('a'), 'a', ['summon'])],
    ['a result beside an error', { jsonrpc: '2.0', id: 1, result: {}, error: { code: 1, message: 'm' } }],
    [
      'a discovery of another version',
      { jsonrpc: '2.0', id: 1, method: 'hooks/capabilities', params: { protocolVersion: '2' } },
    ],
    ['a malformed response', { jsonrpc: '2.0', id: 'a', result: { protocolVersion: 'draft' } }],
    [
      'a malformed notification beside a good result',
      { ...observe(event('a', 'tool.before')), id: 'a', result: { protocolVersion: 'draft', effects: [] } },
    ],
    ['an inherited method', Object.create(observe(tool('a')))],
  ])('§9 %s is not-canonical', (_name, message) => {
    const lineage = new TaskLineage();
    const error = refusal(() => lineage.accept(message));
    expect(error.code).toBe('not-canonical');
    expect(error.message).toMatch(/^Message: expected a (canonical message|method) of the protocol, got /);
    if (typeof message === 'object' && Object.keys(message ?? {}).length > 0) {
      expect(refusal(() => lineage.acceptWire(JSON.stringify(message))).code).toBe('not-canonical');
    }
    expect(lineage.size).toBe(0);
  });

  it.each([
    ['task.change.after', taskAfter('a')],
    ['workspace.change.after', workspaceAfter('a')],
    ['file.changed', event('a', 'file.changed', { changes: [{ path: 'a', operation: 'update', agentCaused: true }] })],
  ])('§9 %s can be observed only', (_type, report) => {
    const lineage = new TaskLineage();
    for (const step of [
      () => lineage.accept(intercept(report)),
      () => lineage.acceptWire(JSON.stringify(intercept(report))),
    ]) {
      const error = refusal(step);
      expect([error.code, error.pointer]).toEqual(['observe-only', '/params/event/type']);
      expect(error.message).toBe('Interception: expected an event that can be intercepted, got a report');
    }
    expect(lineage.size).toBe(0);
    expect(verdict(lineage, observe(report))).toBe('accept');
  });

  it('§9 a tool.after may be intercepted', () => {
    const after = event('a', 'tool.after', {
      outcome: 'ok',
      execution: { status: 'executed' },
      call: { id: 'c1' },
      tool: { name: 'Bash', input: {}, origin: 'native' },
      path: 'native',
      items: [],
    });
    expect(verdict(new TaskLineage(), intercept(after, 'a', ['message']))).toBe('accept');
  });

  it('§9 an interception whose JSON-RPC id is not its event id is refused, text to text', () => {
    const lineage = new TaskLineage();
    for (const [id, about] of [
      ['other', tool('a')],
      [7, tool('7')],
      ['A', tool('a')],
    ] as const) {
      const error = refusal(() => lineage.accept(intercept(about, id)));
      expect([error.code, error.pointer]).toEqual(['id-mismatch', '/id']);
    }
    expect(lineage.size).toBe(0);
    expect(verdict(lineage, intercept(tool('7'), '7'))).toBe('accept');
  });
});

describe('identity', () => {
  it('§9 the key is (source, id)', () => {
    const lineage = new TaskLineage();
    expect(verdicts(lineage, [tool('x'), { ...taskBefore('x'), source: 'urn:example:other' }])).toEqual([
      'accept',
      'accept',
    ]);
    expect(lineage.size).toBe(2);
  });

  it('§9 a known key must come back with the same type, parent and task id', () => {
    const base = taskBefore('b', {}, { parentEventId: 'p' });
    for (const other of [
      { ...taskAfter('b', 'p') },
      { ...taskBefore('b') },
      taskBefore('b', {}, { parentEventId: 'q' }),
      taskBefore('b', { id: 't2' }, { parentEventId: 'p' }),
      tool('b', 'p'),
    ]) {
      const lineage = new TaskLineage();
      expect(verdicts(lineage, [base, other, base])).toEqual(['accept', 'identity-reused', 'accept']);
      expect(lineage.size).toBe(1);
    }
    const orphan = new TaskLineage();
    expect(verdicts(orphan, [taskBefore('b'), base])).toEqual(['accept', 'identity-reused']);
  });

  it('§9 other differences are another view of the same event', () => {
    const lineage = new TaskLineage();
    const gaps = [{ path: 'task.prior', reason: 'permission_withheld' }];
    expect(
      verdicts(lineage, [
        taskBefore('b', { change: { a: 1 } }),
        taskBefore('b', { change: { a: 2 }, description: 'd' }, { gaps, time: '2026-10-05T12:00:01Z' }),
        workspaceBefore('w'),
        workspaceBefore('w', { change: { cwd: '/elsewhere' } }),
      ]),
    ).toEqual(['accept', 'accept', 'accept', 'accept']);
    expect(verdict(lineage, intercept(taskBefore('b', { change: { a: 3 } })))).toBe('accept');
    expect(lineage.size).toBe(2);
  });

  it('ids and sources that are names of inherited members are ordinary', () => {
    const lineage = new TaskLineage();
    expect(
      verdicts(lineage, [tool('constructor'), tool('__proto__', 'constructor'), tool('toString', '__proto__')]),
    ).toEqual(['accept', 'accept', 'accept']);
    expect(verdict(lineage, observe(tool('hasOwnProperty', 'hasOwnProperty')))).toBe('cycle');
    const task = taskAfter('t', undefined, { change: { toString: 1 }, prior: {} });
    expect(verdict(lineage, observe(task))).toBe('accept');
  });
});

describe('parents', () => {
  it('§9 are source-local, and unknown ones are legal', () => {
    const lineage = new TaskLineage();
    expect(
      verdicts(lineage, [
        { ...taskBefore('b'), source: 'urn:example:other' },
        taskAfter('a', 'b', { id: 't9' }),
        tool('x', 'never seen'),
      ]),
    ).toEqual(['accept', 'accept', 'accept']);
  });

  it('§9 requireKnownParents refuses unknown ones, and only those', () => {
    const lineage = new TaskLineage({ requireKnownParents: true });
    const error = refusal(() => lineage.accept(observe(tool('a', 'p'))));
    expect([error.code, error.pointer]).toEqual(['unknown-parent', '/params/event/parentEventId']);
    expect(verdicts(lineage, [{ ...tool('p'), source: 'urn:example:other' }, tool('a', 'p')])).toEqual([
      'accept',
      'unknown-parent',
    ]);
    expect(verdicts(lineage, [tool('p'), tool('a', 'p'), tool('a', 'p'), tool('b', 'a')])).toEqual([
      'accept',
      'accept',
      'accept',
      'accept',
    ]);
    expect(verdict(lineage, observe(tool('c', 'd')))).toBe('unknown-parent');
    expect(verdict(lineage, observe(tool('e', 'd')))).toBe('unknown-parent');
  });

  it('§9 a parent that was only refused is not known', () => {
    const lineage = new TaskLineage({ requireKnownParents: true });
    expect(verdicts(lineage, [tool('a', 'a'), tool('b', 'a')])).toEqual(['cycle', 'unknown-parent']);
  });

  it('§9 a cycle is refused, with the loop named, also when a late parent closes it', () => {
    const lineage = new TaskLineage();
    expect(refusal(() => lineage.accept(observe(tool('s', 's')))).loop).toEqual(['s']);
    expect(verdicts(lineage, [tool('e1', 'e2'), tool('e2', 'e3')])).toEqual(['accept', 'accept']);
    const error = refusal(() => lineage.accept(observe(tool('e3', 'e1'))));
    expect([error.code, error.loop]).toEqual(['cycle', ['e3', 'e1', 'e2']]);
    expect(error.message).toBe('Event: expected no event among its own ancestors, got a loop of 3');
    expect(error.pointer).toBe('/params/event/parentEventId');
    expect(verdict(lineage, observe(tool('e3')))).toBe('accept');
    expect(verdict(lineage, observe(tool('e4', 'e1')))).toBe('accept');
  });

  it('§9 a shared ancestor is no cycle, nor is a parent that joins two chains', () => {
    const lineage = new TaskLineage();
    expect(
      verdicts(lineage, [tool('a', 'b'), tool('b', 'c'), tool('x', 'y'), tool('y', 'c'), tool('c', 'd'), tool('d')]),
    ).toEqual(Array(6).fill('accept'));
  });

  it('a loop of any length is refused; at most sixteen of its ids are named', () => {
    const lineage = new TaskLineage();
    for (let index = 0; index < 5_000; index += 1) lineage.accept(observe(tool(`e${index}`, `e${index + 1}`)));
    const error = refusal(() => lineage.accept(observe(tool('e5000', 'e0'))));
    expect(error.message).toContain('a loop of 5001');
    expect(error.loop).toEqual(['e5000', ...Array.from({ length: 15 }, (_, index) => `e${index}`)]);
    expect(refusal(() => lineage.accept(null)).loop).toEqual([]);
  });
});

describe('pairs', () => {
  it.each([
    ['another task id', { id: 't2' }],
    ['another operation', { operation: 'create' }],
  ])('§9 a completion with %s does not fit its proposal, whichever comes first', (_name, task) => {
    expect(verdicts(new TaskLineage(), [taskBefore('b'), taskAfter('a', 'b', task), taskAfter('a', 'b')])).toEqual([
      'accept',
      'pair-mismatch',
      'accept',
    ]);
    const late = new TaskLineage();
    expect(verdicts(late, [taskAfter('a', 'b', task), taskBefore('b'), taskBefore('b', task)])).toEqual([
      'accept',
      'pair-mismatch',
      'accept',
    ]);
    expect(late.size).toBe(2);
  });

  it('§9 a workspace completion needs the kind of its proposal, whichever comes first', () => {
    const roots = { kind: 'roots', change: { workspaceRoots: [] } };
    expect(verdicts(new TaskLineage(), [workspaceBefore('w'), workspaceAfter('v', 'w', roots)])).toEqual([
      'accept',
      'pair-mismatch',
    ]);
    expect(verdicts(new TaskLineage(), [workspaceAfter('v', 'w', roots), workspaceBefore('w')])).toEqual([
      'accept',
      'pair-mismatch',
    ]);
    expect(verdicts(new TaskLineage(), [workspaceAfter('v', 'w', roots), workspaceBefore('w', roots)])).toEqual([
      'accept',
      'accept',
    ]);
  });

  it('§9 one waiting completion that does not fit refuses the late proposal', () => {
    const lineage = new TaskLineage();
    expect(
      verdicts(lineage, [
        taskAfter('a1', 'b'),
        taskAfter('a2', 'b', { id: 't2' }),
        taskBefore('b'),
        taskBefore('b', { id: 't2' }),
      ]),
    ).toEqual(['accept', 'accept', 'pair-mismatch', 'pair-mismatch']);
    expect(lineage.size).toBe(2);
  });

  it('§9 proposed and applied values may differ', () => {
    expect(
      verdicts(new TaskLineage(), [
        taskBefore('b', { change: { status: 'doing' } }),
        taskAfter('a', 'b', { change: { status: 'half', note: 1 } }),
        workspaceBefore('w'),
        workspaceAfter('v', 'w', { change: { cwd: '/srv/b' } }),
      ]),
    ).toEqual(['accept', 'accept', 'accept', 'accept']);
  });

  it('§9 only the matching proposal binds: other parents, and other children, do not', () => {
    const other = { id: 't2', operation: 'remove' };
    expect(
      verdicts(new TaskLineage(), [
        tool('p'),
        taskBefore('b'),
        workspaceBefore('w'),
        taskAfter('a', 'p', other),
        taskAfter('a2', 'a', { id: 't3' }),
        taskAfter('a3', 'w', other),
        workspaceAfter('v', 'b', { kind: 'switch' }),
        taskBefore('b2', other, { parentEventId: 'b' }),
        workspaceAfter('v2', 'late', { kind: 'switch' }),
        taskBefore('late'),
        taskBefore('child', other, { parentEventId: 'late too' }),
        taskBefore('late too'),
      ]),
    ).toEqual(Array(12).fill('accept'));
  });

  it('§9 a completion that was accepted for a known proposal stays bound to it', () => {
    const lineage = new TaskLineage();
    expect(
      verdicts(lineage, [taskBefore('b'), taskAfter('a', 'b'), taskAfter('a2', 'b', { operation: 'remove' })]),
    ).toEqual(['accept', 'accept', 'pair-mismatch']);
  });
});

describe('reports of no change', () => {
  const refused: [string, Record<string, unknown>][] = [
    ['an empty change', { change: {} }],
    ['an empty change beside what was', { change: {}, prior: { a: 1 } }],
    ['a change equal to what was', { change: { a: 1 }, prior: { a: 1, b: 2 } }],
    ['equal in every key, deep', { change: { a: { x: [1, { y: null }] } }, prior: { a: { x: [1, { y: null }] } } }],
    ['nothing but an absent member', { change: { a: undefined } }],
    ['equal members and an absent one', { change: { a: 1, b: undefined }, prior: { a: 1 } }],
    ['equal in another order', { change: { a: { x: 1, y: 2 } }, prior: { a: { y: 2, x: 1 } } }],
  ];
  it.each(refused)('§9 a task update with %s is refused', (_name, task) => {
    const error = refusal(() => new TaskLineage().accept(observe(taskAfter('a', undefined, task))));
    expect([error.code, error.pointer]).toEqual(['no-change', '/params/event/task/change']);
  });

  it.each(refused)('§9 a proposal, a creation and a removal with %s are fine', (_name, task) => {
    expect(
      verdicts(new TaskLineage(), [
        taskBefore('b', task),
        taskAfter('c', undefined, { ...task, operation: 'create' }),
        taskAfter('r', undefined, { ...task, operation: 'remove' }),
      ]),
    ).toEqual(['accept', 'accept', 'accept']);
  });

  it.each<[string, Record<string, unknown>]>([
    ['a changed value', { change: { a: 2 }, prior: { a: 1 } }],
    ['one changed value of two', { change: { a: 1, b: 3 }, prior: { a: 1, b: 2 } }],
    ['a key that was not there', { change: { a: null }, prior: {} }],
    ['1 where true was', { change: { a: 1 }, prior: { a: true } }],
    ['text where a number was', { change: { a: '1' }, prior: { a: 1 } }],
    ['no word of what was', { change: { a: 1 } }],
    ['a list in another order', { change: { a: [1, 2] }, prior: { a: [2, 1] } }],
    ['a member called __proto__', JSON.parse('{"change":{"__proto__":{}},"prior":{}}')],
  ])('§9 a task update with %s is fine', (_name, task) => {
    expect(verdict(new TaskLineage(), observe(taskAfter('a', undefined, task)))).toBe('accept');
  });

  it('§9 numbers compare by value, whatever their spelling', () => {
    const wire = (change: string, prior: string) =>
      JSON.stringify(observe(taskAfter('a', undefined, { change: { n: 'X' }, prior: { n: 'Y' } })))
        .replace('"X"', change)
        .replace('"Y"', prior);
    const refuse = (change: string, prior: string) =>
      refusal(() => new TaskLineage().acceptWire(wire(change, prior))).code;
    expect(refuse('1', '1.0')).toBe('no-change');
    expect(refuse('100', '1E2')).toBe('no-change');
    expect(refuse('12345678901234567890', '12345678901234567890.0')).toBe('no-change');
    expect(new TaskLineage().acceptWire(wire('12345678901234567890', '12345678901234567891'))).not.toBeNull();
    expect(new TaskLineage().acceptWire(wire('1e400', '1e401'))).not.toBeNull();
  });

  it('§9 a workspace change equal to what was, in every key it has, is refused; a proposal is fine', () => {
    const same = { change: { cwd: '/a' }, prior: { cwd: '/a', workspaceRoots: ['/r'] } };
    const error = refusal(() => new TaskLineage().accept(observe(workspaceAfter('w', undefined, same))));
    expect([error.code, error.pointer]).toEqual(['no-change', '/params/event/workspace/change']);
    const both = { change: { cwd: '/a', workspaceRoots: ['/s'] }, prior: { cwd: '/a', workspaceRoots: ['/r'] } };
    const unknown = { change: { cwd: '/a' }, prior: { workspaceRoots: ['/r'] } };
    expect(
      verdicts(new TaskLineage(), [
        workspaceBefore('b', same),
        workspaceAfter('v', undefined, both),
        workspaceAfter('u', undefined, unknown),
        workspaceAfter('t', undefined, { change: { cwd: '/a' } }),
      ]),
    ).toEqual(['accept', 'accept', 'accept', 'accept']);
  });

  const item = { id: 'i', kind: 'file', mediaType: 'text/plain' };
  const body = (ref: string) => ({ ...item, selection: 'body', body: { ref } });
  const metadata = (sha256?: string) => ({
    ...item,
    selection: 'metadata',
    ...(sha256 === undefined ? {} : { sha256 }),
  });
  const gap = (sha256: string) => ({ ...item, selection: 'body', gap: { reason: 'limit_exceeded' }, sha256 });
  const [one, two] = ['a'.repeat(64), 'b'.repeat(64)];
  const files = (...changes: Record<string, unknown>[]) =>
    observe(
      event('f', 'file.changed', {
        changes: changes.map((change) => ({ path: 'a', operation: 'update', agentCaused: false, ...change })),
      }),
    );

  it.each<[string, Record<string, unknown>]>([
    ['the same reference', { before: body('r1'), after: body('r1') }],
    ['the same digest', { before: metadata(one), after: metadata(one) }],
    ['the same digest, one of them of a gap', { before: gap(one), after: metadata(one) }],
  ])('§9 a file update with %s on both sides is refused', (_name, change) => {
    const error = refusal(() => new TaskLineage().accept(files({ before: body('r1'), after: body('r2') }, change)));
    expect([error.code, error.pointer]).toEqual(['no-change', '/params/event/changes/1']);
    expect(verdict(new TaskLineage(), files({ ...change, operation: 'create' }))).toBe('accept');
    expect(verdict(new TaskLineage(), files({ ...change, operation: 'remove' }))).toBe('accept');
  });

  it.each<[string, Record<string, unknown>]>([
    ['other references', { before: body('r1'), after: body('r2') }],
    ['other digests', { before: metadata(one), after: metadata(two) }],
    ['no digests', { before: metadata(), after: metadata() }],
    ['one digest', { before: metadata(one), after: metadata() }],
    ['a reference and a digest', { before: body('r1'), after: metadata(one) }],
    ['one side alone', { before: metadata(one) }],
    ['the other side alone', { after: body('r1') }],
    ['no descriptors', {}],
  ])('§9 a file update with %s proves nothing and is fine', (_name, change) => {
    expect(verdict(new TaskLineage(), files(change))).toBe('accept');
  });

  it('§9 a second view that shows no change is refused too', () => {
    const lineage = new TaskLineage();
    expect(
      verdicts(lineage, [
        taskAfter('a'),
        taskAfter('a', undefined, { change: { status: 'done' }, prior: { status: 'done' } }),
      ]),
    ).toEqual(['accept', 'no-change']);
  });
});

describe('bounds', () => {
  it('§9 beyond maxEvents a new key is refused, nothing is evicted, known keys are still accepted', () => {
    const lineage = new TaskLineage({ maxEvents: 2 });
    expect(
      verdicts(lineage, [
        tool('a'),
        tool('b', 'c'),
        tool('c'),
        { ...tool('a'), source: 'urn:example:x' },
        tool('a'),
        tool('b', 'c'),
      ]),
    ).toEqual(['accept', 'accept', 'capacity', 'capacity', 'accept', 'accept']);
    expect(lineage.size).toBe(2);
    expect(refusal(() => lineage.accept(observe(tool('c')))).message).toBe(
      'Event: expected at most 2 events, got one more',
    );
  });

  it.each([0, -1, 1.5, Number.NaN, Infinity, '5', null])('refuses maxEvents %s', (maxEvents) => {
    expect(() => new TaskLineage({ maxEvents: maxEvents as number })).toThrow(RangeError);
  });

  it('a refused message leaves no placeholder behind', () => {
    const lineage = new TaskLineage({ maxEvents: 1 });
    expect(verdicts(lineage, [tool('a'), taskAfter('x', 'p', { id: 't2' })])).toEqual(['accept', 'capacity']);
    const wider = new TaskLineage({ requireKnownParents: true });
    expect(verdicts(wider, [taskAfter('x', 'p', { id: 't2' }), taskBefore('p'), tool('p2', 'p')])).toEqual([
      'unknown-parent',
      'accept',
      'accept',
    ]);
  });

  it('inputs may be frozen and are not changed or kept', () => {
    const message = deepFreeze(observe(taskAfter('a', 'b')));
    const text = JSON.stringify(message);
    const lineage = new TaskLineage();
    lineage.accept(message);
    expect(JSON.stringify(message)).toBe(text);
    const mutable = structuredClone(observe(taskBefore('b'))) as { params: { event: { task: { id: string } } } };
    lineage.accept(mutable);
    mutable.params.event.task.id = 'changed';
    expect(verdict(lineage, observe(taskBefore('b')))).toBe('accept');
  });

  it('errors name the rule and the place', () => {
    const lineage = new TaskLineage({ requireKnownParents: true });
    lineage.accept(observe(taskBefore('b')));
    const refused: [() => unknown, string, string, string][] = [
      [() => lineage.acceptWire('{"a":{"b":1,"b":2}}'), 'not-json', '/a/b', 'Message: expected strict JSON'],
      [() => lineage.acceptWire(' '.repeat(64 * 1024 * 1024 + 1)), 'not-json', '', 'strict JSON, got too-large'],
      [
        () => lineage.acceptWire(JSON.stringify(observe({ ...tool('a'), time: 7 }))),
        'not-canonical',
        '/params/event/time',
        'Message: expected a canonical message',
      ],
      [
        () => lineage.accept(observe({ ...tool('a'), time: 'today' })),
        'not-canonical',
        '/params/event/time',
        'Message: expected a canonical message',
      ],
      [
        () => lineage.accept({ ...observe(tool('a')), method: 'hooks/other' }),
        'not-canonical',
        '/method',
        'Message: expected a method of the protocol',
      ],
      [
        () => lineage.accept(intercept(tool('a'), 'b')),
        'id-mismatch',
        '/id',
        'Interception: expected the event id as JSON-RPC id',
      ],
      [
        () => lineage.accept(observe(taskBefore('b', { id: 't2' }))),
        'identity-reused',
        '/params/event',
        'Event: expected the type, parent and task id that its key had',
      ],
      [
        () => lineage.accept(observe(tool('a', 'never'))),
        'unknown-parent',
        '/params/event/parentEventId',
        'Event: expected a parent that was accepted before',
      ],
      [
        () => lineage.accept(observe(taskAfter('a', 'b', { id: 't2' }))),
        'pair-mismatch',
        '/params/event',
        'Event: expected completion and proposal to agree',
      ],
      [
        () => lineage.accept(observe(taskAfter('a', 'b', { change: {} }))),
        'no-change',
        '/params/event/task/change',
        'Report: expected a change',
      ],
    ];
    for (const [step, code, pointer, message] of refused) {
      const error = refusal(step);
      expect([error.code, error.pointer]).toEqual([code, pointer]);
      expect(error.message).toContain(message);
    }
    expect(new LineageError('capacity', 'none').pointer).toBe('');
    expect(() => new TaskLineage({ maxEvents: 0 })).toThrow('expected "maxEvents" to be a positive integer');
  });

  it('errors quote nothing of the message but ids in the loop', () => {
    const secret = 'sk-secret';
    const lineage = new TaskLineage();
    const refused = [
      observe({ ...tool('a'), path: 7, secret }),
      { ...observe(tool('a')), method: secret },
      intercept(tool('a'), secret),
      observe(taskAfter('a', undefined, { change: { [secret]: secret }, prior: { [secret]: secret } })),
      observe(tool(secret, secret)),
    ];
    for (const message of refused) {
      const error = refusal(() => lineage.accept(message));
      expect(error.name).toBe('LineageError');
      expect(error.message + error.pointer).not.toContain(secret);
    }
    expect(refusal(() => lineage.acceptWire(`{"${secret}":1,"${secret}":2}`)).message).not.toContain(secret);
  });
});
