import { describe, expect, it } from 'vitest';
import { readRepositoryFile } from '../repository/repository-files.js';
import { runAhp } from './run-ahp.js';

const { version } = JSON.parse(readRepositoryFile('package.json')) as { version: string };

describe('ahp', () => {
  it.each([[['--help']], [['-h']], [['help']]])('%j prints the commands and exits 0', async (args) => {
    const result = await runAhp(args);
    expect(result.code).toBe(0);
    expect(result.stdout).toMatch(/^Usage: ahp COMMAND/);
    expect(result.stdout).toMatch(/^ {2}generate +\S/m);
    expect(result.stdout).toMatch(/^ {2}validate +\S/m);
    expect(result.stderr).toBe('');
  });

  it.each([[['--version']], [['-V']], [['generate', '--version']], [['validate', '-V']]])(
    '%j prints the version',
    async (args) => {
      expect(await runAhp(args)).toEqual({ code: 0, stdout: `ahp-toolkit ${version}\n`, stderr: '' });
    },
  );

  it.each([
    [['generate', '--help'], 'Usage: ahp generate'],
    [['validate', '-h'], 'Usage: ahp validate'],
    [['help', 'validate'], 'Usage: ahp validate'],
  ])('%j prints the help of the command', async (args, start) => {
    const result = await runAhp(args);
    expect(result.code).toBe(0);
    expect(result.stdout.startsWith(start)).toBe(true);
    expect(result.stdout).toContain('Exit codes:');
  });

  it.each([
    [['generat'], 'unknown command generat, did you mean generate?'],
    [['vladiate', 'x'], 'unknown command vladiate, did you mean validate?'],
    [['frobnicate'], 'unknown command frobnicate, see ahp --help'],
    [['--quiet', 'generate'], 'unknown option --quiet'],
    [['--version', 'generate'], 'the command comes first: ahp generate --version'],
    [['generate', '--shcemas', 'x'], 'unknown option --shcemas, did you mean --schemas?'],
    [['generate', '--verbose'], 'unknown option --verbose'],
    [['generate', '-x'], 'unknown option -x'],
    [['generate', '--out'], '--out needs a value'],
    [['generate', '--out='], '--out needs a value'],
    [
      ['generate', '--out', '--check'],
      '--out needs a value, got the option --check (write --out=--check if it is meant)',
    ],
    [['generate', '--check=yes'], '--check takes no value, got yes'],
    [['generate', '--out', 'a', '--out', 'b'], '--out is given twice'],
    [['generate', 'schemas'], 'ahp generate takes options only, got schemas'],
    [['generate', '--check', '--watch'], '--check and --watch exclude each other'],
    [['generate', '--schemas', 'no-such-folder'], '--schemas must name a folder, got no-such-folder'],
    [['generate', '--out', 'schemas/x'], /^--out must lie apart from --schemas, got schemas\/x and /],
    [['validate'], 'ahp validate needs a file, or - for standard input'],
    [['validate', '--as', 'WireMesage', 'x'], 'unknown name WireMesage, did you mean WireMessage?'],
    [['validate', '--as', 'toString', 'x'], 'unknown name toString, ahp validate --list prints all names'],
    [['validate', 'no-such-file.json'], 'cannot read no-such-file.json: no such file'],
    [['validate', 'schemas'], 'cannot read schemas: it is a folder'],
  ] as const)('%j is wrong usage: exit 2, the reason on stderr', async (args, message) => {
    const result = await runAhp(args);
    expect(result.stderr.replace(/^ahp: /, '').trimEnd()).toEqual(
      typeof message === 'string' ? message : expect.stringMatching(message),
    );
    expect(result.code).toBe(2);
    expect(result.stdout).toBe('');
  });

  it('without a command prints the help to stderr and exits 2', async () => {
    const result = await runAhp([]);
    expect(result.code).toBe(2);
    expect(result.stdout).toBe('');
    expect(result.stderr).toMatch(/^Usage: ahp COMMAND/);
  });
});
