/**
 * An audit backend: `AUDIT_FILE=audit.jsonl ahp serve --stdio --principal harness --scope audit
 * examples/backends/audit.ts`. It observes every event and appends what happened, and nothing of its content, as one
 * JSON object a line.
 */
import { appendFile } from 'node:fs/promises';
import { catalogue, type KnownEvent, type Manifest } from '../../generated/index.js';
import type { Authenticate, Handlers } from '../../runtime/receiver/index.js';

const manifest: Manifest = {
  events: catalogue.eventNames.map((event) => ({ event, modes: ['observe'] })),
  gaps: [],
  transports: ['http', 'stdio'],
  authentication: ['bearer'],
  toolPaths: [],
  contentCategories: [],
  limits: {},
  managedPolicy: { scopes: ['user', 'project'], disableable: true },
  correlationIdentityFields: ['session.id'],
};

/** A delivery may come twice; `(source, id)` tells. */
const seen = new Set<string>();

async function record({ source, id, type, time, parentEventId, session }: KnownEvent): Promise<void> {
  const key = JSON.stringify([source, id]);
  if (seen.has(key)) return;
  seen.add(key);
  const line = JSON.stringify({ time, type, source, id, parentEventId, session: session?.id });
  const file = process.env.AUDIT_FILE;
  if (file === undefined) console.error(line);
  else await appendFile(file, `${line}\n`);
}

const handlers: Handlers = Object.fromEntries(catalogue.eventNames.map((event) => [event, { observe: record }]));

const authenticate: Authenticate = ({ headers }) => {
  const token = process.env.AUDIT_TOKEN;
  if (token === undefined || token === '' || headers.get('authorization') !== `Bearer ${token}`) return null;
  return { principal: 'harness', scope: 'audit', permissions: ['event', 'upload'] };
};

export default { manifest, handlers, authenticate };
