import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { ReceiverOptions } from '../../runtime/receiver/index.js';
import { barrier, settleTurns } from '../support/barrier.js';
import { discover, intercept, observe, readyItem, toolAfter, toolBefore } from './support/messages.js';
import { makeReceiver, type Started } from './support/start.js';

const IDENTITY = { principal: 'harness', scope: 'tenant' };

interface Link extends Started {
  readonly input: PassThrough;
  readonly output: PassThrough;
  readonly served: Promise<void>;
  /** The next line of output, parsed. */
  next(): Promise<Record<string, unknown>>;
}

function openLink(options: Partial<ReceiverOptions> = {}): Link {
  const started = makeReceiver(options);
  const [input, output] = [new PassThrough(), new PassThrough()];
  const served = started.receiver.serveStdio(input, output, IDENTITY);
  let text = '';
  const next = async (): Promise<Record<string, unknown>> => {
    for (;;) {
      const end = text.indexOf('\n');
      if (end !== -1) {
        const line = text.slice(0, end);
        text = text.slice(end + 1);
        return JSON.parse(line) as Record<string, unknown>;
      }
      const chunk = output.read() as Buffer | null;
      if (chunk === null) await new Promise((resolve) => output.once('readable', resolve));
      else text += chunk.toString();
    }
  };
  return { ...started, input, output, served, next };
}

function line(message: unknown): string {
  return `${JSON.stringify(message)}\n`;
}

describe('§8 stdio', () => {
  it.each([undefined, {}, { principal: 'p' }, { principal: ' ', scope: 's' }, { principal: 'p', scope: '' }])(
    'has no default identity: %j',
    async (identity) => {
      const { receiver } = makeReceiver();
      const serving = receiver.serveStdio(new PassThrough(), new PassThrough(), (identity ?? {}) as typeof IDENTITY);
      await expect(serving).rejects.toMatchObject({ code: 'configuration' });
    },
  );

  it('answers many requests by their ids, as they come, one JSON object a line', async () => {
    const first = barrier();
    const { input, next, served } = openLink({
      handlers: {
        'tool.before': {
          intercept: async ({ id }, { principal, scope }) => {
            if (id === 'slow') await first.promise;
            return [{ type: 'message', text: `${principal} ${scope}` }];
          },
        },
      },
    });
    input.write(line(intercept(toolBefore('slow'))) + line(discover(7)) + line(intercept(toolBefore('quick'))));
    expect((await next()).id).toBe(7);
    expect((await next()).id).toBe('quick');
    first.open();
    expect(await next()).toMatchObject({ id: 'slow', result: { effects: [{ text: 'harness tenant' }] } });
    input.end();
    await served;
  });

  it('characters that a chunk edge cuts come whole', async () => {
    const { input, next, served } = openLink({
      handlers: { 'tool.before': { intercept: ({ id }) => [{ type: 'message', text: id }] } },
    });
    for (const byte of Buffer.from(line(intercept(toolBefore('café 🜁'))))) input.write(Buffer.of(byte));
    expect(await next()).toMatchObject({ id: 'café 🜁', result: { effects: [{ text: 'café 🜁' }] } });
    input.end();
    await served;
  });

  it('one message, end of input, one answer: per_event, with or without the last line feed', async () => {
    for (const ending of ['\n', '', '\r\n', '\n\n']) {
      const { input, output, served } = openLink();
      input.end(JSON.stringify(intercept(toolBefore('e1'))) + ending);
      await served;
      const text = String(output.read());
      expect(text.endsWith('\n') && text.indexOf('\n') === text.length - 1).toBe(true);
      expect(JSON.parse(text)).toMatchObject({ id: 'e1', result: { effects: [] } });
    }
  });

  it('ends only when observation handlers have ended, and writes nothing for them', async () => {
    const [entered, release] = [barrier(), barrier()];
    let isEnded = false;
    const { input, output, served } = openLink({
      handlers: {
        'tool.after': {
          observe: async () => {
            entered.open();
            await release.promise;
            isEnded = true;
          },
        },
      },
    });
    input.end(line(observe(toolAfter('e1'))) + line(observe({ type: 'bad' })));
    await entered.promise;
    release.open();
    await served;
    expect(isEnded).toBe(true);
    expect(output.read()).toBeNull();
  });

  it('refuses as over HTTP: JSON, envelope, version, event, bodies of other scopes', async () => {
    const { input, next, served, store } = openLink();
    const writer = await store.begin();
    await writer.write(Buffer.from('x'));
    const ref = await writer.commit({ scope: 'other', size: 1, sha256: '' });
    const bad: [unknown, unknown, number][] = [
      ['{', null, -32700],
      ['[]', null, -32600],
      [JSON.stringify({ ...discover('a'), method: 'x' }), 'a', -32601],
      [JSON.stringify(discover('b', { protocolVersion: 'x' })), 'b', -32001],
      [JSON.stringify(intercept({ ...toolBefore('c'), type: 'no.such' })), 'c', -32002],
      [JSON.stringify(intercept(toolAfter('d', { items: [readyItem(ref)] }))), 'd', -32602],
    ];
    for (const [text, id, code] of bad) {
      input.write(`${String(text)}\n`);
      expect(await next()).toMatchObject({ id, error: { code } });
    }
    input.end();
    await served;
  });

  it('a line that is too long is refused and dropped, and the link goes on', async () => {
    const { input, next, served } = openLink({ limits: { maxMessageBytes: 200 } });
    input.write('x'.repeat(1_000));
    input.write(`${'y'.repeat(1_000)}\n${line(discover('after'))}`);
    expect(await next()).toMatchObject({ id: null, error: { code: -32600 } });
    expect(await next()).toMatchObject({ id: 'after' });
    input.end('z'.repeat(300));
    expect(await next()).toMatchObject({ id: null, error: { code: -32600 } });
    await served;
  });

  it('too much at once waits unread, observations included, and nothing is refused', async () => {
    const release = barrier();
    let running = 0;
    let most = 0;
    const count = async (): Promise<void> => {
      running += 1;
      most = Math.max(most, running);
      await release.promise;
      running -= 1;
    };
    const { input, next, served } = openLink({
      limits: { maxConcurrent: 2 },
      handlers: { 'tool.after': { observe: count }, 'tool.before': { intercept: count } },
    });
    input.write(line(observe(toolAfter('o1'))) + line(intercept(toolBefore('i1'))));
    for (let index = 2; index < 30; index += 1) input.write(line(intercept(toolBefore(`i${index}`))));
    await expect.poll(() => running).toBe(2);
    release.open();
    const ids = new Set<unknown>();
    for (let index = 1; index < 30; index += 1) ids.add((await next()).id);
    expect(ids.size).toBe(29);
    expect(most).toBe(2);
    input.end();
    await served;
  });

  it('answers that nobody reads hold back the next ones; a harness that leaves ends the link', async () => {
    const started = makeReceiver();
    const input = new PassThrough();
    const output = new PassThrough({ highWaterMark: 16 });
    const served = started.receiver.serveStdio(input, output, IDENTITY);
    for (let index = 0; index < 10; index += 1) input.write(line(discover(index)));
    await expect.poll(() => output.writableNeedDrain).toBe(true);
    output.destroy();
    await served;
  });

  it('a receiver that closes ends its links, handlers hear of it', async () => {
    const [entered, aborted] = [barrier(), barrier()];
    const { receiver, input, served, next } = openLink({
      limits: { closeTimeoutMs: 10 },
      handlers: {
        'tool.before': {
          intercept: (_event, { signal }) => {
            entered.open();
            return new Promise(() => signal.addEventListener('abort', () => aborted.open()));
          },
        },
      },
    });
    input.write(line(intercept(toolBefore('e1'))));
    await entered.promise;
    await receiver.close();
    await aborted.promise;
    expect(await next()).toMatchObject({ id: 'e1', error: { code: -32004 } });
    await served;
  });

  it('a receiver that closes lets what is under way on its links end first', async () => {
    const [entered, release] = [barrier(), barrier()];
    const { receiver, input, served, next } = openLink({
      limits: { closeTimeoutMs: 60_000 },
      handlers: {
        'tool.before': {
          intercept: async (_event, { signal }) => {
            entered.open();
            await release.promise;
            return [{ type: 'message', text: signal.aborted ? 'aborted' : 'in peace' }];
          },
        },
      },
    });
    input.write(line(intercept(toolBefore('e1'))));
    await entered.promise;
    const closed = receiver.close();
    input.write(line(discover('too late')));
    await settleTurns();
    release.open();
    expect(await next()).toMatchObject({ id: 'e1', result: { effects: [{ text: 'in peace' }] } });
    await Promise.all([closed, served]);
  });

  it('rejects when its input breaks', async () => {
    const { input, served } = openLink();
    input.destroy(new Error('broken'));
    await expect(served).rejects.toThrow('broken');
  });
});
