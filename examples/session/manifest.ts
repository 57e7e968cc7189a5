/** What the harness of the session supports, and its backends too. */

import type { Capabilities, InterceptableEventName, EventName, Manifest } from '../../generated/index.js';

const modifyText = { replace: true, merge: false };

const granted: { readonly [N in InterceptableEventName]?: Capabilities } = {
  'session.start': {
    effects: ['inject', 'message'],
    inject: { context: { append: true, deliverAt: ['now', 'next_turn'] } },
  },
  'tool.before': {
    effects: ['deny', 'allow', 'ask', 'modify', 'message'],
    modify: { input: { replace: true, merge: true } },
  },
  'user.elicitation.request': { effects: ['deny', 'return', 'message'], elicitation: { form: {}, url: {} } },
  'user.elicitation.result': { effects: ['modify', 'message'], modify: { content: { replace: true, merge: true } } },
  'context.compact.before': {
    effects: ['deny', 'modify', 'return', 'message'],
    modify: { instructions: modifyText },
  },
  'context.compact.after': { effects: ['modify', 'message'], modify: { summary: modifyText } },
  'task.change.before': { effects: ['deny', 'message'] },
};

const observed: readonly EventName[] = ['tool.after', 'task.change.after', 'session.end', 'hook.failure'];

export const sessionManifest: Manifest = {
  events: [
    ...Object.entries(granted).map(([event, capabilities]) => ({
      event: event as EventName,
      modes: ['observe', 'intercept'] as const,
      capabilities,
    })),
    ...observed.map((event) => ({ event, modes: ['observe'] as const })),
  ],
  gaps: [],
  transports: ['http', 'stdio'],
  authentication: ['bearer'],
  toolPaths: ['/shell'],
  contentCategories: ['text', 'files'],
  limits: { maxUploadBytes: 1_000_000 },
  managedPolicy: { scopes: ['user', 'project'], disableable: true },
  correlationIdentityFields: ['session.id'],
};
