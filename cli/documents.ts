/** Reads the documents of a file or of standard input: one JSON text, or one per line. */

import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { UsageError } from './command.js';

export const STDIN_NAME = '-';

/** One JSON text as it came, undecoded. */
export interface JsonDocument {
  /** The name given on the command line, `-` for standard input. */
  readonly file: string;
  /** Line number from 1 in JSON Lines, null when the file is one text. */
  readonly line: number | null;
  readonly bytes: Uint8Array;
}

/**
 * The documents of an input. Names that end in `.jsonl` or `.ndjson` are JSON Lines; anything else is, too, when more
 * than one of its lines begins like an object and ends like one. Blank lines do not count. Throws a `UsageError` when it cannot be read.
 */
export async function readDocuments(file: string): Promise<JsonDocument[]> {
  const bytes = await readInput(file);
  if (!/\.(?:jsonl|ndjson)$/i.test(file) && !looksLikeLines(bytes)) return [{ file, line: null, bytes }];
  return splitLines(bytes)
    .map((line, index) => ({ file, line: index + 1, bytes: line }))
    .filter((document) => !isBlank(document.bytes));
}

async function readInput(file: string): Promise<Uint8Array> {
  try {
    return file === STDIN_NAME ? await buffer(process.stdin) : await readFile(file);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    const reasons: Record<string, string> = {
      ENOENT: 'no such file',
      EISDIR: 'it is a folder',
      EACCES: 'no permission to read it',
      ERR_FS_FILE_TOO_LARGE: 'it is too large to read at once',
    };
    throw new UsageError(`cannot read ${file}: ${Object.hasOwn(reasons, code) ? reasons[code] : code}`);
  }
}

const LINE_FEED = 0x0a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

function looksLikeLines(bytes: Uint8Array): boolean {
  let seen = 0;
  let from = 0;
  // Two lines settle it; a text that is indented over many lines is out at its first one.
  while (seen < 2 && from < bytes.length) {
    const end = bytes.indexOf(LINE_FEED, from);
    const line = trimBlanks(bytes.subarray(from, end < 0 ? bytes.length : end));
    if (line.length > 0) {
      if (line.length < 2 || line[0] !== OPEN_BRACE || line.at(-1) !== CLOSE_BRACE) return false;
      seen += 1;
    }
    if (end < 0) break;
    from = end + 1;
  }
  return seen === 2;
}

function splitLines(bytes: Uint8Array): Uint8Array[] {
  const lines: Uint8Array[] = [];
  for (let from = 0; from < bytes.length;) {
    const end = bytes.indexOf(LINE_FEED, from);
    lines.push(bytes.subarray(from, end < 0 ? bytes.length : end));
    from = end < 0 ? bytes.length : end + 1;
  }
  return lines;
}

function trimBlanks(bytes: Uint8Array): Uint8Array {
  let from = 0;
  let end = bytes.length;
  while (from < end && isBlankByte(bytes[from])) from += 1;
  while (end > from && isBlankByte(bytes[end - 1])) end -= 1;
  return bytes.subarray(from, end);
}

function isBlank(bytes: Uint8Array): boolean {
  return bytes.every(isBlankByte);
}

function isBlankByte(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === LINE_FEED;
}
