import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { runAhp } from '../cli/run-ahp.js';
import { repositoryRoot } from '../repository/repository-files.js';
import { createAuthority } from '../support/certificates.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { discover, intercept, observe, readyItem, toolAfter, toolBefore } from './support/messages.js';
import { sha256 } from './support/raw-client.js';
import {
  backendModule,
  buildServe,
  type BuiltCommand,
  type ServeProcess,
  startServe,
} from './support/serve-process.js';

const NARROW = { capabilities: { effects: ['message'] } };
const LINK = ['--stdio', '--principal', 'harness', '--scope=tenant'];

let command: BuiltCommand;
const running: ServeProcess[] = [];

beforeAll(async () => {
  command = await buildServe();
});
afterAll(() => command.remove());
afterEach(async () => {
  await Promise.all(running.splice(0).map((serve) => serve.kill()));
});

async function serve(...args: readonly string[]): Promise<ServeProcess> {
  const started = await startServe([command.entry, '--json', ...args, backendModule]);
  running.push(started);
  return started;
}

function post(url: string, message: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { authorization: 'Bearer good', 'content-type': 'application/json', ...headers },
    body: message instanceof Uint8Array ? message : JSON.stringify(message),
  });
}

function putBody(url: string, bytes: Uint8Array): Promise<Response> {
  return post(url, bytes, { 'content-type': 'application/octet-stream', 'ahp-content-sha256': sha256(bytes) });
}

describe('§8 ahp serve over HTTP', () => {
  it('serves discovery, interceptions, observations and uploads, and ends on SIGTERM', async () => {
    const { hooks, content, kill } = await serve();
    expect([hooks, content].every((url) => url.startsWith('http://127.0.0.1:'))).toBe(true);
    expect(await (await post(hooks, discover())).json()).toMatchObject({
      id: 'd-1',
      result: { manifest: { gaps: [] } },
    });
    const body = Buffer.from('a body');
    const { ref } = (await (await putBody(content, body)).json()) as { ref: string };
    const answer = await post(hooks, intercept(toolAfter('e1', { items: [readyItem(ref)] }), NARROW));
    expect(await answer.json()).toMatchObject({ result: { effects: [{ text: sha256(body) }] } });
    expect((await post(hooks, observe(toolBefore('e2')))).status).toBe(202);
    expect((await post(hooks, discover(), { authorization: 'Bearer other' })).status).toBe(401);
    expect(await kill('SIGTERM')).toBe(0);
  });

  it('keeps what is stored across runs, and gives one writer the folder', async () => {
    const folder = temporaryFolder();
    const first = await serve('--store', folder);
    const { ref } = (await (await putBody(first.content, Buffer.from('kept'))).json()) as { ref: string };
    const second = await runAhp(['serve', '--store', folder, backendModule]);
    expect([second.code, second.stderr]).toEqual([
      1,
      'ahp: Store: expected a folder that nobody writes to, got one that a live process holds\n',
    ]);
    expect(await first.kill('SIGINT')).toBe(0);
    const again = await serve('--store', folder);
    const event = toolAfter('e1', { items: [readyItem(ref)] });
    expect(await (await post(again.hooks, intercept(event, NARROW))).json()).toMatchObject({
      result: { effects: [{ text: sha256('kept') }] },
    });
    expect(readdirSync(join(folder, 'unfinished'))).toEqual([]);
  });

  it('lets what is under way end on the first signal, and goes at once on the second', async () => {
    const { hooks, child, exited } = await serve();
    const hanging = toolBefore('e1', { tool: { name: 't', origin: 'native', input: { command: 'hang' } } });
    const call = post(hooks, intercept(hanging, NARROW)).catch((error: unknown) => error);
    // The module says something on standard output as soon as its handler runs.
    await once(child.stdout, 'data');
    child.kill('SIGTERM');
    await expect.poll(async () => (await post(hooks, discover()).catch(() => null))?.status ?? 'gone').not.toBe(200);
    child.kill('SIGTERM');
    await exited;
    expect(child.signalCode).toBe('SIGTERM');
    expect(await call).toBeInstanceOf(Error);
  });

  it('serves HTTPS, and may ask for client certificates', async () => {
    const folder = temporaryFolder();
    const authority = createAuthority();
    const { cert, key } = authority.issue('localhost', ['127.0.0.1']);
    for (const [name, pem] of Object.entries({ cert, key, ca: authority.cert })) writeFileSync(join(folder, name), pem);
    const files = ['--tls-cert', join(folder, 'cert'), '--tls-key', join(folder, 'key')];
    const { hooks } = await serve(...files, '--tls-ca', join(folder, 'ca'));
    expect(hooks.startsWith('https://127.0.0.1:')).toBe(true);
    const { request } = await import('node:https');
    const ask = (client: { cert?: string; key?: string }): Promise<number | string> =>
      new Promise((resolve) => {
        const asked = request(hooks, { ca: authority.cert, agent: false, method: 'GET', ...client }, (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
        });
        asked.on('error', () => resolve('refused'));
        asked.end();
      });
    expect(await ask({})).toBe('refused');
    expect(await ask(authority.issue('harness'))).toBe(405);
  });

  it.each([
    ['needs exactly one handler module', 2, []],
    ['needs exactly one handler module', 2, [backendModule, 'another']],
    ['--stdio needs --principal and --scope', 2, ['--stdio', backendModule]],
    ['--port is used without --stdio only', 2, [...LINK, '--port', '1', backendModule]],
    ['--scope is used with --stdio only', 2, ['--scope', 's', backendModule]],
    ['--port takes 0 to 65535', 2, ['--port', '70000', backendModule]],
    ['--tls-cert and --tls-key go together', 2, ['--tls-cert', 'x', backendModule]],
    ['cannot load no-such-module.mjs', 1, ['no-such-module.mjs']],
    ['cannot load README.md', 1, ['README.md']],
  ])('says %j, exit code %i', async (message, code, args) => {
    const result = await runAhp(['serve', ...args]);
    expect([result.code, result.stdout]).toEqual([code, '']);
    expect(result.stderr).toContain(message);
  });

  it('a module that cannot be served says why', async () => {
    const folder = temporaryFolder();
    const write = (name: string, source: string): string => {
      writeFileSync(join(folder, name), source);
      return join(folder, name);
    };
    const nothing = await runAhp(['serve', write('a.mjs', 'export default 7')]);
    expect([nothing.code, nothing.stderr]).toEqual([1, expect.stringContaining('a default export with a manifest')]);
    const open = await runAhp(['serve', write('b.mjs', 'export default { manifest: {} }')]);
    expect([open.code, open.stderr]).toEqual([1, expect.stringContaining('expected an authenticate function')]);
    const bad = await runAhp(['serve', write('c.mjs', 'export default () => ({ manifest: {}, authenticate() {} })')]);
    expect([bad.code, bad.stderr]).toEqual([1, expect.stringContaining('expected a canonical manifest')]);
  });
});

interface StdioLink {
  readonly child: ChildProcessWithoutNullStreams;
  readonly lines: AsyncIterableIterator<string>;
  readonly errors: Promise<string>;
  readonly exited: Promise<unknown[]>;
}

function openLink(...args: readonly string[]): StdioLink {
  const own = args.some((arg) => arg.startsWith('--scope=')) ? LINK.slice(0, -1) : LINK;
  const child = spawn(process.execPath, [command.entry, ...own, ...args, backendModule], {
    cwd: repositoryRoot,
    stdio: 'pipe',
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return { child, lines, errors: text(child.stderr), exited: once(child, 'exit') };
}

describe('§8 ahp serve --stdio', () => {
  it('serves one link as its identity; only answers stand on standard output', async () => {
    const { child, lines, errors, exited } = openLink();
    child.stdin.write(`${JSON.stringify(intercept(toolBefore('e1'), NARROW))}\n${JSON.stringify(discover(7))}\n`);
    const answers = [await lines.next(), await lines.next()].map(
      ({ value }) => JSON.parse(String(value)) as { id: unknown },
    );
    expect(answers.find(({ id }) => id === 'e1')).toMatchObject({
      result: { effects: [{ text: 'harness in tenant' }] },
    });
    expect(answers.find(({ id }) => id === 7)).toMatchObject({
      result: { manifest: { transports: ['http', 'stdio'] } },
    });
    child.stdin.end();
    expect(await exited).toEqual([0, null]);
    expect((await lines.next()).done).toBe(true);
    expect(await errors).toBe('a line that belongs to no link\n');
  });

  it('is a per_event backend: one message, end of input, one line, exit 0', async () => {
    const { child, lines, exited } = openLink();
    child.stdin.end(JSON.stringify(intercept(toolBefore('e1'), NARROW)));
    expect(JSON.parse(String((await lines.next()).value))).toMatchObject({ id: 'e1' });
    expect(await exited).toEqual([0, null]);
    expect((await lines.next()).done).toBe(true);
  });

  it('reads the bodies that an HTTP receiver stores meanwhile, in its own scope only, however many links there are', async () => {
    const folder = temporaryFolder();
    const http = await serve('--store', folder);
    const { ref } = (await (await putBody(http.content, Buffer.from('shared'))).json()) as { ref: string };
    const message = JSON.stringify(intercept(toolAfter('e1', { items: [readyItem(ref)] }), NARROW));
    const links = [openLink('--store', folder), openLink('--store', folder), openLink('--store', folder)];
    for (const { child } of links) child.stdin.end(message);
    for (const { lines } of links) {
      expect(JSON.parse(String((await lines.next()).value))).toMatchObject({
        result: { effects: [{ text: sha256('shared') }] },
      });
    }
    const other = openLink('--store', folder, '--scope=other');
    other.child.stdin.end(message);
    expect(JSON.parse(String((await other.lines.next()).value))).toMatchObject({ error: { code: -32602 } });
    expect((await putBody(http.content, Buffer.from('more'))).status).toBe(201);
  });

  it('what a handler throws is told by its kind alone', async () => {
    const { child, lines, errors } = openLink();
    const event = toolBefore('e1', { tool: { name: 't', origin: 'native', input: { command: 'throw' } } });
    child.stdin.end(JSON.stringify(intercept(event, NARROW)));
    const answer = String((await lines.next()).value);
    expect(JSON.parse(answer)).toMatchObject({ error: { code: -32004, message: 'the backend failed' } });
    expect(await errors).toContain('ahp serve: handler failed at tool.before: Error');
    expect(answer + (await errors)).not.toContain('secret-of-the-handler');
  });

  it('ends on SIGTERM while its input is open', async () => {
    const { child, lines, exited } = openLink();
    child.stdin.write(`${JSON.stringify(discover())}\n`);
    await lines.next();
    child.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
  });
});
