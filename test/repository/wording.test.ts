import { describe, expect, it } from 'vitest';
import { readRepositoryFile, repositoryFiles } from './repository-files.js';

/** Put together here, so that this file does not hold what it forbids. */
const word = (...parts: string[]): RegExp => new RegExp(parts.join(''), 'i');

const FORBIDDEN: readonly { readonly what: string; readonly pattern: RegExp }[] = [
  { what: 'a path of one machine', pattern: word('(?<![\\w.])/(?:wo', 'rk|ro', 'ot|tm', 'p)/') },
  { what: 'the host of a package registry', pattern: word('regis', 'try\\.(?:npm', 'js|yarn', 'pkg)') },
  {
    what: 'who or what wrote it',
    pattern: word('\\b(?:cla', 'ude|anthro', 'pic|chat', 'gpt|co', 'pilot|sub', 'agents?)\\b'),
  },
  { what: 'an unfinished place', pattern: word('(?://|\\*|#|<!--)\\s*(?:TO', 'DO|FIX', 'ME|HA', 'CK)\\b') },
  { what: 'a co-author line', pattern: word('co-author', 'ed-by') },
];

const texts = repositoryFiles().filter((path) => !/^(?:package-lock\.json|LICENSE)$|\.(?:png|bin)$/.test(path));

describe('the words of the repository', () => {
  it.each(FORBIDDEN)('no file holds $what', ({ pattern }) => {
    const found = texts.flatMap((path) => {
      return readRepositoryFile(path)
        .split('\n')
        .flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1}: ${line.trim().slice(0, 120)}`] : []));
    });
    expect(found).toEqual([]);
  });

  it('no test is left out or run alone', () => {
    const marks = new RegExp(`\\b(?:it|test|describe)\\.(?:on${'ly'}|sk${'ip'}|to${'do'})\\b`);
    expect(texts.filter((path) => path.endsWith('.ts') && marks.test(readRepositoryFile(path)))).toEqual([]);
  });

  it('hand-written code escapes no type check', () => {
    const escapes = new RegExp(`@ts-(?:ig${'nore'}|no${'check'})|\\bas an${'y'}\\b|:\\s*an${'y'}\\b(?!thing)`);
    const written = texts.filter((path) => /^(?:cli|runtime|generator|templates|examples)\/.*\.ts$/.test(path));
    const found = written.flatMap((path) => {
      const code = readRepositoryFile(path).replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*$|'[^'\n]*'|`[^`]*`/gm, '');
      return escapes.test(code) ? [path] : [];
    });
    expect(found).toEqual([]);
  });
});
