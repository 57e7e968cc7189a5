/**
 * Takes real wire messages through decoding, canonical validation and encoding, and shows what was kept and what was
 * refused. On its own: `npx tsx examples/main/messages-part.ts`.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isProgram, type Part, runParts } from './part.js';
import { tableLines } from './table.js';
import { unknownMembers } from './unknown-members.js';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
export const messagesFolder = join(root, 'examples', 'messages');

/** Loaded when the part runs, since an earlier part may have written it anew. */
type Generated = typeof import('../../generated/index.js');

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
    const events = new Set<string>();
    const rows: string[][] = [];
    let isWell = true;
    for (const file of messageFiles(messagesFolder)) {
      const text = readFileSync(join(messagesFolder, file), 'utf8');
      const decoded = generated.parseWireMessage(text);
      const validated = decoded.ok ? generated.validateWireMessage(decoded.value) : decoded;
      if (!decoded.ok || !validated.ok) {
        isWell = false;
        rows.push([
          file,
          'REFUSED',
          '',
          (validated.ok ? [] : validated.issues).map(({ message }) => message).join('; '),
        ]);
        continue;
      }
      const event = eventTypeOf(decoded.value);
      if (event !== null) events.add(event);
      const isSame = generated.encodeWireMessage(decoded.value) === withoutBlanks(text);
      isWell &&= isSame;
      const kept = describeKept(decoded.value, shapeOf(decoded.value), json);
      rows.push([file.replace(/\.json$/, ''), shapeOf(decoded.value), isSame ? 'same text' : 'CHANGED', kept]);
    }
    for (const line of tableLines(['message', 'shape', 'encoded', 'kept beyond the schema'], rows)) print(line);
    print();
    const refusals = refusedRows(generated);
    isWell &&= refusals.every(([, stage]) => stage !== 'TAKEN');
    for (const line of tableLines(['refused', 'by', 'issue', 'why'], refusals)) print(line);
    print();
    const missing = generated.catalogue.eventNames.filter((name) => !events.has(name));
    print(
      `${rows.length} messages kept whole, ${refusals.length} refused; events: ${events.size} of ${generated.catalogue.eventNames.length}`,
    );
    if (missing.length > 0) print(`no message for ${missing.join(', ')}`);
    return isWell && missing.length === 0;
  },
};

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

function refusedRows({ parseWireMessage, validateWireMessage }: Generated): string[][] {
  return readReasons().map(({ file, why }) => {
    const decoded = parseWireMessage(readFileSync(join(messagesFolder, 'refused', file)));
    const validated = decoded.ok ? validateWireMessage(decoded.value) : decoded;
    const [issue] = validated.ok ? [] : validated.issues;
    const stage = decoded.ok ? 'schema' : 'decoder';
    const found = issue === undefined ? '' : `${issue.code} ${issue.pointer}`.trim();
    return [file.replace(/\.json$/, ''), issue === undefined ? 'TAKEN' : stage, found, why];
  });
}

/** The public name of the shape that a wire message has (Semantics §1: by method, else by error, else by result). */
function shapeOf(message: object): string {
  const methods: Readonly<Record<string, string>> = {
    'hooks/intercept': 'InterceptRequest',
    'hooks/observe': 'ObserveNotification',
    'hooks/capabilities': 'CapabilitiesRequest',
  };
  if ('method' in message) return methods[String(message.method)] ?? 'unknown';
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
    counts.extensions > 0 ? `${counts.extensions} extensions` : '',
    counts.native > 0 ? `${counts.native} native` : '',
    unknown.length > 0 ? `unknown ${unknown.join(', ')}` : '',
    counts.spellings > 0 ? `${counts.spellings} number spellings` : '',
    counts.numbers > 0 ? `${counts.numbers} numbers beyond a double` : '',
  ];
  return parts.filter((part) => part !== '').join('; ');
}

if (isProgram(import.meta.url)) process.exitCode = await runParts([messagesPart]);
