/**
 * An approval bot that answers elicitations: a routine question by its rules, a sign-in never, a risky deployment not
 * without a person. Two are open in one session and settle in the other order. On its own:
 * `npx tsx examples/main/elicitation-part.ts`.
 */

import type { ContentReference, EffectFor, InterceptRequest, KnownElicitRequestParams } from '../../generated/index.js';
import { encode } from '../../generated/json/index.js';
import {
  applyElicitationEffects,
  ElicitationError,
  PendingElicitations,
  type StagedElicitation,
  validateElicitationExchange,
  validateElicitationMode,
} from '../../runtime/elicitation/index.js';
import { isProgram, type Part, runParts } from './part.js';

const BOT = 'svc:approval-bot';
const LOOKING = { type: 'message', text: 'looking' } as const;
const SOURCE = 'urn:example:harness';

/** The host's store of bodies, by reference. */
const bodies = new Map<string, Uint8Array>();
const resolveBody = async ({ ref }: ContentReference): Promise<Uint8Array | null> => bodies.get(ref) ?? null;

function bodyItem(id: string, body: object): object {
  bodies.set(`ref-${id}`, new TextEncoder().encode(JSON.stringify(body)));
  return { id, kind: 'elicitation', mediaType: 'application/json', selection: 'body', body: { ref: `ref-${id}` } };
}

function envelope(id: string, type: string, members: object, capabilities: object): InterceptRequest {
  const event = { id, source: SOURCE, type, time: '2026-03-01T10:00:00Z', session: { id: 's1' }, ...members };
  const params = { protocolVersion: 'draft', event, capabilities };
  return { jsonrpc: '2.0', id, method: 'hooks/intercept', params } as unknown as InterceptRequest;
}

function ask(id: string, server: string, body: KnownElicitRequestParams): InterceptRequest {
  const elicitation = { server, mode: body.mode ?? 'form', request: bodyItem(id, body) };
  return envelope(id, 'user.elicitation.request', { elicitation }, { effects: ['return', 'deny', 'message'] });
}

/** What a person answered to a request. */
function answer(id: string, parentEventId: string, server: string, content: object): InterceptRequest {
  const result = bodyItem(id, { action: 'accept', content });
  const elicitation = { server, mode: 'form', action: 'accept', result };
  const capabilities = { effects: ['modify', 'message'], modify: { content: { replace: false, merge: true } } };
  return envelope(id, 'user.elicitation.result', { parentEventId, elicitation }, capabilities);
}

const deployForm: KnownElicitRequestParams = {
  message: 'Deploy where?',
  requestedSchema: {
    type: 'object',
    properties: {
      target: {
        type: 'string',
        oneOf: [
          { const: 'stage', title: 'Staging' },
          { const: 'live', title: 'Production' },
        ],
      },
      instances: { type: 'integer', minimum: 1, maximum: 8 },
    },
    required: ['target'],
  },
};

const questions = {
  routine: ask('q1', 'ci', {
    message: 'Rerun the failed job?',
    requestedSchema: { type: 'object', properties: { rerun: { type: 'boolean' } }, required: ['rerun'] },
  }),
  signIn: ask('q2', 'crm', { mode: 'url', message: 'Sign in', url: 'https://as.example/', elicitationId: 'x' }),
  deploy: ask('q3', 'ci', deployForm),
};

/** The bot's rules: effects for one question. */
export function decide(body: KnownElicitRequestParams): EffectFor<'user.elicitation.request'>[] {
  if (body.mode === 'url') return [{ type: 'deny', reason: 'The bot signs in nowhere.' }];
  const fields = Object.keys(body.requestedSchema.properties);
  if (fields.length === 1 && fields[0] === 'rerun') {
    return [{ type: 'return', value: { action: 'accept', content: { rerun: true } } }];
  }
  return [{ type: 'message', text: 'The bot leaves this to you.' }];
}

function tell(staged: StagedElicitation): string {
  const result = staged.result === undefined ? 'no answer yet' : encode(staged.result);
  return `${result}, provenance ${staged.provenance.kind}${staged.messages === undefined ? '' : `, says "${staged.messages.join(' ')}"`}`;
}

export const elicitationPart: Part = {
  name: 'elicitation',
  title: 'Elicitation with an approval bot',
  async run(print) {
    const supported = validateElicitationMode('form', {}, 'mcp');
    print(`an MCP client that declares nothing supports: ${Object.keys(supported).join(', ')}`);

    const pending = new PendingElicitations();
    for (const request of Object.values(questions)) {
      pending.open(request);
      const seen = await applyElicitationEffects({ request, effects: [LOOKING], resolveBody, principal: BOT });
      const effects = decide(seen.request);
      const staged = await applyElicitationEffects({ request, effects, resolveBody, principal: BOT });
      print(`bot     ${request.id}  ${effects.map(({ type }) => type).join(', ')} → ${tell(staged)}`);
    }

    // A bot that answers what the form does not allow changes nothing; its policy decides.
    const wrong = { type: 'return', value: { action: 'accept', content: { target: 'moon' } } } as const;
    const refusal = await applyElicitationEffects({
      request: questions.deploy,
      effects: [wrong],
      resolveBody,
      principal: BOT,
    }).catch((error: unknown) => error);
    if (!(refusal instanceof ElicitationError)) return false;
    print(`bot     q3  a bad answer → refused: ${refusal.code} ${refusal.issues.map(({ pointer }) => pointer).join()}`);

    // The person answers the later question first; a hook then adds what it may.
    const result = answer('a3', 'q3', 'ci', { target: 'stage' });
    const request = pending.settle(result);
    const principal = 'svc:mcp-client';
    const checked = await validateElicitationExchange({ request, result, resolveBody, principal });
    print(
      `person  ${request.id}  ${'result' in checked ? encode(checked.result) : 'unseen'}, provenance ${checked.provenance.kind}`,
    );
    const edit = { type: 'modify', target: 'content', operation: 'merge', value: { instances: 2 } } as const;
    const edited = await applyElicitationEffects({ request, result, effects: [edit], resolveBody, principal: BOT });
    print(`bot     ${request.id}  modify → ${tell(edited)}`);
    const settled = pending.settle(answer('a1', 'q1', 'ci', { rerun: true }));
    print(`settled ${settled.id}, cancelled q2: ${pending.cancel(SOURCE, 'q2') ? 'yes' : 'no'}, open: ${pending.size}`);
    return pending.size === 0 && edited.result?.content?.instances === 2;
  },
};

if (isProgram(import.meta.url)) process.exitCode = await runParts([elicitationPart]);
