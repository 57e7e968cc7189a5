import { describe, expect, it, vi } from 'vitest';
import type { HookFailureEvent } from '../../generated/index.js';
import type { HooksOptions } from '../../runtime/harness/index.js';
import { answering, eventOf, httpBackend, httpPeer, makeHooks, subscription } from './support/kit.js';
import { summaryEvent } from './support/items.js';
import { uploadPeer } from './support/uploads.js';

const SHORT_MS = 400;
/** Long enough for an answer to come in, on a busy machine too. */
const ANSWERED_MS = 1_500;
const change = [{ type: 'modify', target: 'summary', operation: 'replace', value: 'changed' }];

type Intercept = (hooks: ReturnType<typeof makeHooks>['hooks']) => Promise<{
  readonly decision: string;
  readonly ended: unknown;
  readonly failures: readonly object[];
  readonly called: readonly string[];
  readonly candidate: unknown;
  readonly observations: { readonly done: Promise<unknown> } | null;
}>;

interface Failing {
  readonly effects: readonly object[];
  readonly intercept: Intercept;
  readonly settings?: object;
  readonly options?: Partial<HooksOptions>;
}

/**
 * What fails although the backend answered, or before it is asked. The failing one stands twice, failing open and
 * failing closed, with a sound one between that is asked and one behind that is only told.
 */
async function failsAs(code: string, { effects, intercept, settings = {}, options = {} }: Failing): Promise<void> {
  const bad = await httpPeer(answering(effects));
  const sound = await httpPeer();
  const { hooks, of } = makeHooks(
    [
      httpBackend('bad.open', bad.url, [subscription({ ...settings, failurePolicy: 'fail-open' })]),
      httpBackend('sound.first', sound.url, [
        subscription(),
        subscription({ mode: 'observe', events: ['hook.failure'] }),
      ]),
      httpBackend('bad.closed', bad.url, [subscription({ ...settings, failurePolicy: 'fail-closed' })]),
      httpBackend('sound.last', sound.url, [subscription()]),
    ],
    options,
  );
  const outcome = await intercept(hooks);
  await outcome.observations?.done;
  const failures = ['open', 'closed'].map((policy) => ({
    subscription: `bad.${policy}#0`,
    policy: `fail-${policy}`,
    code,
  }));
  expect(outcome).toMatchObject({
    decision: 'denied',
    ended: { by: 'bad.closed#0', kind: 'fail-closed', code },
    failures,
    called: ['bad.open#0', 'sound.first#0', 'bad.closed#0'],
    candidate: null,
  });
  expect(sound.asked()).toHaveLength(1);
  await vi.waitUntil(() => sound.told().length >= 3, { timeout: 20_000 });
  const told = sound.told().flatMap(({ event }) => (event.type === 'hook.failure' ? [event as HookFailureEvent] : []));
  expect(told.map(({ failure }) => failure)).toEqual(
    ['open', 'closed'].map((policy) => ({ backendId: `bad.${policy}`, reason: code, policy: `fail-${policy}` })),
  );
  await hooks.close();
  expect(of('failure')).toMatchObject(failures);
  // A failure ends with its policy: nothing that the failing answer held went on.
  for (const { text } of sound.arrived) expect(text).not.toMatch(/changed|decline/);
}

const content = { sum: Buffer.from('before') };
const values = { summary: 'before' };

describe('§5 what fails around an answer, over HTTP, under both policies, told once', () => {
  it('materialization: the host makes no event of the change', async () => {
    const materialize = () => {
      throw new Error('no room');
    };
    await failsAs('materialization', {
      effects: change,
      intercept: (hooks) => hooks.intercept(summaryEvent(), { content, values, materialize }),
    });
  });

  it('late: the deadline passes before the answer is accepted', async () => {
    await failsAs('late', {
      effects: change,
      settings: { timeoutMs: ANSWERED_MS },
      intercept: (hooks) =>
        hooks.intercept(summaryEvent(), { content, values, materialize: () => new Promise(() => {}) }),
    });
  });

  it('preparation: an upload is not confirmed in the time for preparing', async () => {
    const { upload } = await uploadPeer(() => {});
    await failsAs('preparation', {
      effects: [],
      settings: { content: { default: 'body' }, upload },
      options: { prepareTimeoutMs: SHORT_MS },
      intercept: (hooks) => hooks.intercept(summaryEvent(), { content }),
    });
  });

  it('effect-conflict: an elicitation is answered and denied at once', async () => {
    const { upload } = await uploadPeer();
    const form = { message: 'How many?', requestedSchema: { type: 'object', properties: {} } };
    await failsAs('effect-conflict', {
      effects: [
        { type: 'return', value: { action: 'decline' } },
        { type: 'deny', reason: 'no' },
      ],
      settings: { content: { default: 'body' }, upload },
      intercept: (hooks) =>
        hooks.intercept(eventOf('user.elicitation.request'), {
          content: { req: Buffer.from(JSON.stringify(form)) },
          elicitation: {},
        }),
    });
  });
});
