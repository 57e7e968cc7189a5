import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

function runExample(name: string, ...args: string[]): { code: number | null; output: string } {
  const program = fileURLToPath(new URL(`../../examples/main/${name}`, import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', program, ...args], {
    encoding: 'utf8',
    timeout: 25_000,
  });
  return { code: status, output: stderr + stdout };
}

describe('the example programs', () => {
  it('compaction: the redactor cleans what is applied, the flaky hook ends nothing', () => {
    const { code, output } = runExample('compaction-part.ts');
    expect(output).toContain('applied      "The agent used the token [redacted] to fetch the tags.');
    expect(output).toContain('auditor      saw the same text: yes');
    expect(output).toContain('failed hooks: flaky (before)');
    expect(code).toBe(0);
  });

  it('observation: each observer has its own view, in order; the failing one stops nobody', () => {
    const { code, output } = runExample('observation-part.ts');
    for (const id of ['e1', 'e2', 'e3']) {
      expect(output).toContain(`auditor   ${id}  Bash({})`);
      expect(output).toContain(`broken    ${id}  notification`);
    }
    expect(output).toContain('reviewer  e3  Bash({"command":"git push"})');
    expect(output).not.toContain('policy');
    expect(code).toBe(0);
  });

  it('lineage: the sample connection is judged line by line', () => {
    const { code, output } = runExample('lineage-part.ts');
    expect(output).toContain('a loop of 2: x2 → x1');
    expect(output).toContain('7 lines taken, 5 refused');
    expect(code).toBe(0);
  });

  it('lineage: a file of one’s own fails when a line is refused', () => {
    const folder = mkdtempSync(join(tmpdir(), 'ahp-lineage-'));
    try {
      const event = {
        id: 'a',
        source: 'urn:example:host',
        type: 'user.attention',
        time: '2026-10-05T12:00:00Z',
        attention: { kind: 'idle', message: [], title: [] },
      };
      const message = { jsonrpc: '2.0', method: 'hooks/observe', params: { protocolVersion: 'draft', event } };
      const good = join(folder, 'good.jsonl');
      writeFileSync(good, `${JSON.stringify(message)}\n\n`);
      expect(runExample('lineage-part.ts', good)).toMatchObject({ code: 0 });
      const bad = join(folder, 'bad.jsonl');
      writeFileSync(bad, `${JSON.stringify(message)}\n{"jsonrpc":"2.0"}\n`);
      const { code, output } = runExample('lineage-part.ts', bad);
      expect(output).toContain('not-canonical');
      expect(code).toBe(1);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
