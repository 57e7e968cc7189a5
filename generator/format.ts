/** Formats emitted files with prettier, on several cores when there is much to do; line ends are LF everywhere. */

import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { EmittedFile } from './model.js';

// Of the two parsers for TypeScript this one takes two thirds of the time and prints the same.
const PARSERS: Readonly<Record<string, string>> = { ts: 'babel-ts', json: 'json', md: 'markdown' };
const STYLE = { printWidth: 120, singleQuote: true, trailingComma: 'all', endOfLine: 'lf' } as const;
/** Below this a worker costs more than it saves. */
const MIN_LENGTH_PER_THREAD = 100_000;
const MAX_THREADS = 4;

/** What a thread formats: text and the name of the parser. */
type Job = readonly [text: string, parser: string];

/**
 * The files as they are written. What is formatted already stays, and machine code for no reader (marked `@ts-nocheck`:
 * precompiled validators) keeps its own layout, since printing it anew would take longer than all other phases together.
 */
export async function formatFiles(files: readonly EmittedFile[]): Promise<EmittedFile[]> {
  const jobs = new Map<EmittedFile, Job>();
  for (const file of files) {
    const parser = PARSERS[file.path.slice(file.path.lastIndexOf('.') + 1)];
    if (parser === undefined || file.isFormatted === true || file.text.slice(0, 2_000).includes('@ts-nocheck'))
      continue;
    jobs.set(file, [file.text.replaceAll('\r\n', '\n'), parser]);
  }
  const formatted = new Map<EmittedFile, string>();
  await Promise.all(
    shares(jobs).map(async (share, index) => {
      const work = share.map(([, job]) => job);
      const texts = index === 0 ? await formatHere(work) : await formatInWorker(work);
      for (const [position, [file]] of share.entries()) formatted.set(file, texts[position] ?? '');
    }),
  );
  return files.map((file) => ({ path: file.path, text: formatted.get(file) ?? endingInLineFeed(file.text) }));
}

/** Parts of about equal length, one per thread; the first one is this thread's. */
function shares(jobs: ReadonlyMap<EmittedFile, Job>): [EmittedFile, Job][][] {
  const longestFirst = [...jobs].sort(([, [left]], [, [right]]) => right.length - left.length);
  const total = longestFirst.reduce((sum, [, [text]]) => sum + text.length, 0);
  const threads = Math.max(1, Math.min(MAX_THREADS, availableParallelism(), Math.floor(total / MIN_LENGTH_PER_THREAD)));
  const parts = Array.from({ length: threads }, () => ({ length: 0, share: [] as [EmittedFile, Job][] }));
  for (const entry of longestFirst) {
    const shortest = parts.reduce((least, part) => (part.length < least.length ? part : least));
    shortest.share.push(entry);
    shortest.length += entry[1][0].length;
  }
  return parts.map(({ share }) => share);
}

async function formatHere(jobs: readonly Job[]): Promise<string[]> {
  const { format } = await import('prettier');
  const texts: string[] = [];
  for (const [text, parser] of jobs) texts.push(await format(text, { parser, ...STYLE }));
  return texts;
}

// Plain JavaScript as text: a worker then needs no loader for TypeScript, whichever way this module was loaded.
const WORKER_PROGRAM = `
  const { parentPort, workerData } = require('node:worker_threads');
  (async () => {
    const { format } = require(workerData.prettier);
    const texts = [];
    for (const [text, parser] of workerData.jobs) texts.push(await format(text, { parser, ...workerData.style }));
    parentPort.postMessage(texts);
  })();
`;

function formatInWorker(jobs: readonly Job[]): Promise<string[]> {
  const prettier = createRequire(import.meta.url).resolve('prettier');
  const worker = new Worker(WORKER_PROGRAM, { eval: true, execArgv: [], workerData: { prettier, jobs, style: STYLE } });
  return new Promise((resolve, reject) => {
    worker.once('message', (texts: string[]) => {
      resolve(texts);
      void worker.terminate();
    });
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`expected formatted texts from a worker, it ended with ${code}`)));
  });
}

function endingInLineFeed(text: string): string {
  const lf = text.replaceAll('\r\n', '\n');
  return lf.endsWith('\n') ? lf : `${lf}\n`;
}
