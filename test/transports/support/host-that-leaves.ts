// A host that starts children, tells their ids and leaves in one of several ways, without close().
import { fileURLToPath } from 'node:url';
import { createStdioTransport } from '../../../runtime/transports/index.js';
import { ask, text } from './calls.js';

const KIT = fileURLToPath(new URL('./child-kit.cjs', import.meta.url));
const CHILD = `
  ignoreSigterm();
  stayAlive();
  const young = grandchild('', { stdio: 'ignore' });
  young.on('spawn', () => onMessage((m) => answer(m, { pids: [process.pid, young.pid] })));`;

const way = process.argv[2];
const transport = createStdioTransport({
  command: process.execPath,
  args: ['--require', KIT, '-e', CHILD],
  lifecycle: 'persistent',
});
console.log(text(await ask(transport)));
if (way === 'exit') process.exit(0);
if (way === 'throw') throw new Error('uncaught');
if (way === 'grace') {
  // Leaves while the children are in their grace after SIGTERM.
  void transport.close();
  setTimeout(() => process.exit(0), 20);
}
// Else: nothing keeps this process alive, so it ends by itself.
