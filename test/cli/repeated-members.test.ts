/** A member that stands twice must not be read as its first value here and as its last one there (Semantics §1). */

import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { parseEvent } from '../../generated/index.js';
import { TaskLineage } from '../../runtime/lineage/index.js';
import { intercept, toolBefore } from '../receiver/support/messages.js';
import { makeReceiver } from '../receiver/support/start.js';
import { runAhp } from './run-ahp.js';

const own = (members: string): string =>
  `{"id":"e1","source":"urn:a:b","time":"2026-01-01T00:00:00Z","type":"com.example.own",${members}}`;
const framed = (event: string): string =>
  `{"jsonrpc":"2.0","method":"hooks/observe","params":{"protocolVersion":"draft","event":${event}}}`;

const REPEATED: readonly (readonly [string, string, string])[] = [
  ['spelt in two ways', own('"tool":"read","t\\u006fol":"delete"'), '/tool'],
  ['further in', own('"a":{"x":1,"x":1}'), '/a/x'],
  ['in an unknown member of an unknown variant', own('"a":[0,{"b":{"":1,"":2}}]'), '/a/1/b/'],
];
const DISTINCT = own('"p":1,"P":2');

describe('§1 a member that stands twice', () => {
  it.each(REPEATED)('%s is refused by codecs and by the checker of lineage, with its place', (_how, text, pointer) => {
    const result = parseEvent(text);
    expect(result.ok ? [] : result.issues.map(({ code, pointer: at }) => [code, at])).toEqual([
      ['duplicate-member', pointer],
    ]);
    const refused = (() => new TaskLineage().acceptWire(framed(text))) as () => unknown;
    expect(refused).toThrow(expect.objectContaining({ code: 'not-json' }));
  });

  it('is none where names differ in case', () => {
    expect(parseEvent(DISTINCT).ok).toBe(true);
  });

  it('is refused by ahp validate, from a file of lines or from a pipe', async () => {
    const input = [...REPEATED.map(([, text]) => text), DISTINCT].join('\n');
    const { code, stdout, stderr } = await runAhp(['validate', '--as', 'Event', '-'], { input });
    expect(code).toBe(1);
    const told = `${stdout}${stderr}`;
    expect(told.match(/duplicate-member/g)).toHaveLength(3);
    for (const [, , pointer] of REPEATED) expect(told).toContain(pointer);
  });

  it('is refused over stdio before any handler runs', async () => {
    const seen: unknown[] = [];
    const { receiver } = makeReceiver({
      handlers: { 'tool.before': { intercept: ({ event }) => void seen.push(event) } },
    });
    const input = new PassThrough();
    const output = new PassThrough();
    const served = receiver.serveStdio(input, output, { principal: 'p', scope: 's' });
    const valid = JSON.stringify(intercept(toolBefore('e1')));
    input.end(
      [
        valid.replace('"command":"ls"', '"command":"ls","c\\u006fmmand":"rm"'),
        valid.replace('"command":"ls"', '"a":{"x":1,"x":1}'),
        valid.replace('"command":"ls"', '"p":1,"P":2'),
        '',
      ].join('\n'),
    );
    await served;
    output.end();
    const answers = (await output.toArray())
      .join('')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { error?: { code: number } });
    expect(answers.map(({ error }) => error?.code).sort()).toEqual([-32700, -32700, undefined]);
    expect(seen).toHaveLength(1);
  });
});
