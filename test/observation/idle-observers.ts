/** Run as a process of its own: kept alive by an idle server alone, it must still get its observations delivered. */
import { createServer } from 'node:net';
import { dispatchObservations } from '../../runtime/observation/index.js';
import { observe, toolEvent } from './support.js';

const server = createServer();
server.listen(0, '127.0.0.1', () => {
  setTimeout(async () => {
    const handle = dispatchObservations({
      event: toolEvent(),
      subscriptions: [observe('a'), observe('b')],
      called: [],
      prepare: ({ event }) => event,
      notify: ({ subscription }) => {
        process.stdout.write(`told ${subscription.id}\n`);
      },
    });
    await handle.done;
    server.close();
  }, 20);
});
