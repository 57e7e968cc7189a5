import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repositoryRoot } from '../repository/repository-files.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { runAhp } from './run-ahp.js';

const messages = join(repositoryRoot, 'examples', 'messages');
const receipt = { ref: 'r', size: 1, sha256: 'a'.repeat(64) };

describe('ahp validate', () => {
  it('accepts a valid message and says as what', async () => {
    const file = join(messages, 'intercept.tool.before.json');
    expect(await runAhp(['validate', file])).toEqual({
      code: 0,
      stdout: `${file}: valid WireMessage (by its content)\n`,
      stderr: '',
    });
  });

  it('names every place, rule and code of an invalid one, exit 1', async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'bad.json');
    writeFileSync(file, JSON.stringify({ ...receipt, size: -1 }));
    const result = await runAhp(['validate', '--as', 'ContentUploadReceipt', file]);
    expect(result.code).toBe(1);
    expect(result.stdout).toMatch(/^.*bad\.json: invalid ContentUploadReceipt\n {2}\/size: .+ \(minimum\)\n$/);
  });

  it('reads JSON Lines by name and by content, with line numbers and a count', async () => {
    const folder = temporaryFolder();
    const lines = [receipt, { ...receipt, ref: 3 }, receipt].map((value) => JSON.stringify(value)).join('\n\n');
    for (const name of ['a.jsonl', 'a.ndjson', 'a.txt']) {
      const file = join(folder, name);
      writeFileSync(file, lines);
      const result = await runAhp(['validate', '--as', 'ContentUploadReceipt', file]);
      expect(result.code).toBe(1);
      expect(result.stdout.split('\n').filter((line) => !line.startsWith('  '))).toEqual([
        `${file}:1: valid ContentUploadReceipt`,
        `${file}:3: invalid ContentUploadReceipt`,
        `${file}:5: valid ContentUploadReceipt`,
        '2 valid, 1 invalid',
        '',
      ]);
    }
  });

  it('reads standard input, one text or lines', async () => {
    const one = await runAhp(['validate', '-'], { input: JSON.stringify(receipt, null, 2) });
    expect(one).toEqual({ code: 0, stdout: 'stdin: valid ContentUploadReceipt (by its content)\n', stderr: '' });
    const line = JSON.stringify(receipt);
    const two = await runAhp(['validate', '-'], { input: `${line}\n${line}\n` });
    expect(two.stdout).toMatch(/^stdin:1: valid .*\nstdin:2: valid .*\n2 valid, 0 invalid\n$/);
  });

  it('prints one JSON object with --json', async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'x.jsonl');
    writeFileSync(file, `${JSON.stringify(receipt)}\n{"ref":1}\n`);
    const result = await runAhp(['validate', '--json', '--as', 'ContentUploadReceipt', file]);
    expect(result.code).toBe(1);
    const report = JSON.parse(result.stdout) as { documents: { issues: { code: string; pointer: string }[] }[] };
    expect(report).toMatchObject({
      ok: false,
      command: 'validate',
      valid: 1,
      invalid: 1,
      documents: [
        { file, line: 1, as: 'ContentUploadReceipt', guessed: false, ok: true, stage: null, issues: [], warnings: [] },
        { file, line: 2, as: 'ContentUploadReceipt', guessed: false, ok: false, stage: 'decode', warnings: [] },
      ],
    });
    expect(report.documents[1]?.issues.map(({ code, pointer }) => [code, pointer])).toContainEqual([
      'wrong-type',
      '/ref',
    ]);
  });

  it('goes on after an unusable document and counts all', async () => {
    const folder = join(temporaryFolder(), 'sp ace', '日本 é');
    mkdirSync(folder, { recursive: true });
    const [good, bad, empty] = [join(folder, 'good.json'), join(folder, 'bad.json'), join(folder, 'empty.json')];
    writeFileSync(good, JSON.stringify(receipt));
    writeFileSync(bad, Buffer.from([0x22, 0xff, 0x22]));
    writeFileSync(empty, '');
    const result = await runAhp(['validate', bad, empty, good]);
    expect(result.code).toBe(1);
    expect(result.stdout).toContain('(invalid-utf8)');
    expect(result.stdout).toContain('(invalid-json)');
    expect(result.stdout).toContain(`${good}: valid`);
    expect(result.stdout).toContain('1 valid, 2 invalid\n');
  });

  it('--quiet prints only what is invalid', async () => {
    const good = JSON.stringify(receipt);
    expect(await runAhp(['validate', '-q', '-'], { input: `${good}\n${good}\n` })).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    });
    const result = await runAhp(['validate', '-q', '-'], { input: `${good}\n{"ref":1,"sha256":2}\n` });
    expect(result.code).toBe(1);
    expect(result.stdout).toMatch(/^stdin:2: invalid/);
  });

  it('lets no control character of the input reach the terminal', async () => {
    const input = '{"ref":"r","size":1,"sha256":"a","\\u001b[2J\\u0007":1}';
    const result = await runAhp(['validate', '-'], { input });
    expect(result.code).toBe(1);
    expect(result.stdout.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
  });

  it('refuses a text beyond the size limit without choking on it', async () => {
    const file = join(temporaryFolder(), 'huge.json');
    writeFileSync(file, `"${'x'.repeat(65 * 1024 * 1024)}"`);
    const result = await runAhp(['validate', '--as', 'Event', file]);
    expect(result.code).toBe(1);
    expect(result.stdout).toContain('(too-large)');
    expect(result.stdout.length).toBeLessThan(1000);
  });

  it('takes ten thousand lines in one run', async () => {
    const file = join(temporaryFolder(), 'many.jsonl');
    writeFileSync(file, `${JSON.stringify(receipt)}\n`.repeat(10_000));
    const result = await runAhp(['validate', '-q', '--as', 'ContentUploadReceipt', file]);
    expect(result).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('--list prints the 77 public names', async () => {
    const result = await runAhp(['validate', '--list']);
    const names = result.stdout.trimEnd().split('\n');
    expect(names).toHaveLength(77);
    expect(names).toContain('ToolBeforeEvent');
    expect([...names].sort()).toEqual(names);
  });
});
