import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { childEnvironment, createStdioTransport, TransportError } from '../../runtime/transports/index.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { ask, failure } from './support/calls.js';
import { child, resultOf } from './support/children.js';

const lifecycles = ['persistent', 'per_event'] as const;
const REPORT = `onMessage((m) => { answer(m, { env: process.env, argv: process.argv.slice(1), cwd: process.cwd() }); process.stdin.on('end', () => {}); })`;

describe.each(lifecycles)('starting a %s child', (lifecycle) => {
  it.each([
    ['a program that is missing', 'no-such-program-here', 'program no-such-program-here was not found'],
    ['a path that is missing', '/nonexistent/program', 'program /nonexistent/program was not found'],
  ])('§5 %s is process-exit and named', async (_, command, fault) => {
    const { transport, records } = child(lifecycle, '', { command });
    const error = await failure(ask(transport));
    expect(error).toMatchObject({ code: 'process-exit', message: `child: could not start: ${fault}` });
    expect(records).toContainEqual({ event: 'process-failed', reason: 'not-started' });
  });

  it('§5 a working directory that is missing is named, and not the program', async () => {
    const cwd = join(temporaryFolder(), 'gone');
    const { transport } = child(lifecycle, '', { cwd });
    const error = await failure(ask(transport));
    expect(error.message).toBe(`child: could not start: working directory ${cwd} is missing or cannot be read`);
  });

  it('§5 a working directory that is a file is named', async () => {
    const cwd = join(temporaryFolder(), 'file');
    writeFileSync(cwd, '');
    const { transport } = child(lifecycle, '', { cwd });
    expect((await failure(ask(transport))).message).toBe(
      `child: could not start: working directory ${cwd} is no directory`,
    );
  });

  it('§5 a file without leave to execute is named', async () => {
    const command = join(temporaryFolder(), 'script');
    writeFileSync(command, '#!/bin/sh\nexit 0\n');
    chmodSync(command, 0o644);
    const { transport } = child(lifecycle, '', { command });
    expect((await failure(ask(transport))).message).toBe(
      `child: could not start: program ${command} is not executable`,
    );
  });

  it.each([
    ['a script that is missing', ['missing-script.js']],
    ['a usage error before any reading', ['-e', 'process.exit(2)']],
  ])('§5 %s is process-exit too: no exit code stands for a denial', async (_, args) => {
    const { transport } = child(lifecycle, '', { args });
    expect((await failure(ask(transport))).code).toBe('process-exit');
  });

  it('§6 an argument with a zero byte fails the call and not the host', async () => {
    const { transport } = child(lifecycle, '', { args: ['a\0b'] });
    expect((await failure(ask(transport))).code).toBe('process-exit');
  });

  it.each([
    ['a program that is missing', { command: 'no-such-program-here', args: ['--token=s3cr3t'], env: { A: 's3cr3t' } }],
    ['an argument that cannot be passed', { args: ['--token=s3cr3t\0'] }],
    ['a variable that cannot be passed', { env: { TOKEN: 's3cr3t\0' } }],
  ])('§6 the error of %s holds neither arguments nor environment, its cause neither', async (_, options) => {
    const { transport } = child(lifecycle, '', options);
    const error = await failure(ask(transport));
    expect(error.cause).toMatchObject({ code: expect.stringMatching(/^E/) as string });
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('s3cr3t');
  });

  it('§6 arguments reach the program as they are, through no shell', async () => {
    const odd = ['$HOME', '*', 'a b', '"quoted"', "it's", ';exit 1', '`id`', '\\', '', '--', '%PATH%', 'é\n'];
    const file = join(temporaryFolder(), 'report.cjs');
    const kit = new URL('./support/child-kit.cjs', import.meta.url).pathname;
    writeFileSync(file, `require(${JSON.stringify(kit)}); ${REPORT}`);
    const { transport } = child(lifecycle, '', { args: [file, ...odd] });
    const { argv } = resultOf(await ask(transport)) as { argv: string[] };
    expect(argv.slice(1)).toEqual(odd);
  });

  it('§6 the child runs in the configured directory', async () => {
    const cwd = join(temporaryFolder(), 'with blank');
    mkdirSync(cwd);
    const { transport } = child(lifecycle, REPORT, { cwd });
    expect(resultOf(await ask(transport)).cwd).toBe(cwd);
  });

  it('§6 a relative directory is refused when the transport is made', () => {
    expect(() => createStdioTransport({ command: 'x', lifecycle, cwd: 'relative' })).toThrow(
      new TransportError('process-exit', 'working directory: expected an absolute path, got relative'),
    );
  });

  describe('environment', () => {
    const before = { ...process.env };
    afterEach(() => {
      process.env = { ...before };
    });

    it('§6 is small: the listed variables and what the host adds', async () => {
      process.env.AHP_TEST_SECRET = 's3cr3t';
      process.env.NODE_OPTIONS = '';
      process.env.LC_TEST = 'C.UTF-8';
      process.env.TZ = 'UTC';
      const { transport } = child(lifecycle, REPORT, { env: { ADDED: 'yes', TZ: 'Europe/Paris' } });
      const { env } = resultOf(await ask(transport)) as { env: Record<string, string> };
      const allowed = /^(?:PATH|HOME|LANG|LC_.*|TMPDIR|TZ|ADDED)$/;
      // macOS adds a variable of its own to every process.
      const names = Object.keys(env).filter((name) => !name.startsWith('__CF'));
      expect(names.filter((name) => !allowed.test(name))).toEqual([]);
      expect(env).toMatchObject({ ADDED: 'yes', LC_TEST: 'C.UTF-8', TZ: 'Europe/Paris', PATH: process.env.PATH });
    });
  });
});

describe('childEnvironment', () => {
  it('§6 keeps what Windows cannot do without, whatever the case of the names', () => {
    const inherited = {
      Path: 'C:\\x',
      SystemRoot: 'C:\\Windows',
      TOKEN: 's3cr3t',
      windir: 'C:\\Windows',
      Nothing: undefined,
    };
    expect(childEnvironment({}, inherited, 'win32')).toEqual({
      Path: 'C:\\x',
      SystemRoot: 'C:\\Windows',
      windir: 'C:\\Windows',
    });
    expect(childEnvironment({}, inherited, 'linux')).toEqual({});
  });

  it('takes any name that the host adds as data', () => {
    const added = JSON.parse('{"__proto__":"x","A":"1"}') as Record<string, string>;
    const environment = childEnvironment(added, {}, 'linux');
    expect(Object.entries(environment)).toEqual([
      ['__proto__', 'x'],
      ['A', '1'],
    ]);
  });
});
