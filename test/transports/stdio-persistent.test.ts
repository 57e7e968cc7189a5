import { describe, expect, it, vi } from 'vitest';
import { everythingIn } from '../support/errors.js';
import { ask, failure, tell, text } from './support/calls.js';
import { child, isRunning, resultOf } from './support/children.js';

const ECHO = 'onMessage((m) => answer(m, { pid: process.pid, params: m.params }))';

function request(id: string | number, params: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method: 'hooks/intercept', params });
}

function pidOf(answer: Uint8Array): number {
  return Number(resultOf(answer).pid);
}

describe('correlation', () => {
  it('one process serves many requests, started by the first', async () => {
    const { transport, records } = child('persistent', ECHO);
    expect(records).toEqual([]);
    const first = pidOf(await ask(transport, { id: 'a' }));
    const second = pidOf(await ask(transport, { id: 'b' }));
    expect(second).toBe(first);
    expect(records.filter(({ event }) => event === 'process-started')).toEqual([
      { event: 'process-started', pid: first },
    ]);
  });

  it('100 concurrent requests through one process never mix, whatever the order of the answers', async () => {
    const code = `
      const held = [];
      onMessage((m) => {
        held.push(m);
        if (held.length === 100) for (const one of held.sort((a, b) => a.params.rank - b.params.rank)) answer(one, one.params);
      })`;
    const { transport } = child('persistent', code);
    await Promise.all(
      Array.from({ length: 100 }, async (_, index) => {
        const params = { rank: (index * 37) % 100, mark: `mark-${index}` };
        const answer = await ask(transport, { id: `e${index}`, text: request(`e${index}`, params) });
        expect(resultOf(answer)).toEqual(params);
      }),
    );
  });

  it('gives the line back byte for byte, blanks and spellings included', async () => {
    const line = '{ "jsonrpc":"2.0" ,"id":"e1","result":{"n":[1.0,1E2,-0,12345678901234567890,1e400]}} \\t';
    const { transport } = child('persistent', `onMessage(() => raw('${line}\\n'))`);
    expect(text(await ask(transport))).toBe(line.replace('\\t', '\t'));
  });

  it.each([
    [1, '1'],
    [1, '1.0'],
    [100, '1e2'],
    [0, '-0'],
    ['1', '"1"'],
    ['é', '"\\\\u00e9"'],
    ['', '""'],
  ])('§6 the id %j is met by %s', async (id, spelling) => {
    const { transport } = child(
      'persistent',
      `onMessage(() => raw('{"jsonrpc":"2.0","id":${spelling},"result":{}}\\n'))`,
    );
    expect(text(await ask(transport, { id }))).toContain('result');
  });

  it('§6 a text id is not met by the number that it spells, nor the other way round', async () => {
    const code = `onMessage((m) => {
      raw('{"jsonrpc":"2.0","id":' + (typeof m.id === 'string' ? '1' : '"1"') + ',"result":{"wrong":true}}\\n');
      answer(m, { right: true });
    })`;
    const { transport, dropped } = child('persistent', code);
    expect(resultOf(await ask(transport, { id: 1 }))).toEqual({ right: true });
    expect(resultOf(await ask(transport, { id: '1' }))).toEqual({ right: true });
    expect(dropped()).toEqual(['unknown-id', 'unknown-id']);
  });

  it('a character that a chunk edge cuts in two arrives whole', async () => {
    const code = `
      const { writeSync } = require('node:fs');
      onMessage((m) => {
        for (const byte of Buffer.from(answerLine(m, { note: 'café 🜁' }))) writeSync(1, Buffer.from([byte]));
      })`;
    const { transport } = child('persistent', code);
    expect(resultOf(await ask(transport))).toEqual({ note: 'café 🜁' });
  });

  it('several answers in one chunk, and one answer in several', async () => {
    const code = `
      const held = [];
      onMessage((m) => {
        held.push(m);
        if (held.length < 3) return;
        const all = held.map((one) => answerLine(one, { own: one.id })).join('');
        raw(all.slice(0, 7));
        setTimeout(() => { raw(all.slice(7, 70)); setTimeout(() => raw(all.slice(70)), 5); }, 5);
      })`;
    const { transport } = child('persistent', code);
    const ids = ['a', 'b', 'c'];
    const answers = await Promise.all(ids.map((id) => ask(transport, { id })));
    expect(answers.map((answer) => resultOf(answer).own)).toEqual(ids);
  });
});

describe('lines that cannot be tied to a request', () => {
  it.each([
    ['a banner', 'npm notice\\n', 'not-json'],
    ['an empty line', '\\n', 'not-json'],
    ['a duplicate id', '{"id":"e1","\\\\u0069d":"e1","result":{}}\\n', 'not-json'],
    ['a duplicate member', '{"id":"e1","result":{"effects":[],"effects":[]}}\\n', 'not-json'],
    ['a byte-order mark', '\\ufeff{"id":"e1","result":{}}\\n', 'not-json'],
    ['two values', '{"id":"e1"} {"id":"e1"}\\n', 'not-json'],
    ['a notice without an id', '{"type":"notice"}\\n', 'no-id'],
    ['a batch', '[{"jsonrpc":"2.0","id":"e1","result":{}}]\\n', 'no-id'],
    ['a bare number', '1e400\\n', 'no-id'],
    ['a list for an id', '{"id":["e1"],"result":{}}\\n', 'no-id'],
    ['a null id', '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}\\n', 'null-id'],
    ['an id never used', '{"jsonrpc":"2.0","id":"other","result":{}}\\n', 'unknown-id'],
    ['a number beyond doubles', '{"jsonrpc":"2.0","id":12345678901234567890,"result":{}}\\n', 'unknown-id'],
    ['an inherited name', '{"jsonrpc":"2.0","id":"__proto__","result":{}}\\n', 'unknown-id'],
  ])('§6 %s is dropped and recorded, and the answer is used', async (_, line, reason) => {
    const { transport, dropped, records } = child('persistent', `onMessage((m) => { raw('${line}'); answer(m); })`);
    expect(resultOf(await ask(transport))).toEqual({});
    expect(dropped()).toEqual([reason]);
    expect(JSON.stringify(records)).not.toMatch(/npm notice|other|notice/);
  });

  it('§6 invalid UTF-8 is no JSON', async () => {
    const code = `onMessage((m) => {
      process.stdout.write(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d, 0x0a]));
      answer(m);
    })`;
    const { transport, dropped } = child('persistent', code);
    await ask(transport);
    expect(dropped()).toEqual(['not-json']);
  });

  it('§6 a line above the bound is dropped without being held, and the next one is read', async () => {
    const code = `onMessage((m) => { raw('x'.repeat(1_000_000)); raw('y'.repeat(100) + '\\n'); answer(m); })`;
    const { transport, records } = child('persistent', code, { maxMessageBytes: 1000 });
    await ask(transport);
    expect(records).toContainEqual({ event: 'line-dropped', reason: 'too-large', bytes: 1_000_100 });
  });

  it('a line of exactly the bound is taken', async () => {
    const line = '{"jsonrpc":"2.0","id":"e1","result":{}}';
    const { transport } = child('persistent', `onMessage(() => raw('${line}\\n'))`, { maxMessageBytes: line.length });
    expect(text(await ask(transport))).toBe(line);
  });

  it('§6 an answer that only another id gets never decides: the deadline does', async () => {
    const code = `onMessage((m) => raw(answerLine({ id: 'another' })))`;
    const { transport, dropped } = child('persistent', code);
    const stop = new AbortController();
    const rejected = failure(ask(transport, { signal: stop.signal }));
    await vi.waitUntil(() => dropped().length === 1, { timeout: 10_000 });
    stop.abort();
    expect((await rejected).code).toBe('deadline');
  });

  it('a request that comes back as it was is handed over, to be judged as no response', async () => {
    const { transport } = child('persistent', `process.stdin.pipe(process.stdout)`);
    expect(text(await ask(transport))).toContain('"method":"hooks/intercept"');
  });

  it('an unfinished line at the end of the process is no answer', async () => {
    const code = `onMessage((m) => process.stdout.write(answerLine(m).trimEnd(), () => process.exit(0)))`;
    const { transport } = child('persistent', code);
    expect((await failure(ask(transport))).code).toBe('process-exit');
  });
});

describe('ids that are used again', () => {
  it('§6 a late answer is dropped and noted; the next request gets its own and the link stays up', async () => {
    const code = `
      let late;
      onMessage((m) => {
        if (m.id === 5) { late = m; return; }
        answer(late, { late: true });
        answer(m, { own: m.id });
      })`;
    const { transport, dropped, records } = child('persistent', code);
    const stop = new AbortController();
    const fifth = failure(ask(transport, { id: 5, signal: stop.signal }));
    await tell(transport, { text: request(4, {}).replace('"id":4,', '"id":5,') }).catch(() => {});
    stop.abort();
    expect((await fifth).code).toBe('deadline');
    expect(resultOf(await ask(transport, { id: 6 }))).toEqual({ own: 6 });
    expect(dropped()).toEqual(['late']);
    expect(records.filter(({ event }) => event === 'process-started')).toHaveLength(1);
  });

  it('§6 a spent id fails as connection without being written, until its late answer arrives', async () => {
    const code = `
      const seen = [];
      let held;
      onMessage((m) => {
        seen.push(m.id);
        if (m.id === 'x' && held === undefined) { held = m; return; }
        if (m.id === 'release') answer(held, { late: true });
        answer(m, { seen });
      })`;
    const { transport, dropped } = child('persistent', code);
    const stop = new AbortController();
    const first = failure(ask(transport, { id: 'x', signal: stop.signal }));
    await ask(transport, { id: 'other' });
    stop.abort();
    expect((await first).code).toBe('deadline');

    const second = await failure(ask(transport, { id: 'x' }));
    expect(second).toMatchObject({
      code: 'connection',
      message: 'id: expected one that is free, got one whose answer is still owed',
    });
    expect(resultOf(await ask(transport, { id: 'release' }))).toEqual({ seen: ['x', 'other', 'release'] });
    expect(dropped()).toEqual(['late']);
    expect(resultOf(await ask(transport, { id: 'x' }))).toEqual({ seen: ['x', 'other', 'release', 'x'] });
  });

  it('§6 a spent id does not cost ten calls in flight theirs', async () => {
    const code = `
      const held = [];
      onMessage((m) => {
        if (m.id === 'x') return;
        held.push(m);
        if (held.length === 11) for (const one of held) answer(one, { own: one.id });
      })`;
    const { transport, records } = child('persistent', code);
    const stop = new AbortController();
    const spent = failure(ask(transport, { id: 'x', signal: stop.signal }));
    const ids = Array.from({ length: 10 }, (_, index) => `flight-${index}`);
    const flying = ids.map((id) => ask(transport, { id }));
    stop.abort();
    expect((await spent).code).toBe('deadline');
    expect((await failure(ask(transport, { id: 'x' }))).code).toBe('connection');
    const last = ask(transport, { id: 'last' });
    expect((await Promise.all(flying)).map((answer) => resultOf(answer).own)).toEqual(ids);
    await last;
    expect(records.filter(({ event }) => event === 'process-started')).toHaveLength(1);
  });

  it('§6 one live request per id: others wait and get their own answers in order', async () => {
    const code = `
      let open = 0;
      onMessage((m) => {
        open += 1;
        const atOnce = open;
        setTimeout(() => { open -= 1; answer(m, { atOnce, mark: m.params.mark }); }, 5);
      })`;
    const { transport } = child('persistent', code);
    const marks = [0, 1, 2, 3, 4];
    const answers = await Promise.all(marks.map((mark) => ask(transport, { id: 'x', text: request('x', { mark }) })));
    expect(answers.map(resultOf)).toEqual(marks.map((mark) => ({ atOnce: 1, mark })));
  });

  it('§6 one that waits ends with its own deadline, and nothing of it is written', async () => {
    const code = `
      const seen = [];
      let held;
      onMessage((m) => {
        seen.push(m.params.mark);
        if (m.params.mark === 'first') held = m;
        else { answer(held, { seen }); answer(m, { seen }); }
      })`;
    const { transport } = child('persistent', code);
    const stop = new AbortController();
    const first = ask(transport, { id: 'x', text: request('x', { mark: 'first' }) });
    const waiting = failure(ask(transport, { id: 'x', text: request('x', { mark: 'never' }), signal: stop.signal }));
    stop.abort();
    expect((await waiting).code).toBe('deadline');
    await ask(transport, { id: 'y', text: request('y', { mark: 'last' }) });
    expect(resultOf(await first)).toEqual({ seen: ['first', 'last'] });
  });

  it('§6 when the live one is given up, those that wait for its id fail as connection', async () => {
    const { transport } = child('persistent', 'onMessage((m) => { if (m.id !== "x") answer(m); })');
    const stop = new AbortController();
    const live = failure(ask(transport, { id: 'x', signal: stop.signal }));
    const waiting = failure(ask(transport, { id: 'x' }));
    await ask(transport, { id: 'y' });
    stop.abort();
    expect((await live).code).toBe('deadline');
    expect((await waiting).code).toBe('connection');
  });

  it('§6 a second answer that is there already never decides for the request that waited', async () => {
    const code = `onMessage((m) => {
      if (m.params.mark === 'first') raw(answerLine(m, { own: 'first' }) + answerLine(m, { own: 'second time' }));
      else answer(m, { own: m.params.mark });
    })`;
    const { transport, dropped } = child('persistent', code);
    const first = ask(transport, { id: 'x', text: request('x', { mark: 'first' }) });
    const second = ask(transport, { id: 'x', text: request('x', { mark: 'second' }) });
    expect(resultOf(await first)).toEqual({ own: 'first' });
    expect(resultOf(await second)).toEqual({ own: 'second' });
    expect(dropped()).toEqual(['unknown-id']);
  });

  it('§6 the end of the process frees its spent ids', async () => {
    const code = `onMessage((m) => {
      if (m.id === 'exit') process.exit(0);
      if (m.params.answer) answer(m, { pid: process.pid });
    })`;
    const { transport } = child('persistent', code);
    const stop = new AbortController();
    const spent = failure(ask(transport, { id: 'x', signal: stop.signal }));
    stop.abort();
    await spent;
    expect((await failure(ask(transport, { id: 'exit' }))).code).toBe('process-exit');
    const answer = await ask(transport, { id: 'x', text: request('x', { answer: true }) });
    expect(pidOf(answer)).toBeGreaterThan(0);
  });
});

describe('process life', () => {
  it('§6 a process that leaves fails what it owed, and the next call starts another', async () => {
    const code = `onMessage((m) => { if (m.id === 'leave') process.exit(7); answer(m, { pid: process.pid }); })`;
    const { transport, records } = child('persistent', code);
    const first = pidOf(await ask(transport, { id: 'a' }));
    const error = await failure(ask(transport, { id: 'leave' }));
    expect(error).toMatchObject({
      code: 'process-exit',
      message: 'child: expected an answer, got its end (exit code 7)',
    });
    expect(records.filter(({ event }) => event === 'process-started')).toHaveLength(1);
    expect(pidOf(await ask(transport, { id: 'b' }))).not.toBe(first);
    expect(records).toContainEqual(expect.objectContaining({ event: 'process-ended', pid: first, exitCode: 7 }));
  });

  it('an answer that is written just before the end still counts', async () => {
    const { transport, records } = child(
      'persistent',
      `onMessage((m) => { raw(answerLine(m, { n: 1 })); process.exit(0); })`,
    );
    for (let round = 1; round <= 3; round += 1) {
      expect(resultOf(await ask(transport))).toEqual({ n: 1 });
      await vi.waitUntil(() => records.filter(({ event }) => event === 'process-ended').length === round);
    }
  });

  it('§6 at most five starts a minute, then process-exit at once', async () => {
    let now = 0;
    const { transport, records } = child('persistent', 'process.exit(1)', { now: () => now });
    const starts = (): number => records.filter(({ event }) => event === 'process-started').length;
    for (let call = 0; call < 8; call += 1) expect((await failure(ask(transport))).code).toBe('process-exit');
    expect(starts()).toBe(5);
    const error = await failure(tell(transport));
    expect(error.message).toBe('child: expected at most 5 starts a minute, got one more');
    expect(records).toContainEqual({ event: 'process-failed', reason: 'too-many-starts' });
    now = 59_999;
    await failure(ask(transport));
    expect(starts()).toBe(5);
    now = 60_000;
    await failure(ask(transport));
    expect(starts()).toBe(6);
  });

  it('a process that exits at once while a megabyte is written to it fails the call alone', async () => {
    const { transport } = child('persistent', 'process.exit(0)');
    const large = request('e1', { padding: 'x'.repeat(1_000_000) });
    expect((await failure(ask(transport, { text: large }))).code).toBe('process-exit');
  });

  it('a process that is killed while a megabyte waits for it fails the call', async () => {
    const { transport, records } = child('persistent', 'process.stdin.pause(); stayAlive()');
    const large = request('e1', { padding: 'x'.repeat(1_000_000) });
    const rejected = failure(ask(transport, { text: large }));
    const started = await vi.waitUntil(() => records.find((record) => record.event === 'process-started'));
    if (started.event !== 'process-started') throw new Error('expected a start');
    process.kill(started.pid, 'SIGKILL');
    const error = await rejected;
    expect(error.code).toBe('process-exit');
    expect(error.message).toContain('SIGKILL');
  });

  it('a process that never reads does not hold up the deadline, and no write or timer is left', async () => {
    const { transport } = child('persistent', 'process.stdin.pause(); stayAlive()');
    const stop = new AbortController();
    const large = request('e1', { padding: 'x'.repeat(1_000_000) });
    const rejected = failure(ask(transport, { text: large, signal: stop.signal }));
    setTimeout(() => stop.abort(), 100);
    expect((await rejected).code).toBe('deadline');
  });

  it('a process that never reads is not fed without bound', async () => {
    const { transport } = child('persistent', 'process.stdin.pause(); stayAlive()', { maxMessageBytes: 500_000 });
    const stop = new AbortController();
    const calls = Array.from({ length: 10 }, (_, index) =>
      failure(
        ask(transport, { id: index, text: request(index, { padding: 'x'.repeat(400_000) }), signal: stop.signal }),
      ),
    );
    const refused = await Promise.race(calls);
    expect(refused).toMatchObject({
      code: 'connection',
      message: 'child: expected it to read its stdin, got too many unread bytes',
    });
    stop.abort();
    await Promise.all(calls);
  });

  it.each([
    ['stdout', 'process.stdout.destroy(); require("node:fs").closeSync(1); stayAlive()'],
    ['stdin', 'process.stdin.destroy(); try { require("node:fs").closeSync(0) } catch {} stayAlive()'],
  ])('a process that closes its %s is replaced', async (_, code) => {
    const { transport, records } = child('persistent', code);
    const large = request('e1', { padding: 'x'.repeat(1_000_000) });
    const error = await failure(ask(transport, { text: large }));
    expect(['connection', 'process-exit']).toContain(error.code);
    await vi.waitUntil(() => records.some(({ event }) => event === 'process-ended'), { timeout: 10_000 });
  });

  it.each([
    ['with line ends', `'log line\\\\n'.repeat(110_000)`],
    ['without a line end', `'x'.repeat(1_000_000)`],
  ])('a megabyte on stderr %s stops nothing, and its end is kept for the host', async (_, expression) => {
    const code = `onMessage((m) => { require('node:fs').writeSync(2, 'start'); process.stderr.write(${expression} + 'the end', () => answer(m)); })`;
    const { transport, records } = child('persistent', code, { maxStderrBytes: 1000 });
    await ask(transport);
    await vi.waitUntil(() => text(transport.stderrTail()).endsWith('the end'));
    expect(transport.stderrTail().byteLength).toBe(1000);
    expect(JSON.stringify(records)).not.toContain('the end');
  });

  it('200 kB of log for each of thirty requests stay bounded', async () => {
    const code = `onMessage((m) => { process.stderr.write('l'.repeat(200_000)); answer(m); })`;
    const { transport } = child('persistent', code);
    for (let call = 0; call < 30; call += 1) await ask(transport);
    expect(transport.stderrTail().byteLength).toBeLessThanOrEqual(65_536);
  });

  it('what a process wrote to stderr is in no error', async () => {
    const code = `process.stderr.write('s3cr3t', () => process.exit(9))`;
    const { transport, records } = child('persistent', code);
    const error = await failure(ask(transport));
    expect(everythingIn(error)).not.toContain('s3cr3t');
    expect(JSON.stringify(records)).not.toContain('s3cr3t');
    expect(text(transport.stderrTail())).toBe('s3cr3t');
  });
});

describe('notifications', () => {
  it('§6 are done when written; answers to them are dropped', async () => {
    const code = `
      const seen = [];
      onMessage((m) => {
        if (m.id === undefined) { seen.push(m.params.n); raw('{"jsonrpc":"2.0","result":{}}\\n'); }
        else answer(m, { seen });
      })`;
    const { transport, dropped } = child('persistent', code);
    for (const n of [1, 2, 3]) {
      const message = JSON.stringify({ jsonrpc: '2.0', method: 'hooks/observe', params: { n } });
      expect(await tell(transport, { text: message })).toBeUndefined();
    }
    expect(resultOf(await ask(transport))).toEqual({ seen: [1, 2, 3] });
    expect(dropped()).toEqual(['no-id', 'no-id', 'no-id']);
  });

  it('§6 take no longer than they may when the process does not read', async () => {
    const { transport } = child('persistent', 'process.stdin.pause(); stayAlive()', { notifyTimeoutMs: 50 });
    const error = await failure(tell(transport, { text: `{"padding":"${'x'.repeat(1_000_000)}"}` }));
    expect(error.code).toBe('deadline');
  });

  it('fail with the process that does not start', async () => {
    const { transport } = child('persistent', '', { command: '/nonexistent/program' });
    expect((await failure(tell(transport))).code).toBe('process-exit');
  });
});

describe('close', () => {
  it('§6 ends pending calls, the process and its grandchild, and refuses later calls', async () => {
    const code = `
      const young = grandchild('', { stdio: 'ignore' });
      onMessage((m) => { if (m.id === 'pids') answer(m, { pids: [process.pid, young.pid] }); })`;
    const { transport } = child('persistent', code);
    const { pids } = resultOf(await ask(transport, { id: 'pids' })) as { pids: number[] };
    const pending = failure(ask(transport, { id: 'pending' }));
    const waiting = failure(ask(transport, { id: 'pending' }));
    const startedAt = performance.now();
    await transport.close();
    expect(performance.now() - startedAt).toBeLessThan(2500);
    expect((await pending).code).toBe('connection');
    expect((await waiting).code).toBe('connection');
    expect(pids.map(isRunning)).toEqual([false, false]);
    expect((await failure(ask(transport))).message).toBe('transport: expected an open one, got a closed one');
    expect((await failure(tell(transport))).code).toBe('connection');
    await transport.close();
  });

  it('§6 a process that ignores SIGTERM and the end of stdin is killed', async () => {
    const code = `ignoreSigterm(); stayAlive(); onMessage((m) => answer(m, { pid: process.pid }))`;
    const { transport, records } = child('persistent', code);
    const pid = pidOf(await ask(transport));
    await transport.close();
    expect(isRunning(pid)).toBe(false);
    expect(records).toContainEqual(expect.objectContaining({ event: 'process-ended', pid, exitSignal: 'SIGKILL' }));
  });

  it('§6 ends stdin too, for a process that leaves by itself then', async () => {
    const code = `ignoreSigterm(); stayAlive(); onMessage((m) => answer(m)); process.stdin.on('end', () => process.exit(5))`;
    const { transport, records } = child('persistent', code);
    await ask(transport);
    await transport.close();
    expect(records).toContainEqual(expect.objectContaining({ event: 'process-ended', exitCode: 5 }));
  });

  it('without a process is nothing to do', async () => {
    const { transport, records } = child('persistent', ECHO);
    await transport.close();
    expect(records).toEqual([]);
  });

  it('a process that leaves a grandchild with its pipes is over all the same, and the grandchild goes', async () => {
    const code = `
      onMessage((m) => {
        const young = grandchild('');
        young.on('spawn', () => { raw(answerLine(m, { pid: young.pid })); setTimeout(() => process.exit(0), 20); });
      })`;
    const { transport, records } = child('persistent', code);
    const young = pidOf(await ask(transport));
    await vi.waitUntil(() => records.some(({ event }) => event === 'process-ended'));
    await vi.waitUntil(() => !isRunning(young), { timeout: 5000 });
  });

  it('a session of its own escapes, but its pipe holds up no call (documented limit)', async () => {
    const code = `
      onMessage(() => {
        const young = grandchild('setTimeout(() => process.exit(0), 20_000)', { detached: true });
        young.on('spawn', () => process.stderr.write(String(young.pid), () => process.exit(0)));
      })`;
    const { transport } = child('persistent', code);
    expect((await failure(ask(transport))).code).toBe('process-exit');
    const escaped = Number(text(transport.stderrTail()));
    expect(isRunning(escaped)).toBe(true);
    process.kill(escaped, 'SIGKILL');
  });
});
