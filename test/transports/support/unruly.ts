import { fileURLToPath } from 'node:url';
import { createStdioTransport, TransportError, type TransportRecord } from '../../../runtime/transports/index.js';
import { ask } from './calls.js';
import { resultOf } from './children.js';

const BACKEND = fileURLToPath(new URL('./unruly-backend.cjs', import.meta.url));

/** What came of a run. */
export interface UnrulyOutcome {
  readonly answered: number;
  /** Failed calls by code. */
  readonly failed: Readonly<Record<string, number>>;
  /** Answers that belonged to another call; must be none. */
  readonly mixed: readonly string[];
  readonly records: readonly TransportRecord[];
}

/**
 * Sends so many requests, `width` at once and each with this deadline, to a backend that answers late, twice, never, with junk between and in odd
 * chunks, and that exits now and then; a third of the requests share a few ids, as subscriptions of one backend do.
 */
export async function runUnruly(requests: number, width: number, deadlineMs: number): Promise<UnrulyOutcome> {
  const records: TransportRecord[] = [];
  const transport = createStdioTransport({
    command: process.execPath,
    args: [BACKEND],
    lifecycle: 'persistent',
    maxStartsPerMinute: Number.POSITIVE_INFINITY,
    onRecord: (record) => records.push(record),
  });
  const mixed: string[] = [];
  const failed: Record<string, number> = {};
  let answered = 0;
  let sent = 0;

  async function one(number: number): Promise<void> {
    const reused = number % 3 === 0;
    const id = reused ? `shared-${number % 9}` : `own-${number}`;
    const text = JSON.stringify({
      jsonrpc: '2.0',
      id,
      method: 'hooks/intercept',
      params: { number, reused, deadlineMs },
    });
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(), deadlineMs);
    try {
      const result = resultOf(await ask(transport, { id, text, signal: stop.signal }));
      if (result.number === number && result.text === 'é🜁') answered += 1;
      else mixed.push(`${id}: sent ${number}, got ${JSON.stringify(result)}`);
    } catch (error) {
      const code = error instanceof TransportError ? error.code : `no TransportError: ${String(error)}`;
      failed[code] = (failed[code] ?? 0) + 1;
    } finally {
      clearTimeout(timer);
    }
  }

  async function worker(): Promise<void> {
    while (sent < requests) {
      sent += 1;
      await one(sent);
    }
  }

  await Promise.all(Array.from({ length: width }, worker));
  await transport.close();
  return { answered, failed, mixed, records };
}
