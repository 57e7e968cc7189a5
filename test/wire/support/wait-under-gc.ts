// Run with --expose-gc: waits by time-outs that nobody else holds, and collects memory meanwhile.
import { linkAbort, raceAbort } from '../../../runtime/wire/index.js';

const collect = (globalThis as { gc?: () => void }).gc;
if (collect === undefined) throw new Error('expected --expose-gc');

function wait(session: AbortSignal): Promise<unknown>[] {
  const raced = raceAbort(new Promise(() => undefined), AbortSignal.timeout(200)).catch((reason: unknown) => reason);
  const linked = linkAbort(session, AbortSignal.timeout(200)).signal;
  return [raced, new Promise((resolve) => linked.addEventListener('abort', () => resolve(linked.reason)))];
}

const waiting = Promise.all(wait(new AbortController().signal));
const collecting = setInterval(collect, 10);
const limit = setTimeout(() => {
  console.log('never fired');
  process.exit(1);
}, 5_000);
console.log((await waiting).map((reason) => (reason as DOMException).name).join());
clearInterval(collecting);
clearTimeout(limit);
