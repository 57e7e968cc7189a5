// Run with --expose-gc: joins a cancel signal and a time-out, keeps only a listener, and collects memory meanwhile.
import { linkSignals } from '../../../runtime/net/index.js';

const collect = (globalThis as { gc?: () => void }).gc;
if (collect === undefined) throw new Error('expected --expose-gc');

function arm(cancel: AbortSignal): void {
  const { signal } = linkSignals([cancel], { timeoutMs: 200, reason: () => 'out of time' });
  signal.addEventListener('abort', () => {
    console.log(`fired: ${signal.reason}`);
    process.exit(0);
  });
}

arm(new AbortController().signal);
for (let round = 0; round < 10; round += 1) {
  collect();
  await new Promise((resolve) => setTimeout(resolve, 10));
}
setTimeout(() => {
  console.log('never fired');
  process.exit(1);
}, 3000);
