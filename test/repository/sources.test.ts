/** Calls that have cost others data, deadlines or tokens, and that this project does without. */

import { describe, expect, it } from 'vitest';
import { readRepositoryFile, repositoryFiles } from './repository-files.js';

const written = repositoryFiles().filter((path) =>
  /^(?:cli|runtime|generator|templates|generated)\/.*\.ts$/.test(path),
);

/** The code of a file without comments; lines stay where they are. */
function codeOf(path: string): string {
  const blank = (text: string): string => text.replace(/[^\n]/g, ' ');
  return readRepositoryFile(path).replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*$/gm, blank);
}

const FORBIDDEN: readonly { readonly call: string; readonly pattern: RegExp; readonly rooms: RegExp }[] = [
  {
    call: 'joins a deadline that garbage collection may take',
    pattern: /\bAbortSignal\.(?:any|timeout)\(/,
    rooms: /^(?:cli|runtime|generated|templates)\//,
  },
  {
    call: 'gives a timer a configured delay, which may be beyond what it holds',
    pattern: /\bsetTimeout\([^;]*\b(?:\w*TimeoutMs|deadline)\b/,
    rooms: /^(?:cli|runtime)\//,
  },
  {
    call: 'decodes bytes leniently, or by the chunk',
    pattern: /\bnew TextDecoder\((?!'utf-8', \{ fatal: true)|\.setEncoding\(/,
    rooms: /^(?:cli|runtime|generated|templates)\//,
  },
  {
    call: 'copies members by assignment, which a member __proto__ escapes',
    pattern: /\bObject\.assign\(|\.__proto__\b/,
    rooms: /^(?:cli|runtime|generated|templates)\//,
  },
  {
    call: 'follows redirects by itself',
    pattern: /(?<![.\w])fetch\(|globalThis\.fetch/,
    rooms: /^(?:cli|runtime)\//,
  },
  {
    call: 'starts a shell',
    pattern: /\bshell:\s*true|\bexec(?:Sync)?\('/,
    rooms: /^(?:cli|runtime|generator)\//,
  },
  {
    call: 'reads JSON of others leniently',
    pattern: /\bJSON\.parse\(/,
    rooms: /^runtime\/(?!testing\/|receiver\/folder-lock\.)/,
  },
];

describe('the sources', () => {
  it.each(FORBIDDEN)('no code $call', ({ pattern, rooms }) => {
    const files = written.filter((path) => rooms.test(path));
    expect(files.length).toBeGreaterThan(10);
    const found = files.flatMap((path) => {
      const code = codeOf(path);
      const at = code.search(pattern);
      return at === -1 ? [] : [`${path}:${code.slice(0, at).split('\n').length}`];
    });
    expect(found).toEqual([]);
  });

  it.each([
    'const joined = AbortSignal.any([a, AbortSignal.timeout(5)]);',
    'setTimeout(() => child.end(), settings.notifyTimeoutMs);',
    "new TextDecoder('utf-8').decode(chunk);",
    "stream.setEncoding('utf8');",
    'Object.assign({}, value);',
    'await fetch(url);',
    'spawn(command, { shell: true });',
    'JSON.parse(text);',
  ])('the patterns see %s', (code) => {
    expect(FORBIDDEN.some(({ pattern }) => pattern.test(code))).toBe(true);
  });
});
