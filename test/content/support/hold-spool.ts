/** A program that holds a large body in a spool until it is killed: `hold-spool.ts DIRECTORY`. */
import { ContentSnapshot } from '../../../runtime/content/index.js';

const snapshot = new ContentSnapshot({ directory: process.argv[2] ?? '', maxMemoryBytes: 1_000 });
const { size } = await snapshot.take('body', Buffer.alloc(3_000_000, 'secret'));
process.stdout.write(`${size}\n`);
setInterval(() => {}, 1_000);
