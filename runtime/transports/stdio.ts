import { isAbsolute } from 'node:path';
import { createTransport } from './call.js';
import { createByteTail } from './byte-tail.js';
import { childEnvironment } from './child-environment.js';
import { createRecorder, type RecordListener } from './records.js';
import { createPerEventCore } from './stdio-per-event.js';
import { createPersistentCore } from './stdio-persistent.js';
import { DEFAULT_MAX_MESSAGE_BYTES, DEFAULT_NOTIFY_TIMEOUT_MS, TransportError, type Transport } from './transport.js';

/** Settings of a stdio transport. */
export interface StdioTransportOptions {
  readonly command: string;
  /** Handed over as they are; there is no shell. */
  readonly args?: readonly string[] | undefined;
  /** `persistent`: one process answers many requests. `per_event`: one process for each message. */
  readonly lifecycle: 'persistent' | 'per_event';
  /** Absolute; this process's own working directory by default. */
  readonly cwd?: string | undefined;
  /** Added to the small environment that children get (see {@link childEnvironment}). */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Bound of one answer line, 64 MiB by default. */
  readonly maxMessageBytes?: number | undefined;
  /** How much of the end of stderr is kept, 64 KiB by default. */
  readonly maxStderrBytes?: number | undefined;
  /** 30,000 by default. */
  readonly notifyTimeoutMs?: number | undefined;
  /** Starts of a persistent process within a minute, 5 by default. */
  readonly maxStartsPerMinute?: number | undefined;
  /** Processes of a `per_event` backend at once, 16 by default; more wait under their own deadline. */
  readonly maxProcesses?: number | undefined;
  readonly onRecord?: RecordListener | undefined;
  /** Monotonic milliseconds for the count of starts; `performance.now()` by default. */
  readonly now?: (() => number) | undefined;
}

/** A stdio transport, with the one thing that the host may look at for itself. */
export interface StdioTransport extends Transport {
  /** The last bytes that children wrote to stderr. For the host's own eyes: it is in no error and no record. */
  stderrTail(): Uint8Array;
}

/**
 * A transport over the stdin and stdout of child processes (Semantics §6): one JSON object per line, no shell, a small
 * environment, process groups that end with `close()` and when this process exits.
 * Throws `TransportError` `process-exit` for a `cwd` that is not absolute; a child that cannot start fails its calls.
 */
export function createStdioTransport(options: StdioTransportOptions): StdioTransport {
  const cwd = options.cwd ?? process.cwd();
  if (!isAbsolute(cwd)) {
    throw new TransportError('process-exit', `working directory: expected an absolute path, got ${cwd}`);
  }
  const stderr = createByteTail(options.maxStderrBytes ?? 65_536);
  const record = createRecorder(options.onRecord);
  const notifyTimeoutMs = options.notifyTimeoutMs ?? DEFAULT_NOTIFY_TIMEOUT_MS;
  const settings = {
    command: { command: options.command, args: options.args ?? [], cwd, env: childEnvironment(options.env) },
    maxMessageBytes: options.maxMessageBytes ?? DEFAULT_MAX_MESSAGE_BYTES,
    stderr,
    record,
  };
  const core =
    options.lifecycle === 'persistent'
      ? createPersistentCore({
          ...settings,
          maxStartsPerMinute: options.maxStartsPerMinute ?? 5,
          now: options.now ?? (() => performance.now()),
        })
      : createPerEventCore({ ...settings, maxProcesses: options.maxProcesses ?? 16, notifyTimeoutMs });
  return { ...createTransport(core, { record, notifyTimeoutMs }), stderrTail: () => stderr.bytes() };
}
