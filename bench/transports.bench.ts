/* Round trips through the transports against the same round trips with nothing but Node. */
import { createHttpTransport, createStdioTransport } from '../runtime/transports/index.js';
import { bareHttp, bareStdio, ECHO_PROCESS, startEchoServer } from './support/bare-peers.js';
import { recordsText, smallText } from './support/json-shapes.js';
import type { BenchRow, BenchTable } from './support/table.js';

const signal = new AbortController().signal;
const context = { signal, deadline: Number.POSITIVE_INFINITY };
const method = 'hooks/intercept';
// At least 0.7 of the peer's rate is at most this much of its time.
const HTTP_AT_MOST = 1.43;

let calls = 0;

function nextMessage(params: string): { readonly id: string; readonly text: string; readonly bytes: Uint8Array } {
  calls += 1;
  const id = `evt-${calls}`;
  const text = `{"jsonrpc":"2.0","id":"${id}","method":"${method}","params":${params}}`;
  return { id, text, bytes: Buffer.from(text) };
}

/** Runs a call so many times at once. */
function atOnce(count: number, call: () => Promise<unknown>): () => Promise<unknown> {
  return count === 1 ? call : () => Promise.all(Array.from({ length: count }, call));
}

async function httpRows(): Promise<readonly BenchRow[]> {
  const port = await startEchoServer();
  const transport = createHttpTransport({ url: `http://127.0.0.1:${port}/hooks` });
  const bare = bareHttp(port);
  const row = (name: string, params: string, count: number): BenchRow => ({
    name,
    baseline: 'node:http',
    contenders: {
      ours: atOnce(count, () => {
        const { id, bytes } = nextMessage(params);
        return transport.request({ id, method, bytes }, context);
      }),
      'node:http': atOnce(count, () => bare(nextMessage(params).bytes)),
    },
    atMost: { ours: HTTP_AT_MOST },
  });
  return [
    row('small, one by one', smallText, 1),
    row('small, 16 at once', smallText, 16),
    row('1 MB, one by one', recordsText, 1),
  ];
}

function stdioRows(): readonly BenchRow[] {
  const transport = createStdioTransport({
    command: process.execPath,
    args: [ECHO_PROCESS],
    lifecycle: 'persistent',
  });
  const bare = bareStdio();
  const row = (name: string, params: string, count: number): BenchRow => ({
    name,
    baseline: 'bare process',
    contenders: {
      ours: atOnce(count, () => {
        const { id, bytes } = nextMessage(params);
        return transport.request({ id, method, bytes }, context);
      }),
      'bare process': atOnce(count, () => {
        const { id, text } = nextMessage(params);
        return bare(id, text);
      }),
    },
  });
  return [
    row('small, one by one', smallText, 1),
    row('small, 16 at once', smallText, 16),
    row('1 MB, one by one', recordsText, 1),
  ];
}

export async function tables(): Promise<readonly BenchTable[]> {
  return [
    {
      title: 'Transports, HTTP round trip',
      note: 'ours checks, bounds and judges each response; the echo server runs in a thread of its own',
      rows: await httpRows(),
    },
    {
      title: 'Transports, persistent stdio round trip',
      note: 'ours reads each answer by the strict JSON module to find its id; the peer does so by JSON.parse',
      rows: stdioRows(),
    },
  ];
}
