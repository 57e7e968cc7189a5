// A host that asks a backend over stdio, prints the ids of child and grandchild, and ends without close().
import { fileURLToPath } from 'node:url';
import { createHooks } from '../../../runtime/harness/index.js';
import { eventOf, MANIFEST } from './events.js';

const KIT = fileURLToPath(new URL('../../transports/support/child-kit.cjs', import.meta.url));
const CHILD = `
  ignoreSigterm();
  stayAlive();
  const young = grandchild('', { stdio: 'ignore' });
  young.on('spawn', () => onMessage((m) => {
    const effects = [{ type: 'message', text: process.pid + ' ' + young.pid }];
    answer(m, { protocolVersion: 'draft', effects });
  }));`;

const hooks = createHooks({
  manifest: MANIFEST,
  registration: {
    protocolVersion: 'draft',
    hooks: [
      {
        id: 'one.link',
        transport: {
          type: 'stdio',
          lifecycle: 'persistent',
          command: process.execPath,
          args: ['--require', KIT, '-e', CHILD],
        },
        subscriptions: [
          {
            mode: 'intercept',
            events: ['*'],
            content: { default: 'omit' },
            timeoutMs: 60_000,
            failurePolicy: 'fail-closed',
          },
        ],
      },
    ],
  },
});
const { messages } = await hooks.intercept(eventOf('tool.before'));
console.log(messages.join(' '));
