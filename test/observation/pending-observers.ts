/** Run as a process of its own: it leaves observers pending for ever, and must exit all the same. */
import type { KnownEvent } from '../../generated/index.js';
import { runCompaction } from '../../runtime/compaction/index.js';
import { DeliveryQueues, dispatchObservations } from '../../runtime/observation/index.js';
import { observe, toolEvent } from './support.js';

const never = new Promise<never>(() => undefined);
const queues = new DeliveryQueues();
const options = {
  event: toolEvent(),
  subscriptions: [observe('a')],
  called: [],
  prepare: ({ event }: { readonly event: KnownEvent }) => event,
  notify: () => never,
};
const handles = [
  dispatchObservations(options),
  dispatchObservations({ ...options, schedule: queues.schedule }),
  dispatchObservations({ ...options, prepare: () => never }),
];
const outcome = await runCompaction({
  instructions: 'i',
  generate: (text) => text,
  observers: [{ supplier: 'o', run: () => never }],
});
const pending = handles.reduce((sum, handle) => sum + handle.pending, 0);
process.stdout.write(`pending ${pending}, compaction ${outcome.applied ? 'applied' : 'not applied'}\n`);
for (const { done } of handles) void done.then(() => process.stdout.write('an endless delivery ended\n'));
