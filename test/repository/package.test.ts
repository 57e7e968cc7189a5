import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { ts } from 'ts-morph';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listFiles } from '../../generator/tool.js';
import { readRepositoryFile, repositoryFiles, repositoryRoot } from './repository-files.js';
import { snippetsOf } from './snippets.js';

const PEERS = ['handlebars', 'json-schema-to-typescript', 'prettier', 'ts-morph'];
const STRICT = {
  target: 'es2022',
  lib: ['es2022'],
  module: 'nodenext',
  moduleResolution: 'nodenext',
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noImplicitOverride: true,
  noUnusedLocals: true,
  verbatimModuleSyntax: true,
  skipLibCheck: false,
  types: [] as string[],
};

const EXAMPLE = `import { encodeEvent, parseEvent, validateEvent } from '@GENERATED@';

const text = '{"id":"e1","source":"https://h.example/1","type":"hook.failure","time":"2026-03-01T09:00:00Z",' +
  '"parentEventId":"e0","failure":{"backendId":"com.example.audit","reason":"deadline","policy":"fail-open"},"cost":1.50}';
const parsed = parseEvent(text);
if (!parsed.ok) throw new Error(parsed.issues.map((issue) => issue.message).join());
const valid = validateEvent(parsed.value);
if (valid.ok && valid.value.type === 'hook.failure') out(valid.value.failure.backendId);
out(encodeEvent(parsed.value) === text ? 'same text' : 'changed');

function out(line: string): void {
  (globalThis as unknown as { console: { log(line: string): void } }).console.log(line);
}
`;

let folder = '';
let app = '';
let installed = '';

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'ahp-package-')));
  app = join(folder, 'app');
  installed = join(app, 'node_modules', 'ahp-toolkit');
  mkdirSync(installed, { recursive: true });
  const packed = run('npm', ['pack', '--json', '--loglevel=error', '--pack-destination', folder], repositoryRoot);
  const [tarball] = JSON.parse(packed.slice(packed.indexOf('[\n'))) as { filename: string }[];
  run('tar', ['-xzf', join(folder, tarball?.filename ?? ''), '-C', installed, '--strip-components=1'], folder);
  // What npm would install beside it, without asking a registry.
  for (const name of Object.keys(manifestOf(installed).dependencies)) link(name);
  writeFileSync(join(app, 'package.json'), '{"name":"app","private":true,"type":"module"}\n');
}, 120_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the packed package', () => {
  it('holds what it is made for and nothing else', () => {
    const paths = listFiles(installed);
    const tops = new Set(paths.map((path) => path.split('/')[0] ?? ''));
    const pages = ['CHANGELOG.md', 'LICENSE', 'README.md', 'SECURITY.md', 'package.json'];
    expect([...tops].sort()).toEqual([...pages, 'dist', 'docs', 'schemas', 'templates'].sort());
    expect(new Set(paths.filter((path) => path.startsWith('dist/')).map((path) => path.split('/')[1]))).toEqual(
      new Set(['cli', 'generated', 'generator', 'runtime', 'templates']),
    );
    expect(paths.filter((path) => /\.(?:test|bench|soak)\./.test(path))).toEqual([]);
    expect(statSync(join(installed, 'dist/cli/ahp.js')).mode & 0o111).not.toBe(0);
    expect(readFileSync(join(installed, 'dist/cli/ahp.js'), 'utf8').startsWith('#!/usr/bin/env node\n')).toBe(true);
  });

  it('names no folder of the machine that built it', () => {
    const machine = [repositoryRoot, folder];
    const telling = listFiles(installed).filter((path) => {
      const text = readFileSync(join(installed, path), 'utf8');
      return machine.some((place) => text.includes(`${place}/`));
    });
    expect(telling).toEqual([]);
  });

  it('exports only files that are there, each of which loads', () => {
    const { exports } = manifestOf(installed);
    const entries = Object.entries(exports).filter(([name]) => !name.includes('*') && !name.endsWith('.json'));
    expect(entries.map(([name]) => name)).toEqual(
      expect.arrayContaining(['.', './generated', './json', './transports', './receiver', './generator', './testing']),
    );
    for (const [, target] of entries) {
      if (typeof target === 'string') throw new Error('expected types and default');
      for (const file of Object.values(target)) expect(existsSync(join(installed, file))).toBe(true);
    }
    // The generator loads its libraries only when it generates; the test suite of transports brings its own runner.
    const specifiers = entries.map(([name]) => `ahp-toolkit${name.slice(1)}`);
    const program = `for (const name of ${JSON.stringify(specifiers)}) await import(name);
      await import('ahp-toolkit/schemas/manifest.json', { with: { type: 'json' } }); console.log('loaded');`;
    expect(run(process.execPath, ['--no-warnings', '--input-type=module', '-e', program], app)).toBe('loaded\n');
  });

  it('type-checks and runs a program that uses only ahp-toolkit/generated', () => {
    const project = makeProject('ten-lines', EXAMPLE.replace('@GENERATED@', 'ahp-toolkit/generated'));
    compile(project);
    expect(run(process.execPath, ['main.js'], project)).toBe('com.example.audit\nsame text\n');
  });

  it('generated code imports nothing outside its own folder', () => {
    const entry = join(installed, 'dist/generated/index.js');
    const seen = new Set<string>();
    const visit = (file: string): void => {
      if (seen.has(file)) return;
      seen.add(file);
      for (const { fileName } of ts.preProcessFile(readFileSync(file, 'utf8'), true, true).importedFiles) {
        expect(fileName).toMatch(/^\.\.?\//);
        visit(join(dirname(file), fileName));
      }
    };
    visit(entry);
    const outside = [...seen].filter((file) => relative(dirname(entry), file).startsWith('..'));
    expect(outside).toEqual([]);
    expect(seen.size).toBeGreaterThan(10);
  });

  it('validates from the command line without the libraries of the generator', () => {
    const message = join(repositoryRoot, 'examples/messages/response.deny.json');
    const result = ahp(['validate', '--as', 'InterceptResponse', message]);
    expect(result).toEqual({ code: 0, stdout: `${message}: valid InterceptResponse\n`, stderr: '' });
  });

  it('names the libraries that generating needs, and how to install them', () => {
    const result = ahp(['generate']);
    expect(result.code).toBe(2);
    expect(result.stderr).toContain('ahp generate needs handlebars, json-schema-to-typescript, prettier, ts-morph');
    const ranges = PEERS.map((name) => `'${name}@${manifestOf(installed).peerDependencies[name]}'`);
    expect(result.stderr).toContain(`npm install --save-dev ${ranges.join(' ')}`);
    expect(existsSync(join(app, 'generated'))).toBe(false);
  });

  it('generates the very folder of the repository, which stands alone in an empty project', () => {
    for (const name of PEERS) link(name);
    const result = ahp(['generate']);
    expect(result.stderr).toBe('');
    expect(result.code).toBe(0);
    const generated = join(app, 'generated');
    const bytes = (root: string) => listFiles(root).map((path) => [path, readFileSync(join(root, path), 'utf8')]);
    expect(bytes(generated)).toEqual(bytes(join(repositoryRoot, 'generated')));

    const alone = join(folder, 'alone');
    mkdirSync(alone);
    cpSync(generated, join(alone, 'wire'), { recursive: true });
    const project = makeProject('.', EXAMPLE.replace('@GENERATED@', './wire/index.js'), alone);
    compile(project);
    expect(run(process.execPath, ['main.js'], project)).toBe('com.example.audit\nsame text\n');
  }, 60_000);

  it('notices a changed template, and mends the folder', () => {
    expect(ahp(['generate', '--check']).code).toBe(0);
    const template = listFiles(join(installed, 'templates')).find((path) => path.startsWith('support/json/')) ?? '';
    const file = join(installed, 'templates', template);
    const before = readFileSync(file, 'utf8');
    writeFileSync(file, `${before}\n// one more line\n`);
    const drifted = ahp(['generate', '--check']);
    expect(drifted.code).toBe(1);
    expect(drifted.stderr).toContain(`changed-template  ${template} changed since the last generation\n`);
    expect(drifted.stderr).toMatch(/^ {2}stale-output {6}json\/\S+ would change$/m);
    expect(drifted.stderr).toContain('mend it with: npx ahp generate\n');
    expect(ahp(['generate', '-q']).code).toBe(0);
    expect(ahp(['generate', '--check']).code).toBe(0);
    writeFileSync(file, before);
  }, 60_000);
});

describe('code that pages show', () => {
  const pages = repositoryFiles().filter((path) => path === 'README.md' || /^docs\/.*\.md$/.test(path));
  const shown = pages.flatMap((page) => {
    return snippetsOf(readRepositoryFile(page))
      .filter(({ language, code }) => language === 'ts' && (page === 'README.md' || /from 'ahp-toolkit/.test(code)))
      .map((snippet) => ({
        ...snippet,
        page,
        name: `${page.replaceAll('/', '-').replace('.md', '')}-${snippet.line}`,
      }));
  });

  it('type-checks, each block as a program of its own', () => {
    const project = join(app, 'snippets');
    mkdirSync(project);
    for (const { name, code } of shown) writeFileSync(join(project, `${name}.ts`), `${code}\nexport {};\n`);
    writeTsconfig(project, { ...STRICT, lib: ['es2023'], types: ['node'], skipLibCheck: true, noUnusedLocals: false });
    mkdirSync(join(app, 'node_modules', '@types'), { recursive: true });
    for (const name of ['@types/node', 'undici-types']) link(name);
    compile(project);
    expect(shown.some(({ page }) => page === 'README.md')).toBe(true);
  }, 60_000);

  it('prints what the page says that it prints', () => {
    const printing = shown.filter(({ output }) => output !== null);
    expect(printing.length).toBeGreaterThan(0);
    for (const { name, output, page, line } of printing) {
      const result = spawnSync(process.execPath, [`${name}.js`], {
        cwd: join(app, 'snippets'),
        encoding: 'utf8',
        timeout: 20_000,
      });
      expect(`${page}:${line}\n${result.stderr}${result.stdout}`).toBe(`${page}:${line}\n${output}`);
    }
  }, 120_000);
});

interface Manifest {
  readonly dependencies: Record<string, string>;
  readonly peerDependencies: Record<string, string>;
  readonly exports: Record<string, string | Record<string, string>>;
}

function manifestOf(root: string): Manifest {
  return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
}

function link(name: string): void {
  const place = join(app, 'node_modules', name);
  mkdirSync(dirname(place), { recursive: true });
  if (!existsSync(place)) symlinkSync(join(repositoryRoot, 'node_modules', name), place, 'junction');
}

function makeProject(name: string, program: string, parent = app): string {
  const project = join(parent, name);
  mkdirSync(project, { recursive: true });
  writeFileSync(join(project, 'package.json'), '{"private":true,"type":"module"}\n');
  writeFileSync(join(project, 'main.ts'), program);
  writeTsconfig(project, STRICT);
  return project;
}

function writeTsconfig(project: string, compilerOptions: object): void {
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['**/*.ts'] }));
}

function compile(project: string): void {
  const tsc = join(repositoryRoot, 'node_modules', 'typescript', 'bin', 'tsc');
  run(process.execPath, [tsc, '-p', project], project);
}

/** The command of the installed package, as a process in the empty project. */
function ahp(args: readonly string[]): { code: number | null; stdout: string; stderr: string } {
  const entry = join(installed, 'dist', 'cli', 'ahp.js');
  const result = spawnSync(process.execPath, [entry, ...args], { cwd: app, encoding: 'utf8' });
  return { code: result.status, stdout: result.stdout, stderr: result.stderr };
}

/** The standard output of a process that must succeed. */
function run(command: string, args: readonly string[], cwd: string): string {
  const result = spawnSync(command, args, { cwd, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  if (result.status !== 0) {
    throw new Error(
      `${command} ${args.join(' ')} ended with ${String(result.status)}\n${result.stdout}${result.stderr}`,
    );
  }
  return result.stdout;
}
