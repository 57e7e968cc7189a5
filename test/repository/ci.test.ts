import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.js';
import { repositoryRoot } from './repository-files.js';

interface Entry {
  readonly version: string;
  readonly optional?: boolean;
}

/** A checkout with a lock, an install record and a stand-in for npm that writes down how it was called. */
function checkout(wanted: Record<string, Entry>, installed: Record<string, Entry> | null): string {
  const root = temporaryFolder();
  mkdirSync(join(root, '.ci'));
  copyFileSync(join(repositoryRoot, '.ci', 'ready.mjs'), join(root, '.ci', 'ready.mjs'));
  writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ packages: { '': {}, ...wanted } }));
  for (const path of Object.keys(installed ?? {})) {
    mkdirSync(join(root, path), { recursive: true });
    writeFileSync(join(root, path, 'package.json'), '{}');
  }
  if (installed !== null) {
    mkdirSync(join(root, 'node_modules'), { recursive: true });
    writeFileSync(join(root, 'node_modules', '.package-lock.json'), JSON.stringify({ packages: installed }));
  }
  const record = `require('fs').writeFileSync('called', process.argv.slice(2).join(' ')); process.exit(Number(process.env.NPM_EXIT));`;
  writeFileSync(join(root, 'npm.js'), record);
  return root;
}

function ready(root: string, exit = 0): { code: number | null; called: string | null; stderr: string } {
  const env = { ...process.env, npm_execpath: join(root, 'npm.js'), NPM_EXIT: String(exit) };
  const result = spawnSync(process.execPath, ['.ci/ready.mjs'], { cwd: root, env, encoding: 'utf8' });
  const record = join(root, 'called');
  return {
    code: result.status,
    called: existsSync(record) ? readFileSync(record, 'utf8') : null,
    stderr: result.stderr,
  };
}

describe('making a checkout ready', () => {
  const one = { 'node_modules/one': { version: '1.0.0' } };

  it('does nothing when everything is there', () => {
    expect(ready(checkout(one, one))).toEqual({ code: 0, called: null, stderr: '' });
  });

  it.each([
    ['nothing is installed', one, null, 'none are there yet'],
    ['a package is missing', { ...one, 'node_modules/two': { version: '2.0.0' } }, one, 'node_modules/two is missing'],
    ['a version differs', { 'node_modules/one': { version: '1.0.1' } }, one, 'node_modules/one is not 1.0.1'],
  ])('installs what the lock says when %s', (_, wanted, installed, reason) => {
    const result = ready(checkout(wanted, installed));
    expect(result.called).toBe('ci --prefer-offline --loglevel=error');
    expect(result.stderr).toBe(`Installing the dependencies (${reason}) …\n`);
    expect(result.code).toBe(0);
  });

  it('takes packages of other platforms for no lack', () => {
    const wanted = { ...one, 'node_modules/other-platform': { version: '1.0.0', optional: true } };
    expect(ready(checkout(wanted, one)).called).toBeNull();
  });

  it('ends as npm ended', () => {
    const result = ready(checkout(one, null), 3);
    expect(result.code).toBe(3);
    expect(result.stderr).toContain('npm ci failed');
  });
});

describe('counting what ran', () => {
  const count = (report: object | null, status: number): string => {
    const file = join(temporaryFolder(), 'report.json');
    if (report !== null) writeFileSync(file, JSON.stringify(report));
    const args = [join(repositoryRoot, '.ci', 'count.mjs'), file, String(status)];
    return spawnSync(process.execPath, args, { encoding: 'utf8' }).stdout;
  };
  const suite = (status: string, tests: number) => ({
    status,
    assertionResults: Array.from({ length: tests }, () => ({})),
  });

  it.each([
    ['passed tests', { numPassedTests: 7, numFailedTests: 0, testResults: [suite('passed', 7)] }, 0, '7 0\n'],
    ['failed tests', { numPassedTests: 6, numFailedTests: 1, testResults: [suite('failed', 7)] }, 1, '6 1\n'],
    [
      'a suite that does not load',
      { numPassedTests: 7, numFailedTests: 0, testResults: [suite('failed', 0)] },
      1,
      '7 1\n',
    ],
    ['a run that fails otherwise', { numPassedTests: 7, numFailedTests: 0, testResults: [] }, 1, '7 1\n'],
    ['a run without tests', { numPassedTests: 0, numFailedTests: 0, testResults: [] }, 0, '0 1\n'],
    ['no report', null, 1, '0 1\n'],
  ])('tells %s', (_, report, status, printed) => {
    expect(count(report, status)).toBe(printed);
  });
});
