/** Formats emitted files with prettier; line ends are LF everywhere. */

import { format } from 'prettier';
import type { EmittedFile } from './model.js';

const PARSERS: Readonly<Record<string, string>> = { ts: 'typescript', json: 'json', md: 'markdown' };

/**
 * The files as they are written. Machine code for no reader (marked `@ts-nocheck`: precompiled validators) keeps its
 * own layout, since printing it anew would take longer than all other phases together.
 */
export async function formatFiles(files: readonly EmittedFile[]): Promise<EmittedFile[]> {
  return Promise.all(files.map(formatFile));
}

async function formatFile(file: EmittedFile): Promise<EmittedFile> {
  const text = file.text.replaceAll('\r\n', '\n');
  const parser = PARSERS[file.path.slice(file.path.lastIndexOf('.') + 1)];
  if (parser === undefined || text.slice(0, 2_000).includes('@ts-nocheck')) {
    return { path: file.path, text: text.endsWith('\n') ? text : `${text}\n` };
  }
  const formatted = await format(text, {
    parser,
    printWidth: 120,
    singleQuote: true,
    trailingComma: 'all',
    endOfLine: 'lf',
  });
  return { path: file.path, text: formatted };
}
