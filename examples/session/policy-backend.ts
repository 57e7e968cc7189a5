/**
 * The house policy, served over HTTP with uploads: `ahp serve --store DIR policy-backend.ts`. It adds a rule to each
 * session, rewrites a risky push, denies a deletion, and watches everything.
 */

import { Socket } from 'node:net';
import type { EffectFor, EventName, InterceptableEventName, KnownEvent } from '../../generated/index.js';
import type { Authenticate, Handlers, ObserveContext, ReceiverOptions } from '../../runtime/receiver/index.js';
import { describeContent, writeJournal } from './journal.js';
import { sessionManifest } from './manifest.js';
import { POLICY } from './names.js';

// Nobody is left to serve when the program is gone that started this one, killed or not.
process.stdin.on('end', () => process.kill(process.pid, 'SIGTERM')).resume();
if (process.stdin instanceof Socket) process.stdin.unref();

/** Events and uploads have credentials of their own, which meet in one scope. */
const authenticate: Authenticate = ({ headers, purpose }) => {
  const expected = purpose === 'event' ? process.env.SESSION_EVENT_TOKEN : process.env.SESSION_UPLOAD_TOKEN;
  if (expected === undefined || headers.get('authorization') !== `Bearer ${expected}`) return null;
  return { principal: 'session-harness', scope: 'session', permissions: [purpose] };
};

type Rule = { readonly [N in InterceptableEventName]?: (event: KnownEvent) => EffectFor<N>[] };

const rules: Rule = {
  'session.start': () => [
    { type: 'inject', target: 'context', operation: 'append', deliverAt: 'next_turn', value: 'Push nothing by force.' },
  ],
  'tool.before': (event) => (event.type === 'tool.before' ? judgeCommand(String(event.tool.input.command)) : []),
  'task.change.before': () => [{ type: 'message', text: 'noted' }],
  'user.elicitation.request': (event) =>
    event.type === 'user.elicitation.request' && event.elicitation.mode === 'url'
      ? [{ type: 'message', text: 'Check the address before you sign in.' }]
      : [],
};

function judgeCommand(command: string): EffectFor<'tool.before'>[] {
  if (/\brm\s+-rf\b/.test(command)) return [{ type: 'deny', reason: 'Nothing is deleted here.' }];
  if (!command.includes('--force')) return [{ type: 'allow' }];
  const safe = command.replace('--force', '--force-with-lease');
  return [
    { type: 'modify', target: 'input', operation: 'merge', value: { command: safe } },
    { type: 'message', text: 'A forced push was made a careful one.' },
  ];
}

async function note(
  method: 'intercept' | 'observe',
  event: KnownEvent,
  { body }: Pick<ObserveContext, 'body'>,
  effects: readonly { readonly type: string }[] = [],
): Promise<void> {
  const sent = await describeContent(event, body);
  if (event.type === 'tool.before') sent.unshift(`input ${JSON.stringify(event.tool.input)}`);
  if (event.type === 'hook.failure') sent.unshift(`${event.failure.backendId}: ${event.failure.reason}`);
  const answer = effects.map(({ type }) => type).join(', ');
  writeJournal({ backend: POLICY, method, event: event.id, sent, answer });
}

function handlersOf(names: readonly EventName[]): Handlers {
  const entries = names.map((name) => {
    const rule = (rules as Record<string, ((event: KnownEvent) => { readonly type: string }[]) | undefined>)[name];
    const observe = (event: KnownEvent, context: ObserveContext) => note('observe', event, context);
    const intercept = async (event: KnownEvent, context: ObserveContext) => {
      const effects = rule?.(event) ?? [];
      await note('intercept', event, context, effects);
      return effects;
    };
    const isAsked = sessionManifest.events.some((row) => row.event === name && row.modes.includes('intercept'));
    return [name, isAsked ? { observe, intercept } : { observe }];
  });
  return Object.fromEntries(entries) as Handlers;
}

export default {
  manifest: sessionManifest,
  authenticate,
  handlers: handlersOf(sessionManifest.events.map(({ event }) => event as EventName)),
} satisfies Omit<ReceiverOptions, 'store'>;
