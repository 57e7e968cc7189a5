/* The texts that the JSON benchmarks run on: small messages, large bodies, and the shapes that cost most. */

const notification = {
  jsonrpc: '2.0',
  method: 'hooks/observe',
  params: {
    event: {
      id: 'evt-01J9ZK3V7Q8W2X4Y6A0B',
      source: 'urn:example:harness:workstation-7',
      type: 'tool.after',
      time: '2026-03-14T09:26:53.589Z',
      session: { id: 'ses-5f2c9a', cwd: '/home/dev/project' },
      turn: { id: 'turn-12' },
      call: { id: 'call-88f1', parentId: 'call-88f0' },
      path: 'builtin',
      tool: {
        name: 'shell',
        origin: 'builtin',
        input: { command: 'grep -rn "TODO" src | head -20', timeoutMs: 120000, background: false },
      },
      result: {
        status: 'success',
        durationMs: 482,
        items: [
          {
            id: 'out-1',
            role: 'tool',
            kind: 'output',
            mediaType: 'text/plain',
            selection: 'body',
            body: { ref: 'c-1' },
          },
          { id: 'out-2', role: 'tool', kind: 'output', mediaType: 'text/plain', selection: 'omit' },
        ],
      },
      model: { provider: 'example', name: 'm-large', contextTokens: 187213, temperature: 0.7 },
    },
  },
};

/** One notification of about 900 bytes, as encoders write it. */
export const smallText = JSON.stringify(notification);

/** The same with one number in a spelling that has to be kept. */
export const oneKeptText = smallText.replace('"timeoutMs":120000', '"timeoutMs":120000.0');

/** The same with spaces behind colons and commas, as some encoders write it. */
export const spacedText = JSON.stringify(notification, null, 1)
  .replaceAll(/\n\s*/g, ' ')
  .replaceAll(/([{[]) | ([}\]])/g, '$1$2');

/** The same, indented. */
export const indentedText = JSON.stringify(notification, null, 2);

/** 64 notifications, each a text of its own. */
export const lines: readonly string[] = Array.from({ length: 64 }, (_, index) =>
  smallText.replace('evt-01J9', `evt-${1000 + index}`).replace('482', String(100 + index * 7)),
);

const records = Array.from({ length: 9000 }, (_, index) => ({
  id: `r-${index}`,
  name: `record ${index}`,
  size: index * 37,
  ratio: ((index * 7919) % 1000) / 8,
  open: index % 3 === 0,
  tags: ['a', 'b'],
}));

/** About 1 MB each. */
export const oneStringText = JSON.stringify({ body: 'the quick brown fox jumps over the lazy dog; '.repeat(23_000) });
export const escapedStringText = JSON.stringify({ body: 'a "quoted" line\n'.repeat(50_000) });
export const recordsText = JSON.stringify(records);
export const integersText = JSON.stringify(Array.from({ length: 150_000 }, (_, index) => (index * 7919) % 1_000_003));
export const floatsText = JSON.stringify(Array.from({ length: 52_000 }, (_, index) => Math.sqrt(index + 2) % 1));
export const keptRecordsText = recordsText.replaceAll(/"size":(\d+)/g, '"size":$1.0');
export const keptListText = `[${Array.from({ length: 200_000 }, (_, index) => `${index % 100}.0`).join()}]`;
export const bigNumbersText = `[${Array.from({ length: 50_000 }, (_, index) => `1234567890123456${1000 + (index % 9000)}`).join()}]`;

const names = Array.from({ length: 2000 }, (_, index) => index);

/** 2,000 members whose names are array indexes, in natural and in opposite order. */
export const indexUpText = `{${names.map((index) => `"${index}":${index}`).join()}}`;
export const indexDownText = `{${names.map((index) => `"${1999 - index}":${index}`).join()}}`;

/** The small message with a map whose names look like indexes, out of order. */
export const smallIndexText = smallText.replace('"background":false', '"background":false,"fds":{"2":"err","1":"out"}');
