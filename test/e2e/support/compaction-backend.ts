// The backend of the compaction over stdio: its bodies come by upload into a folder that it reads.
import { createReceiver, openFileStore } from '../../../runtime/receiver/index.js';
import { MANIFEST } from '../../harness/support/events.js';
import { compactionHandlers } from './compaction-handlers.js';

const receiver = createReceiver({
  manifest: MANIFEST,
  handlers: compactionHandlers,
  authenticate: () => null,
  store: await openFileStore(process.env.STORE ?? '', { mode: 'read' }),
});
await receiver.serveStdio(process.stdin, process.stdout, { principal: 'harness', scope: 'tenant' });
