import type { Readable, Writable } from 'node:stream';
import { once } from 'node:events';
import type { ReceiverCore } from './core.js';
import { ReceiverError } from './errors.js';
import type { Identity } from './options.js';

/** Whom a stdio link belongs to; there is no default, since nothing on the link can prove it. */
export interface StdioIdentity {
  readonly principal: string;
  readonly scope: string;
}

const LINE_FEED = 0x0a;
const TOO_LARGE_LINE = '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"expected a shorter line"}}';
const BUSY_LINE = '{"jsonrpc":"2.0","id":null,"error":{"code":-32003,"message":"too much is under way"}}';

/**
 * Serves one link, a JSON object per line, until its input ends and what is under way has been answered (wire page,
 * stdio binding). Serves `persistent` and `per_event` harnesses alike. Answers go out as they come, told by their id.
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
  const gone = new AbortController();
  const onGone = (): void => gone.abort(new Error('The harness is gone'));
  output.on('error', onGone);
  const underWay = new Set<Promise<void>>();
  const answerLine = async (line: Uint8Array): Promise<void> => {
    const answer = await core.answer(line, identity, gone.signal);
    if (answer.kind === 'response') await writeLine(output, answer.bytes, gone.signal);
    if (answer.kind === 'busy') await writeLine(output, BUSY_LINE, gone.signal);
  };
  const lines = readLines(input, core.limits.maxMessageBytes);
  try {
    for await (const line of lines) {
      if (gone.signal.aborted) break;
      if (line === 'too-large') {
        await writeLine(output, TOO_LARGE_LINE, gone.signal);
        continue;
      }
      const work = answerLine(line);
      underWay.add(work);
      void work.finally(() => underWay.delete(work));
      // The input waits while too much is under way, and so does the harness behind it.
      while (underWay.size >= core.limits.maxConcurrent) await Promise.race(underWay);
    }
    await Promise.all(underWay);
  } finally {
    output.off('error', onGone);
  }
}

async function writeLine(output: Writable, bytes: Uint8Array | string, signal: AbortSignal): Promise<void> {
  if (signal.aborted || output.destroyed) return;
  const line = Buffer.concat([typeof bytes === 'string' ? Buffer.from(bytes) : bytes, Buffer.of(LINE_FEED)]);
  if (output.write(line)) return;
  try {
    await once(output, 'drain', { signal });
  } catch {
    // The harness is gone; nobody reads what is left.
  }
}

/** The lines of a byte stream, without their line feeds; empty ones are left out, overlong ones are told as such. */
async function* readLines(input: Readable, maxBytes: number): AsyncGenerator<Uint8Array | 'too-large'> {
  let parts: Uint8Array[] = [];
  let size = 0;
  let isTooLarge = false;
  const take = (): Uint8Array | 'too-large' | null => {
    const line = isTooLarge ? 'too-large' : size === 0 ? null : Buffer.concat(parts, size);
    parts = [];
    size = 0;
    isTooLarge = false;
    return line;
  };
  for await (const chunk of input) {
    const bytes: Uint8Array = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    for (let at = 0; at < bytes.byteLength;) {
      const end = bytes.indexOf(LINE_FEED, at);
      const part = bytes.subarray(at, end === -1 ? bytes.byteLength : end);
      size += part.byteLength;
      if (size > maxBytes) {
        isTooLarge = true;
        parts = [];
      } else if (part.byteLength > 0) {
        parts.push(part);
      }
      if (end === -1) break;
      const line = take();
      if (line !== null) yield line;
      at = end + 1;
    }
  }
  const last = take();
  if (last !== null) yield last;
}
