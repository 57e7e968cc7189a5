/** Opens the store that its argument names, says so, and holds it until it is killed. */
import { openFileStore } from '../../../runtime/receiver/index.js';

await openFileStore(process.argv[2] ?? '');
process.stdout.write('open');
setInterval(() => undefined, 60_000);
