import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const PROGRAM = fileURLToPath(new URL('../../examples/main/main.ts', import.meta.url));

it(
  'the session of the main job runs over real processes, tells its timeline and leaves nothing',
  { timeout: 180_000 },
  () => {
    const leftovers = (): string[] => readdirSync(tmpdir()).filter((name) => name.startsWith('ahp-session-'));
    const before = leftovers();
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', PROGRAM, 'session'], {
      encoding: 'utf8',
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
    expect(leftovers().filter((name) => !before.includes(name))).toEqual([]);
  },
);
