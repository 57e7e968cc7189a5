import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

it('chain: policies deny, rewrite, ask, answer, fail and are interrupted, and observers hear of what was accepted', () => {
  const program = fileURLToPath(new URL('../../examples/main/chain-part.ts', import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', program], {
    encoding: 'utf8',
    timeout: 25_000,
  });
  expect(stderr).toBe('');
  const scenes = stdout.split('\n\n');
  const endings = scenes.map((scene) => scene.split('\n').filter((line) => /^ {2}(outcome|told) /.test(line)));
  expect(endings.filter((lines) => lines.length > 0)).toEqual([
    ['  outcome   proceed; permission allow; runs ls', '  told      audit'],
    ['  outcome   denied by guard (deny); permission deny', '  told      approver, reviewer, audit'],
    [
      '  outcome   proceed; permission ask; asks, then runs git push --force-with-lease; says "A push leaves this machine."; 1 injected',
      '  told      audit',
    ],
    ['  outcome   proceed; permission allow; answer "nothing to commit"', '  told      audit'],
    ['  outcome   proceed; permission allow; runs cat notes.txt', '  told      audit'],
    ['  outcome   denied by keystore (fail-closed); permission deny', '  told      reviewer, audit'],
    ['  outcome   interrupted by the person (interrupted); permission none', '  told      reviewer, audit'],
  ]);
  expect(stdout).toContain('  flaky     fails: connection, fail-open');
  expect(status).toBe(0);
});
