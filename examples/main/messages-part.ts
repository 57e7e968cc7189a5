/**
 * Takes real wire messages through decoding, canonical validation and encoding, and shows what was kept and what was
 * refused. On its own: `npx tsx examples/main/messages-part.ts`.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
// Only its types: the code is loaded when the part runs, since an earlier part may have written it anew.
import type * as Generated from '../../generated/index.js';
import { isProgram, type Part, runParts } from './part.js';
import { tableLines } from './table.js';
import { unknownMembers } from './unknown-members.js';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
export const messagesFolder = join(root, 'examples', 'messages');

type MessageShape =
  | 'InterceptRequest'
  | 'InterceptResponse'
  | 'JsonRpcErrorResponse'
  | 'ObserveNotification'
  | 'CapabilitiesRequest'
  | 'CapabilitiesResponse';

interface Reason {
  readonly file: string;
  readonly stage: 'decode' | 'validate';
  readonly code: string;
  readonly pointer: string;
  readonly why: string;
}

export const messagesPart: Part = {
  name: 'messages',
  title: 'Messages decoded, validated and encoded again',
  async run(print) {
    const generated = await import('../../generated/index.js');
    const json = await import('../../generated/json/index.js');
    const { eventNames } = generated.catalogue;
    const events = new Set<string>();
    const faults: string[][] = [];
    const kept: string[][] = [];
    const files = messageFiles(messagesFolder);
    for (const file of files) {
      const text = readFileSync(join(messagesFolder, file), 'utf8');
      const outcome = judgeMessage(generated, text);
      const shape = outcome.message === null ? '' : shapeOf(outcome.message);
      if (outcome.message === null || outcome.issue !== null) {
        faults.push([nameOf(file), shape, `REFUSED: ${outcome.issue?.message ?? ''}`]);
      } else if (generated.encodeWireMessage(outcome.message) !== withoutBlanks(text)) {
        faults.push([nameOf(file), shape, 'CHANGED']);
      } else {
        const beyond = describeKept(outcome.message, shape, json);
        if (beyond !== '') kept.push([nameOf(file), shape, beyond]);
        const event = eventTypeOf(outcome.message);
        if (event !== null) events.add(event);
      }
    }
    const missing = eventNames.filter((name) => !events.has(name));
    const same = files.length - faults.length;
    print(
      `${same} of ${files.length} messages came back as the same text, with ${events.size} of ${eventNames.length} events;`,
    );
    print('these hold more than their schemas name, and kept it:');
    print();
    for (const line of tableLines(['message', 'shape', 'kept'], [...faults, ...kept])) print(line);
    print();
    const refusals = refusedRows(generated);
    for (const line of tableLines(['refused', 'by', 'issue', 'why'], refusals)) print(line);
    if (missing.length > 0) print(`no message for ${missing.join(', ')}`);
    return faults.length + missing.length === 0 && refusals.every(([, stage]) => stage !== 'TAKEN');
  },
};

export interface Outcome {
  /** Null when it could not be decoded. */
  readonly message: Generated.WireMessage | null;
  readonly stage: 'decode' | 'validate' | null;
  /** The first of the issues, null when there is none. */
  readonly issue: { readonly code: string; readonly pointer: string; readonly message: string } | null;
}

/** Decodes a message and validates it as the shape that it has, which says more than the union of all shapes. */
export function judgeMessage({ parseWireMessage, codecs }: typeof Generated, input: string | Uint8Array): Outcome {
  const decoded = parseWireMessage(input);
  if (!decoded.ok) return { message: null, stage: 'decode', issue: decoded.issues[0] ?? null };
  const validated = codecs[shapeOf(decoded.value)].validate(decoded.value);
  if (validated.ok) return { message: decoded.value, stage: null, issue: null };
  return { message: decoded.value, stage: 'validate', issue: validated.issues[0] ?? null };
}

export function messageFiles(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json') && name !== 'reasons.json')
    .sort();
}

export function readReasons(): Reason[] {
  return JSON.parse(readFileSync(join(messagesFolder, 'refused', 'reasons.json'), 'utf8')) as Reason[];
}

/** A JSON text without the white space between its tokens; what stands inside strings stays. */
export function withoutBlanks(text: string): string {
  return text.replace(/"(?:[^"\\]|\\.)*"|\s+/g, (token) => (token.startsWith('"') ? token : ''));
}

function refusedRows(generated: typeof Generated): string[][] {
  return readReasons().map(({ file, why }) => {
    const { stage, issue } = judgeMessage(generated, readFileSync(join(messagesFolder, 'refused', file)));
    const by = { decode: 'decoder', validate: 'schema', none: 'TAKEN' }[stage ?? 'none'];
    return [nameOf(file), by, `${issue?.code ?? ''} ${shortened(issue?.pointer ?? '')}`.trim(), why];
  });
}

function nameOf(file: string): string {
  return file.replace(/\.json$/, '');
}

/** A pointer that fits a table. */
function shortened(pointer: string): string {
  return pointer.length <= 40 ? pointer : `${pointer.slice(0, 25)}…${pointer.slice(-10)}`;
}

/** The public name of the shape that a wire message has (Semantics §1: by method, else by error, else by result). */
function shapeOf(message: object): MessageShape {
  if ('method' in message) {
    if (message.method === 'hooks/intercept') return 'InterceptRequest';
    return message.method === 'hooks/observe' ? 'ObserveNotification' : 'CapabilitiesRequest';
  }
  if ('error' in message) return 'JsonRpcErrorResponse';
  const { result } = message as { result?: object };
  return result !== undefined && 'manifest' in result ? 'CapabilitiesResponse' : 'InterceptResponse';
}

function eventTypeOf(message: object): string | null {
  const { params } = message as { params?: { event?: { type?: unknown } } };
  return typeof params?.event?.type === 'string' ? params.event.type : null;
}

/** What a lesser decoder would lose: unknown members, extensions, native data, number spellings and values. */
function describeKept(message: unknown, shape: string, json: typeof import('../../generated/json/index.js')): string {
  const counts = { extensions: 0, native: 0, spellings: 0, numbers: 0 };
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null || json.isJsonNumber(value)) return;
    for (const [name, member] of Object.entries(value)) {
      if (json.isJsonNumber(member)) counts.numbers += 1;
      if (json.keptSpelling(value, name) !== undefined) counts.spellings += 1;
      if (name === 'extensions' && typeof member === 'object') counts.extensions += Object.keys(member ?? {}).length;
      if (name === 'native') counts.native += 1;
      visit(member);
    }
  };
  visit(message);
  const unknown = unknownMembers(join(root, 'schemas'), shape, message).map((pointer) => pointer.split('/').at(-1));
  const parts = [
    counted(counts.extensions, 'extension'),
    counted(counts.native, 'native member'),
    unknown.length > 0 ? `unknown ${unknown.join(', ')}` : '',
    counted(counts.spellings, 'number spelling'),
    counted(counts.numbers, 'number', 's beyond a double', ' beyond a double'),
  ];
  return parts.filter((part) => part !== '').join('; ');
}

function counted(count: number, what: string, plural = 's', singular = ''): string {
  return count === 0 ? '' : `${count} ${what}${count === 1 ? singular : plural}`;
}

if (isProgram(import.meta.url)) process.exitCode = await runParts([messagesPart]);
