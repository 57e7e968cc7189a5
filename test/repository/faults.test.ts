import { describe, expect, it } from 'vitest';
import { readRepositoryFile, repositoryFiles } from './repository-files.js';

const page = readRepositoryFile('docs/faults.md');
const files = new Set(repositoryFiles());

interface Fault {
  readonly title: string;
  /** File and title of each test, as the page names them. */
  readonly tests: readonly (readonly [path: string, title: string])[];
}

/** The entries of the page: a bold sentence, and below it the tests that hold the rule. */
const faults: readonly Fault[] = page
  .split(/^- \*\*/m)
  .slice(1)
  .map((entry) => ({
    title: entry.slice(0, entry.indexOf('**')).replaceAll(/\s+/g, ' '),
    tests: [...entry.matchAll(/^ {2}- `([^`]+)`: "(.+)"$/gm)].map(
      ([, path = '', title = '']) => [path, title] as const,
    ),
  }));

describe('the register of known faults', () => {
  it('has entries, and each line below one names a test', () => {
    expect(faults.length).toBeGreaterThanOrEqual(40);
    expect(new Set(faults.map(({ title }) => title)).size).toBe(faults.length);
    const lines = page.match(/^ {2}- .*$/gm) ?? [];
    expect(faults.flatMap(({ tests }) => tests)).toHaveLength(lines.length);
  });

  it.each(faults)('$title', ({ tests }) => {
    expect(tests.length).toBeGreaterThan(0);
    const missing = tests.filter(
      ([path, title]) => !/^test\/.+\.ts$/.test(path) || !files.has(path) || !readRepositoryFile(path).includes(title),
    );
    expect(missing).toEqual([]);
  });
});
