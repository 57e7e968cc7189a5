/** An MCP server asks: once by a form, whose answer a hook completes, and once by an address to open. */

import type { EventFor, InterceptRequest, KnownElicitRequestParams } from '../../generated/index.js';
import { parse } from '../../generated/json/index.js';
import type { JsonValue } from '../../generated/json/index.js';
import { interceptRequest } from '../../runtime/wire/index.js';
import { PendingElicitations } from '../../runtime/index.js';
import { sessionManifest } from './manifest.js';
import type { SessionContext, SessionStep } from './session.js';

const SERVER = 'deploys';

function bodyItem(id: string) {
  // The host's own reference. It never leaves: each receiver gets one of its own upload.
  const body = { ref: `host:${id}` };
  return { id, kind: 'elicitation', mediaType: 'application/json', selection: 'body', body } as const;
}

function encodeBody(body: object): Uint8Array {
  return Buffer.from(JSON.stringify(body));
}

function envelopeOf(event: EventFor<'user.elicitation.request' | 'user.elicitation.result'>): InterceptRequest {
  const row = sessionManifest.events.find(({ event: name }) => name === event.type);
  return interceptRequest({ event, capabilities: row?.capabilities ?? { effects: [] } });
}

export async function elicitForm({ hooks, makeEvent }: SessionContext): Promise<SessionStep> {
  const question: KnownElicitRequestParams = {
    message: 'Deploy where?',
    requestedSchema: {
      type: 'object',
      properties: { target: { type: 'string', enum: ['stage', 'live'] }, instances: { type: 'integer', maximum: 4 } },
      required: ['target'],
    },
  };
  const pending = new PendingElicitations();
  const asked = makeEvent('user.elicitation.request', {
    elicitation: { server: SERVER, mode: 'form', request: bodyItem('form-1') },
  });
  const content = { 'form-1': encodeBody(question) };
  const before = await hooks.intercept(asked, { content, elicitation: {} });
  pending.open(envelopeOf(asked));

  // No hook answered, so a person does.
  const answer = { action: 'accept', content: { target: 'stage' } } as const;
  const answered = makeEvent('user.elicitation.result', {
    parentEventId: asked.id,
    elicitation: { server: SERVER, mode: 'form', action: 'accept', result: bodyItem('answer-1') },
  });
  const request = pending.settle(envelopeOf(answered));
  const after = await hooks.intercept(answered, {
    content: { ...content, 'answer-1': encodeBody(answer) },
    values: { content: answer.content },
    elicitation: { request },
    materialize: ({ event, value }) => ({
      event,
      content: { 'answer-1': encodeBody({ ...answer, content: value as object }) },
    }),
  });
  await Promise.all([before.observations?.done, after.observations?.done]);
  const results = [`the person answers ${JSON.stringify(answer.content)}`, `the server gets ${show(after.values)}`];
  return { title: 'elicitation by form', events: [asked.id, answered.id], results };
}

export async function elicitUrl({ hooks, makeEvent }: SessionContext): Promise<SessionStep> {
  const question: KnownElicitRequestParams = {
    mode: 'url',
    message: 'Sign in to the deploy service',
    url: 'https://deploys.example/sign-in',
    elicitationId: 'sign-in-1',
  };
  const asked = makeEvent('user.elicitation.request', {
    elicitation: { server: SERVER, mode: 'url', request: bodyItem('url-1') },
  });
  const before = await hooks.intercept(asked, { content: { 'url-1': encodeBody(question) }, elicitation: {} });
  const answered = makeEvent('user.elicitation.result', {
    parentEventId: asked.id,
    elicitation: { server: SERVER, mode: 'url', action: 'accept', result: bodyItem('consent-1') },
  });
  // Consent to open the address. Whether the person ever signs in is not told by it.
  const content = { 'url-1': encodeBody(question), 'consent-1': encodeBody({ action: 'accept' }) };
  const after = await hooks.intercept(answered, { content, elicitation: { request: envelopeOf(asked) } });
  await Promise.all([before.observations?.done, after.observations?.done]);
  const results = [...before.messages, `the person consents to open ${question.url}: ${after.decision}`];
  return { title: 'elicitation by URL', events: [asked.id, answered.id], results };
}

function show(values: Readonly<Record<string, JsonValue>>): string {
  const parsed = parse(JSON.stringify(values.content));
  return parsed.ok ? JSON.stringify(parsed.value) : 'nothing';
}
