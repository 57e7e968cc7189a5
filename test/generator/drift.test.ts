import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type CheckReport, checkFolder } from '../../generator/drift.js';
import { readLockInputs } from '../../generator/inputs.js';
import { LOCK_FILE, type LockInputs, makeLock, printLock } from '../../generator/lock.js';
import type { EmittedFile } from '../../generator/model.js';
import { writeFolder } from '../../generator/write.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const OPTIONS = { emitIr: false };

interface Project {
  readonly schemas: string;
  readonly out: string;
  /** How often the generator was called. */
  calls: number;
  check(): Promise<CheckReport>;
  generate(change?: (inputs: LockInputs) => LockInputs): void;
}

/** A generator of one file per schema, small enough to see what the check itself does. */
function project(): Project {
  const folder = temporaryFolder();
  const schemas = join(folder, 'schemas');
  const out = join(folder, 'out');
  mkdirSync(schemas);
  writeFileSync(join(schemas, 'a.json'), '{"a":1}\n');
  writeFileSync(join(schemas, 'b.json'), '{"b":1}\n');
  const emit = (inputs: LockInputs): EmittedFile[] => {
    const files = [...inputs.schemas.keys()].map((path) => ({
      path: path.replace('.json', '.ts'),
      text: readFileSync(join(schemas, path), 'utf8').replaceAll(/\s/g, ''),
    }));
    return [...files, { path: LOCK_FILE, text: printLock(makeLock(inputs, files)) }];
  };
  const made: Project = {
    schemas,
    out,
    calls: 0,
    check: () =>
      checkFolder(schemas, out, async (options) => {
        made.calls += 1;
        return emit(readLockInputs(schemas, options));
      }),
    generate: (change = (inputs) => inputs) => {
      const inputs = change(readLockInputs(schemas, OPTIONS));
      const files = emit(inputs);
      writeFolder(out, files);
    },
  };
  made.generate();
  return made;
}

const kinds = (report: CheckReport): string[] => report.drift.map(({ kind, path }) => `${kind} ${path}`);

describe('checking a generated folder', () => {
  it('settles an unchanged folder by digests, without generating', async () => {
    const { check, ...rest } = project();
    expect(await check()).toEqual({ ok: true, drift: [], by: 'digests' });
    expect(rest.calls).toBe(0);
  });

  it('notices an edited output', async () => {
    const { out, check } = project();
    writeFileSync(join(out, 'a.ts'), 'edited');
    const report = await check();
    expect(report).toEqual({
      ok: false,
      drift: [{ kind: 'edited-output', path: 'a.ts', detail: 'is not what was generated' }],
      by: 'digests',
    });
  });

  it('notices a missing file, an extra one, and a link in place of one', async () => {
    const { out, check } = project();
    rmSync(join(out, 'a.ts'));
    mkdirSync(join(out, 'more'));
    writeFileSync(join(out, 'more', 'own.ts'), '');
    rmSync(join(out, 'b.ts'));
    symlinkSync(LOCK_FILE, join(out, 'b.ts'));
    expect(kinds(await check())).toEqual(['missing-file a.ts', 'edited-output b.ts', 'extra-file more/own.ts']);
  });

  it('notices a missing folder and names every file', async () => {
    const { out, check } = project();
    rmSync(out, { recursive: true });
    const report = await check();
    expect(report.by).toBe('regenerated');
    expect(kinds(report)).toEqual(['missing-file a.ts', 'missing-file b.ts', `missing-file ${LOCK_FILE}`]);
  });

  it('notices a changed schema, and what it would change', async () => {
    const { schemas, check } = project();
    writeFileSync(join(schemas, 'a.json'), '{"a":2}\n');
    expect(kinds(await check())).toEqual(['changed-schema a.json', 'stale-output a.ts']);
  });

  it('notices a schema that changed without changing the output', async () => {
    const { schemas, check } = project();
    writeFileSync(join(schemas, 'a.json'), '{ "a": 1 }\n');
    expect(kinds(await check())).toEqual(['changed-schema a.json']);
  });

  it('notices an added and a removed schema', async () => {
    const { schemas, check } = project();
    rmSync(join(schemas, 'a.json'));
    writeFileSync(join(schemas, 'c.json'), '{}');
    expect((await check()).drift).toEqual([
      { kind: 'changed-schema', path: 'a.json', detail: 'removed since the last generation' },
      { kind: 'changed-schema', path: 'c.json', detail: 'added since the last generation' },
      { kind: 'stale-output', path: 'c.ts', detail: 'would be added' },
      { kind: 'stale-output', path: 'a.ts', detail: 'would be removed' },
    ]);
  });

  it('notices a changed template, another version, other code and another library', async () => {
    const { generate, check } = project();
    generate((inputs) => ({
      ...inputs,
      templates: new Map([...inputs.templates, ['gone.hbs', '0']]),
      tool: { ...inputs.tool, version: '0', generator: '0', libraries: { ...inputs.tool.libraries, prettier: '0' } },
    }));
    const report = await check();
    expect(report.by).toBe('regenerated');
    expect(kinds(report)).toEqual([
      'changed-template gone.hbs',
      'changed-tool version',
      'changed-tool generator',
      'changed-tool prettier',
    ]);
  });

  it('is not deceived by a lock that was edited along with an output', async () => {
    const { out, check } = project();
    const before = readFileSync(join(out, 'a.ts'), 'utf8');
    writeFileSync(join(out, 'a.ts'), readFileSync(join(out, 'b.ts')));
    const lock = JSON.parse(readFileSync(join(out, LOCK_FILE), 'utf8')) as { files: Record<string, string> };
    lock.files['a.ts'] = lock.files['b.ts'] ?? '';
    writeFileSync(join(out, LOCK_FILE), `${JSON.stringify(lock, null, 2)}\n`);
    const report = await check();
    expect(before).toBe('{"a":1}');
    expect(report.by).toBe('regenerated');
    expect(kinds(report)).toEqual(['edited-output a.ts', `edited-output ${LOCK_FILE}`]);
  });

  it('sees no drift in other line ends, of schemas, outputs and the lock', async () => {
    const { schemas, out, check } = project();
    for (const file of [join(schemas, 'a.json'), join(out, 'a.ts'), join(out, LOCK_FILE)]) {
      writeFileSync(file, readFileSync(file, 'utf8').replaceAll('\n', '\r\n'));
    }
    expect(await check()).toEqual({ ok: true, drift: [], by: 'digests' });
  });

  it('rejects with what generating rejects with', async () => {
    const { schemas, out } = project();
    writeFileSync(join(schemas, 'a.json'), '{"a":3}');
    const failure = new Error('no such keyword');
    await expect(checkFolder(schemas, out, () => Promise.reject(failure))).rejects.toBe(failure);
  });
});

describe('the files of a schema set', () => {
  it('are those of the manifest, or every document without one', () => {
    const { schemas } = project();
    const names = (): string[] => [...readLockInputs(schemas, OPTIONS).schemas.keys()];
    expect(names()).toEqual(['a.json', 'b.json']);
    writeFileSync(join(schemas, 'manifest.json'), '{"documents":{"b.json":{},"absent.json":{}}}');
    expect(names()).toEqual(['b.json', 'manifest.json']);
    writeFileSync(join(schemas, 'manifest.json'), '{"documents":');
    expect(names()).toEqual(['a.json', 'b.json', 'manifest.json']);
  });
});
