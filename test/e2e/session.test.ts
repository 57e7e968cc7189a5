import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.js';

const PROGRAM = fileURLToPath(new URL('../../examples/main/main.ts', import.meta.url));

/** What a session left in its folder for temporary files, the loader's cache aside. */
function leftIn(folder: string): string[] {
  return readdirSync(folder).filter((name) => !name.startsWith('tsx-'));
}

/** Processes that work in this folder, or have it in their command line. Empty where the system does not tell. */
function processesOf(folder: string): string[] {
  if (!existsSync('/proc')) return [];
  return readdirSync('/proc')
    .filter((name) => /^[0-9]+$/.test(name))
    .filter((pid) => {
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        return line.includes(folder) || (line !== '' && readlinkSync(`/proc/${pid}/cwd`).startsWith(folder));
      } catch {
        return false;
      }
    });
}

it(
  'the session of the main job runs over real processes, tells its timeline and leaves nothing',
  { timeout: 180_000 },
  () => {
    const folder = temporaryFolder();
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', PROGRAM, 'session'], {
      encoding: 'utf8',
      env: { ...process.env, TMPDIR: folder },
      timeout: 150_000,
    });
    expect(stderr).toBe('');
    expect(status).toBe(0);
    for (const line of [
      'reason: Nothing is deleted here.',
      'runs git push --force-with-lease',
      'redactor  intercept  answer-1: body of 48 bytes; answers modify',
      'policy    intercept  answer-1: metadata, 62 bytes',
      'the server gets {"target":"stage","instances":2}',
      'the person consents to open https://deploys.example/sign-in: proceed',
      'redactor  intercept  summary-1: body of 93 bytes; answers modify, message',
      'policy    intercept  summary-1: body of 89 bytes',
      'published to policy as summary-1, stored byte for byte',
      'published to redactor as summary-1, stored byte for byte',
      'refused: no-change',
      'com.example.absent: process-exit',
    ]) {
      expect(stdout).toContain(line);
    }
    // Neither credentials nor what a summary held back.
    expect(stdout).not.toMatch(/event-0a1b2c3d|upload-4e5f6a7b|tok_|ann@/);
    expect(leftIn(folder)).toEqual([]);
    expect(processesOf(folder)).toEqual([]);
  },
);

describe('a session that is ended in the middle', () => {
  it.each<[NodeJS.Signals, number | null]>([
    ['SIGTERM', 143],
    ['SIGINT', 130],
    ['SIGKILL', null],
  ])(
    'by %s leaves no process behind, and no folder where it could help it',
    { timeout: 120_000 },
    async (how, code) => {
      const folder = temporaryFolder();
      const program = spawn(process.execPath, ['--import', 'tsx', PROGRAM, 'session'], {
        env: { ...process.env, TMPDIR: folder },
        stdio: 'ignore',
      });
      onTestFinished(() => void program.kill('SIGKILL'));
      const gone = once(program, 'exit');
      const [, session] = await Promise.all([
        // The receiver has an entry of its own in the journal as soon as the first event was sent.
        vi.waitUntil(() => leftIn(folder).some((name) => existsSync(join(folder, name, 'journal.jsonl'))), {
          timeout: 60_000,
          interval: 5,
        }),
        vi.waitUntil(() => leftIn(folder)[0], { timeout: 60_000 }),
      ]);
      expect(session).toMatch(/^ahp-session-/);
      if (existsSync('/proc')) expect(processesOf(folder).length).toBeGreaterThan(0);
      program.kill(how);
      expect((await gone)[0]).toBe(code);
      await vi.waitUntil(() => processesOf(folder).length === 0, { timeout: 20_000 });
      if (how !== 'SIGKILL') expect(leftIn(folder)).toEqual([]);
    },
  );
});
