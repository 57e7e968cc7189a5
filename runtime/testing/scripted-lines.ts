import type { Readable, Writable } from 'node:stream';
import { createLineReader } from '../transports/line-reader.js';
import { scriptedReply } from './scripted.js';

/** How a peer that speaks in lines is served. */
export interface ScriptedLines {
  /** Called with each message that arrived, before it is answered. */
  readonly onMessage?: (bytes: Uint8Array) => void;
  /** Breaks the link without an answer. */
  readonly hangUp: () => void;
}

/**
 * Serves the suite's scripts over a pair of streams, one JSON object per line: the peer of stdio and socket transports.
 * A last line without a line feed counts too.
 */
export function serveScriptedLines(input: Readable, output: Writable, peer: ScriptedLines): void {
  const answer = (bytes: Uint8Array): void => {
    if (!output.writable) return;
    output.write(Buffer.concat([bytes, Buffer.from('\n')]));
  };
  const take = (line: Uint8Array): void => {
    peer.onMessage?.(line);
    const reply = scriptedReply(line);
    if (reply.act === 'hang-up') peer.hangUp();
    if (reply.act !== 'answer') return;
    if (reply.afterMs === 0) answer(reply.bytes);
    else setTimeout(answer, reply.afterMs, reply.bytes);
  };
  const reader = createLineReader(64 * 1024 * 1024, { onLine: take, onTooLarge: peer.hangUp });
  input.on('data', (chunk: Uint8Array) => reader.push(chunk));
  input.on('end', () => {
    const rest = reader.takeRest();
    if (rest !== null) take(rest);
  });
  input.on('error', () => {});
  output.on('error', () => {});
}
