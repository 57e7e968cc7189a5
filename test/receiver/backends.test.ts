import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { json, text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { uploadContent } from '../../runtime/content/index.js';
import { ahpArguments } from '../cli/run-ahp.js';
import { repositoryRoot } from '../repository/repository-files.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { intercept, type Json, observe, readyItem, toolBefore } from './support/messages.js';
import { type ServeProcess, startServe } from './support/serve-process.js';

const policy = join(repositoryRoot, 'examples', 'backends', 'policy.ts');
const audit = join(repositoryRoot, 'examples', 'backends', 'audit.ts');
const envelope = { source: 'urn:example:harness', time: '2026-03-01T09:00:00Z' };

function shell(id: string, command: string): Json {
  return intercept(toolBefore(id, { tool: { name: 'shell', origin: 'native', input: { command } } }), {
    capabilities: { effects: ['deny', 'modify'], modify: { input: { replace: false, merge: true } } },
  });
}

describe('the policy backend', () => {
  let serve: ServeProcess;

  beforeAll(async () => {
    process.env.POLICY_TOKEN = 'token-of-the-test';
    serve = await startServe(ahpArguments(['serve', '--json', policy]));
  });
  afterAll(async () => {
    expect(await serve.kill('SIGTERM')).toBe(0);
  });

  async function effectsOf(message: Json): Promise<unknown> {
    const response = await fetch(serve.hooks, {
      method: 'POST',
      headers: { authorization: 'Bearer token-of-the-test', 'content-type': 'application/json' },
      body: JSON.stringify(message),
    });
    return ((await response.json()) as { result?: { effects: unknown } }).result?.effects;
  }

  async function upload(body: string): Promise<string> {
    const auth = { type: 'bearer' as const, tokenRef: 'r' };
    const config = { endpoint: serve.content, timeoutMs: 30_000, maxBytes: 1_000, auth };
    const credentials = { resolve: () => ({ token: 'token-of-the-test' }) };
    return (await uploadContent(config, Buffer.from(body), { allowLoopback: true, credentials })).ref;
  }

  it('denies deletions and rewrites installs', async () => {
    expect(await effectsOf(shell('e1', 'rm -rf build'))).toEqual([
      { type: 'deny', reason: 'Folders are not deleted by tools.', code: 'com.example.policy.deletion' },
    ]);
    expect(await effectsOf(shell('e2', 'npm install && npm test'))).toEqual([
      { type: 'modify', target: 'input', operation: 'merge', value: { command: 'npm ci && npm test' } },
    ]);
    expect(await effectsOf(shell('e3', 'npm install left-pad'))).toEqual([]);
  });

  it('answers the question of the deploy tool, and no other', async () => {
    const form = (choices: string[]): string =>
      JSON.stringify({
        message: 'Where to?',
        requestedSchema: { type: 'object', properties: { environment: { type: 'string', enum: choices } } },
      });
    const ask = async (server: string, body: string): Promise<unknown> => {
      const { role: _role, ...item } = readyItem(await upload(body));
      const request = { ...item, mediaType: 'application/json' };
      const event = {
        ...envelope,
        id: 'q',
        type: 'user.elicitation.request',
        elicitation: { server, mode: 'form', request },
      };
      return effectsOf(
        intercept(event, { capabilities: { effects: ['return', 'message'], elicitation: { form: {} } } }),
      );
    };
    expect(await ask('deploys', form(['production', 'staging']))).toEqual([
      { type: 'return', value: { action: 'accept', content: { environment: 'staging' } } },
      { type: 'message', text: 'Deploys go to staging.' },
    ]);
    expect(await ask('deploys', form(['production']))).toEqual([]);
    expect(await ask('another', form(['staging']))).toEqual([]);
    expect(await ask('deploys', 'no JSON')).toEqual([]);
  });

  it('takes card numbers out of summaries', async () => {
    const summarize = async (body: string): Promise<unknown> => {
      const summary = { ...readyItem(await upload(body)), role: 'assistant' };
      const event = {
        ...envelope,
        id: 's',
        type: 'context.compact.after',
        summary,
        removed: [],
        execution: { status: 'executed' },
      };
      const modify = { summary: { replace: true, merge: false } };
      return effectsOf(intercept(event, { capabilities: { effects: ['modify', 'message'], modify } }));
    };
    expect(await summarize('Paid with 4111 1111 1111 1111 today.')).toEqual([
      { type: 'modify', target: 'summary', operation: 'replace', value: 'Paid with [card number] today.' },
    ]);
    expect(await summarize('Nothing was paid.')).toEqual([]);
  });

  it('is a stdio backend too', async () => {
    const link = ['serve', '--stdio', '--principal', 'harness', '--scope', 'local', policy];
    const child = spawn(process.execPath, ahpArguments(link), {
      cwd: repositoryRoot,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    child.stdin.end(JSON.stringify(shell('e1', 'rm -rf .')));
    expect(await json(child.stdout)).toMatchObject({ id: 'e1', result: { effects: [{ type: 'deny' }] } });
    expect(await exited).toEqual([0, null]);
  });
});

it('the audit backend writes what happened, once, and nothing of its content', async () => {
  const file = join(temporaryFolder(), 'audit.jsonl');
  const link = ['serve', '--stdio', '--principal', 'harness', '--scope', 'audit', audit];
  const child = spawn(process.execPath, ahpArguments(link), {
    cwd: repositoryRoot,
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, AUDIT_FILE: file },
  });
  const exited = once(child, 'exit');
  const secret = observe(toolBefore('e1', { tool: { name: 't', origin: 'native', input: { token: 'secret' } } }));
  child.stdin.end(
    [secret, secret, observe(toolBefore('e2'))].map((message) => `${JSON.stringify(message)}\n`).join(''),
  );
  expect(await text(child.stdout)).toBe('');
  expect(await exited).toEqual([0, null]);
  const written = readFileSync(file, 'utf8');
  expect(written).not.toContain('secret');
  const lines = written
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Json);
  expect(lines.map(({ id }) => id).sort()).toEqual(['e1', 'e2']);
});
