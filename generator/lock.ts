/** The lock: what a generated folder was made from and by, so that drift is noticed without generating again. */

import type { EmittedFile } from './model.js';
import { sha256OfText, TOOL_NAME, type ToolIdentity } from './tool.js';

export const LOCK_FILE = 'ahp-codegen.lock.json';
const LOCK_VERSION = 1;

/** Options that change the emitted files. */
export interface LockedOptions {
  readonly emitIr: boolean;
}

/** Digests are lowercase hex sha256 with CRLF read as LF; paths are posix and relative. Holds no date and no absolute path. */
export interface Lock {
  readonly lockVersion: number;
  readonly tool: string;
  readonly version: string;
  readonly generator: string;
  readonly libraries: Readonly<Record<string, string | null>>;
  readonly options: LockedOptions;
  readonly schemas: Readonly<Record<string, string>>;
  readonly templates: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, string>>;
  /** Over all other members: an edit or a merge of the lock itself shows. */
  readonly digest: string;
}

export interface LockInputs {
  readonly tool: ToolIdentity;
  readonly options: LockedOptions;
  readonly schemas: ReadonlyMap<string, string>;
  readonly templates: ReadonlyMap<string, string>;
}

/** The lock of a finished generation. */
export function makeLock(inputs: LockInputs, files: readonly EmittedFile[]): Lock {
  const body = {
    lockVersion: LOCK_VERSION,
    tool: inputs.tool.name,
    version: inputs.tool.version,
    generator: inputs.tool.generator,
    libraries: inputs.tool.libraries,
    options: { emitIr: inputs.options.emitIr },
    schemas: sortedRecord(inputs.schemas),
    templates: sortedRecord(inputs.templates),
    files: sortedRecord(new Map(files.map((file) => [file.path, sha256OfText(file.text)]))),
  };
  return { ...body, digest: digestOf(body) };
}

export function printLock(lock: Lock): string {
  return `${JSON.stringify(lock, null, 2)}\n`;
}

/** The lock in a text, or null when it is none of ours, of another layout, or was edited by hand. */
export function readLock(text: string): Lock | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isRecord(value) || value.tool !== TOOL_NAME || value.lockVersion !== LOCK_VERSION) return null;
  const { digest, ...body } = value;
  if (typeof digest !== 'string' || digestOf(body) !== digest) return null;
  for (const member of ['libraries', 'options', 'schemas', 'templates', 'files']) {
    if (!isRecord(value[member])) return null;
  }
  return value as unknown as Lock;
}

function digestOf(body: object): string {
  return sha256OfText(JSON.stringify(body));
}

function sortedRecord(entries: ReadonlyMap<string, string>): Record<string, string> {
  // fromEntries defines own members, so that a file called __proto__ stays a file.
  return Object.fromEntries([...entries].sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0)));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
