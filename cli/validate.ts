/** `ahp validate`: decodes documents strictly, then validates them canonically (Semantics §1). */

import { type Arguments, type Command, EXIT_FAILED, EXIT_OK, UsageError } from './command.js';
import { type JsonDocument, readDocuments } from './documents.js';
import { guessName, shapeOfMessage } from './guess.js';
import { suggestion } from './suggest.js';

const HELP = `Usage: ahp validate [options] FILE...

Decodes each document strictly (no duplicate members, no invalid UTF-8, no lost number), then validates it against its
canonical schema. A file is one JSON text or, by its name (.jsonl, .ndjson) or content, JSON Lines; - is standard input.

Options:
  --as NAME      the definition to validate as, such as WireMessage, Event or Registration; without it the content
                 decides, and the output says what was used
  --list         print the names that --as takes
  --quiet        only what is invalid
  --json         one JSON object on stdout instead of text
  -h, --help     this text
  -V, --version  the version

Exit codes: 0 all valid, 1 a document is invalid, 2 wrong usage or a file that cannot be read.
`;

interface Finding {
  readonly pointer: string;
  readonly code: string;
  readonly message: string;
}

interface Verdict {
  readonly file: string;
  readonly line: number | null;
  readonly as: string;
  readonly guessed: boolean;
  readonly ok: boolean;
  /** Where it failed: structure and JSON itself, or the canonical schema. */
  readonly stage: 'decode' | 'validate' | null;
  readonly issues: readonly Finding[];
  readonly warnings: readonly Finding[];
}

/** What the generated code offers; loaded only when documents are judged. */
interface Definitions {
  readonly codecs: ReadonlyMap<string, Codec>;
  /** The public name to use for a document that none was given for. */
  guess(bytes: Uint8Array): string;
}

type Codec =
  (typeof import('../generated/index.js'))['codecs'][keyof (typeof import('../generated/index.js'))['codecs']];

async function loadDefinitions(): Promise<Definitions> {
  const { catalogue, codecs } = await import('../generated/index.js');
  const { parse } = await import('../generated/json/index.js');
  const events = Object.values(catalogue.events);
  const eventTypeNames = new Map<string, string>(events.map(({ name, typeName }) => [name, typeName]));
  return {
    codecs: new Map<string, Codec>(Object.entries(codecs)),
    guess(bytes) {
      const decoded = parse(bytes);
      return guessName(decoded.ok ? decoded.value : null, eventTypeNames);
    },
  };
}

export const validateCommand: Command = {
  help: HELP,
  options: {
    as: { type: 'string' },
    list: { type: 'boolean' },
    quiet: { type: 'boolean', short: 'q' },
    json: { type: 'boolean' },
  },
  async run(args) {
    if (args.flags.has('list')) {
      const { codecs } = await loadDefinitions();
      process.stdout.write(`${[...codecs.keys()].sort().join('\n')}\n`);
      return EXIT_OK;
    }
    return report(await judgeAll(args), args);
  },
};

async function judgeAll(args: Arguments): Promise<Verdict[]> {
  if (args.positionals.length === 0) throw new UsageError('ahp validate needs a file, or - for standard input');
  const as = args.texts.get('as') ?? null;
  const definitions = await loadDefinitions();
  if (as !== null && !definitions.codecs.has(as)) {
    const names = definitions.codecs.keys();
    throw new UsageError(`unknown name ${as}${suggestion(as, names) || ', ahp validate --list prints all names'}`);
  }
  const verdicts: Verdict[] = [];
  for (const file of args.positionals) {
    for (const document of await readDocuments(file)) verdicts.push(judge(document, as, definitions));
  }
  return verdicts;
}

function judge(document: JsonDocument, as: string | null, { codecs, guess }: Definitions): Verdict {
  const { file, line, bytes } = document;
  const name = as ?? guess(bytes);
  const codec = codecs.get(name);
  if (codec === undefined) throw new Error(`expected a codec named ${name}, got none`);
  const about = { file, line, as: name, guessed: as === null };
  const decoded = codec.parse(bytes);
  if (!decoded.ok) return { ...about, ok: false, stage: 'decode', issues: decoded.issues, warnings: [] };
  const { warnings } = decoded;
  const validated = codec.validate(decoded.value);
  if (!validated.ok) {
    // The union lists what every shape misses; the shape that the message has by its method says what is wrong.
    const own = name === 'WireMessage' ? codecs.get(shapeOfMessage(decoded.value))?.validate(decoded.value) : undefined;
    const { issues } = own === undefined || own.ok ? validated : own;
    return { ...about, ok: false, stage: 'validate', issues, warnings };
  }
  return { ...about, ok: true, stage: null, issues: [], warnings };
}

function report(verdicts: readonly Verdict[], args: Arguments): number {
  const invalid = verdicts.filter(({ ok }) => !ok).length;
  const valid = verdicts.length - invalid;
  if (args.flags.has('json')) {
    const result = { ok: invalid === 0, command: 'validate', valid, invalid, documents: verdicts };
    process.stdout.write(`${JSON.stringify(result)}\n`);
  } else {
    const isQuiet = args.flags.has('quiet');
    for (const verdict of verdicts) if (!verdict.ok || !isQuiet) process.stdout.write(verdictText(verdict));
    if (verdicts.length !== 1 && !isQuiet) process.stdout.write(`${valid} valid, ${invalid} invalid\n`);
  }
  return invalid === 0 ? EXIT_OK : EXIT_FAILED;
}

function verdictText(verdict: Verdict): string {
  const place = `${verdict.file === '-' ? 'stdin' : verdict.file}${verdict.line === null ? '' : `:${verdict.line}`}`;
  const head = `${place}: ${verdict.ok ? 'valid' : 'invalid'} ${verdict.as}${verdict.guessed ? ' (by its content)' : ''}`;
  const findings = [
    ...verdict.issues,
    ...verdict.warnings.map((warning) => ({ ...warning, code: `warning ${warning.code}` })),
  ];
  const lines = findings.map(({ pointer, code, message }) => {
    // What the schema finds begins with its place; what codecs and the JSON parser find does not.
    const isPlaced = pointer === '' || message.startsWith(`${pointer}:`);
    return `  ${isPlaced ? '' : `${pointer}: `}${message} (${code})`;
  });
  return [head, ...lines].map((line) => `${printable(line)}\n`).join('');
}

/** Names and pointers come from the input: control characters in them must not reach the terminal. */
function printable(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cs}\u2028\u2029]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
