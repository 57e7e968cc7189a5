import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isAnswer } from './support/is-answer.js';
import { readExampleMessages } from '../support/example-messages.js';
import { discover } from './support/messages.js';
import { connectRaw } from './support/raw-client.js';
import { makeReceiver, startServer } from './support/start.js';

const RUNS = 300;
const examples = readExampleMessages().map(({ text }) => Buffer.from(text));

/** An example message in which some bytes were changed, cut or doubled. */
const broken = fc
  .record({
    text: fc.constantFrom(...examples),
    edits: fc.array(fc.record({ at: fc.nat(), cut: fc.nat(6), put: fc.uint8Array({ maxLength: 4 }) }), {
      maxLength: 4,
    }),
  })
  .map(({ text, edits }) =>
    edits.reduce((bytes, { at, cut, put }) => {
      const place = at % (bytes.byteLength + 1);
      return Buffer.concat([bytes.subarray(0, place), put, bytes.subarray(place + cut)]);
    }, text),
  );

/** JSON of the right outline with anything in its places. */
const shaped = fc
  .record(
    {
      jsonrpc: fc.constantFrom('2.0', '1.0', 2, null),
      id: fc.oneof(fc.constantFrom('a', '', null, 1, 1.5), fc.jsonValue()),
      method: fc.oneof(
        fc.constantFrom('hooks/intercept', 'hooks/observe', 'hooks/capabilities', '__proto__'),
        fc.string(),
      ),
      params: fc.oneof(
        fc.jsonValue(),
        fc.record({
          protocolVersion: fc.oneof(fc.constant('draft'), fc.jsonValue()),
          event: fc.oneof(
            fc.jsonValue(),
            fc.record({
              type: fc.oneof(fc.constantFrom('tool.before', 'tool.after', 'file.changed', 'toString'), fc.jsonValue()),
              id: fc.oneof(fc.constant('a'), fc.jsonValue()),
              items: fc.jsonValue(),
            }),
          ),
          capabilities: fc.jsonValue(),
          state: fc.jsonValue(),
        }),
      ),
      error: fc.jsonValue(),
      result: fc.jsonValue(),
    },
    { requiredKeys: [] },
  )
  .map((value) => Buffer.from(JSON.stringify(value)));

const anything = fc.oneof(
  broken,
  shaped,
  fc.uint8Array().map(Buffer.from),
  fc.json().map((text) => Buffer.from(text)),
);

describe('§8 no message makes the receiver fail', () => {
  it('whatever comes is answered by a status of ours, and an answer is a canonical one', async () => {
    const { receiver, failures } = makeReceiver();
    await fc.assert(
      fc.asyncProperty(anything, async (bytes) => {
        const response = await receiver.handle(
          new Request('http://x/hooks', {
            method: 'POST',
            body: bytes,
            headers: { authorization: 'Bearer acme', 'content-type': 'application/json' },
          }),
        );
        const text = await response.text();
        expect([200, 202, 400]).toContain(response.status);
        expect(text === '').toBe(response.status !== 200);
        if (text !== '') expect(isAnswer(text)).toBe(true);
      }),
      { numRuns: RUNS },
    );
    expect(failures).toEqual([]);
  });

  it('whatever comes in a line is answered in one line, or not at all, and the link goes on', async () => {
    const { PassThrough } = await import('node:stream');
    const { receiver } = makeReceiver();
    const [input, output] = [new PassThrough(), new PassThrough()];
    const served = receiver.serveStdio(input, output, { principal: 'p', scope: 's' });
    const chunks: Buffer[] = [];
    output.on('data', (chunk: Buffer) => chunks.push(chunk));
    await fc.assert(
      fc.asyncProperty(anything, async (bytes) => {
        input.write(Buffer.concat([bytes, Buffer.from('\n')]));
      }),
      { numRuns: RUNS },
    );
    input.end(JSON.stringify(discover('last')));
    await served;
    const lines = Buffer.concat(chunks).toString().split('\n').slice(0, -1);
    expect(lines.filter((line) => !isAnswer(line))).toEqual([]);
    expect(lines.some((line) => line.includes('"id":"last"'))).toBe(true);
  });

  it('whatever comes on a connection, the next connection is served', async () => {
    const { port, failures } = await startServer({ limits: { messageTimeoutMs: 200, headersTimeoutMs: 200 } });
    const heads = fc.constantFrom(
      'POST /hooks HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer acme\r\nContent-Type: application/json\r\n',
      'POST /content HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer acme\r\nContent-Type: application/octet-stream\r\n',
      '',
    );
    const rest = fc.oneof(
      fc.constantFrom('Content-Length: 3\r\n\r\n{}', 'Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n', '\r\n'),
      fc.string(),
    );
    await fc.assert(
      fc.asyncProperty(heads, rest, fc.uint8Array(), async (start, middle, end) => {
        const client = await connectRaw(port);
        client.write(start, middle, end);
        client.socket.end();
        await client.ended;
        client.socket.destroy();
      }),
      { numRuns: 60 },
    );
    const client = await connectRaw(port);
    const text = JSON.stringify(discover());
    client.write(
      `POST /hooks HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer acme\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
    );
    expect((await client.response()).status).toBe(200);
    expect(failures.filter(({ place }) => place !== 'server')).toEqual([]);
  });
});
