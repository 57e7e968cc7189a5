/*
 * The encoder for values that a survey has found to be JSON and in which something was kept. It writes by hand only
 * the containers on the way to what was kept; every other container is left to the engine's own encoder.
 */
import { isNumberLexeme } from './decimal.js';
import { isJsonNumber } from './json-number.js';
import { KEPT, keptOfList, keptOfObject, memberNames } from './kept.js';

const FIRST_UNESCAPED = 32;
const QUOTE = 34;
const BACKSLASH = 92;
const FIRST_SURROGATE = 0xd800;
/** Up to this length a look at each unit is quicker than the engine's own encoder. */
const SHORT_LENGTH = 24;
/** Up to this length a list is written by hand in less time than a call of the engine's encoder takes. */
const SHORT_LIST = 4;

/** Writes a value that the survey found to be `KEEPING`. */
export function encodeKept(value: object): string {
  const marked = new Set<object>();
  mark(value, marked);
  return writeValue(value, marked, undefined);
}

/** Marks the containers that have to be written by hand; gives whether this value makes its container one of them. */
function mark(value: unknown, marked: Set<object>): boolean {
  if (typeof value === 'number') return Object.is(value, -0);
  if (typeof value !== 'object' || value === null) return false;
  if (isJsonNumber(value)) return true;
  let isMarked = (value as { [KEPT]?: unknown })[KEPT] !== undefined;
  const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  for (let index = 0; index < members.length; index += 1) {
    if (mark(members[index], marked)) isMarked = true;
  }
  if (isMarked) marked.add(value);
  return isMarked;
}

function writeValue(value: unknown, marked: ReadonlySet<object>, spelling: string | undefined): string {
  switch (typeof value) {
    case 'string':
      return quote(value);
    case 'number':
      return writeNumber(value, spelling);
    case 'object':
      if (value === null) return 'null';
      if (isJsonNumber(value)) return value.text;
      if (Array.isArray(value)) {
        return value.length <= SHORT_LIST || marked.has(value) ? writeList(value, marked) : JSON.stringify(value);
      }
      return marked.has(value) ? writeObject(value as Record<string, unknown>, marked) : JSON.stringify(value);
    default:
      return value === true ? 'true' : 'false';
  }
}

function writeNumber(value: number, spelling: string | undefined): string {
  // A record may come from another copy of this module, so that its spelling is looked at too.
  if (spelling !== undefined && Object.is(value, Number(spelling)) && isNumberLexeme(spelling)) return spelling;
  return Object.is(value, -0) ? '-0' : String(value);
}

function writeList(list: readonly unknown[], marked: ReadonlySet<object>): string {
  const spellings = keptOfList(list)?.spellings;
  let out = '[';
  for (let index = 0; index < list.length; index += 1) {
    if (index > 0) out += ',';
    out += writeValue(list[index], marked, spellings?.[index]);
  }
  return `${out}]`;
}

function writeObject(object: Readonly<Record<string, unknown>>, marked: ReadonlySet<object>): string {
  const kept = keptOfObject(object);
  const spellings = kept?.spellings;
  const names = kept?.order ? memberNames(object) : Object.keys(object);
  let out = '{';
  let isFirst = true;
  for (let index = 0; index < names.length; index += 1) {
    const name = names[index] as string;
    const value = object[name];
    if (value === undefined) continue;
    const spelling = spellings && typeof value === 'number' ? spellings.get(name) : undefined;
    out += (isFirst ? '' : ',') + quote(name);
    out += `:${writeValue(value, marked, spelling)}`;
    isFirst = false;
  }
  return `${out}}`;
}

/** Writes a string with its quotes. */
function quote(text: string): string {
  if (text.length > SHORT_LENGTH) return JSON.stringify(text);
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit < FIRST_UNESCAPED || unit === QUOTE || unit === BACKSLASH || unit >= FIRST_SURROGATE) {
      return JSON.stringify(text);
    }
  }
  return `"${text}"`;
}
