import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readRepositoryFile, repositoryFiles, repositoryRoot } from './repository-files.js';

const pages = repositoryFiles().filter((path) => path.endsWith('.md') && !path.startsWith('test/'));

describe('the pages', () => {
  it.each(pages)('%s links to files that are there', (page) => {
    const links = [...readRepositoryFile(page).matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(
      ([, target]) => target ?? '',
    );
    expect(links.filter((target) => !existsSync(join(repositoryRoot, dirname(page), target)))).toEqual([]);
  });

  it('of docs/ are all listed in its index', () => {
    const index = readRepositoryFile('docs/README.md');
    const listed = pages.filter((page) => page.startsWith('docs/') && page !== 'docs/README.md');
    expect(listed.length).toBeGreaterThan(0);
    expect(listed.filter((page) => !index.includes(`](${page.slice('docs/'.length)})`))).toEqual([]);
  });

  it('the index names the ten sections in order', () => {
    const rows = [...readRepositoryFile('docs/README.md').matchAll(/^\| (\d+) +\| ([^|]+?) +\|/gm)];
    expect(rows.map(([, number, title]) => `${number} ${title}`)).toEqual([
      '1 Codecs',
      '2 Elicitation',
      '3 Compaction',
      '4 Observation dispatch',
      '5 The interception chain',
      '6 Registration, credentials, transports',
      '7 Content preparation',
      '8 The receiving side',
      '9 Task lineage',
      '10 What this does not establish',
    ]);
  });

  it('sections that code, tests and pages cite are among these ten', () => {
    const cited = repositoryFiles()
      .filter((path) => /\.(?:ts|md|mjs)$/.test(path) && !path.startsWith('generated/'))
      .flatMap((path) => [...readRepositoryFile(path).matchAll(/§(\d+)/g)].map(([, number]) => Number(number)));
    expect(cited.length).toBeGreaterThan(0);
    expect(cited.filter((number) => number < 1 || number > 10)).toEqual([]);
  });
});
