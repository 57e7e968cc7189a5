import type { Capabilities, KnownEvent } from '../../generated/index.js';

const ENVELOPE = { source: 'urn:example:harness', time: '2026-10-05T12:00:00Z', session: { id: 's-1' } };

const textItem = (id: string) => ({
  id,
  kind: 'text',
  mediaType: 'text/plain',
  role: 'user',
  selection: 'body',
  body: { ref: `ref-${id}` },
});
const MODEL = { id: 'm', provider: 'p' };
const CALL = { id: 'call-1' };

/** The members beside the envelope that make each interceptable event minimal and canonical. */
const OWN_MEMBERS: Readonly<Record<string, (input: unknown) => object>> = {
  'session.start': () => ({
    trigger: 'startup',
    harness: { name: 'h', version: '1' },
    permissionMode: 'default',
    manifest: {
      events: [],
      gaps: [],
      transports: [],
      authentication: [],
      toolPaths: [],
      contentCategories: [],
      limits: {},
      managedPolicy: { scopes: [], disableable: true },
      correlationIdentityFields: [],
    },
    items: [],
  }),
  'config.change.before': () => ({ change: { source: 'user', scope: 'project', settings: [], summary: 'none' } }),
  'turn.start': () => ({ turn: { id: 't' }, trigger: 'user', items: [textItem('i')] }),
  'turn.finish.before': () => ({
    turn: { id: 't' },
    outcome: 'completed',
    continuationCount: 2,
    items: [textItem('i')],
  }),
  'model.request.before': () => ({ model: MODEL, attempt: { id: 'a', number: 1 }, params: {}, items: [textItem('i')] }),
  'model.response.after': () => ({
    model: MODEL,
    attempt: { id: 'a', number: 1 },
    execution: { status: 'executed' },
    items: [textItem('i')],
    finishReason: 'stop',
  }),
  'model.switch.before': () => ({ current: MODEL, proposed: { id: 'n', provider: 'p' }, reason: 'cost' }),
  'tool.before': (input) => ({ call: CALL, path: 'bash', tool: { name: 'bash', input, origin: 'native' } }),
  'tool.after': (input) => ({
    call: CALL,
    path: 'bash',
    tool: { name: 'bash', input, origin: 'native' },
    outcome: 'ok',
    execution: { status: 'executed' },
    items: [textItem('i')],
  }),
  'tool.permission.request': (input) => ({
    call: CALL,
    path: 'bash',
    tool: { name: 'bash', input, origin: 'native' },
    suggestions: [],
    sandboxBypass: false,
  }),
  'tool.batch.after': (input) => ({
    batch: { id: 'b' },
    calls: [
      {
        call: CALL,
        tool: { name: 'bash', input, origin: 'native' },
        path: 'bash',
        outcome: 'ok',
        execution: { status: 'executed' },
      },
    ],
  }),
  'context.compact.before': () => ({
    trigger: 'auto',
    items: [],
    instructions: { id: 'ins', kind: 'text', mediaType: 'text/plain', selection: 'body', body: { ref: 'ref-ins' } },
  }),
  'context.compact.after': () => ({ summary: textItem('sum'), removed: [], execution: { status: 'executed' } }),
  'task.change.before': () => ({ task: { id: 't', operation: 'create', change: { title: 'x' } } }),
  'user.elicitation.request': () => ({
    elicitation: {
      server: 'crm',
      mode: 'form',
      request: {
        id: 'req',
        kind: 'elicitation',
        mediaType: 'application/json',
        selection: 'body',
        body: { ref: 'ref-req' },
      },
    },
  }),
  'user.elicitation.result': () => ({
    parentEventId: 'e-1',
    elicitation: {
      server: 'crm',
      mode: 'form',
      action: 'accept',
      result: {
        id: 'res',
        kind: 'elicitation',
        mediaType: 'application/json',
        selection: 'body',
        body: { ref: 'ref-res' },
      },
    },
  }),
  'user.message.inbound': () => ({ message: { channel: 'c', sender: 's', text: [textItem('i')] } }),
  'user.message.outbound': () => ({ message: { channel: 'c', payload: [textItem('i')] } }),
  'workspace.change.before': () => ({ workspace: { kind: 'cwd', change: { cwd: '/b' }, prior: { cwd: '/a' } } }),
};

/** A minimal canonical event of an interceptable type; `input` is the tool input where the type has one. */
export function minimalEvent(type: string, input: unknown = { command: 'ls' }, id = 'e-1'): KnownEvent {
  const own = OWN_MEMBERS[type];
  if (own === undefined) throw new Error(`no minimal event of type ${type}`);
  return { id, type, ...ENVELOPE, ...own(input) } as unknown as KnownEvent;
}

/** Everything that `tool.before` may be granted. */
export const FULL_TOOL_CAPABILITIES: Capabilities = {
  effects: ['deny', 'allow', 'ask', 'modify', 'inject', 'flow', 'return', 'message'],
  modify: { input: { replace: true, merge: true } },
  flow: { operations: ['stop'] },
  inject: { context: { append: true, deliverAt: ['now', 'next_turn'] } },
};
