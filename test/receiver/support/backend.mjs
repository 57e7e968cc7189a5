// A backend for `ahp serve`, in plain JavaScript so that it loads at once: digests bodies, echoes, hangs when told to.
import { createHash } from 'node:crypto';

const tool = { effects: ['deny', 'message'] };

export const manifest = {
  events: [
    { event: 'tool.before', modes: ['observe', 'intercept'], capabilities: tool },
    { event: 'tool.after', modes: ['observe', 'intercept'], capabilities: { effects: ['message'] } },
  ],
  gaps: [],
  transports: ['http', 'stdio'],
  authentication: ['bearer'],
  toolPaths: [],
  contentCategories: [],
  limits: {},
  managedPolicy: { scopes: ['user'], disableable: true },
  correlationIdentityFields: [],
};

async function digests(event, { body }) {
  const found = [];
  for (const { body: reference } of event.items) {
    const hash = createHash('sha256');
    for await (const piece of (await body(reference)).stream) hash.update(piece);
    found.push(hash.digest('hex'));
  }
  return [{ type: 'message', text: found.join(' ') }];
}

async function act(event, { principal, scope, signal }) {
  console.log('a line that belongs to no link');
  const { command } = event.tool.input;
  if (command === 'throw') throw new Error('secret-of-the-handler');
  if (command === 'hang') await new Promise((resolve) => signal.addEventListener('abort', resolve));
  return [{ type: 'message', text: `${principal} in ${scope}` }];
}

export default {
  manifest,
  handlers: { 'tool.after': { intercept: digests }, 'tool.before': { intercept: act } },
  authenticate: ({ headers }) =>
    headers.get('authorization') === 'Bearer good'
      ? { principal: 'harness', scope: 'tenant', permissions: ['event', 'upload'] }
      : null,
};
