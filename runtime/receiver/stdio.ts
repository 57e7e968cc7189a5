import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { createLineReader } from '../transports/line-reader.js';
import { linkAbort, raceAbort } from '../wire/index.js';
import { Admission } from './admission.js';
import type { ReceiverCore } from './core.js';
import { ReceiverError } from './errors.js';
import type { Identity } from './options.js';

/** Whom a stdio link belongs to; there is no default, since nothing on the link can prove it. */
export interface StdioIdentity {
  readonly principal: string;
  readonly scope: string;
}

const LINE_FEED = 0x0a;
const TOO_LARGE = Buffer.from(
  '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"expected a shorter line"}}',
);

/**
 * Serves one link, a JSON object per line, until its input ends and what came by it has ended (wire page, stdio
 * binding), or until the receiver closes. Serves `persistent` and `per_event` harnesses alike. Answers go out as they
 * come, told by their id; while too much is under way, nothing is read.
 * Rejects with `ReceiverError` `configuration` without an identity, and when the input breaks.
 */
export async function serveStdio(
  core: ReceiverCore,
  input: Readable,
  output: Writable,
  { principal, scope }: StdioIdentity,
): Promise<void> {
  if (typeof principal !== 'string' || principal.trim() === '' || typeof scope !== 'string' || scope.trim() === '') {
    throw new ReceiverError('configuration', 'Stdio: expected the principal and the scope of the link, got none');
  }
  const identity: Identity = { principal, scope, permissions: ['event'] };
  const admission = new Admission(core.admission);
  const gone = new AbortController();
  const onGone = (): void => gone.abort(new Error('The harness is gone'));
  output.on('error', onGone).on('close', onGone);
  const reading = linkAbort(admission.stopping, gone.signal);
  const writing = linkAbort(admission.closing, gone.signal);
  const writeLine = createLineWriter(output, writing.signal);
  const underWay = new Set<Promise<void>>();
  const answerLine = async (line: Uint8Array, place: () => void): Promise<void> => {
    const answer = await core.answer(line, { identity, place, admission, signal: gone.signal });
    if (answer.kind === 'response') await writeLine(answer.bytes);
    if (answer.kind === 'accepted') await answer.done;
  };
  const lines = readLines(input, core.limits.maxMessageBytes);
  try {
    for (;;) {
      const step = await raceAbort(lines.next(), reading.signal);
      if (step.done === true) break;
      if (step.value === 'too-large') {
        await writeLine(TOO_LARGE);
        continue;
      }
      const work = answerLine(step.value, await core.places.wait(reading.signal));
      admission.track(work);
      underWay.add(work);
      void work.finally(() => underWay.delete(work));
    }
  } catch (error) {
    if (!reading.signal.aborted) throw error;
  } finally {
    await Promise.all(underWay);
    reading.release();
    writing.release();
    output.off('error', onGone).off('close', onGone);
  }
}

/**
 * Gives a function that writes a line and waits until the harness takes more, so that answers do not pile up in memory.
 * Nobody waits on when the harness is gone, or this side goes.
 */
function createLineWriter(output: Writable, signal: AbortSignal): (bytes: Uint8Array) => Promise<void> {
  let drained: Promise<void> | null = null;
  const drain = async (): Promise<void> => {
    try {
      await once(output, 'drain', { signal });
    } catch {
      // Nobody reads what is left.
    }
    drained = null;
  };
  return async (bytes) => {
    if (!output.writable) return;
    if (output.write(Buffer.concat([bytes, Buffer.of(LINE_FEED)]))) return;
    drained ??= drain();
    await drained;
  };
}

/** The lines of a byte stream, without their line feeds; empty ones are left out, overlong ones are told as such. */
async function* readLines(input: Readable, maxBytes: number): AsyncGenerator<Uint8Array | 'too-large'> {
  let lines: (Uint8Array | 'too-large')[] = [];
  const reader = createLineReader(maxBytes, {
    onLine: (line) => lines.push(line),
    onTooLarge: () => lines.push('too-large'),
  });
  for await (const chunk of input) {
    reader.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
    const complete = lines;
    lines = [];
    for (const line of complete) if (line.length > 0) yield line;
  }
  const rest = reader.takeRest();
  if (rest !== null) lines.push(rest);
  yield* lines;
}
