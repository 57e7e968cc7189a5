/**
 * Compacts a small conversation: a house rule changes the instructions, a redactor cleans the summary, a flaky hook
 * fails and the run goes on, an auditor sees what was applied. On its own: `npx tsx examples/main/compaction-part.ts`.
 */

import { type CompactionHook, type CompactionAfterEffect, runCompaction } from '../../runtime/compaction/index.js';
import { isProgram, type Part, runParts } from './part.js';

const conversation = [
  'Ann (ann@example.com) asked for the release notes.',
  'The agent used the token tok_9f3ab2c7d1 to fetch the tags.',
  'Release 1.4 is planned for Friday.',
];

/** Stands for the host's model: the lines, shortened as the instructions want it. */
function summarize(instructions: string): string {
  const lines = instructions.includes('without names') ? conversation.slice(1) : conversation;
  return lines.join(' ');
}

const SECRET = /\btok_[0-9a-f]+\b|\b[\w.]+@[\w.]+\w\b/g;

/** An after hook that replaces what looks like a secret, and says so. */
export const redactor: CompactionHook<CompactionAfterEffect> = {
  supplier: 'redactor',
  failurePolicy: 'fail-closed',
  run({ summary }) {
    const text = summary?.text ?? '';
    const found = text.match(SECRET) ?? [];
    if (found.length === 0) return [];
    return [
      { type: 'modify', target: 'summary', operation: 'replace', value: text.replace(SECRET, '[redacted]') },
      { type: 'message', text: `${found.length} redacted` },
    ];
  },
};

export const compactionPart: Part = {
  name: 'compaction',
  title: 'Compaction with a redactor',
  async run(print) {
    let audited: string | undefined;
    const outcome = await runCompaction({
      instructions: 'Summarize.',
      itemId: 'summary-1',
      before: [
        {
          supplier: 'house-rules',
          failurePolicy: 'fail-closed',
          run({ instructions }) {
            print(`before  house-rules  sees "${instructions}" and adds a rule`);
            const value = `${instructions} Write without names.`;
            return [{ type: 'modify', target: 'instructions', operation: 'replace', value }];
          },
        },
        {
          supplier: 'flaky',
          failurePolicy: 'fail-open',
          run() {
            print('before  flaky        throws; its policy lets the run go on');
            throw new Error('out of order');
          },
        },
      ],
      generate(instructions) {
        print(`        generator    is asked "${instructions}"`);
        return summarize(instructions);
      },
      after: [
        {
          ...redactor,
          run(snapshot, context) {
            print(`after   redactor     sees "${snapshot.summary?.text}"`);
            return redactor.run(snapshot, context);
          },
        },
      ],
      observers: [
        {
          supplier: 'auditor',
          run({ summary }) {
            audited = summary?.text;
          },
        },
      ],
    });
    print(`        applied      "${outcome.summary?.text}" (${outcome.messages.join(', ')})`);
    await new Promise((resolve) => setImmediate(resolve));
    print(`later   auditor      saw the same text: ${audited === outcome.summary?.text ? 'yes' : 'no'}`);
    print(`failed hooks: ${outcome.failures.map(({ boundary, supplier }) => `${supplier} (${boundary})`).join(', ')}`);
    const isClean = outcome.summary?.text.match(SECRET) === null;
    return outcome.applied && audited === outcome.summary?.text && isClean;
  },
};

if (isProgram(import.meta.url)) process.exitCode = await runParts([compactionPart]);
