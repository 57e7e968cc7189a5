// Loaded into the children of the stdio tests by --require: reads messages from stdin, writes lines to stdout.
const { spawn } = require('node:child_process');

/** Calls back with each message that comes in on stdin. */
globalThis.onMessage = (take) => {
  let buffered = '';
  process.stdin.setEncoding('utf8');
  process.stdin.on('data', (chunk) => {
    buffered += chunk;
    const lines = buffered.split('\n');
    buffered = lines.pop();
    for (const line of lines) take(JSON.parse(line));
  });
};

/** Writes text to stdout as it is. */
globalThis.raw = (text) => process.stdout.write(text);

/** The line of an answer. */
globalThis.answerLine = (message, result = {}) => `${JSON.stringify({ jsonrpc: '2.0', id: message.id, result })}\n`;

/** Answers a message. */
globalThis.answer = (message, result) => globalThis.raw(globalThis.answerLine(message, result));

/** Starts a grandchild that runs a program text, ignores SIGTERM and inherits what `stdio` says. */
globalThis.grandchild = (code, options = {}) =>
  spawn(process.execPath, ['-e', `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); ${code}`], {
    stdio: 'inherit',
    ...options,
  });

globalThis.ignoreSigterm = () => process.on('SIGTERM', () => {});
globalThis.stayAlive = () => setInterval(() => {}, 1000);
