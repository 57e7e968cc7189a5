import { spawn, type ChildProcess } from 'node:child_process';
import { statSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { BareError } from '../net/errors.js';
import type { ByteTail } from './byte-tail.js';
import { trackProcessGroup, type ProcessGroup } from './process-group.js';
import type { RecordListener } from './records.js';
import { TransportError } from './transport.js';

/** How long stdout may stay open once the child itself has left (Semantics §6). */
export const STDOUT_AFTER_EXIT_MS = 250;

/** What is started, never through a shell: the arguments reach the program as they are. */
export interface ChildCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** Absolute. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** How a child ended: a code, or the signal that ended it. */
export interface ExitStatus {
  readonly exitCode: number | null;
  readonly exitSignal: string | null;
}

/** What a running child tells. */
export interface ChildListener {
  onStdout(chunk: Uint8Array): void;
  /** Its stdin broke, or stdout ended, while it runs on. May be called more than once. */
  onBrokenPipe(): void;
  /** Last call: it has left and stdout has ended, or got its time; or it never started. */
  onGone(end: ExitStatus | TransportError): void;
}

/** A started child with drained pipes. */
export interface Child {
  /** Writes and calls back once it is handed to the operating system; an error comes as `onBrokenPipe`. */
  write(bytes: Uint8Array, written?: () => void): void;
  /** Bytes that wait to be written. */
  readonly queuedBytes: number;
  endInput(): void;
  /** Ends the whole group: SIGTERM, then SIGKILL. Resolves when it is gone or killed. */
  end(): Promise<void>;
  /** Whether it and its pipes keep this process alive. */
  setReferenced(referenced: boolean): void;
  /** True from the exit of the child itself on. */
  readonly exited: boolean;
}

const LINE_FEED = Buffer.from('\n');

/** Starts a child as the leader of a process group of its own. Never throws: a failed start comes as `onGone`. */
export function startChild(
  command: ChildCommand,
  stderr: ByteTail,
  record: RecordListener,
  listener: ChildListener,
): Child {
  const startedAt = performance.now();
  const stderrBefore = stderr.total;
  let gone = false;
  let exit: ExitStatus | null = null;
  let group: ProcessGroup | undefined;
  const finish = (end: ExitStatus | TransportError): void => {
    if (gone) return;
    gone = true;
    listener.onGone(end);
  };
  const failStart = (error: unknown): void => {
    record({ event: 'process-failed', reason: 'not-started' });
    finish(startError(command, error));
  };

  let child: ChildProcess;
  try {
    child = spawn(command.command, [...command.args], {
      cwd: command.cwd,
      env: { ...command.env },
      shell: false,
      detached: process.platform !== 'win32',
      windowsHide: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
  } catch (error) {
    // Some faults of the command line throw on the spot; callers get them like all others, off their stack.
    process.nextTick(failStart, error);
    return deadChild();
  }
  const { pid, stdin, stdout } = child;
  child.on('error', (error) => {
    if (pid === undefined) failStart(error);
  });
  if (pid === undefined || stdin === null || stdout === null || stdin === undefined || stdout === undefined) {
    ignoreErrors(stdin, stdout, child.stderr);
    return deadChild();
  }
  group = trackProcessGroup(pid);
  record({ event: 'process-started', pid });

  let stdoutEnded = false;
  // Without these listeners a write to a child that has left is an uncaught exception.
  stdin.on('error', () => listener.onBrokenPipe());
  stdout.on('error', () => {});
  child.stderr?.on('error', () => {});
  child.stderr?.on('data', (chunk: Uint8Array) => stderr.push(chunk));
  stdout.on('data', (chunk: Uint8Array) => {
    if (!gone) listener.onStdout(chunk);
  });
  stdout.on('close', () => {
    stdoutEnded = true;
    if (exit !== null) finish(exit);
    else listener.onBrokenPipe();
  });
  child.on('exit', (exitCode, exitSignal) => {
    const status = { exitCode, exitSignal };
    exit = status;
    const ms = performance.now() - startedAt;
    record({ event: 'process-ended', pid, exitCode, exitSignal, stderrBytes: stderr.total - stderrBefore, ms });
    // A grandchild may hold the pipe open; it belongs to the group and goes with it.
    group?.end().catch(() => {});
    if (stdoutEnded) {
      finish(status);
      return;
    }
    const timer = setTimeout(() => {
      finish(status);
      for (const stream of [stdin, stdout, child.stderr]) stream?.destroy();
    }, STDOUT_AFTER_EXIT_MS);
    stdout.once('close', () => clearTimeout(timer));
  });

  return {
    write(bytes, written) {
      const done = (error?: Error | null): void => {
        if (error === null || error === undefined) written?.();
      };
      if (bytes.byteLength < 16_384) {
        stdin.write(Buffer.concat([bytes, LINE_FEED]), done);
        return;
      }
      stdin.cork();
      stdin.write(bytes);
      stdin.write(LINE_FEED, done);
      stdin.uncork();
    },
    get queuedBytes() {
      return stdin.writableLength;
    },
    endInput: () => {
      stdin.end();
    },
    end: () => group?.end() ?? Promise.resolve(),
    setReferenced(referenced) {
      for (const handle of [child, stdin, stdout, child.stderr]) setHandleReferenced(handle, referenced);
    },
    get exited() {
      return exit !== null;
    },
  };
}

function deadChild(): Child {
  return {
    write: () => {},
    queuedBytes: 0,
    endInput: () => {},
    end: () => Promise.resolve(),
    setReferenced: () => {},
    exited: true,
  };
}

function ignoreErrors(...streams: readonly (Readable | Writable | null | undefined)[]): void {
  for (const stream of streams) {
    stream?.on('error', () => {});
    stream?.destroy();
  }
}

function setHandleReferenced(handle: unknown, referenced: boolean): void {
  const counted = handle as { ref?: () => void; unref?: () => void } | null;
  if (referenced) counted?.ref?.();
  else counted?.unref?.();
}

/** Names what is at fault: Node reports a missing working directory as a missing program. */
function startError(command: ChildCommand, cause: unknown): TransportError {
  return new TransportError('process-exit', `child: could not start: ${startFault(command, cause)}`, {
    cause: bareCause(cause),
  });
}

/** Node's own error lists the arguments and quotes values of the environment, where hosts may keep secrets. */
function bareCause(cause: unknown): BareError {
  const code = codeOf(cause);
  return new BareError(code, `spawn: expected a process, got ${code}`);
}

function codeOf(cause: unknown): string {
  return typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : 'unknown error';
}

function startFault({ command, cwd }: ChildCommand, cause: unknown): string {
  try {
    if (!statSync(cwd).isDirectory()) return `working directory ${cwd} is no directory`;
  } catch {
    return `working directory ${cwd} is missing or cannot be read`;
  }
  const code = codeOf(cause);
  if (code === 'ENOENT') return `program ${command} was not found`;
  if (code === 'EACCES') return `program ${command} is not executable`;
  return `program ${command} was refused (${code})`;
}
