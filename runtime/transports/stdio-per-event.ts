import { createGate } from '../net/gate.js';
import { armTimeout } from '../net/timers.js';
import type { ByteTail } from './byte-tail.js';
import type { TransportCore } from './call.js';
import { startChild, type Child, type ChildCommand, type ExitStatus } from './child.js';
import { createLineReader } from './line-reader.js';
import type { RecordListener } from './records.js';
import { settleWithin } from './settle-within.js';
import { closedError, deadlineError, TransportError } from './transport.js';

/** What a `per_event` transport is made of. */
export interface PerEventSettings {
  readonly command: ChildCommand;
  readonly maxMessageBytes: number;
  readonly maxProcesses: number;
  /** How long a process may live after a notification. */
  readonly notifyTimeoutMs: number;
  readonly stderr: ByteTail;
  readonly record: RecordListener;
}

const CLOSE_MS = 1900;

/**
 * One process for each message (wire page, stdio binding): it is given the message and the end of stdin, writes at most
 * one line and exits with 0. Anything else is a failure.
 */
export function createPerEventCore(settings: PerEventSettings): TransportCore {
  const { command, maxMessageBytes, stderr, record } = settings;
  const gate = createGate(settings.maxProcesses);
  const alive = new Set<Child>();
  let closed = false;

  /** Starts a process, hands it the message and calls back when it is gone. */
  function run(
    bytes: Uint8Array,
    on: {
      readonly line: (line: Uint8Array) => void;
      readonly tooLarge: (size: number) => void;
      readonly written: () => void;
      readonly gone: (end: ExitStatus | TransportError) => void;
    },
  ): Child {
    const reader = createLineReader(maxMessageBytes, { onLine: on.line, onTooLarge: on.tooLarge });
    const child = startChild(command, stderr, record, {
      onStdout: (chunk) => reader.push(chunk),
      // A process that answers without reading its stdin breaks the pipe; its exit decides.
      onBrokenPipe: () => {},
      onGone: (end) => {
        alive.delete(child);
        const rest = reader.takeRest();
        if (rest !== null) on.line(rest);
        on.gone(end);
      },
    });
    alive.add(child);
    child.write(bytes, on.written);
    child.endInput();
    return child;
  }

  function ask(bytes: Uint8Array, signal: AbortSignal, leave: () => void): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      let answer: Uint8Array | null = null;
      let refused = false;
      const settle = (): void => signal.removeEventListener('abort', onAbort);
      const fail = (error: TransportError): void => {
        settle();
        child.end().catch(() => {});
        reject(error);
      };
      // Never is a verdict read out of output that holds more than one line.
      const refuse = (message: string): void => {
        refused = true;
        fail(new TransportError('invalid-message', message));
      };
      const child = run(bytes, {
        line(line) {
          if (refused) return;
          if (answer !== null) refuse('answer: expected one line, got more');
          else answer = line;
        },
        tooLarge: (size) => refuse(`answer: expected at most ${maxMessageBytes} bytes, got ${size}`),
        written: () => {},
        gone(end) {
          settle();
          leave();
          if (end instanceof TransportError) reject(end);
          else if (end.exitCode !== 0) reject(exitError(end));
          else if (answer === null) reject(noAnswerError());
          else resolve(answer);
        },
      });
      const onAbort = (): void => fail(deadlineError(signal));
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  function tell(bytes: Uint8Array, signal: AbortSignal, leave: () => void): Promise<void> {
    return new Promise((resolve, reject) => {
      const unasked = (size: number): void => record({ event: 'line-dropped', reason: 'unasked', bytes: size });
      const endChild = (): void => void child.end().catch(() => {});
      const disarm = armTimeout(settings.notifyTimeoutMs, endChild, { keepAlive: false });
      const onAbort = (): void => {
        child.end().catch(() => {});
        reject(deadlineError(signal));
      };
      const child = run(bytes, {
        line: (line) => unasked(line.byteLength),
        tooLarge: unasked,
        written() {
          signal.removeEventListener('abort', onAbort);
          // Done for the caller: what the process does now holds nobody up.
          child.setReferenced(false);
          resolve();
        },
        gone(end) {
          disarm();
          signal.removeEventListener('abort', onAbort);
          leave();
          reject(end instanceof TransportError ? end : exitError(end));
        },
      });
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  const enter = async (signal: AbortSignal): Promise<() => void> => {
    const leave = await gate.enter(signal);
    if (!closed && !signal.aborted) return leave;
    leave();
    throw closed ? closedError() : deadlineError(signal);
  };

  return {
    async request(message, signal) {
      return ask(message.bytes, signal, await enter(signal));
    },
    async notify(message, signal) {
      await tell(message.bytes, signal, await enter(signal));
    },
    async close() {
      closed = true;
      gate.close(closedError());
      await settleWithin(Promise.all([...alive].map((child) => child.end())), CLOSE_MS);
    },
  };
}

function exitError({ exitCode, exitSignal }: ExitStatus): TransportError {
  const how = exitSignal === null ? `exit code ${exitCode}` : `signal ${exitSignal}`;
  return new TransportError('process-exit', `child: expected exit code 0, got ${how}`);
}

function noAnswerError(): TransportError {
  return new TransportError('process-exit', 'child: expected one line, got its end without one');
}
