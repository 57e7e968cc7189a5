import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { TransportError, type Transport, type TransportErrorCode } from '../transports/transport.js';
import { encodeScript, encodeScriptedAnswer, type Script } from './scripted.js';

/** A transport under test and the peer that it reaches, which does what `scriptedReply` says. */
export interface TransportPair {
  readonly transport: Transport;
  /** The messages that have reached the peer, in order, byte for byte. */
  received(): Promise<readonly Uint8Array[]> | readonly Uint8Array[];
  /** Frees what the pair holds. The transport is closed by the suite. */
  close(): Promise<void> | void;
}

/** What the suite may ask of a transport. */
export interface TransportTraits {
  /** Requests that are under way at once in the test that they never mix; 100 by default. */
  readonly concurrency: number;
}

/** One test of the suite. `run` throws an `AssertionError` when the transport fails it. */
export interface TransportCase {
  readonly name: string;
  run(pair: TransportPair, traits: TransportTraits): Promise<void>;
}

type RequestScript = Script & { readonly id: string | number };

const POLL_MS = 5;
const PATIENCE_MS = 15_000;
const LONG_MS = 60_000;

/** The suite as data, for those who bring a test framework of their own. */
export const transportCases: readonly TransportCase[] = [
  {
    name: 'gives back the bytes of the answer as they came',
    async run({ transport }) {
      await askAndCompare(transport, { id: 'plain', act: 'answer', nonce: 'n' });
      await askAndCompare(transport, { id: 7, act: 'answer', nonce: 'numeric id' });
    },
  },
  {
    name: 'hands over the bytes of a message as they are',
    async run({ transport, received }) {
      const script: Script = { id: 'as is', act: 'answer', nonce: 'é 🜁' };
      await askAndCompare(transport, script);
      deepEqual((await received()).map(toText), [toText(encodeScript(script))]);
    },
  },
  {
    name: 'carries a megabyte both ways',
    async run({ transport }) {
      await askAndCompare(transport, { id: 'large', act: 'answer', nonce: 'n', paddingBytes: 1_048_576 });
    },
  },
  {
    name: 'never mixes the answers of concurrent requests',
    async run({ transport }, { concurrency }) {
      const scripts = Array.from({ length: concurrency }, (_, index): Script => {
        return { id: `many-${index}`, act: 'answer', nonce: `${index}`, afterMs: (index * 7) % 40 };
      });
      await Promise.all(scripts.map((script) => askAndCompare(transport, script)));
    },
  },
  {
    name: 'keeps concurrent requests with the same id apart',
    async run({ transport }) {
      const scripts = ['first', 'second', 'third'].map((nonce, index): Script => {
        return { id: 'shared', act: 'answer', nonce, afterMs: 30 - 10 * index };
      });
      await Promise.all(scripts.map((script) => askAndCompare(transport, script)));
    },
  },
  {
    name: 'tells a text id from the number it spells',
    async run({ transport }) {
      const scripts: Script[] = [
        { id: 1, act: 'answer', nonce: 'number', afterMs: 20 },
        { id: '1', act: 'answer', nonce: 'text' },
      ];
      await Promise.all(scripts.map((script) => askAndCompare(transport, script)));
    },
  },
  {
    name: 'ends a call with its signal and leaves the others alone',
    async run({ transport, received }) {
      const others = [0, 1, 2, 3].map((index) =>
        askAndCompare(transport, { id: `other-${index}`, act: 'answer', nonce: `${index}`, afterMs: 200 }),
      );
      const interruption = new AbortController();
      const silent = ask(transport, { id: 'silent', act: 'silence', nonce: 'n' }, interruption.signal);
      const rejected = rejectsWith(silent, ['deadline']);
      await untilReceived(received, 'silent');
      interruption.abort(new Error('out of time'));
      await rejected;
      await Promise.all(others);
    },
  },
  {
    name: 'sends nothing once the signal has fired',
    async run({ transport, received }) {
      const signal = AbortSignal.abort(new Error('over'));
      await rejectsWith(ask(transport, { id: 'never', act: 'answer', nonce: 'n' }, signal), ['deadline']);
      await rejectsWith(tell(transport, { act: 'silence', nonce: 'never' }, signal), ['deadline']);
      await askAndCompare(transport, { id: 'after', act: 'answer', nonce: 'n' });
      equal((await received()).length, 1);
    },
  },
  {
    name: 'lets a late answer decide for nobody',
    async run({ transport, received }) {
      const interruption = new AbortController();
      const late = ask(transport, { id: 'reused', act: 'answer', nonce: 'late', afterMs: 150 }, interruption.signal);
      const rejected = rejectsWith(late, ['deadline']);
      await untilReceived(received, 'late');
      interruption.abort(new Error('out of time'));
      await rejected;
      // Either the transport can tell the two apart, or it does not send while the first answer may still come.
      const script: RequestScript = { id: 'reused', act: 'answer', nonce: 'second', afterMs: 250 };
      const [again] = await Promise.allSettled([ask(transport, script)]);
      if (again.status === 'fulfilled') deepEqual(toText(again.value), toText(encodeScriptedAnswer(script)));
      else equal(codeOf(again.reason), 'connection');
      await askAndCompare(transport, { id: 'next', act: 'answer', nonce: 'next', afterMs: 200 });
    },
  },
  {
    name: 'delivers notifications in order and gives nothing back',
    async run({ transport, received }) {
      const scripts = ['one', 'two', 'three'].map((nonce): Script => ({ act: 'silence', nonce }));
      for (const [index, script] of scripts.entries()) {
        equal(await tell(transport, script), undefined);
        await until(async () => (await received()).length === index + 1);
      }
      deepEqual(
        (await received()).map(toText),
        scripts.map((script) => toText(encodeScript(script))),
      );
    },
  },
  {
    name: 'fails a request whose peer leaves, and serves the next one',
    async run({ transport }) {
      const leaving = ask(transport, { id: 'leaving', act: 'hang-up', nonce: 'n' });
      await rejectsWith(leaving, ['connection', 'process-exit']);
      await askAndCompare(transport, { id: 'next', act: 'answer', nonce: 'next' });
    },
  },
  {
    name: 'ends pending calls on close and refuses later ones',
    async run({ transport, received }) {
      const pending = ask(transport, { id: 'pending', act: 'silence', nonce: 'n' });
      const rejected = rejectsWith(pending, ['connection', 'process-exit']);
      await untilReceived(received, 'pending');
      await within(2000 + PATIENCE_MS, transport.close());
      await rejected;
      await rejectsWith(ask(transport, { id: 'later', act: 'answer', nonce: 'n' }), ['connection', 'process-exit']);
      await rejectsWith(tell(transport, { act: 'silence', nonce: 'later' }), ['connection', 'process-exit']);
      await transport.close();
      equal((await received()).length, 1);
    },
  },
];

async function ask(
  transport: Transport,
  script: RequestScript,
  signal: AbortSignal = new AbortController().signal,
): Promise<Uint8Array> {
  const message = { id: script.id, method: 'hooks/intercept', bytes: encodeScript(script) };
  return transport.request(message, { signal, deadline: performance.now() + LONG_MS });
}

async function askAndCompare(transport: Transport, script: Script): Promise<void> {
  const { id = 'none' } = script;
  equal(toText(await ask(transport, { ...script, id })), toText(encodeScriptedAnswer(script)));
}

async function tell(
  transport: Transport,
  script: Script,
  signal: AbortSignal = new AbortController().signal,
): Promise<void> {
  return transport.notify({ method: 'hooks/observe', bytes: encodeScript(script) }, { signal });
}

/** Asserts that a promise rejects with a `TransportError` of one of these codes. */
async function rejectsWith(promise: Promise<unknown>, codes: readonly TransportErrorCode[]): Promise<void> {
  await rejects(promise, (error) => {
    ok(codes.includes(codeOf(error)), `expected one of ${codes.join(', ')}, got ${codeOf(error)}`);
    return true;
  });
}

function codeOf(error: unknown): TransportErrorCode {
  ok(error instanceof TransportError, 'expected a TransportError');
  return error.code;
}

/** Waits until a message with this text has reached the peer. */
function untilReceived(received: TransportPair['received'], text: string): Promise<void> {
  return until(async () => (await received()).some((bytes) => toText(bytes).includes(JSON.stringify(text))));
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const giveUpAt = performance.now() + PATIENCE_MS;
  while (!(await holds())) {
    ok(performance.now() < giveUpAt, 'expected the message to reach the peer, got nothing');
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

async function within(ms: number, work: Promise<void> | void): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`expected an end within ${ms} ms, got none`)), ms);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

function toText(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
}
