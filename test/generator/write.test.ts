import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listFiles } from '../../generator/tool.js';
import { assertWritable, recoverKilledRun, WriteError, writeFolder } from '../../generator/write.js';
import { repositoryRoot } from '../repository/repository-files.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const LOCK = 'ahp-codegen.lock.json';
const files = (text: string) => [
  { path: 'index.ts', text },
  { path: 'types/a.ts', text },
  { path: LOCK, text },
];

describe('writing a folder', () => {
  it('writes a new folder whole and leaves nothing beside it', () => {
    const parent = temporaryFolder();
    const summary = writeFolder(join(parent, 'out'), files('one\n'));
    expect(summary).toEqual({ added: [LOCK, 'index.ts', 'types/a.ts'], changed: [], removed: [], unchanged: 0 });
    expect(readdirSync(parent)).toEqual(['out']);
    expect(contents(join(parent, 'out'))).toEqual({ [LOCK]: 'one\n', 'index.ts': 'one\n', 'types/a.ts': 'one\n' });
  });

  it('makes missing parents, and takes spaces and other scripts in names', () => {
    const out = join(temporaryFolder(), 'a b', 'éß', '生成 ✓');
    writeFolder(out, files('x'));
    expect(listFiles(out)).toEqual([LOCK, 'index.ts', 'types/a.ts']);
  });

  it('tells added, changed, removed and unchanged files apart', () => {
    const out = join(temporaryFolder(), 'out');
    writeFolder(out, [...files('one'), { path: 'gone.ts', text: '' }]);
    const next = [...files('one').slice(1), { path: 'index.ts', text: 'two' }, { path: 'new.ts', text: '' }];
    expect(writeFolder(out, next)).toEqual({
      added: ['new.ts'],
      changed: ['index.ts'],
      removed: ['gone.ts'],
      unchanged: 2,
    });
    expect(existsSync(join(out, 'gone.ts'))).toBe(false);
  });

  it('leaves a folder that is up to date untouched', () => {
    const out = join(temporaryFolder(), 'out');
    writeFolder(out, files('one'));
    utimesSync(join(out, 'index.ts'), 1000, 1000);
    expect(writeFolder(out, files('one')).unchanged).toBe(3);
    expect(statSync(join(out, 'index.ts')).mtimeMs).toBe(1_000_000);
  });

  it('keeps the mode of the folder and a symbolic link that leads to it', () => {
    const parent = temporaryFolder();
    const real = join(parent, 'real');
    mkdirSync(real);
    chmodSync(real, 0o750);
    symlinkSync(real, join(parent, 'link'));
    writeFolder(join(parent, 'link'), files('one'));
    expect(statSync(real).mode & 0o777).toBe(0o750);
    expect(readdirSync(parent).sort()).toEqual(['link', 'real']);
  });

  it('refuses a symbolic link that leads nowhere, and leaves it', () => {
    const parent = temporaryFolder();
    symlinkSync(join(parent, 'nowhere'), join(parent, 'link'));
    expect(() => writeFolder(join(parent, 'link'), files('one'))).toThrow('got a link that leads nowhere');
    expect(readdirSync(parent)).toEqual(['link']);
  });

  it('replaces a folder or link that stands where a file belongs', () => {
    const out = join(temporaryFolder(), 'out');
    writeFolder(out, files('one'));
    mkdirSync(join(out, 'index.ts.d'));
    symlinkSync('/', join(out, 'root'));
    expect(writeFolder(out, files('one')).removed).toEqual(['root']);
    expect(existsSync('/')).toBe(true);
  });
});

describe('folders that are refused', () => {
  const refusal = (work: () => unknown): WriteError => {
    try {
      work();
    } catch (error) {
      if (error instanceof WriteError) return error;
      throw error;
    }
    throw new Error('expected a WriteError, got none');
  };

  it('with content but without our lock', () => {
    const out = temporaryFolder();
    writeFileSync(join(out, 'notes.txt'), 'mine');
    const error = refusal(() => writeFolder(out, files('x')));
    expect(error.code).toBe('foreign-folder');
    expect(error.message).toBe(
      `${out}: the output folder must be empty or hold ahp-codegen.lock.json, got one entry not written by ahp generate`,
    );
    expect(contents(out)).toEqual({ 'notes.txt': 'mine' });
  });

  it('with a repository inside', () => {
    const out = temporaryFolder();
    writeFolder(out, files('x'));
    mkdirSync(join(out, '.git'));
    expect(refusal(() => assertWritable(out)).code).toBe('foreign-folder');
  });

  it('that are files', () => {
    const out = join(temporaryFolder(), 'file');
    writeFileSync(out, '');
    expect(refusal(() => writeFolder(out, files('x'))).code).toBe('not-a-folder');
  });

  it('below a file', () => {
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, '');
    const error = refusal(() => writeFolder(join(file, 'out'), files('x')));
    expect(error.code).toBe('file-system');
    expect(error.message).toMatch(/could not be written, a part of the path is a file$/);
  });

  it.each([['../x.ts'], ['/x.ts'], ['a//b.ts'], ['a/./b.ts'], ['c:x.ts'], ['a\\b.ts'], ['']])(
    'emitted path %j',
    (path) => {
      const out = join(temporaryFolder(), 'out');
      expect(refusal(() => writeFolder(out, [{ path, text: '' }])).code).toBe('unsafe-path');
      expect(existsSync(out)).toBe(false);
    },
  );

  it('emitted paths that differ by letter case alone', () => {
    const out = join(temporaryFolder(), 'out');
    const both = [
      { path: 'a.ts', text: '' },
      { path: 'A.ts', text: '' },
    ];
    expect(refusal(() => writeFolder(out, both)).code).toBe('unsafe-path');
  });
});

describe('a run that is killed', () => {
  /** Every file-system step of a replacement: three files, two renames, the removal of the old folder. */
  const steps: readonly [call: string, number: string, state: 'old' | 'new' | 'beside'][] = [
    ['writeFileSync', '1', 'old'],
    ['writeFileSync', '2', 'old'],
    ['writeFileSync', '3', 'old'],
    ['renameSync', '1', 'old'],
    ['renameSync', '2', 'beside'],
    ['rmSync', '1', 'new'],
  ];

  it.each(steps)('before %s %s leaves one whole folder, and the next run cleans up', (call, number, state) => {
    const parent = temporaryFolder();
    const out = join(parent, 'out');
    writeFolder(out, files('old'));
    const killed = spawnSync(
      process.execPath,
      ['--import', 'tsx', join('test', 'generator', 'killed-write.ts'), out, 'new', call, number],
      { cwd: repositoryRoot, encoding: 'utf8' },
    );
    expect(killed.signal).toBe('SIGKILL');
    if (state === 'beside') {
      expect(existsSync(out)).toBe(false);
      recoverKilledRun(out);
    }
    const text = state === 'new' ? 'new' : 'old';
    expect(contents(out)).toEqual({ [LOCK]: text, 'index.ts': text, 'types/a.ts': text });
    writeFolder(out, files('newer'));
    expect(readdirSync(parent)).toEqual(['out']);
    expect(contents(out)).toEqual({ [LOCK]: 'newer', 'index.ts': 'newer', 'types/a.ts': 'newer' });
  });

  it('is told from one that still runs, and from the leftovers of another folder', () => {
    const parent = temporaryFolder();
    const out = join(parent, 'out');
    const live = join(parent, `.out.ahp-${process.ppid}-00000000.new`);
    const other = join(parent, '.other.ahp-999999999-00000000.new');
    mkdirSync(live);
    mkdirSync(other);
    mkdirSync(join(parent, '.out.ahp-999999999-00000000.new'));
    writeFolder(out, files('one'));
    expect(readdirSync(parent).sort()).toEqual(
      [`.out.ahp-${process.ppid}-00000000.new`, '.other.ahp-999999999-00000000.new', 'out'].sort(),
    );
  });
});

describe('runs at the same time', () => {
  it('leave the folder of one of them whole, and nothing beside it', async () => {
    const parent = temporaryFolder();
    const out = join(parent, 'out');
    const run = (text: string): Promise<unknown> => {
      const args = ['--import', 'tsx', join('test', 'generator', 'killed-write.ts'), out, text, 'none', '0'];
      return once(spawn(process.execPath, args, { cwd: repositoryRoot, stdio: 'ignore' }), 'exit');
    };
    const exits = await Promise.all(['a', 'b', 'c', 'd', 'e'].map(run));
    expect(exits).toEqual(Array.from({ length: 5 }, () => [0, null]));
    const texts = Object.values(contents(out));
    expect(texts).toHaveLength(3);
    expect(new Set(texts).size).toBe(1);
    expect(readdirSync(parent)).toEqual(['out']);
  });
});

function contents(folder: string): Record<string, string> {
  return Object.fromEntries(listFiles(folder).map((path) => [path, readFileSync(join(folder, path), 'utf8')]));
}
