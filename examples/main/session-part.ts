/**
 * A whole session over sockets and pipes, with a timeline of what each subscriber was sent. On its own:
 * `npx tsx examples/main/session-part.ts`.
 */

import type { JournalEntry } from '../session/journal.js';
import { runSession, type SessionReport } from '../session/session.js';
import { isProgram, type Part, runParts } from './part.js';

/** Made-up secrets; none of them may show up in what is printed. */
const options = {
  eventToken: 'event-0a1b2c3d',
  uploadToken: 'upload-4e5f6a7b',
  conversation: [
    'Ann (ann@example.com) asked for the release notes.',
    'The agent used the token tok_9f3ab2c7d1 to fetch the tags.',
    'Release 1.4 is planned for Friday.',
  ],
};

export const sessionPart: Part = {
  name: 'session',
  title: 'A session over HTTP and stdio',
  async run(print) {
    const report = await runSession(options);
    for (const line of timelineOf(report)) print(line);
    return problemsOf(report).length === 0;
  },
};

/** The steps in order, each followed by what the backends wrote down of its events; last, what the harness added. */
export function timelineOf({ steps, journal }: SessionReport): string[] {
  const told = new Set(steps.flatMap(({ events }) => events));
  const failures = journal.filter(({ event }) => !told.has(event)).map((entry) => ({ ...entry, event: '–' }));
  return [
    ...steps.flatMap(({ title, events, results }) => [
      title,
      ...results.map((result) => `  → ${result}`),
      ...events.flatMap((id) => journal.filter(({ event }) => event === id).map(lineOf)),
    ]),
    'hook.failure, sent by the harness itself',
    ...failures.map(lineOf),
  ];
}

function lineOf({ backend, method, event, sent, answer }: JournalEntry): string {
  const subscriber = backend.slice(backend.lastIndexOf('.') + 1).padEnd(8);
  const what = [...sent, ...(answer === '' ? [] : [method === 'lineage' ? answer : `answers ${answer}`])];
  return `    ${event.padEnd(6)}  ${subscriber}  ${method.padEnd(9)}  ${what.join('; ')}`.trimEnd();
}

/** What is not as it should be; empty when the session went well. */
export function problemsOf(report: SessionReport): string[] {
  const all = timelineOf(report).join('\n');
  const expected = [
    'denied',
    'runs git push --force-with-lease',
    'the server gets {"target":"stage","instances":2}',
    'the person consents',
    'without names',
    '1 redacted',
    'refused: no-change',
    'com.example.absent: process-exit',
  ];
  return [
    ...expected.filter((text) => !all.includes(text)).map((text) => `missing: ${text}`),
    ...report.published.filter((line) => line.includes('OTHER')),
    ...(report.receiverExitCode === 0 ? [] : ['the receiver did not end cleanly']),
    ...(report.spoolIsEmpty ? [] : ['the spool folder is not empty']),
    ...(/tok_|@example/.test(report.summary) ? ['the summary is not clean'] : []),
  ];
}

if (isProgram(import.meta.url)) process.exitCode = await runParts([sessionPart]);
