import { describe, expect, it, vi } from 'vitest';
import { barrier } from '../support/barrier.js';
import { everythingIn } from '../support/errors.js';
import { ask, failure, tell, text } from './support/calls.js';
import { child, isRunning, resultOf } from './support/children.js';

const LINE = '{"jsonrpc":"2.0","id":"e1","result":{}}';
const READ_ALL =
  'const chunks = []; process.stdin.on("data", (c) => chunks.push(c)); process.stdin.on("end", () => END());';

describe('one process for each message', () => {
  it('§6 reads one line, sees the end of stdin, answers one line and exits 0', async () => {
    const code = `${READ_ALL} function END() {
      const text = Buffer.concat(chunks).toString();
      raw(answerLine({ id: 'e1' }, { text, pid: process.pid }));
    }`;
    const { transport, records } = child('per_event', code);
    const sent = '{"jsonrpc":"2.0","id":"e1","x":"é 🜁"}';
    const first = resultOf(await ask(transport, { text: sent }));
    const second = resultOf(await ask(transport, { text: sent }));
    expect(first.text).toBe(`${sent}\n`);
    expect(second.pid).not.toBe(first.pid);
    expect(records.filter(({ event }) => event === 'process-ended')).toMatchObject([{ exitCode: 0 }, { exitCode: 0 }]);
  });

  it('gives the line back byte for byte', async () => {
    const line = '{ "id":"e1" ,"result":{"n":[1.0,1E2,12345678901234567890]}} ';
    const { transport } = child('per_event', `raw('${line}\\n')`);
    expect(text(await ask(transport))).toBe(line);
  });

  it('§6 an unterminated last line is accepted', async () => {
    const { transport } = child('per_event', `raw('${LINE}')`);
    expect(text(await ask(transport))).toBe(LINE);
  });

  it('a character that a chunk edge cuts in two arrives whole', async () => {
    const code = `for (const byte of Buffer.from(answerLine({ id: 'e1' }, { note: 'café 🜁' })))
      require('node:fs').writeSync(1, Buffer.from([byte]));`;
    const { transport } = child('per_event', code);
    expect(resultOf(await ask(transport))).toEqual({ note: 'café 🜁' });
  });

  it.each([
    ['a banner and an answer', `raw('Welcome back!\\n${LINE}\\n')`],
    ['a notice and an answer', `raw('{"type":"notice"}\\n${LINE}\\n')`],
    ['an allow and a deny', `raw('{"decision":"allow"}\\n{"decision":"deny"}\\n')`],
    ['two answers', `raw('${LINE}\\n${LINE}\\n')`],
    ['an answer and a line without an end', `raw('${LINE}\\nmore')`],
    ['an answer and an empty line', `raw('${LINE}\\n\\n')`],
  ])('§6 %s: a second line fails, whatever it says', async (_, code) => {
    const { transport } = child('per_event', code);
    const error = await failure(ask(transport));
    expect(error).toMatchObject({ code: 'invalid-message', message: 'answer: expected one line, got more' });
  });

  it('a banner alone is handed over as the one line that it is, to be judged as no JSON', async () => {
    const { transport } = child('per_event', `raw('Welcome back!\\n')`);
    expect(text(await ask(transport))).toBe('Welcome back!');
  });

  it.each([
    ['exits with 2 before reading', 'process.exit(2)', 'exit code 2'],
    ['exits with 1 after an answer', `process.stdout.write('${LINE}\\n', () => process.exit(1))`, 'exit code 1'],
    ['is ended by a signal', `process.kill(process.pid, 'SIGKILL')`, 'signal SIGKILL'],
    ['throws', `throw new Error('s3cr3t')`, 'exit code 1'],
  ])('§6 a process that %s is process-exit', async (_, code, how) => {
    const { transport } = child('per_event', code);
    const error = await failure(ask(transport));
    expect(error).toMatchObject({ code: 'process-exit', message: `child: expected exit code 0, got ${how}` });
    expect(everythingIn(error)).not.toContain('s3cr3t');
  });

  it('§6 exit 0 without a line is process-exit: no answer arrived', async () => {
    const { transport } = child('per_event', '');
    expect(await failure(ask(transport))).toMatchObject({
      code: 'process-exit',
      message: 'child: expected one line, got its end without one',
    });
  });

  it('§6 a line above the bound fails', async () => {
    const { transport } = child('per_event', `raw('x'.repeat(2000) + '\\n')`, { maxMessageBytes: 1000 });
    expect((await failure(ask(transport))).code).toBe('invalid-message');
    const endless = child('per_event', `const more = () => process.stdout.write('x'.repeat(60_000), more); more();`, {
      maxMessageBytes: 1000,
    });
    const stop = new AbortController();
    const rejected = failure(ask(endless.transport, { signal: stop.signal }));
    setTimeout(() => stop.abort(), 300);
    expect(['invalid-message', 'deadline']).toContain((await rejected).code);
    await vi.waitUntil(() => endless.records.some(({ event }) => event === 'process-ended'), { timeout: 5000 });
  });

  it('a process that answers without reading a megabyte is fine', async () => {
    const { transport } = child('per_event', `process.stdout.write('${LINE}\\n', () => process.exit(0))`);
    const large = `{"id":"e1","padding":"${'x'.repeat(1_000_000)}"}`;
    expect(text(await ask(transport, { text: large }))).toBe(LINE);
  });

  it('a megabyte on stderr stops nothing', async () => {
    const code = `process.stderr.write('e'.repeat(1_000_000), () => raw('${LINE}\\n'))`;
    const { transport } = child('per_event', code);
    expect(text(await ask(transport))).toBe(LINE);
    expect(transport.stderrTail().byteLength).toBe(65_536);
  });

  it('holds the number of processes at once; one that waits ends with its own deadline', async () => {
    const { transport, records } = child('per_event', `setTimeout(() => raw('${LINE}\\n'), 100)`, { maxProcesses: 2 });
    const calls = Array.from({ length: 5 }, () => ask(transport));
    const stop = new AbortController();
    const waiting = failure(ask(transport, { signal: stop.signal }));
    stop.abort();
    expect((await waiting).code).toBe('deadline');
    await Promise.all(calls);
    let open = 0;
    let most = 0;
    for (const { event } of records) {
      if (event === 'process-started') open += 1;
      if (event === 'process-ended') open -= 1;
      most = Math.max(most, open);
    }
    expect(most).toBe(2);
    expect(records.filter(({ event }) => event === 'process-started')).toHaveLength(5);
  });
});

describe('deadlines', () => {
  it('§6 hold for a process that reads nothing of a megabyte and says nothing', async () => {
    const { transport, records } = child('per_event', 'stayAlive()');
    const stop = new AbortController();
    const large = `{"padding":"${'x'.repeat(1_000_000)}"}`;
    const rejected = failure(ask(transport, { text: large, signal: stop.signal }));
    setTimeout(() => stop.abort(), 100);
    expect((await rejected).code).toBe('deadline');
    await vi.waitUntil(() => records.some(({ event }) => event === 'process-ended'), { timeout: 5000 });
  });

  it('§6 come at once, and then process and grandchild that ignore SIGTERM are killed', async () => {
    const code = `
      ignoreSigterm(); stayAlive();
      const young = grandchild('');
      young.on('spawn', () => process.stderr.write(process.pid + ' ' + young.pid + ' '));`;
    const { transport } = child('per_event', code);
    const stop = new AbortController();
    const rejected = failure(ask(transport, { signal: stop.signal }));
    await vi.waitUntil(() => text(transport.stderrTail()).endsWith(' '), { timeout: 10_000 });
    const pids = text(transport.stderrTail()).trim().split(' ').map(Number);
    expect(pids.map(isRunning)).toEqual([true, true]);
    stop.abort();
    expect((await rejected).code).toBe('deadline');
    await vi.waitUntil(() => !pids.some(isRunning), { timeout: 5000 });
  });

  it('§6 an answer whose process does not exit is no verdict', async () => {
    const { transport } = child('per_event', `raw('${LINE}\\n'); stayAlive()`);
    const stop = new AbortController();
    const rejected = failure(ask(transport, { signal: stop.signal }));
    setTimeout(() => stop.abort(), 300);
    expect((await rejected).code).toBe('deadline');
  });
});

describe('grandchildren', () => {
  it('§6 one that holds the pipe goes with its group, and the answer counts', async () => {
    const code = `
      const young = grandchild('');
      young.on('spawn', () => {
        process.stderr.write(young.pid + ' ');
        process.stdout.write('${LINE}\\n', () => process.exit(0));
      });`;
    const { transport } = child('per_event', code);
    expect(text(await ask(transport))).toBe(LINE);
    const young = Number(text(transport.stderrTail()).trim());
    await vi.waitUntil(() => !isRunning(young), { timeout: 5000 });
  });

  it('§6 one in a session of its own gets 250 ms of the pipe, and the answer counts', async () => {
    const code = `
      const young = grandchild('setTimeout(() => process.exit(0), 20_000)', { detached: true });
      young.on('spawn', () => {
        process.stderr.write(young.pid + ' ');
        process.stdout.write('${LINE}', () => process.exit(0));
      });`;
    const { transport } = child('per_event', code);
    expect(text(await ask(transport))).toBe(LINE);
    process.kill(Number(text(transport.stderrTail()).trim()), 'SIGKILL');
  });
});

describe('notifications', () => {
  it('§6 are done when written, and what comes back is only recorded', async () => {
    const code = `${READ_ALL} function END() { process.stderr.write(Buffer.concat(chunks)); raw('${LINE}\\n'); process.exitCode = 4; }`;
    const { transport, records, dropped } = child('per_event', code);
    expect(await tell(transport, { text: '{"n":1}' })).toBeUndefined();
    await vi.waitUntil(() => records.some(({ event }) => event === 'process-ended'), { timeout: 5000 });
    expect(text(transport.stderrTail())).toBe('{"n":1}\n');
    await vi.waitUntil(() => dropped().length === 1);
    expect(dropped()).toEqual(['unasked']);
    expect(records).toContainEqual(expect.objectContaining({ event: 'process-ended', exitCode: 4 }));
  });

  it('§6 a process that stays after its notification is ended when its time is up', async () => {
    const { transport, records } = child('per_event', 'ignoreSigterm(); stayAlive()', { notifyTimeoutMs: 400 });
    await tell(transport);
    await vi.waitUntil(() => records.some(({ event }) => event === 'process-ended'), { timeout: 5000 });
    expect(records).toContainEqual(expect.objectContaining({ event: 'process-ended', exitSignal: 'SIGKILL' }));
  });

  it('§6 one that cannot be written in time fails as deadline', async () => {
    const { transport } = child('per_event', 'stayAlive()', { notifyTimeoutMs: 100 });
    const error = await failure(tell(transport, { text: `{"padding":"${'x'.repeat(1_000_000)}"}` }));
    expect(error.code).toBe('deadline');
  });

  it('fail when the program does not start', async () => {
    const { transport } = child('per_event', '', { command: '/nonexistent/program' });
    expect((await failure(tell(transport))).code).toBe('process-exit');
  });
});

describe('close', () => {
  it('§6 ends calls under way and their processes, and refuses later ones', async () => {
    const code = `
      ignoreSigterm(); stayAlive();
      const young = grandchild('');
      young.on('spawn', () => process.stderr.write(process.pid + ' ' + young.pid + ' '));`;
    const { transport } = child('per_event', code);
    const pending = failure(ask(transport));
    await vi.waitUntil(() => text(transport.stderrTail()).endsWith(' '), { timeout: 10_000 });
    const pids = text(transport.stderrTail()).trim().split(' ').map(Number);
    await transport.close();
    expect((await pending).code).toBe('connection');
    expect(pids.map(isRunning)).toEqual([false, false]);
    expect((await failure(ask(transport))).code).toBe('connection');
  });

  it('ends those that wait for a process', async () => {
    const { transport } = child('per_event', 'stayAlive()', { maxProcesses: 1 });
    const calls = [failure(ask(transport)), failure(ask(transport)), failure(tell(transport))];
    const turn = barrier();
    setImmediate(() => turn.open());
    await turn.promise;
    await transport.close();
    for (const call of calls) expect((await call).code).toBe('connection');
  });
});
