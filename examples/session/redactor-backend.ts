/**
 * A backend on stdin and stdout: it cleans summaries, edits an answer, and holds every task change against the others
 * of its connection. Bodies come by upload to the HTTP receiver, whose folder it reads.
 */

import { Transform } from 'node:stream';
import type { EventName, KnownEvent } from '../../generated/index.js';
import { LineageError, TaskLineage } from '../../runtime/lineage/index.js';
import {
  createReceiver,
  type Handlers,
  type InterceptContext,
  type ObserveContext,
  openFileStore,
} from '../../runtime/receiver/index.js';
import { describeContent, writeJournal } from './journal.js';
import { sessionManifest } from './manifest.js';
import { REDACTOR } from './names.js';

const SECRET = /\btok_[0-9a-f]+\b|\b[\w.]+@[\w.]+\w\b/g;

interface Effect {
  readonly type: string;
  readonly [member: string]: unknown;
}

async function decide(event: KnownEvent, { body }: InterceptContext): Promise<Effect[]> {
  if (event.type === 'context.compact.before') {
    const text = await readText(event.instructions, body);
    return [modify('instructions', 'replace', `${text} Write without names.`)];
  }
  if (event.type === 'context.compact.after') {
    const text = await readText(event.summary, body);
    const found = text.match(SECRET)?.length ?? 0;
    if (found === 0) return [];
    return [
      modify('summary', 'replace', text.replace(SECRET, '[redacted]')),
      { type: 'message', text: `${found} redacted` },
    ];
  }
  if (event.type === 'user.elicitation.result' && event.elicitation.mode === 'form') {
    return [modify('content', 'merge', { instances: 2 })];
  }
  return [];
}

function modify(target: string, operation: string, value: unknown): Effect {
  return { type: 'modify', target, operation, value };
}

async function readText(item: unknown, body: ObserveContext['body']): Promise<string> {
  const reference = (item as { readonly body?: { readonly ref: string } }).body;
  const stored = reference === undefined ? null : await body(reference);
  if (stored === null) throw new Error('expected a body');
  return stored.text();
}

const handlers = Object.fromEntries(
  sessionManifest.events.map(({ event: name, modes }) => {
    const observe = async (event: KnownEvent, { body }: ObserveContext) => {
      const sent = await describeContent(event, body);
      writeJournal({ backend: REDACTOR, method: 'observe', event: event.id, sent, answer: '' });
    };
    const intercept = async (event: KnownEvent, context: InterceptContext) => {
      const effects = await decide(event, context);
      const sent = await describeContent(event, context.body);
      const answer = effects.map(({ type }) => type).join(', ');
      writeJournal({ backend: REDACTOR, method: 'intercept', event: event.id, sent, answer });
      return effects;
    };
    return [name as EventName, modes.includes('intercept') ? { observe, intercept } : { observe }];
  }),
) as Handlers;

/** Passes the link's bytes on, and shows every line of them to the checker first. */
function checkLineage(): Transform {
  const lineage = new TaskLineage();
  let rest = Buffer.alloc(0);
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      rest = Buffer.concat([rest, chunk]);
      for (let end = rest.indexOf(10); end !== -1; end = rest.indexOf(10)) {
        judgeLine(lineage, rest.subarray(0, end));
        rest = rest.subarray(end + 1);
      }
      done(null, chunk);
    },
  });
}

function judgeLine(lineage: TaskLineage, line: Buffer): void {
  const { params } = JSON.parse(line.toString('utf8')) as { params?: { event?: { id: string; type: string } } };
  let answer = 'accepted';
  try {
    lineage.acceptWire(line);
  } catch (error) {
    answer = error instanceof LineageError ? `refused: ${error.code}` : 'refused';
  }
  if (!params?.event?.type.startsWith('task.change.') && answer === 'accepted') return;
  writeJournal({ backend: REDACTOR, method: 'lineage', event: params?.event?.id ?? '', sent: [], answer });
}

// What it was told before it is to leave is still handled: it leaves at the end of its input, which comes with the signal.
process.on('SIGTERM', () => undefined);

const receiver = createReceiver({
  manifest: sessionManifest,
  handlers,
  // Nobody comes in over HTTP here.
  authenticate: () => null,
  store: await openFileStore(process.env.SESSION_STORE ?? '', { mode: 'read' }),
});
const identity = { principal: 'session-harness', scope: 'session' };
await receiver.serveStdio(process.stdin.pipe(checkLineage()), process.stdout, identity);
