/** What a subcommand is made of, and how its arguments are read. */

import { parseArgs } from 'node:util';
import { suggestion } from './suggest.js';

/** Exit codes of every subcommand. */
export const EXIT_OK = 0;
/** The input is invalid, the output has drifted, or the work failed. */
export const EXIT_FAILED = 1;
/** The command line asks for something that cannot be done. */
export const EXIT_USAGE = 2;

/** A command line that cannot be carried out: exit code 2, the message on stderr. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export interface OptionSpec {
  readonly type: 'boolean' | 'string';
  readonly short?: string;
}

export interface Arguments {
  readonly flags: ReadonlySet<string>;
  readonly texts: ReadonlyMap<string, string>;
  readonly positionals: readonly string[];
}

export interface Command {
  /** Full text of `ahp NAME --help`. */
  readonly help: string;
  readonly options: Readonly<Record<string, OptionSpec>>;
  /** Resolves to the exit code. A thrown `UsageError` is reported with exit code 2. */
  run(args: Arguments): Promise<number>;
}

export const COMMON_OPTIONS: Readonly<Record<string, OptionSpec>> = {
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'V' },
};

/** Reads arguments strictly: unknown, repeated and incomplete options throw a `UsageError` that names what is near. */
export function readArguments(args: readonly string[], specs: Readonly<Record<string, OptionSpec>>): Arguments {
  const options: Readonly<Record<string, OptionSpec>> = { ...COMMON_OPTIONS, ...specs };
  const { tokens } = parseArgs({ args: [...args], options, strict: false, allowPositionals: true, tokens: true });
  const flags = new Set<string>();
  const texts = new Map<string, string>();
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value);
    if (token.kind !== 'option') continue;
    const spec = Object.hasOwn(options, token.name) ? options[token.name] : undefined;
    if (spec === undefined) {
      const known = Object.keys(options).map((name) => `--${name}`);
      throw new UsageError(`unknown option ${token.rawName}${suggestion(token.rawName, known)}`);
    }
    if (flags.has(token.name) || texts.has(token.name)) throw new UsageError(`${token.rawName} is given twice`);
    if (spec.type === 'boolean') {
      if (token.value !== undefined) throw new UsageError(`${token.rawName} takes no value, got ${token.value}`);
      flags.add(token.name);
    } else {
      texts.set(token.name, optionText(token.rawName, token.value, token.inlineValue === true));
    }
  }
  return { flags, texts, positionals };
}

function optionText(rawName: string, value: string | undefined, isInline: boolean): string {
  if (value === undefined || value === '') throw new UsageError(`${rawName} needs a value`);
  if (!isInline && value.length > 1 && value.startsWith('-')) {
    throw new UsageError(
      `${rawName} needs a value, got the option ${value} (write ${rawName}=${value} if it is meant)`,
    );
  }
  return value;
}
