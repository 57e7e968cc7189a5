/** What the backends of the session write down: one JSON object a line, what they were sent and what they answered. */

import { appendFileSync, readFileSync } from 'node:fs';
import { catalogue, type KnownEvent } from '../../generated/index.js';
import { placesOf } from '../../runtime/wire/index.js';

export interface JournalEntry {
  readonly backend: string;
  readonly method: 'intercept' | 'observe' | 'lineage';
  readonly event: string;
  /** What was sent beside the envelope: content items as they came, and members worth showing. */
  readonly sent: readonly string[];
  /** Types of the effects, or the checker's verdict. */
  readonly answer: string;
}

/** Appends one entry to the file that `SESSION_JOURNAL` names. */
export function writeJournal(entry: JournalEntry): void {
  const file = process.env.SESSION_JOURNAL;
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(entry)}\n`);
}

export function readJournal(file: string): JournalEntry[] {
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as JournalEntry);
}

interface SentItem {
  readonly id: string;
  readonly selection: string;
  readonly body?: { readonly ref: string };
  readonly gap?: { readonly reason: string };
  readonly size?: number;
}

interface SentBody {
  readonly size: number;
}

/** Says what of an event's content arrived; `body` looks a reference up. */
export async function describeContent(
  event: KnownEvent,
  body: (ref: string) => Promise<SentBody | null>,
): Promise<string[]> {
  const places = catalogue.events[event.type].content.flatMap((pattern) => placesOf(event, pattern));
  return Promise.all(places.map(({ value }) => describeItem(value as SentItem, body)));
}

async function describeItem(item: SentItem, body: (ref: string) => Promise<SentBody | null>): Promise<string> {
  if (item.body !== undefined) return `${item.id}: body of ${(await body(item.body.ref))?.size ?? 'no'} bytes`;
  if (item.gap !== undefined) return `${item.id}: gap, ${item.gap.reason}`;
  return `${item.id}: ${item.selection}${item.size === undefined ? '' : `, ${item.size} bytes`}`;
}
