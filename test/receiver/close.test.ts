import { describe, expect, it } from 'vitest';
import { barrier } from '../support/barrier.js';
import { discover, intercept, observe, toolAfter, toolBefore } from './support/messages.js';
import { connectRaw, head, sendMessage, sha256 } from './support/raw-client.js';
import { startServer } from './support/start.js';

describe('§8 graceful stop', () => {
  it('lets interceptions, observations and uploads end, and then the connections', async () => {
    const [intercepting, observing, release] = [barrier(), barrier(), barrier()];
    const ended: string[] = [];
    const { port, server, store, failures } = await startServer({
      limits: { closeTimeoutMs: 60_000 },
      handlers: {
        'tool.before': {
          intercept: async () => {
            intercepting.open();
            await release.promise;
            return [{ type: 'allow' }];
          },
        },
        'tool.after': {
          observe: async () => {
            observing.open();
            await release.promise;
            ended.push('observed');
          },
        },
      },
    });
    const call = sendMessage(port, intercept(toolBefore('e1')));
    await sendMessage(port, observe(toolAfter('e2')));
    await Promise.all([intercepting.promise, observing.promise]);
    const upload = await connectRaw(port);
    const headers = {
      Authorization: 'Bearer acme',
      'Content-Type': 'application/octet-stream',
      'Content-Length': '5',
      'AHP-Content-SHA256': sha256('hello'),
    };
    upload.write(head('/content', { ...headers, Expect: '100-continue' }));
    expect((await upload.response()).status).toBe(100);
    upload.write('hel');
    const closed = server.close();
    await expect(connectRaw(port)).rejects.toThrow();
    upload.write('lo');
    const { status, headers: sent, body } = await upload.response();
    expect([status, sent.get('connection')]).toEqual([201, 'close']);
    expect(await store.has('acme', (JSON.parse(body) as { ref: string }).ref)).toBe(true);
    release.open();
    expect(JSON.parse((await call).body)).toMatchObject({ result: { effects: [{ type: 'allow' }] } });
    await closed;
    expect(ended).toEqual(['observed']);
    expect(failures).toEqual([]);
  });

  it('gives up what does not end in time: handlers hear of it, callers are answered, uploads are 503', async () => {
    const [entered, aborted] = [barrier(), barrier<unknown>()];
    const { port, server } = await startServer({
      limits: { closeTimeoutMs: 10 },
      handlers: {
        'tool.before': {
          intercept: (_event, { signal }) => {
            entered.open();
            return new Promise(() => signal.addEventListener('abort', () => aborted.open(signal.reason)));
          },
        },
      },
    });
    const call = sendMessage(port, intercept(toolBefore('e1')));
    const upload = await connectRaw(port);
    upload.write(
      head('/content', {
        Authorization: 'Bearer acme',
        'Content-Type': 'application/octet-stream',
        'Content-Length': '5',
        'AHP-Content-SHA256': sha256('hello'),
        Expect: '100-continue',
      }),
    );
    await entered.promise;
    await upload.response();
    const closed = server.close();
    expect(await aborted.promise).toMatchObject({ code: 'closed' });
    expect(JSON.parse((await call).body)).toMatchObject({ error: { code: -32004 } });
    expect((await upload.response()).status).toBe(503);
    await closed;
    await server.close();
  });

  it('ends idle connections, and answers 503 on those that ask for more meanwhile', async () => {
    const [entered, release] = [barrier(), barrier()];
    const { port, server } = await startServer({
      limits: { closeTimeoutMs: 60_000 },
      handlers: {
        'tool.before': {
          intercept: async () => {
            entered.open();
            await release.promise;
          },
        },
      },
    });
    const idle = await connectRaw(port);
    idle.write(head('/none', {}, 'GET'));
    await idle.response();
    const pipelining = await connectRaw(port);
    const body = JSON.stringify(intercept(toolBefore('e1')));
    const headers = {
      Authorization: 'Bearer acme',
      'Content-Type': 'application/json',
      'Content-Length': `${body.length}`,
    };
    pipelining.write(head('/hooks', headers), body);
    await entered.promise;
    const closed = server.close();
    expect(await idle.ended).toBe('');
    pipelining.write(head('/hooks', headers), body);
    await expect.poll(async () => pipelining.socket.writableLength).toBe(0);
    release.open();
    const first = await pipelining.response();
    expect([first.status, first.headers.get('connection')]).toEqual([200, 'close']);
    await closed;
  });

  it('of one listener leaves the others; of the receiver takes them all', async () => {
    const { receiver, server, port } = await startServer();
    const other = await receiver.listen(0);
    const otherPort = Number(new URL(other.url).port);
    await server.close();
    await expect(connectRaw(port)).rejects.toThrow();
    expect((await sendMessage(otherPort, discover())).status).toBe(200);
    await receiver.close();
    await expect(connectRaw(otherPort)).rejects.toThrow();
    await expect(receiver.listen(0)).rejects.toMatchObject({ name: 'ReceiverError', code: 'closed' });
    const response = await receiver.handle(
      new Request('http://x/hooks', {
        method: 'POST',
        body: JSON.stringify(discover()),
        headers: { authorization: 'Bearer acme', 'content-type': 'application/json' },
      }),
    );
    expect(response.status).toBe(503);
    await receiver.close();
  });

  it('a port that is taken is an error, and nothing stays open', async () => {
    const { receiver, port } = await startServer();
    await expect(receiver.listen(port)).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});
