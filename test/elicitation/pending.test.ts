import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { InterceptRequest } from '../../generated/index.js';
import { PendingElicitations } from '../../runtime/elicitation/index.js';
import { codeOf, requestEnvelope, resultEnvelope } from './support.js';

/** An envelope of its own identity. */
function request(id: string, source = 'urn:example:harness', session = 's-1'): InterceptRequest {
  return requestEnvelope({ envelope: { id }, event: { id, source, session: { id: session } } });
}

function result(parentEventId: string, source = 'urn:example:harness', session = 's-1'): InterceptRequest {
  const id = `${parentEventId}/result`;
  return resultEnvelope({ envelope: { id }, event: { id, parentEventId, source, session: { id: session } } });
}

describe('§2 pending elicitations', () => {
  test('settling gives the request back and closes it', async () => {
    const pending = new PendingElicitations();
    const opened = request('a');
    pending.open(opened);
    expect(pending.size).toBe(1);
    expect(pending.settle(result('a'))).toBe(opened);
    expect(pending.size).toBe(0);
    expect(await codeOf(() => pending.settle(result('a')))).toBe('not-pending');
  });

  test('several are open in one session and settle in any order', () => {
    for (const order of [
      ['a', 'b', 'c'],
      ['c', 'a', 'b'],
      ['b', 'c', 'a'],
    ]) {
      const pending = new PendingElicitations();
      for (const id of ['a', 'b', 'c']) pending.open(request(id));
      expect(order.map((id) => pending.settle(result(id)).id)).toEqual(order);
    }
  });

  test('identity is source and id, never joined text', async () => {
    const pending = new PendingElicitations();
    pending.open(request('b:c', 'urn:a'));
    pending.open(request('c', 'urn:a:b'));
    pending.open(request('__proto__', 'urn:a'));
    pending.open(request('c', 'urn:a'));
    expect(pending.size).toBe(4);
    expect(pending.settle(result('c', 'urn:a:b'))).toHaveProperty('params.event.source', 'urn:a:b');
    expect(pending.settle(result('__proto__', 'urn:a')).id).toBe('__proto__');
    expect(await codeOf(() => pending.settle(result('toString', 'urn:a')))).toBe('not-pending');
  });

  test('a second live one of the same identity is rejected and does not replace the first', async () => {
    const pending = new PendingElicitations();
    const first = request('a');
    pending.open(first);
    expect(await codeOf(() => pending.open(request('a', undefined, 's-2')))).toBe('already-pending');
    expect(pending.settle(result('a'))).toBe(first);
    pending.open(request('a', undefined, 's-2'));
    expect(pending.size).toBe(1);
  });

  test('a failed correlation does not consume', async () => {
    const pending = new PendingElicitations();
    pending.open(request('a'));
    expect(await codeOf(() => pending.settle(result('a', undefined, 's-2')))).toBe('correlation');
    expect(await codeOf(() => pending.settle(result('b')))).toBe('not-pending');
    expect(await codeOf(() => pending.settle(result('a', 'urn:example:other')))).toBe('not-pending');
    const own = resultEnvelope({ envelope: { id: 'a' }, event: { id: 'a', parentEventId: 'a' } });
    expect(await codeOf(() => pending.settle(own))).toBe('correlation');
    const orphan = resultEnvelope({ event: { parentEventId: undefined } });
    expect(await codeOf(() => pending.settle(orphan))).toBe('not-pending');
    expect(pending.settle(result('a')).id).toBe('a');
  });

  test('steps 2 and 3 are applied to what comes in', async () => {
    const pending = new PendingElicitations();
    expect(await codeOf(() => pending.open(resultEnvelope()))).toBe('wrong-boundary');
    expect(await codeOf(() => pending.open(requestEnvelope({ envelope: { id: 'x' } })))).toBe('id-mismatch');
    expect(await codeOf(() => pending.open({} as InterceptRequest))).toBe('not-canonical');
    pending.open(request('e-1'));
    expect(await codeOf(() => pending.settle(request('e-2')))).toBe('wrong-boundary');
    expect(await codeOf(() => pending.settle(resultEnvelope({ envelope: { id: 3 } })))).toBe('id-mismatch');
    expect(await codeOf(() => pending.settle(resultEnvelope({ elicitation: { action: 'submit' } })))).toBe(
      'not-canonical',
    );
    expect(pending.size).toBe(1);
  });

  test('cancel tells whether there was one; afterwards nothing settles and the identity may open again', async () => {
    const pending = new PendingElicitations();
    pending.open(request('a'));
    expect(pending.cancel('urn:example:harness', 'b')).toBe(false);
    expect(pending.cancel('urn:example:other', 'a')).toBe(false);
    expect(pending.cancel('urn:example:harness', 'a')).toBe(true);
    expect(pending.cancel('urn:example:harness', 'a')).toBe(false);
    expect(await codeOf(() => pending.settle(result('a')))).toBe('not-pending');
    pending.open(request('a'));
    expect(pending.settle(result('a')).id).toBe('a');
  });

  test('what happens to an envelope after it was opened changes nothing', () => {
    const pending = new PendingElicitations();
    const opened = structuredClone(request('a'));
    pending.open(opened);
    (opened as { params: { event: { session: { id: string } } } }).params.event.session.id = 's-9';
    expect(pending.settle(result('a'))).toBe(opened);
  });

  test('it behaves like a map of identities under any order of calls', () => {
    const identity = fc.record({
      source: fc.constantFrom('urn:a', 'urn:a:b', 'urn:b'),
      id: fc.constantFrom('a', 'b:a', '__proto__', 'b'),
      session: fc.constantFrom('s-1', 's-2'),
    });
    const step = fc.record({ call: fc.constantFrom('open', 'settle', 'cancel'), identity });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const pending = new PendingElicitations();
        const model = new Map<string, { session: string; envelope: InterceptRequest }>();
        for (const { call, identity } of steps) {
          const { source, id, session } = identity;
          const key = JSON.stringify([source, id]);
          const known = model.get(key);
          if (call === 'open') {
            const envelope = request(id, source, session);
            const isNew = known === undefined;
            expect(attempt(() => pending.open(envelope))).toBe(isNew ? undefined : 'already-pending');
            if (isNew) model.set(key, { session, envelope });
          } else if (call === 'cancel') {
            expect(pending.cancel(source, id)).toBe(model.delete(key));
          } else {
            const expected =
              known === undefined ? 'not-pending' : known.session === session ? known.envelope : 'correlation';
            expect(attempt(() => pending.settle(result(id, source, session)))).toBe(expected);
            if (typeof expected !== 'string') model.delete(key);
          }
          expect(pending.size).toBe(model.size);
        }
      }),
      { numRuns: 60 },
    );
  });
});

function attempt(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return (error as { code: unknown }).code;
  }
}
