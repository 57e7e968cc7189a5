import { describe, expect, it, onTestFinished } from 'vitest';
import {
  encodeScript,
  encodeScriptedAnswer,
  scriptedReply,
  testTransport,
  transportCases,
  type TransportPair,
} from '../../runtime/testing/index.js';
import { createMemoryTransport, type Transport, TransportError } from '../../runtime/transports/index.js';

/** A pair that passes the suite; what a fault does to its transport is wrapped around it. */
function goodPair(): TransportPair {
  const received: Uint8Array[] = [];
  const transport = createMemoryTransport(async ({ bytes }, { signal }) => {
    received.push(bytes);
    const reply = scriptedReply(bytes);
    if (reply.act === 'hang-up') throw new Error('left');
    if (reply.act === 'silence') await new Promise((resolve) => signal.addEventListener('abort', resolve));
    if (reply.act !== 'answer') return null;
    await new Promise((resolve) => setTimeout(resolve, reply.afterMs));
    return reply.bytes;
  });
  return { transport, received: () => received, close: () => {} };
}

const utf8 = new TextDecoder();
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Faults that transports of others had, and what each does to a good one. */
const faults: Readonly<Record<string, (inner: Transport) => Transport>> = {
  'parses the answer and prints it again': (inner) => ({
    ...inner,
    request: async (message, context) =>
      bytesOf(JSON.stringify(JSON.parse(utf8.decode(await inner.request(message, context))))),
  }),
  'decodes messages as Latin-1': (inner) => ({
    ...inner,
    request: (message, context) =>
      inner.request({ ...message, bytes: bytesOf(Buffer.from(message.bytes).toString('latin1')) }, context),
  }),
  'cuts at 64 kB': (inner) => ({
    ...inner,
    request: async (message, context) => (await inner.request(message, context)).slice(0, 65_536),
  }),
  'answers with whichever comes first': (inner) => {
    const waiting: ((answer: Uint8Array) => void)[] = [];
    return {
      ...inner,
      request: (message, context) =>
        new Promise((resolve, reject) => {
          waiting.push(resolve);
          inner.request(message, context).then((answer) => waiting.shift()?.(answer), reject);
        }),
    };
  },
  'keeps one waiter per id': (inner) => {
    const waiting = new Map<string | number, (answer: Uint8Array) => void>();
    return {
      ...inner,
      request: (message, context) =>
        new Promise((resolve, reject) => {
          waiting.set(message.id, resolve);
          inner.request(message, context).then((answer) => waiting.get(message.id)?.(answer), reject);
          setTimeout(() => reject(new TransportError('deadline', 'stuck')), 500);
        }),
    };
  },
  'compares ids as text': (inner) => {
    const waiting = new Map<string, (answer: Uint8Array) => void>();
    return {
      ...inner,
      request: (message, context) =>
        new Promise((resolve, reject) => {
          waiting.set(String(message.id), resolve);
          inner.request(message, context).then((answer) => waiting.get(String(message.id))?.(answer), reject);
          setTimeout(() => reject(new TransportError('deadline', 'stuck')), 500);
        }),
    };
  },
  'sends although the signal has fired': (inner) => ({
    ...inner,
    request: async (message, { signal, deadline }) => {
      const answer = await inner.request(message, { signal: new AbortController().signal, deadline });
      if (signal.aborted) throw new TransportError('deadline', 'too late');
      return answer;
    },
  }),
  'rejects with errors of its own': (inner) => ({
    ...inner,
    request: (message, context) =>
      inner.request(message, context).catch(() => {
        throw new Error('something else');
      }),
  }),
  'takes the late answer for the next request of the id': (inner) => {
    const late = new Map<string | number, Promise<Uint8Array>>();
    return {
      ...inner,
      request: (message, { signal, deadline }) => {
        const own = inner.request(message, { signal: new AbortController().signal, deadline });
        const answer = late.get(message.id) ?? own;
        own.catch(() => {});
        late.set(message.id, own);
        return new Promise((resolve, reject) => {
          signal.addEventListener('abort', () => reject(new TransportError('deadline', 'over')));
          answer.then((bytes) => {
            late.delete(message.id);
            resolve(bytes);
          }, reject);
        });
      },
    };
  },
  'loses notifications': (inner) => ({ ...inner, notify: async () => {} }),
  'gives something back for a notification': (inner) => ({
    ...inner,
    notify: async (message, context) => {
      await inner.notify(message, context);
      return 'accepted' as unknown as undefined;
    },
  }),
  'is broken for ever once a peer has left': (inner) => {
    let broken = false;
    return {
      ...inner,
      request: async (message, context) => {
        if (broken) throw new TransportError('connection', 'broken');
        try {
          return await inner.request(message, context);
        } catch (error) {
          broken = true;
          throw error;
        }
      },
    };
  },
  'goes on after close': (inner) => ({ ...inner, close: () => {} }),
  'cannot be closed twice': (inner) => {
    let closed = false;
    return {
      ...inner,
      close: () => {
        if (closed) throw new Error('closed already');
        closed = true;
        return inner.close();
      },
    };
  },
};

/** The names of the cases that a transport fails. Only what the fault can reach is run to its end. */
async function failedCases(fault: (inner: Transport) => Transport, patienceMs: number): Promise<string[]> {
  const failed: string[] = [];
  for (const { name, run } of transportCases) {
    const pair = goodPair();
    const timer = { end: (): void => {} };
    const late = new Promise<never>((_, reject) => {
      const handle = setTimeout(() => reject(new Error('no end')), patienceMs);
      timer.end = () => clearTimeout(handle);
    });
    try {
      await Promise.race([run({ ...pair, transport: fault(pair.transport) }, { concurrency: 20 }), late]);
    } catch {
      failed.push(name);
    } finally {
      timer.end();
      await pair.transport.close();
    }
    if (failed.length > 0) break;
  }
  return failed;
}

describe('the suite for transports', () => {
  it.each(Object.entries(faults))('catches one that %s', async (_, fault) => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', note);
    onTestFinished(() => {
      process.removeListener('unhandledRejection', note);
    });
    expect(await failedCases(fault, 2500)).toHaveLength(1);
  });

  it('lets a good one pass', async () => {
    expect(await failedCases((inner) => inner, 20_000)).toEqual([]);
  });

  it('registers each case with the framework that it is given, and closes each pair', async () => {
    const tests: { name: string; body: () => Promise<void> }[] = [];
    const groups: string[] = [];
    let closed = 0;
    const makePair = (): TransportPair => ({
      ...goodPair(),
      close() {
        closed += 1;
      },
    });
    testTransport('mine', makePair, {
      concurrency: 5,
      framework: {
        describe: (name, body) => {
          groups.push(name);
          body();
        },
        it: (name, body) => tests.push({ name, body }),
      },
    });
    expect(groups).toEqual(['transport: mine']);
    expect(tests.map(({ name }) => name)).toEqual(transportCases.map(({ name }) => name));
    await tests[0]?.body();
    expect(closed).toBe(1);
  });
});

describe('scripts', () => {
  it('are one line of UTF-8 JSON, and so are their answers', () => {
    const script = { id: 'x', act: 'answer', nonce: 'é\n', paddingBytes: 3 } as const;
    for (const bytes of [encodeScript(script), encodeScriptedAnswer(script)]) {
      expect(utf8.decode(bytes)).not.toContain('\n');
      expect(JSON.parse(utf8.decode(bytes))).toMatchObject({ jsonrpc: '2.0', id: 'x' });
    }
    expect(scriptedReply(encodeScript(script))).toEqual({
      act: 'answer',
      bytes: encodeScriptedAnswer(script),
      afterMs: 0,
    });
    expect(scriptedReply(encodeScript({ act: 'silence', nonce: 'n' }))).toEqual({ act: 'nothing' });
  });
});
