/** Compacts the conversation: the hooks of both boundaries are the session's backends, asked over the wire. */

import { createHash } from 'node:crypto';
import { type EventFor, isKnownModelVisibleItem } from '../../generated/index.js';
import {
  createCredentials,
  type InterceptOutcome,
  openFileStore,
  publishSummary,
  runCompaction,
  uploadContent,
} from '../../runtime/index.js';
import type { SessionContext, SessionStep } from './session.js';

export interface Compacted {
  readonly step: SessionStep;
  readonly summary: string;
  /** One line for each receiver. */
  readonly published: readonly string[];
}

type Boundary = 'context.compact.before' | 'context.compact.after';

export async function compact(context: SessionContext): Promise<Compacted> {
  const { hooks, makeEvent, conversation } = context;
  const text = { mediaType: 'text/plain', selection: 'omit' } as const;
  const events: string[] = [];
  const dones: (Promise<void> | undefined)[] = [];
  const settled = <E extends EventFor<Boundary>>(outcome: InterceptOutcome<E>): InterceptOutcome<E> => {
    if (outcome.ended?.kind === 'fail-closed') throw new Error('a backend failed');
    events.push(outcome.event.id);
    dones.push(outcome.observations?.done);
    return outcome;
  };

  const outcome = await runCompaction({
    instructions: 'Summarize.',
    itemId: 'summary-1',
    before: [
      {
        supplier: 'backends',
        failurePolicy: 'fail-closed',
        async run({ instructions }, { signal }) {
          const item = { id: 'instructions-1', kind: 'instructions', ...text };
          const event = makeEvent('context.compact.before', { trigger: 'auto', items: [], instructions: item });
          const { values, decision, ended, candidate } = settled(
            await hooks.intercept(event, {
              content: { [item.id]: Buffer.from(instructions) },
              values: { instructions },
              materialize: ({ event: effective, value }) => ({
                event: effective,
                content: { [item.id]: Buffer.from(String(value)) },
              }),
              signal,
            }),
          );
          if (decision === 'denied') return [{ type: 'deny', reason: ended?.reason ?? 'denied' }];
          return [
            { type: 'modify', target: 'instructions', operation: 'replace', value: String(values.instructions) },
            ...(candidate === null ? [] : [{ type: 'return', value: String(candidate.value) } as const]),
          ];
        },
      },
    ],
    generate: (instructions) =>
      (instructions.includes('without names') ? conversation.slice(1) : conversation).join(' '),
    after: [
      {
        supplier: 'backends',
        failurePolicy: 'fail-closed',
        async run({ summary, itemId }, { signal }) {
          const value = summary?.text ?? '';
          const event = makeEvent('context.compact.after', {
            parentEventId: events[0] ?? '',
            summary: { id: itemId, kind: 'summary', role: 'user', ...text },
            removed: [],
            execution: { status: 'executed' },
          });
          const { values, messages } = settled(
            await hooks.intercept(event, {
              content: { [itemId]: Buffer.from(value) },
              values: { summary: value },
              materialize: ({ event: effective, value: changed }) => ({
                event: effective,
                content: { [itemId]: Buffer.from(String(changed)) },
              }),
              signal,
            }),
          );
          return [
            { type: 'modify', target: 'summary', operation: 'replace', value: String(values.summary) },
            ...messages.map((message) => ({ type: 'message', text: message }) as const),
          ];
        },
      },
    ],
  });
  await Promise.all(dones);
  const summary = outcome.summary?.text ?? '';
  const published = await publish(context, outcome);
  const results = [
    `instructions became "${outcome.instructions}"`,
    `summary of ${Buffer.byteLength(summary)} bytes, ${outcome.messages.join(', ')}`,
    ...published,
  ];
  return { step: { title: 'compaction', events, results }, summary, published };
}

/** Gives each receiver its own item of the settled summary, and looks at what it stored. */
async function publish(
  { receiver, store, uploadToken }: SessionContext,
  outcome: Awaited<ReturnType<typeof runCompaction>>,
): Promise<string[]> {
  const credentials = createCredentials({ env: { SESSION_UPLOAD_TOKEN: uploadToken } });
  const auth = { type: 'bearer', tokenEnv: 'SESSION_UPLOAD_TOKEN' } as const;
  const config = { endpoint: receiver.content, timeoutMs: 20_000, maxBytes: 1_000_000, auth };
  const stored = await openFileStore(store, { mode: 'read' });
  const refs = new Set<string>();
  const lines: string[] = [];
  for (const name of ['policy', 'redactor']) {
    const item = await publishSummary(outcome, {
      role: 'user',
      upload: (source, { signal }) => uploadContent(config, source, { credentials, allowLoopback: true, signal }),
    });
    if (!isKnownModelVisibleItem(item) || !('body' in item)) throw new Error('expected an item with a body');
    const { ref } = item.body;
    refs.add(ref);
    const body = await stored.open('session', ref);
    const hash = createHash('sha256');
    for await (const chunk of body?.stream ?? []) hash.update(chunk);
    const expected = createHash('sha256').update(outcome.summary?.text ?? '');
    const isSame = hash.digest('hex') === expected.digest('hex');
    lines.push(`published to ${name} as ${item.id}, stored ${isSame ? 'byte for byte' : 'OTHER BYTES'}`);
  }
  await stored.close?.();
  if (refs.size !== lines.length) throw new Error('expected a reference for each receiver');
  return lines;
}
