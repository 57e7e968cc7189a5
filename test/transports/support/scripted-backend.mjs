// The peer of the stdio suites: serves scripts on stdin and stdout, and notes what arrived in a file.
import { appendFileSync } from 'node:fs';
import { register } from 'tsx/esm/api';

register();
const { serveScriptedLines } = await import('../../../runtime/testing/scripted-lines.ts');
serveScriptedLines(process.stdin, process.stdout, {
  onMessage: (bytes) => appendFileSync(process.env.RECEIVED_FILE, `${Buffer.from(bytes).toString('utf8')}\n`),
  hangUp: () => process.exit(3),
});
