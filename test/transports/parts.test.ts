import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findAnswerKey, idKey } from '../../runtime/transports/answer-id.js';
import { createByteTail } from '../../runtime/transports/byte-tail.js';
import { createLineReader } from '../../runtime/transports/line-reader.js';
import { createMemoryTransport, TransportError } from '../../runtime/transports/index.js';
import { ask, failure, tell } from './support/calls.js';

/** Cuts bytes at these places. */
function cut(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const sorted = [...places.map((place) => place % (bytes.byteLength + 1)), 0, bytes.byteLength].sort((a, b) => a - b);
  return sorted.slice(1).map((end, index) => bytes.slice(sorted[index], end));
}

describe('line reader', () => {
  const lines = fc.array(fc.string({ unit: 'binary', maxLength: 40 }).map((line) => line.replaceAll('\n', ' ')));

  it('§6 gives the same lines however the bytes are cut into chunks', () => {
    fc.assert(
      fc.property(lines, fc.string({ maxLength: 5 }), fc.array(fc.nat(500)), (texts, rest, places) => {
        const tail = rest.replaceAll('\n', '');
        const expected = texts.map((line) => Buffer.from(line));
        const bytes = Buffer.concat([...expected.flatMap((line) => [line, Buffer.from('\n')]), Buffer.from(tail)]);
        const seen: Buffer[] = [];
        const reader = createLineReader(1000, {
          onLine: (line) => seen.push(Buffer.from(line)),
          onTooLarge: () => expect.fail('too large'),
        });
        for (const chunk of cut(bytes, places)) reader.push(chunk);
        expect(seen).toEqual(expected);
        const left = reader.takeRest();
        expect(left === null ? '' : Buffer.from(left).toString()).toBe(tail);
      }),
    );
  });

  it('§6 drops exactly the lines above the bound, whole, however they are cut', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(30), { maxLength: 8 }), fc.array(fc.nat(300)), (sizes, places) => {
        const bytes = Buffer.from(sizes.map((size) => `${'x'.repeat(size)}\n`).join(''));
        const events: string[] = [];
        const reader = createLineReader(10, {
          onLine: (line) => events.push(`line ${line.byteLength}`),
          onTooLarge: (size) => events.push(`large ${size}`),
        });
        for (const chunk of cut(bytes, places)) reader.push(chunk);
        expect(events).toEqual(sizes.map((size) => (size > 10 ? `large ${size}` : `line ${size}`)));
        expect(reader.takeRest()).toBeNull();
      }),
    );
  });

  it('tells a last line that is too large', () => {
    const events: number[] = [];
    const reader = createLineReader(3, { onLine: () => {}, onTooLarge: (size) => events.push(size) });
    reader.push(Buffer.from('abcd'));
    reader.push(Buffer.from('ef'));
    expect(reader.takeRest()).toBeNull();
    expect(events).toEqual([6]);
    expect(reader.takeRest()).toBeNull();
  });

  it('gives lines that no later chunk changes', () => {
    const chunk = Buffer.from('one\n');
    const seen: Uint8Array[] = [];
    const reader = createLineReader(10, { onLine: (line) => seen.push(line), onTooLarge: () => {} });
    reader.push(chunk);
    chunk.fill(120);
    expect(seen.map((line) => Buffer.from(line).toString())).toEqual(['one']);
  });
});

describe('byte tail', () => {
  it('keeps the end of whatever was pushed, and counts it all', () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 400 }),
        fc.integer({ min: 1, max: 30 }),
        (chunks, max) => {
          const tail = createByteTail(max);
          for (const chunk of chunks) tail.push(chunk);
          const all = Buffer.concat(chunks);
          expect(Buffer.from(tail.bytes())).toEqual(Buffer.from(all.subarray(Math.max(0, all.length - max))));
          expect(tail.total).toBe(all.length);
        },
      ),
      { numRuns: 50 },
    );
  });
});

describe('answer ids', () => {
  it('§6 meet by value: text by text, numbers by value', () => {
    const keyOf = (json: string) => findAnswerKey(Buffer.from(`{"id":${json}}`), 1000);
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: 'binary' }), fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true })),
        (id) => {
          // JSON writes a lone surrogate as an escape, and -0 as 0.
          expect(keyOf(JSON.stringify(id))).toEqual({ key: idKey(id) });
        },
      ),
    );
    expect(idKey(1)).not.toBe(idKey('1'));
    expect(idKey(-0)).toBe(idKey(0));
  });

  it('a member named like an inherited one is no id', () => {
    expect(findAnswerKey(Buffer.from('{"__proto__":{"id":"x"}}'), 1000)).toEqual({ dropped: 'no-id' });
  });
});

describe('memory transport', () => {
  it('copies messages both ways and calls the backend off the stack of its caller', async () => {
    const kept: Uint8Array[] = [];
    let called = false;
    const answer = new TextEncoder().encode('{"id":"e1"}');
    const transport = createMemoryTransport(({ bytes }) => {
      called = true;
      kept.push(bytes);
      return answer;
    });
    const bytes = new TextEncoder().encode('{}');
    const context = { signal: new AbortController().signal, deadline: 0 };
    const pending = transport.request({ id: 'e1', method: 'm', bytes }, context);
    expect(called).toBe(false);
    bytes.fill(0);
    const got = await pending;
    answer.fill(0);
    expect(Buffer.from(got).toString()).toBe('{"id":"e1"}');
    expect(Buffer.from(kept[0] ?? []).toString()).toBe('{}');
  });

  it('a throw is connection, a TransportError stays what it is, no answer and too much are failures', async () => {
    const throwing = createMemoryTransport(() => {
      throw new Error('own');
    });
    expect(await failure(ask(throwing))).toMatchObject({ code: 'connection', cause: new Error('own') });
    await expect(tell(throwing)).resolves.toBeUndefined();
    const status = createMemoryTransport(() => Promise.reject(new TransportError('status', 'x', { status: 500 })));
    expect(await failure(ask(status))).toMatchObject({ code: 'status', status: 500 });
    expect((await failure(ask(createMemoryTransport(() => null)))).code).toBe('connection');
    const large = createMemoryTransport(() => new Uint8Array(11), { maxMessageBytes: 10 });
    expect((await failure(ask(large))).code).toBe('invalid-message');
  });

  it('tells the backend when nobody waits any more', async () => {
    const ended: string[] = [];
    const transport = createMemoryTransport(
      (_message, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            ended.push('ended');
            resolve(null);
          });
        }),
    );
    const stop = new AbortController();
    const first = failure(ask(transport, { signal: stop.signal }));
    const second = failure(ask(transport));
    await new Promise((resolve) => setImmediate(resolve));
    stop.abort();
    expect((await first).code).toBe('deadline');
    await transport.close();
    expect((await second).code).toBe('connection');
    expect(ended).toEqual(['ended', 'ended']);
  });
});

describe('TransportError', () => {
  it('from() keeps its own and wraps the rest', () => {
    const own = new TransportError('status', 'x', { status: 500 });
    expect(TransportError.from(own)).toBe(own);
    expect(TransportError.from('text')).toMatchObject({ code: 'connection', cause: 'text', status: null });
  });
});
