/**
 * A policy backend. Over HTTP: `POLICY_TOKEN=… ahp serve examples/backends/policy.ts`; as a stdio backend:
 * `ahp serve --stdio --principal harness --scope local --store DIR examples/backends/policy.ts`, DIR being the folder that
 * a receiver of the same scope stores uploads in.
 *
 * It denies deletions, makes installs reproducible, answers a deploy tool's question, and takes card numbers out of
 * summaries.
 */
import { type ElicitRequestParams, type Manifest, parseElicitRequestParams } from '../../generated/index.js';
import type { Authenticate, Handlers, ObserveContext } from '../../runtime/receiver/index.js';

const manifest: Manifest = {
  events: [
    {
      event: 'tool.before',
      modes: ['intercept'],
      capabilities: {
        effects: ['deny', 'modify', 'message'],
        modify: { input: { replace: false, merge: true } },
      },
    },
    {
      event: 'user.elicitation.request',
      modes: ['intercept'],
      capabilities: { effects: ['return', 'message'], elicitation: { form: {} } },
    },
    {
      event: 'context.compact.after',
      modes: ['intercept'],
      capabilities: {
        effects: ['modify', 'message'],
        modify: { summary: { replace: true, merge: false } },
      },
    },
  ],
  gaps: [],
  transports: ['http', 'stdio'],
  authentication: ['bearer'],
  toolPaths: [],
  contentCategories: ['text', 'files'],
  limits: { maxUploadBytes: 10_000_000 },
  managedPolicy: { scopes: ['user', 'project'], disableable: true },
  correlationIdentityFields: [],
};

const handlers: Handlers = {
  'tool.before': {
    intercept({ tool }) {
      const { command } = tool.input;
      if (typeof command !== 'string') return [];
      if (/\brm\s+-(?:rf|fr)\b/.test(command)) {
        return [{ type: 'deny', reason: 'Folders are not deleted by tools.', code: 'com.example.policy.deletion' }];
      }
      const safe = command.replace(/\bnpm install\b(?=\s*(?:$|[;&|]))/g, 'npm ci');
      return safe === command
        ? []
        : [{ type: 'modify', target: 'input', operation: 'merge', value: { command: safe } }];
    },
  },
  'user.elicitation.request': {
    async intercept({ elicitation }, context) {
      if (elicitation.server !== 'deploys' || elicitation.request === undefined) return [];
      const asked = parseElicitRequestParams(await textOf(elicitation.request, context));
      if (!asked.ok || !offers(asked.value, 'environment', 'staging')) return [];
      return [
        { type: 'return', value: { action: 'accept', content: { environment: 'staging' } } },
        { type: 'message', text: 'Deploys go to staging.' },
      ];
    },
  },
  'context.compact.after': {
    async intercept({ summary }, context) {
      const text = await textOf(summary, context);
      const redacted = text.replace(/\b\d(?:[ -]?\d){12,18}\b/g, '[card number]');
      return redacted === text ? [] : [{ type: 'modify', target: 'summary', operation: 'replace', value: redacted }];
    },
  },
};

/** The text of an item that came with its body, and of others the empty one: what was not selected is not judged. */
async function textOf(item: object, { body }: ObserveContext): Promise<string> {
  if (!('body' in item)) return '';
  return (await (await body(item.body as { ref: string }))?.text()) ?? '';
}

/** Whether a form has this field and lets it be this value. */
function offers(request: ElicitRequestParams, field: string, value: string): boolean {
  const choices = ['requestedSchema', 'properties', field, 'enum'].reduce(member, request);
  return Array.isArray(choices) && choices.includes(value);
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}

/** One harness, whose events and uploads share a token and a scope. */
const authenticate: Authenticate = ({ headers }) => {
  const token = process.env.POLICY_TOKEN;
  if (token === undefined || token === '' || headers.get('authorization') !== `Bearer ${token}`) return null;
  return { principal: 'harness', scope: 'local', permissions: ['event', 'upload'] };
};

export default { manifest, handlers, authenticate };
