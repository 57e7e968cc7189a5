import { describe, expect, it } from 'vitest';
import type { InterceptRequest, KnownEvent } from '../../generated/index.js';
import type { ChainOptions } from '../../runtime/chain/index.js';
import { interceptRequest } from '../../runtime/wire/index.js';
import { minimalEvent } from './events.js';
import { boundary, runScripted } from './support.js';

const FORM = {
  message: 'Which branch?',
  requestedSchema: { type: 'object', properties: { branch: { type: 'string', minLength: 2 } }, required: ['branch'] },
};
const REQUEST_GRANT = { effects: ['deny', 'return', 'message'] } as const;
const RESULT_GRANT = { effects: ['modify', 'message'], modify: { content: { replace: true, merge: true } } } as const;
const MESSAGE = { type: 'message', text: 'm' };
const DENY = { type: 'deny', reason: 'no' };
const RETURN = (content: object, action = 'accept') => ({ type: 'return', value: { action, content } });
const MERGE = (value: object) => ({ type: 'modify', target: 'content', operation: 'merge', value });

function host(
  bodies: Readonly<Record<string, object>>,
): NonNullable<ChainOptions['elicitation']> & { resolved: string[] } {
  const resolved: string[] = [];
  return {
    resolved,
    principal: ({ id }) => `svc:${id}`,
    resolveBody: async ({ ref }) => {
      resolved.push(ref);
      return Object.hasOwn(bodies, ref) ? new TextEncoder().encode(JSON.stringify(bodies[ref])) : null;
    },
  };
}

const request = () => ({
  ...boundary('user.elicitation.request', REQUEST_GRANT),
  elicitation: host({ 'ref-req': FORM }),
});

/** The request's event as a subscriber without its body sees it. */
function withoutBody(event: KnownEvent): KnownEvent {
  return { ...event, elicitation: { server: 'crm', mode: 'form' } } as unknown as KnownEvent;
}

function result(): Partial<ChainOptions> {
  const event = { ...minimalEvent('user.elicitation.result', {}, 'e-2'), parentEventId: 'e-1' } as KnownEvent;
  const requestEnvelope = interceptRequest({
    event: minimalEvent('user.elicitation.request') as InterceptRequest['params']['event'],
    capabilities: REQUEST_GRANT,
  });
  return {
    event,
    capabilities: RESULT_GRANT,
    values: { content: { branch: 'main' } },
    materialize: ({ event: current }) => current,
    elicitation: {
      ...host({ 'ref-req': FORM, 'ref-res': { action: 'accept', content: { branch: 'main' } } }),
      request: requestEnvelope,
    },
  };
}

describe('§5 with §2: user.elicitation.request', () => {
  it('§5 makes a staged return the candidate, members that nobody knows kept', async () => {
    const { outcome, sent } = await runScripted(
      [{ id: 'a', reply: [{ type: 'return', value: { action: 'accept', content: { branch: 'dev' }, later: 1 } }] }],
      request(),
    );
    expect(sent[0]?.message.params.capabilities).toEqual(REQUEST_GRANT);
    expect(outcome).toMatchObject({ decision: 'proceed', failures: [] });
    expect(outcome.candidate).toEqual({ value: { action: 'accept', content: { branch: 'dev' }, later: 1 } });
  });

  it.each([
    ['an answer that the form refuses', [RETURN({ branch: 'x' })], 'effect-malformed'],
    ['a value that is no ElicitResult', [{ type: 'return', value: 7 }], 'effect-malformed'],
    ['two terminal effects', [RETURN({ branch: 'main' }), DENY], 'effect-conflict'],
    ['two returns', [RETURN({ branch: 'main' }), RETURN({ branch: 'dev' })], 'effect-conflict'],
  ])('§2 rejects %s, whole', async (_name, reply, code) => {
    const { outcome } = await runScripted(
      [{ id: 'a', failurePolicy: 'fail-open', reply: [MESSAGE, ...reply] }],
      request(),
    );
    expect(outcome.failures).toEqual([{ subscription: 'a', policy: 'fail-open', code }]);
    expect(outcome).toMatchObject({ candidate: null, messages: [] });
  });

  it('§5 denies by an effect that was staged', async () => {
    const { outcome } = await runScripted([{ id: 'a', reply: [DENY, MESSAGE] }], request());
    expect(outcome).toMatchObject({ decision: 'denied', messages: ['m'], candidate: null });
    expect(outcome.ended).toEqual({ by: 'a', kind: 'deny', reason: 'no' });
  });

  it('§2 §5 lets a subscriber that saw no body deny and speak, without resolving anything', async () => {
    const options = request();
    const { outcome } = await runScripted([{ id: 'a', reply: [MESSAGE, DENY] }], {
      ...options,
      prepare: ({ event }) => withoutBody(event),
    });
    expect(outcome).toMatchObject({ decision: 'denied', messages: ['m'], failures: [] });
    expect(options.elicitation.resolved).toEqual([]);
  });

  it('§2 does not let it answer', async () => {
    const { outcome } = await runScripted(
      [{ id: 'a', failurePolicy: 'fail-open', reply: [RETURN({ branch: 'main' })] }],
      {
        ...request(),
        prepare: ({ event }) => withoutBody(event),
      },
    );
    expect(outcome.failures).toMatchObject([{ code: 'effect-not-granted' }]);
  });

  it('§2 fails by the policy of the subscription when the body cannot be had', async () => {
    const { outcome } = await runScripted(
      [{ id: 'a', failurePolicy: 'fail-open', reply: [RETURN({ branch: 'main' })] }],
      {
        ...request(),
        elicitation: host({}),
      },
    );
    expect(outcome.failures).toMatchObject([{ code: 'preparation' }]);
  });

  it('§5 asks nobody for a body when there is no effect', async () => {
    const options = request();
    const { outcome } = await runScripted([{ id: 'a', reply: [] }], options);
    expect(outcome.failures).toEqual([]);
    expect(options.elicitation.resolved).toEqual([]);
  });

  it("§2 takes the supplier from the host's own word", async () => {
    const { outcome } = await runScripted(
      [{ id: 'a', failurePolicy: 'fail-open', reply: [RETURN({ branch: 'main' })] }],
      {
        ...request(),
        elicitation: { ...host({ 'ref-req': FORM }), principal: () => ' ' },
      },
    );
    expect(outcome.failures).toMatchObject([{ code: 'preparation' }]);
  });
});

describe('§5 with §2: user.elicitation.result', () => {
  it('§5 makes staged edits the value of content, and materializes it', async () => {
    const made: unknown[] = [];
    const { outcome } = await runScripted(
      [{ id: 'a', reply: [MERGE({ branch: 'dev' }), MERGE({ note: 'x' }), MESSAGE] }],
      {
        ...result(),
        materialize: ({ event, target, value }) => {
          made.push([target, value]);
          return event;
        },
      },
    );
    expect(outcome).toMatchObject({ failures: [], messages: ['m'] });
    expect(outcome.values).toEqual({ content: { branch: 'dev', note: 'x' } });
    expect(made).toEqual([['content', { branch: 'dev', note: 'x' }]]);
  });

  it('§2 rejects an edit after which the form refuses the answer', async () => {
    const { outcome } = await runScripted(
      [{ id: 'a', failurePolicy: 'fail-open', reply: [MERGE({ branch: null })] }],
      result(),
    );
    expect(outcome.failures).toMatchObject([{ code: 'effect-malformed' }]);
    expect(outcome.values).toEqual({ content: { branch: 'main' } });
  });

  it('§5 stages nothing without the request envelope', async () => {
    const options = result();
    const { request: _request, ...rest } = options.elicitation ?? host({});
    const { outcome } = await runScripted(
      [{ id: 'a', failurePolicy: 'fail-open', reply: [MERGE({ branch: 'dev' })] }],
      {
        ...options,
        elicitation: rest,
      },
    );
    expect(outcome.failures).toMatchObject([{ code: 'preparation' }]);
  });

  it('§5 takes a message about an answer that the subscriber did not see', async () => {
    const { outcome } = await runScripted([{ id: 'a', reply: [MESSAGE] }], {
      ...result(),
      prepare: ({ event }) =>
        ({ ...event, elicitation: { server: 'crm', mode: 'form', action: 'accept' } }) as unknown as KnownEvent,
    });
    expect(outcome).toMatchObject({ failures: [], messages: ['m'] });
  });
});

const ITEM = { id: 'i', kind: 'elicitation', mediaType: 'application/json' };
const UNSEEN = {
  absent: undefined,
  metadata: { ...ITEM, selection: 'metadata' },
  omit: { ...ITEM, selection: 'omit' },
  'a gap': { ...ITEM, selection: 'body', gap: { reason: 'transfer_failed' } },
} as const;
const open = (reply: readonly object[]) => [{ id: 'a', failurePolicy: 'fail-open' as const, reply }];
const codesOf = ({ outcome }: Awaited<ReturnType<typeof runScripted>>) => outcome.failures.map(({ code }) => code);

describe('§5 with §2: what is staged, and what is an ordinary denial', () => {
  it.each(Object.entries(UNSEEN))('§5 denies ordinarily where the request body is %s', async (_name, item) => {
    const options = request();
    for (const reply of [[DENY], [MESSAGE], [DENY, MESSAGE]]) {
      const { outcome, sent } = await runScripted(open(reply), {
        ...options,
        prepare: ({ event }) =>
          ({
            ...event,
            elicitation: { server: 'crm', mode: 'form', ...(item === undefined ? {} : { request: item }) },
          }) as unknown as KnownEvent,
      });
      expect(sent).toHaveLength(1);
      expect(outcome.failures).toEqual([]);
      expect(outcome.decision).toBe(reply.includes(DENY) ? 'denied' : 'proceed');
    }
    expect(options.elicitation.resolved).toEqual([]);
  });

  it.each([[[DENY]], [[MESSAGE]]])(
    '§2 stages %j where the body was selected, so that it has to be there',
    async (reply) => {
      const options = request();
      expect(codesOf(await runScripted(open(reply), options))).toEqual([]);
      expect(options.elicitation.resolved).toEqual(['ref-req']);
      expect(codesOf(await runScripted(open(reply), { ...options, elicitation: host({}) }))).toEqual(['preparation']);
    },
  );

  it('§2 stages a message about an answer where both bodies were selected', async () => {
    const options = result();
    const made: unknown[] = [];
    const materialize: NonNullable<ChainOptions['materialize']> = ({ event, value }) => {
      made.push(value);
      return event;
    };
    const { outcome } = await runScripted(open([MESSAGE]), {
      ...options,
      values: { content: { other: 1 } },
      materialize,
    });
    expect(outcome).toMatchObject({ failures: [], messages: ['m'], values: { content: { other: 1 } } });
    expect(made).toEqual([]);
    const missing = { ...options, elicitation: { ...options.elicitation, ...host({ 'ref-req': FORM }) } };
    expect(codesOf(await runScripted(open([MESSAGE]), missing))).toEqual(['preparation']);
  });

  it.each(['no request envelope', 'a request body that was not selected'])(
    '§5 takes a message with %s',
    async (name) => {
      const options = result();
      const { request: envelope, ...rest } = options.elicitation ?? host({});
      if (envelope === undefined) throw new Error('the options have a request');
      const unseen = {
        ...envelope,
        params: { ...envelope.params, event: withoutBody(envelope.params.event as KnownEvent) },
      };
      const resolver = host({});
      const elicitation =
        name === 'no request envelope'
          ? { ...rest, ...resolver }
          : { ...resolver, request: unseen as InterceptRequest };
      const { outcome } = await runScripted(open([MESSAGE]), { ...options, elicitation });
      expect(outcome).toMatchObject({ failures: [], messages: ['m'] });
      expect(resolver.resolved).toEqual([]);
    },
  );

  it('§5 takes the staged answer for the value of content, whatever the host held', async () => {
    const options = result();
    const { outcome } = await runScripted(open([MESSAGE, MERGE({ branch: 'dev' })]), {
      ...options,
      values: { content: { branch: 'main' } },
      elicitation: {
        ...options.elicitation,
        ...host({ 'ref-req': FORM, 'ref-res': { action: 'accept', content: { branch: 'main', note: 'kept' } } }),
      },
    });
    expect(outcome).toMatchObject({ failures: [], messages: ['m'] });
    expect(outcome.values).toEqual({ content: { branch: 'dev', note: 'kept' } });
  });
});

describe('§5 with §2: whose failure a rejection is', () => {
  it.each<[string, object[], string]>([
    ['content beside a decline', [RETURN({ branch: 'main' }, 'decline')], 'effect-malformed'],
    ['an answer that is no member of the form', [RETURN({})], 'effect-malformed'],
  ])("§2 the responder's: %s", async (_name, reply, code) => {
    expect(codesOf(await runScripted(open(reply), request()))).toEqual([code]);
  });

  it.each<[string, object, object, string]>([
    [
      'an edit that is no object of answers',
      { type: 'modify', target: 'content', operation: 'replace', value: 'x' },
      {},
      'effect-malformed',
    ],
    ['an edit of an answer that declines', MERGE({ branch: 'dev' }), { action: 'decline' }, 'effect-malformed'],
  ])("§2 the responder's: %s", async (_name, effect, body, code) => {
    const options = result();
    const declined = 'action' in body;
    const event = options.event as unknown as { elicitation: object };
    const run = await runScripted(open([effect]), {
      ...options,
      ...(declined
        ? {
            event: { ...event, elicitation: { ...event.elicitation, action: 'decline' } } as unknown as KnownEvent,
            elicitation: { ...options.elicitation, ...host({ 'ref-req': FORM, 'ref-res': body }) },
          }
        : {}),
    });
    expect(codesOf(run)).toEqual([code]);
  });

  it.each<[string, Readonly<Record<string, object>>]>([
    [
      'a request body of another mode',
      { 'ref-req': { mode: 'url', message: 'm', url: 'https://a.example/', elicitationId: 'x' } },
    ],
    ['a request body that is no MCP', { 'ref-req': { message: 7 } }],
  ])("§2 the host's: %s", async (_name, bodies) => {
    const run = await runScripted(open([RETURN({ branch: 'main' })]), { ...request(), elicitation: host(bodies) });
    expect(codesOf(run)).toEqual(['preparation']);
  });

  it("§2 the host's: an answer whose body has another action", async () => {
    const options = result();
    const run = await runScripted(open([MERGE({ branch: 'dev' })]), {
      ...options,
      elicitation: { ...options.elicitation, ...host({ 'ref-req': FORM, 'ref-res': { action: 'decline' } }) },
    });
    expect(codesOf(run)).toEqual(['preparation']);
  });

  it("§2 the host's: a principal that throws, whatever it throws", async () => {
    const run = await runScripted(open([RETURN({ branch: 'main' })]), {
      ...request(),
      elicitation: {
        ...host({ 'ref-req': FORM }),
        principal: () => {
          throw Object.assign(new Error('unknown'), { code: 'answer-invalid', place: '/effects' });
        },
      },
    });
    expect(codesOf(run)).toEqual(['preparation']);
  });

  it('§2 an edit of an answer that the subscriber did not see is not granted', async () => {
    const run = await runScripted(open([MERGE({ branch: 'dev' })]), {
      ...result(),
      prepare: ({ event }) =>
        ({ ...event, elicitation: { server: 'crm', mode: 'form', action: 'accept' } }) as unknown as KnownEvent,
    });
    expect(codesOf(run)).toEqual(['effect-not-granted']);
  });
});
