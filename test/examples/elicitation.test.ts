import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

it('elicitation: the bot answers what its rules allow, a bad answer is refused, the person is asked', () => {
  const program = fileURLToPath(new URL('../../examples/main/elicitation-part.ts', import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', program], {
    encoding: 'utf8',
    timeout: 25_000,
  });
  expect(stderr).toBe('');
  expect(stdout.split('\n').slice(3)).toEqual([
    'an MCP client that declares nothing supports: form',
    'bot     q1  return → {"action":"accept","content":{"rerun":true}}, provenance hook',
    'bot     q2  deny → {"action":"decline"}, provenance hook',
    'bot     q3  message → no answer yet, provenance mcp, says "The bot leaves this to you."',
    'bot     q3  a bad answer → refused: answer-invalid /target',
    'person  q3  {"action":"accept","content":{"target":"stage"}}, provenance mcp',
    'bot     q3  modify → {"action":"accept","content":{"target":"stage","instances":2}}, provenance hook',
    'settled q1, cancelled q2: yes, open: 0',
    '',
  ]);
  expect(status).toBe(0);
});
