import { findAnswerKey, idKey } from './answer-id.js';
import type { ByteTail } from './byte-tail.js';
import type { TransportCore } from './call.js';
import { startChild, STDOUT_AFTER_EXIT_MS, type Child, type ChildCommand, type ExitStatus } from './child.js';
import { createLineReader } from './line-reader.js';
import type { DroppedLineReason, RecordListener } from './records.js';
import { createStartLimit } from './start-limit.js';
import { closedError, deadlineError, TransportError } from './transport.js';
import { settleWithin } from './settle-within.js';

/** What a persistent link is made of. */
export interface PersistentSettings {
  readonly command: ChildCommand;
  readonly maxMessageBytes: number;
  readonly maxStartsPerMinute: number;
  readonly now: () => number;
  readonly stderr: ByteTail;
  readonly record: RecordListener;
}

/** One process and what is owed by it. */
interface Running {
  readonly child: Child;
  /** Ids whose answers did not come in time: not to be used again while this process may still answer them. */
  readonly spent: Set<string>;
  readonly notifications: Set<(error: TransportError) => void>;
  liveCount: number;
}

/** One request; `running` is set once it is written. */
interface Pending {
  readonly key: string;
  readonly bytes: Uint8Array;
  readonly resolve: (answer: Uint8Array) => void;
  readonly reject: (error: TransportError) => void;
  running: Running | null;
}

const CLOSE_MS = 1900;
// With this many answers owed and nobody waiting for one, the process is of no use: it is replaced.
const MAX_SPENT_IDS = 10_000;

/**
 * One process for many requests, matched by id (Semantics §6). At most one request per id is live; others wait. An id
 * whose answer did not come is spent until its late answer arrives or the process ends.
 */
export function createPersistentCore(settings: PersistentSettings): TransportCore {
  const { command, maxMessageBytes, stderr, record } = settings;
  const starts = createStartLimit(settings.maxStartsPerMinute, settings.now);
  const live = new Map<string, Pending>();
  const waiting = new Map<string, Set<Pending>>();
  const alive = new Set<Running>();
  let current: Running | null = null;
  let closed = false;

  function ensureRunning(): Running {
    if (closed) throw closedError();
    if (current !== null) return current;
    if (!starts.take()) {
      record({ event: 'process-failed', reason: 'too-many-starts' });
      const message = `child: expected at most ${settings.maxStartsPerMinute} starts a minute, got one more`;
      throw new TransportError('process-exit', message);
    }
    const reader = createLineReader(maxMessageBytes, {
      onLine: (line) => takeLine(running, line),
      onTooLarge: (bytes) => record({ event: 'line-dropped', reason: 'too-large', bytes }),
    });
    const child = startChild(command, stderr, record, {
      onStdout: (chunk) => reader.push(chunk),
      onBrokenPipe: () => retire(running),
      onGone: (end) => {
        // A line that the process did not finish is no line.
        const rest = reader.takeRest();
        if (rest !== null) record({ event: 'line-dropped', reason: 'not-json', bytes: rest.byteLength });
        alive.delete(running);
        failAll(running, end instanceof TransportError ? end : exitError(end));
      },
    });
    const running: Running = { child, spent: new Set(), notifications: new Set(), liveCount: 0 };
    current = running;
    alive.add(running);
    child.setReferenced(false);
    return running;
  }

  /** No further message goes to this process; what it owes may still come until it is gone. */
  function retire(running: Running): void {
    if (current === running) current = null;
    if (running.child.exited) return;
    running.child.end().catch(() => {});
    const timer = setTimeout(() => {
      if (!running.child.exited) failAll(running, pipeError());
    }, STDOUT_AFTER_EXIT_MS);
    timer.unref();
  }

  function failAll(running: Running, error: TransportError): void {
    if (current === running) current = null;
    for (const reject of [...running.notifications]) reject(error);
    const failed = [...live.values()].filter((pending) => pending.running === running);
    for (const pending of failed) {
      release(pending);
      pending.reject(error);
    }
    for (const pending of failed) promote(pending.key);
  }

  function takeLine(running: Running, line: Uint8Array): void {
    const drop = (reason: DroppedLineReason): void => record({ event: 'line-dropped', reason, bytes: line.byteLength });
    const found = findAnswerKey(line, maxMessageBytes);
    if ('dropped' in found) {
      drop(found.dropped);
      return;
    }
    const { key } = found;
    if (running.spent.delete(key)) {
      drop('late');
      return;
    }
    const pending = live.get(key);
    if (pending === undefined || pending.running !== running) {
      drop('unknown-id');
      return;
    }
    release(pending);
    pending.resolve(line);
    // Later, so that a second answer that has arrived already meets nobody.
    if (waiting.has(key)) setImmediate(promote, key);
  }

  function release(pending: Pending): void {
    live.delete(pending.key);
    const { running } = pending;
    if (running === null) return;
    running.liveCount -= 1;
    if (running.liveCount === 0) running.child.setReferenced(false);
  }

  /** Sends the next request that waits for this id. */
  function promote(key: string): void {
    while (!live.has(key)) {
      const queue = waiting.get(key);
      const [next] = queue ?? [];
      if (queue === undefined || next === undefined) return;
      queue.delete(next);
      if (queue.size === 0) waiting.delete(key);
      dispatch(next);
    }
  }

  function dispatch(pending: Pending): void {
    try {
      const running = ensureRunning();
      if (running.spent.has(pending.key)) {
        throw new TransportError('connection', 'id: expected one that is free, got one whose answer is still owed');
      }
      checkQueue(running, pending.bytes);
      running.child.write(pending.bytes);
      pending.running = running;
      live.set(pending.key, pending);
      running.liveCount += 1;
      if (running.liveCount === 1) running.child.setReferenced(true);
    } catch (error) {
      pending.reject(TransportError.from(error));
    }
  }

  function checkQueue(running: Running, bytes: Uint8Array): void {
    // A process that does not read must not make us hold all that it was ever sent.
    if (running.child.queuedBytes > 0 && running.child.queuedBytes + bytes.byteLength > 2 * maxMessageBytes) {
      throw new TransportError('connection', 'child: expected it to read its stdin, got too many unread bytes');
    }
  }

  function abandon(pending: Pending, signal: AbortSignal): void {
    const { key, running } = pending;
    if (live.get(key) === pending && running !== null) {
      running.spent.add(key);
      release(pending);
      if (running.spent.size >= MAX_SPENT_IDS && running.liveCount === 0) retire(running);
      promote(key);
    } else {
      const queue = waiting.get(key);
      queue?.delete(pending);
      if (queue?.size === 0) waiting.delete(key);
    }
    pending.reject(deadlineError(signal));
  }

  return {
    request(message, signal) {
      return new Promise((resolve, reject) => {
        const pending: Pending = {
          key: idKey(message.id),
          bytes: message.bytes,
          resolve: (answer) => {
            signal.removeEventListener('abort', onAbort);
            resolve(answer);
          },
          reject: (error) => {
            signal.removeEventListener('abort', onAbort);
            reject(error);
          },
          running: null,
        };
        const onAbort = (): void => abandon(pending, signal);
        signal.addEventListener('abort', onAbort, { once: true });
        const queue = waiting.get(pending.key);
        if (queue !== undefined) queue.add(pending);
        else if (live.has(pending.key)) waiting.set(pending.key, new Set([pending]));
        else dispatch(pending);
      });
    },
    notify(message, signal) {
      return new Promise((resolve, reject) => {
        const running = ensureRunning();
        checkQueue(running, message.bytes);
        const settle = (): void => {
          running.notifications.delete(fail);
          signal.removeEventListener('abort', onAbort);
        };
        const fail = (error: TransportError): void => {
          settle();
          reject(error);
        };
        const onAbort = (): void => fail(deadlineError(signal));
        running.notifications.add(fail);
        signal.addEventListener('abort', onAbort, { once: true });
        running.child.write(message.bytes, () => {
          settle();
          resolve();
        });
      });
    },
    async close() {
      closed = true;
      const ends = [...alive].map((running) => {
        running.child.endInput();
        return running.child.end();
      });
      await settleWithin(Promise.all(ends), CLOSE_MS);
    },
  };
}

function exitError({ exitCode, exitSignal }: ExitStatus): TransportError {
  const how = exitSignal === null ? `exit code ${exitCode}` : `signal ${exitSignal}`;
  return new TransportError('process-exit', `child: expected an answer, got its end (${how})`);
}

function pipeError(): TransportError {
  return new TransportError('connection', 'child: expected open pipes, got a broken one');
}
