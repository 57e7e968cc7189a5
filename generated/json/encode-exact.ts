/*
 * The exact encoder: writes kept spellings and kept order, and finds the place of what is no JSON. It works with a
 * stack of its own, so that depth costs no call stack.
 */
import { isNumberLexeme } from './decimal.js';
import { EncodeError, type EncodeErrorCode } from './encode-error.js';
import { isJsonNumber } from './json-number.js';
import { keptOfList, keptOfObject, memberNames } from './kept.js';
import { toPointer } from './pointer.js';

interface ObjectFrame {
  readonly container: Record<string, unknown>;
  readonly names: readonly string[];
  readonly spellings: ReadonlyMap<string, string> | null;
  at: number;
  isFirst: boolean;
}

interface ListFrame {
  readonly container: readonly unknown[];
  readonly names: null;
  readonly spellings: readonly (string | undefined)[] | null;
  at: number;
}

type Frame = ObjectFrame | ListFrame;

/** Writes the value. Throws an `EncodeError` on the first thing that is no JSON, in the order of writing. */
export function encodeExact(root: unknown, maxDepth: number): string {
  const frames: Frame[] = [];
  const ancestors = new Set<object>();
  let out = '';

  const refuse = (code: EncodeErrorCode, rule: string): never => {
    throw new EncodeError(code, pointerOf(frames), rule);
  };

  /** Writes a scalar, or the opening of a container and its frame. */
  const write = (value: unknown, spelling: string | undefined): void => {
    switch (typeof value) {
      case 'string':
        out += JSON.stringify(value);
        return;
      case 'number':
        if (!Number.isFinite(value)) refuse('non-finite-number', 'expected a finite number, got NaN or an infinity');
        if (spelling !== undefined && Object.is(value, Number(spelling)) && isNumberLexeme(spelling)) out += spelling;
        else out += Object.is(value, -0) ? '-0' : String(value);
        return;
      case 'boolean':
        out += value ? 'true' : 'false';
        return;
      case 'object':
        if (value === null) out += 'null';
        else if (isJsonNumber(value)) writeJsonNumber(value.text);
        else open(value);
        return;
      case 'undefined':
        refuse('undefined-value', 'expected a JSON value, got undefined or a hole');
        return;
      default:
        refuse(typeof value as 'function' | 'symbol' | 'bigint', `expected a JSON value, got a ${typeof value}`);
    }
  };

  const writeJsonNumber = (text: unknown): void => {
    if (isNumberLexeme(text)) out += text;
    else refuse('foreign-object', 'expected a JsonNumber, got an object made to look like one');
  };

  const open = (value: object): void => {
    if (ancestors.has(value)) refuse('cycle', 'expected a value without cycles, got a container inside itself');
    if (frames.length >= maxDepth) {
      refuse('too-deep', `expected at most ${maxDepth} containers inside each other, got more`);
    }
    const prototype: unknown = Object.getPrototypeOf(value);
    if (Array.isArray(value) && prototype === Array.prototype) {
      frames.push({ container: value, names: null, spellings: keptOfList(value)?.spellings ?? null, at: 0 });
      out += '[';
    } else if (!Array.isArray(value) && (prototype === Object.prototype || prototype === null)) {
      const spellings = keptOfObject(value)?.spellings ?? null;
      const container = value as Record<string, unknown>;
      frames.push({ container, names: memberNames(value), spellings, at: 0, isFirst: true });
      out += '{';
    } else {
      refuse('foreign-object', 'expected a plain object, a list or a JsonNumber, got an object of another kind');
    }
    ancestors.add(value);
  };

  write(root, undefined);
  for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
    if (frame.names === null) {
      if (frame.at < frame.container.length) {
        const index = frame.at++;
        if (index > 0) out += ',';
        write(frame.container[index], frame.spellings?.[index]);
        continue;
      }
      out += ']';
    } else {
      const name = frame.names[frame.at++];
      if (name !== undefined) {
        const value = frame.container[name];
        if (value === undefined) continue;
        if (!frame.isFirst) out += ',';
        out += `${JSON.stringify(name)}:`;
        frame.isFirst = false;
        write(value, frame.spellings?.get(name));
        continue;
      }
      out += '}';
    }
    frames.pop();
    ancestors.delete(frame.container);
  }
  return out;
}

function pointerOf(frames: readonly Frame[]): string {
  return toPointer(frames.map((frame) => (frame.names === null ? frame.at - 1 : (frame.names[frame.at - 1] ?? ''))));
}
