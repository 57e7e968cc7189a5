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
    await runScripted([{ id: 'a', reply: [] }], options);
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
