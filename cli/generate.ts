/** `ahp generate`: from schemas to a generated folder, or a check of one. */

import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { CheckReport } from '../generator/drift.js';
import { checkGeneratedFolder, type FolderReport, generateFolder } from '../generator/folder.js';
import { listSchemaFiles } from '../generator/inputs.js';
import { LOCK_FILE } from '../generator/lock.js';
import { packageRoot, templatesFolder } from '../generator/tool.js';
import { type Arguments, type Command, EXIT_FAILED, EXIT_OK, UsageError } from './command.js';
import { describeFailure, type Failure } from './failure.js';
import { commandLine, overlaps, shownPath } from './paths.js';
import { requireGeneratorLibraries } from './peers.js';
import { startProgress } from './progress.js';
import { watchFolders } from './watch.js';

const HELP = `Usage: ahp generate [options]

Generates types, codecs, validators and the catalogue from a folder of JSON Schemas (draft 2020-12). The output folder is
replaced as a whole at the end of the run; it must be new, empty, or written by this command before.

Options:
  --schemas DIR  the schema set (default: the protocol's own, which come with this package)
  --out DIR      the output folder (default: generated)
  --check        write nothing; exit 1 and name what differs unless the folder is what the schemas generate
  --watch        generate again whenever a schema or a template is saved, until interrupted
  --emit-ir      also write ir.json, the intermediate representation that the code is printed from, and its schema
  --quiet        no output but errors
  --json         one JSON object on stdout instead of text (with --watch one per run, each on a line)
  -h, --help     this text
  -V, --version  the version

Exit codes: 0 done or unchanged, 1 problems in the schemas, drift or a folder that cannot be written, 2 wrong usage.
`;

interface Job {
  readonly schemas: string;
  readonly out: string;
  readonly emitIr: boolean;
  readonly isQuiet: boolean;
  readonly isJson: boolean;
  /** The command that mends a drifted folder. */
  readonly mend: string;
}

export const generateCommand: Command = {
  help: HELP,
  options: {
    schemas: { type: 'string' },
    out: { type: 'string' },
    check: { type: 'boolean' },
    watch: { type: 'boolean' },
    'emit-ir': { type: 'boolean' },
    quiet: { type: 'boolean', short: 'q' },
    json: { type: 'boolean' },
  },
  async run(args) {
    const job = readJob(args);
    if (args.flags.has('check')) return reportCheck(job);
    requireGeneratorLibraries();
    if (args.flags.has('watch')) return watchAndGenerate(job);
    exitOnInterrupt();
    return reportGeneration(job);
  },
};

function readJob(args: Arguments): Job {
  const [extra] = args.positionals;
  if (extra !== undefined) throw new UsageError(`ahp generate takes options only, got ${extra}`);
  if (args.flags.has('check') && args.flags.has('watch'))
    throw new UsageError('--check and --watch exclude each other');
  if (args.flags.has('check') && args.flags.has('emit-ir')) {
    throw new UsageError(
      '--check takes the options of the last generation from the lock, --emit-ir does not go with it',
    );
  }
  const schemas = args.texts.get('schemas') ?? join(packageRoot(), 'schemas');
  const out = args.texts.get('out') ?? 'generated';
  if (!existsSync(schemas) || !statSync(schemas).isDirectory()) {
    throw new UsageError(`--schemas must name a folder, got ${schemas}`);
  }
  if (listSchemaFiles(schemas).length === 0) throw new UsageError(`--schemas holds no .json document: ${schemas}`);
  if (overlaps(schemas, out)) throw new UsageError(`--out must lie apart from --schemas, got ${out} and ${schemas}`);
  const given = ['schemas', 'out'].flatMap((name) => {
    const text = args.texts.get(name);
    return text === undefined ? [] : [`--${name}`, text];
  });
  return {
    schemas,
    out,
    emitIr: args.flags.has('emit-ir'),
    isQuiet: args.flags.has('quiet'),
    isJson: args.flags.has('json'),
    mend: commandLine(['generate', ...given]),
  };
}

/**
 * An interrupt ends the process by way of its exit handlers, which remove what was not yet swapped in. It is served
 * between two steps of the event loop, so never in the middle of a replacement.
 */
function exitOnInterrupt(): void {
  process.once('SIGINT', () => process.exit(128 + 2));
  process.once('SIGTERM', () => process.exit(128 + 15));
}

async function reportGeneration(job: Job): Promise<number> {
  const start = performance.now();
  const progress = startProgress(process.stderr, job.isQuiet);
  let report: FolderReport;
  try {
    report = await generateFolder({ ...job, onPhase: progress.phase });
  } catch (error) {
    progress.done();
    return reportFailure(job, describeFailure(error));
  }
  progress.done();
  const durationMs = Math.round(performance.now() - start);
  if (job.isJson) print({ ok: true, command: 'generate', out: job.out, durationMs, ...report });
  else if (!job.isQuiet) process.stdout.write(generationText(job, report, durationMs));
  return EXIT_OK;
}

async function reportCheck(job: Job): Promise<number> {
  const progress = startProgress(process.stderr, job.isQuiet);
  let report: CheckReport;
  try {
    report = await checkGeneratedFolder({
      ...job,
      onPhase: progress.phase,
      beforeGenerating: requireGeneratorLibraries,
    });
  } catch (error) {
    progress.done();
    if (error instanceof UsageError) throw error;
    return reportFailure(job, describeFailure(error));
  }
  progress.done();
  if (job.isJson) print({ ...report, command: 'check', out: job.out, ...(report.ok ? {} : { mend: job.mend }) });
  else if (!report.ok) process.stderr.write(driftText(job, report));
  else if (!job.isQuiet) process.stdout.write(`${shownPath(job.out)} is what its schemas generate\n`);
  return report.ok ? EXIT_OK : EXIT_FAILED;
}

async function watchAndGenerate(job: Job): Promise<number> {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  await reportGeneration(job);
  const announce = (): void => {
    if (!job.isQuiet && !job.isJson) process.stdout.write(`watching ${shownPath(job.schemas)}, Ctrl-C ends\n`);
  };
  const again = async (): Promise<void> => void (await reportGeneration(job));
  await watchFolders([job.schemas, templatesFolder()], again, stop.signal, announce);
  return EXIT_OK;
}

function generationText(job: Job, report: FolderReport, durationMs: number): string {
  const seconds = (durationMs / 1000).toFixed(1);
  const head = `${shownPath(job.out)}: ${count(report.files, 'file')} from ${count(report.schemas, 'schema file')} in ${seconds} s`;
  const parts = [
    [report.added.length, 'added'],
    [report.changed.length, 'changed'],
    [report.removed.length, 'removed'],
  ] as const;
  const changes = parts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  const removed = report.removed.map((path) => `  removed ${path}\n`).join('');
  return `${head}, ${changes.length === 0 ? 'nothing changed' : changes.join(', ')}\n${removed}`;
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}

const LOST_LOCK = `without ${LOCK_FILE} the folder is replaced only when it is empty: restore that file, or remove the folder, and then
`;

function hasLostLock(out: string): boolean {
  return existsSync(out) && !existsSync(join(out, LOCK_FILE)) && readdirSync(out).length > 0;
}

function driftText(job: Job, report: CheckReport): string {
  const width = Math.max(...report.drift.map(({ kind }) => kind.length));
  const lines = report.drift.map(({ kind, path, detail }) => `  ${kind.padEnd(width)}  ${path} ${detail}\n`);
  const head = `${shownPath(job.out)} is not what its schemas generate:\n${lines.join('')}`;
  return `${head}${hasLostLock(job.out) ? LOST_LOCK : ''}mend it with: ${job.mend}\n`;
}

function reportFailure(job: Job, failure: Failure): number {
  if (job.isJson) print({ ok: false, command: 'generate', out: job.out, ...failure });
  else process.stderr.write(failure.text);
  return EXIT_FAILED;
}

function print(value: object): void {
  process.stdout.write(`${JSON.stringify({ ...value, text: undefined })}\n`);
}
