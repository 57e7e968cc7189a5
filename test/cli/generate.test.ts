import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { readLock } from '../../generator/lock.js';
import { listFiles, sha256OfText } from '../../generator/tool.js';
import { repositoryRoot } from '../repository/repository-files.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { ahpArguments, runAhp } from './run-ahp.js';

// Each of these loads a compiler and a formatter in a process of its own.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const LOCK = 'ahp-codegen.lock.json';

/** A small schema set: an invoice with lines, and a union of two payments. */
function writeSchemas(folder: string, lineType = 'string'): void {
  const string = { type: 'string' };
  const payment = (kind: string, member: string) => ({
    type: 'object',
    properties: { kind: { const: kind }, [member]: string },
    required: ['kind', member],
  });
  mkdirSync(folder, { recursive: true });
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'https://billing.example/billing.json',
    $defs: {
      Invoice: {
        title: 'Invoice',
        type: 'object',
        properties: { id: string, lines: { type: 'array', items: { type: lineType } } },
        required: ['id'],
      },
      Payment: { oneOf: [payment('card', 'token'), payment('transfer', 'iban')] },
    },
  };
  writeFileSync(join(folder, 'billing.json'), `${JSON.stringify(schema, null, 2)}\n`);
}

interface Project {
  readonly root: string;
  readonly schemas: string;
  readonly out: string;
  /** `--schemas … --out …` */
  readonly folders: readonly string[];
}

let prepared = '';

/** One generation, copied by the tests that begin with a generated folder. */
beforeAll(async () => {
  prepared = realpathSync(mkdtempSync(join(tmpdir(), 'ahp-')));
  writeSchemas(join(prepared, 'schemas'));
  const folders = ['--schemas', join(prepared, 'schemas'), '--out', join(prepared, 'out')];
  expect(await runAhp(['generate', '-q', ...folders])).toEqual({ code: 0, stdout: '', stderr: '' });
});

afterAll(() => rmSync(prepared, { recursive: true, force: true }));

function generatedProject(name?: string): Project {
  const made = project(name);
  cpSync(join(prepared, 'out'), made.out, { recursive: true });
  return made;
}

function project(name = 'project'): Project {
  const root = join(temporaryFolder(), name);
  const schemas = join(root, 'schemas');
  const out = join(root, 'out');
  writeSchemas(schemas);
  return { root, schemas, out, folders: ['--schemas', schemas, '--out', out] };
}

describe('ahp generate', () => {
  it('writes the folder, and the second run changes nothing', async () => {
    const { out, root, folders } = project();
    const first = await runAhp(['generate', ...folders]);
    expect(first.stderr).toBe('');
    expect(first.code).toBe(0);
    expect(first.stdout).toMatch(/out: \d+ files from 1 schema file in \d+\.\d s, \d+ added\n$/);
    const paths = listFiles(out);
    expect(paths).toEqual(expect.arrayContaining([LOCK, 'index.ts', 'types/billing.ts', 'codecs/billing.ts']));
    const before = contents(out);
    const second = await runAhp(['generate', ...folders]);
    expect(second.stdout).toMatch(/ s, nothing changed\n$/);
    expect(contents(out)).toEqual(before);
    expect(readdirSync(root).sort()).toEqual(['out', 'schemas']);
  });

  it('writes the same bytes in another folder, with other line ends and another order of definitions', async () => {
    const [one, two] = [project('one'), project('zwei ö')];
    const file = join(two.schemas, 'billing.json');
    const schema = JSON.parse(readFileSync(file, 'utf8')) as { $defs: Record<string, unknown> };
    const turned = { ...schema, $defs: Object.fromEntries(Object.entries(schema.$defs).reverse()) };
    writeFileSync(file, `${JSON.stringify(turned, null, 2)}\n`.replaceAll('\n', '\r\n'));
    await runAhp(['generate', '-q', ...one.folders]);
    await runAhp(['generate', '-q', ...two.folders], { cwd: two.root });
    const [left, right] = [contents(one.out), contents(two.out)];
    // The digest of the schema differs with the order of its definitions, and with it what names that digest.
    const digests = [one, two].map(({ schemas }) => sha256OfText(readFileSync(join(schemas, 'billing.json'))));
    const neutral = (text: string): string => digests.reduce((all, digest) => all.replaceAll(digest, 'DIGEST'), text);
    for (const path of Object.keys(left).filter((name) => name !== LOCK)) {
      expect(neutral(right[path] ?? '')).toBe(neutral(left[path] ?? ''));
    }
    writeFileSync(file, readFileSync(join(one.schemas, 'billing.json'), 'utf8').replaceAll('\n', '\r\n'));
    await runAhp(['generate', '-q', ...two.folders]);
    expect(contents(two.out)).toEqual(left);
  });

  it('--quiet says nothing, --json says it in one object, --emit-ir adds ir.json and its schema', async () => {
    const { out, folders } = generatedProject();
    expect(await runAhp(['generate', '--quiet', ...folders])).toEqual({ code: 0, stdout: '', stderr: '' });
    const result = await runAhp(['generate', '--json', '--emit-ir', ...folders]);
    const report = JSON.parse(result.stdout) as Record<string, unknown>;
    expect(report).toMatchObject({
      ok: true,
      command: 'generate',
      out,
      added: ['ir.json', 'ir.schema.json'],
      removed: [],
    });
    expect(report).toHaveProperty('changed', expect.arrayContaining([LOCK]));
    expect(JSON.parse(readFileSync(join(out, 'ir.json'), 'utf8'))).toMatchObject({ irVersion: 1 });
    expect((await runAhp(['generate', '--check', ...folders])).code).toBe(0);
  });

  it('reports all problems of a run with their places, exits 1 and leaves the folder as it was', async () => {
    const { schemas, out, folders } = generatedProject();
    const before = contents(out);
    const broken = {
      $defs: { A: { $ref: '#/$defs/None' }, B: { type: 'object', propertees: {} }, C: { $ref: 'https://x.example/y' } },
    };
    writeFileSync(join(schemas, 'broken.json'), JSON.stringify(broken));
    const result = await runAhp(['generate', ...folders]);
    expect(result.code).toBe(1);
    expect(result.stdout).toBe('');
    expect(result.stderr).toContain('broken.json#/$defs/A');
    expect(result.stderr).toContain('(unresolved-ref: ');
    expect(result.stderr).toContain('broken.json#/$defs/B');
    expect(result.stderr).toContain('(unknown-keyword: ');
    expect(result.stderr).toContain('(remote-ref: ');
    expect(result.stderr).toMatch(/\d+ problems, nothing was written\n$/);
    expect(contents(out)).toEqual(before);
    const json = JSON.parse((await runAhp(['generate', '--json', ...folders])).stdout) as {
      problems: { code: string }[];
    };
    expect(json).toMatchObject({ ok: false });
    expect(json.problems.map(({ code }) => code)).toEqual(expect.arrayContaining(['remote-ref', 'unknown-keyword']));
  });

  it('reports a document that is no JSON', async () => {
    const { schemas, out, folders } = project();
    writeFileSync(join(schemas, 'billing.json'), '{"$defs": {');
    const result = await runAhp(['generate', ...folders]);
    expect(result.code).toBe(1);
    expect(result.stderr).toContain('billing.json#');
    expect(result.stderr).toContain('(not-json: ');
    expect(existsSync(out)).toBe(false);
  });

  it('takes a folder without documents for a mistake', async () => {
    const { schemas, out, folders } = project();
    rmSync(join(schemas, 'billing.json'));
    const result = await runAhp(['generate', ...folders]);
    expect(result).toEqual({ code: 2, stdout: '', stderr: `ahp: --schemas holds no .json document: ${schemas}\n` });
    expect(existsSync(out)).toBe(false);
  });

  it('refuses a folder that it did not write', async () => {
    const { out, folders } = project();
    mkdirSync(out);
    writeFileSync(join(out, 'mine.ts'), 'export {};\n');
    const result = await runAhp(['generate', ...folders]);
    expect(result.code).toBe(1);
    expect(result.stderr).toMatch(/^ahp: .*must be empty or hold ahp-codegen\.lock\.json, got one entry/);
    expect(contents(out)).toEqual({ 'mine.ts': 'export {};\n' });
  });

  it('says that it may not write, and writes nothing', async () => {
    const { root, folders } = project();
    chmodSync(join(root, '..'), 0o755);
    chmodSync(root, 0o555);
    // The superuser may write everywhere, so the command then runs as nobody.
    const nobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
    const result = await runAhp(['generate', ...folders], nobody);
    chmodSync(root, 0o755);
    expect(result.stderr).toMatch(/could not be written, no permission to write there\n$/);
    expect(result.code).toBe(1);
    expect(readdirSync(root)).toEqual(['schemas']);
  });

  it('takes a set of hundreds of definitions', async () => {
    const { schemas, out, folders } = project();
    const member = (index: number) => ({ $ref: `#/$defs/Type${index}` });
    const entries = Array.from({ length: 400 }, (_, index) => {
      const properties = {
        id: { type: 'string' },
        parent: member(Math.floor(index / 2)),
        list: { type: 'array', items: member(index) },
      };
      return [`Type${index}`, { type: 'object', properties, required: ['id'] }];
    });
    writeFileSync(join(schemas, 'large.json'), JSON.stringify({ $defs: Object.fromEntries(entries) }));
    const result = await runAhp(['generate', ...folders]);
    expect(result.stderr).toBe('');
    expect(result.code).toBe(0);
    expect(readFileSync(join(out, 'codecs', 'large.ts'), 'utf8')).toContain('parseType399');
  });
});

describe('ahp generate --check', () => {
  it('is content with an unchanged folder', async () => {
    const { folders } = generatedProject();
    const result = await runAhp(['generate', '--check', ...folders]);
    expect(result.code).toBe(0);
    expect(result.stdout).toMatch(/out is what its schemas generate\n$/);
    const json = JSON.parse((await runAhp(['generate', '--check', '--json', ...folders])).stdout) as object;
    expect(json).toMatchObject({ ok: true, command: 'check', drift: [], by: 'digests' });
  });

  it('names what differs and the command that mends it, which then does', async () => {
    const { schemas, out, folders } = generatedProject('a project');
    const index = join(out, 'index.ts');
    writeFileSync(index, `${readFileSync(index, 'utf8')}// edited\n`);
    rmSync(join(out, 'types', 'billing.ts'));
    writeFileSync(join(out, 'own.ts'), '');
    writeSchemas(schemas, 'integer');
    const before = contents(out);
    const result = await runAhp(['generate', '--check', ...folders]);
    expect(result.code).toBe(1);
    expect(result.stdout).toBe('');
    expect(result.stderr).toMatch(/^ {2}changed-schema +billing\.json changed since the last generation$/m);
    expect(result.stderr).toMatch(/^ {2}edited-output +index\.ts is not what was generated$/m);
    expect(result.stderr).toMatch(/^ {2}missing-file +types\/billing\.ts is not there$/m);
    expect(result.stderr).toMatch(/^ {2}extra-file +own\.ts is not generated$/m);
    expect(result.stderr).toMatch(/^ {2}stale-output +codecs\/billing\.ts would change$/m);
    expect(contents(out)).toEqual(before);
    const mend = `npx tsx cli/ahp.ts generate --schemas '${schemas}' --out '${out}'`;
    expect(result.stderr.endsWith(`mend it with: ${mend}\n`)).toBe(true);
    const mended = await runAhp(['generate', ...folders]);
    expect(mended.stdout).toContain('  removed own.ts\n');
    expect((await runAhp(['generate', '--check', ...folders])).code).toBe(0);
  });

  it('says what to do about a folder that has lost its lock', async () => {
    const { out, folders } = generatedProject();
    rmSync(join(out, LOCK));
    const result = await runAhp(['generate', '--check', ...folders]);
    expect(result.code).toBe(1);
    expect(result.stderr).toMatch(/restore that file, or remove the folder, and then\nmend it with: npx .*\n$/);
    expect((await runAhp(['generate', ...folders])).code).toBe(1);
    rmSync(out, { recursive: true });
    expect((await runAhp(['generate', ...folders])).code).toBe(0);
  });

  it('notices a folder that is not there', async () => {
    const { out, folders } = project();
    const result = await runAhp(['generate', '--check', ...folders]);
    expect(result.code).toBe(1);
    expect(result.stderr).toMatch(/^ {2}missing-file +index\.ts is not there$/m);
    expect(existsSync(out)).toBe(false);
  });

  it('is content with the generated folder of this repository', async () => {
    const result = await runAhp(['generate', '--check']);
    expect(result.stderr).toBe('');
    expect(result.code).toBe(0);
  });
});

describe('a run that is killed', () => {
  it('leaves the old folder whole, and the next run finishes the work', async () => {
    const { root, schemas, out, folders } = generatedProject();
    const before = contents(out);
    writeSchemas(schemas, 'integer');
    // A machine with nothing else to do may write the folder before the signal arrives; then the old one is put back.
    let wasKilled = false;
    for (let tries = 0; tries < 10 && !wasKilled; tries += 1) {
      const child = spawn(process.execPath, ahpArguments(['generate', ...folders]), {
        cwd: repositoryRoot,
        stdio: 'ignore',
      });
      const exit = once(child, 'exit');
      // The first thing that stirs beside the output is the folder in which the new one is written.
      const watcher = watch(root, () => child.kill('SIGKILL'));
      await exit;
      watcher.close();
      expectWhole(out);
      wasKilled = child.signalCode === 'SIGKILL' && isDeepStrictEqual(contents(out), before);
      if (wasKilled) break;
      writeSchemas(schemas, 'string');
      await runAhp(['generate', '-q', ...folders]);
      expect(contents(out)).toEqual(before);
      writeSchemas(schemas, 'integer');
    }
    expect(wasKilled).toBe(true);
    await runAhp(['generate', '-q', ...folders]);
    expect(readdirSync(root).sort()).toEqual(['out', 'schemas']);
    expectWhole(out);
    expect((await runAhp(['generate', '--check', ...folders])).code).toBe(0);
  });

  it('by an interrupt leaves nothing beside the folder', async () => {
    const { root, folders } = project();
    const child = spawn(process.execPath, ahpArguments(['generate', ...folders]), {
      cwd: repositoryRoot,
      stdio: 'ignore',
    });
    const exit = once(child, 'exit');
    const watcher = watch(root, () => child.kill('SIGINT'));
    await exit;
    watcher.close();
    expect(readdirSync(root).filter((name) => name.startsWith('.'))).toEqual([]);
  });
});

describe('ahp generate --watch', () => {
  it('generates again on every change, survives problems, and ends on an interrupt', async () => {
    const { schemas, out, folders } = project();
    const child = spawn(process.execPath, ahpArguments(['generate', '--watch', ...folders]), {
      cwd: repositoryRoot,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const exit = once(child, 'exit');
    const lines = outputLines(child);
    await lines.until(/files from/);
    await lines.until(/^watching /);
    writeSchemas(schemas, 'integer');
    await lines.until(/\d changed$/);
    expect(readFileSync(join(out, 'types', 'billing.ts'), 'utf8')).toContain('number[]');
    writeFileSync(join(schemas, 'billing.json'), '{');
    await lines.until(/nothing was written$/);
    writeSchemas(schemas, 'boolean');
    await lines.until(/\d changed$/);
    expect(readFileSync(join(out, 'types', 'billing.ts'), 'utf8')).toContain('boolean[]');
    const before = contents(out);
    rmSync(join(schemas, 'billing.json'));
    await lines.until(/nothing was written$/);
    rmSync(schemas, { recursive: true });
    await lines.until(/no such file/);
    expect(contents(out)).toEqual(before);
    mkdirSync(schemas);
    writeSchemas(schemas, 'string');
    await lines.until(/\d changed$/);
    expect(readFileSync(join(out, 'types', 'billing.ts'), 'utf8')).toContain('string[]');
    child.kill('SIGINT');
    expect(await exit).toEqual([0, null]);
  });
});

function contents(folder: string): Record<string, string> {
  return Object.fromEntries(listFiles(folder).map((path) => [path, readFileSync(join(folder, path), 'utf8')]));
}

/** Every file is the one that the folder's own lock records, and no other is there. */
function expectWhole(folder: string): void {
  const { [LOCK]: lock = '', ...files } = contents(folder);
  const digests = Object.entries(files).map(([path, text]) => [path, sha256OfText(text)]);
  expect(Object.fromEntries(digests)).toEqual(readLock(lock)?.files);
}

/** The lines of both outputs, to wait for one after the other. */
function outputLines(child: ChildProcess): { until(pattern: RegExp): Promise<void> } {
  const seen: string[] = [];
  let wake: () => void = () => undefined;
  for (const stream of [child.stdout, child.stderr]) {
    if (stream === null) continue;
    createInterface({ input: stream }).on('line', (line) => {
      seen.push(line);
      wake();
    });
  }
  child.once('exit', () => wake());
  return {
    async until(pattern) {
      for (;;) {
        const index = seen.findIndex((line) => pattern.test(line));
        if (index >= 0) {
          seen.splice(0, index + 1);
          return;
        }
        if (child.exitCode !== null) throw new Error(`the process ended before ${String(pattern)}: ${seen.join('\n')}`);
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}
