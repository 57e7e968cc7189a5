// A backend that does everything wrong that a backend may do without being malicious. What it does with a message is
// fixed by the message's own number, so that a run can be repeated.
let buffered = '';
let messages = 0;
const random = (seed) => {
  let state = (seed * 2654435761 + 12345) >>> 0;
  return () => {
    state = (state * 1664525 + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
};

function write(text, next) {
  // Chunks end anywhere, within characters too.
  const bytes = Buffer.from(text);
  let at = 0;
  while (at < bytes.length) {
    const size = 1 + Math.floor(next() * bytes.length);
    process.stdout.write(bytes.subarray(at, at + size));
    at += size;
  }
}

function handle(message) {
  const { number, reused, deadlineMs } = message.params;
  const next = random(number);
  const line = `${JSON.stringify({ jsonrpc: '2.0', id: message.id, result: { number, text: 'é🜁' } })}\n`;
  const junk = [
    'npm notice é\n',
    '\n',
    '{"type":"notice"}\n',
    '{"id":null}\n',
    '{"id":"nobody","result":{}}\n',
    '[1]\n',
  ];
  if (next() < 0.3) write(junk[Math.floor(next() * junk.length)], next);
  if (next() < 0.1) process.stderr.write('e'.repeat(50_000));
  const fate = next();
  if (fate < 0.05) return; // Never answers.
  if (fate < 0.1) {
    setTimeout(() => write(line, next), deadlineMs * (0.7 + next())); // Late for most.
    return;
  }
  if (fate < 0.104 && messages > 50) process.exit(3);
  // A second answer only where no other request has the same id: nothing tells the two apart else.
  const text = fate < 0.25 && !reused ? line + line : line;
  setTimeout(() => write(text, next), next() * 10);
}

process.stdin.setEncoding('utf8');
process.stdin.on('data', (chunk) => {
  buffered += chunk;
  const lines = buffered.split('\n');
  buffered = lines.pop();
  for (const one of lines) {
    messages += 1;
    handle(JSON.parse(one));
  }
});
