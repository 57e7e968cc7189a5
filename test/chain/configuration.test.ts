import { describe, expect, it } from 'vitest';
import type { Capabilities, KnownEvent } from '../../generated/index.js';
import type { JsonValue } from '../../generated/json/index.js';
import {
  ChainError,
  type ChainOptions,
  type ChainSubscription,
  runInterceptionChain,
} from '../../runtime/chain/index.js';
import { FULL_TOOL_CAPABILITIES, minimalEvent } from './events.js';
import { answerOf } from './support.js';

const subscription: ChainSubscription = { id: 'a', mode: 'intercept', timeoutMs: 1, failurePolicy: 'fail-open' };
const base: ChainOptions = {
  event: minimalEvent('tool.before'),
  capabilities: FULL_TOOL_CAPABILITIES,
  subscriptions: [subscription],
  deliver: () => expect.fail('nobody may be asked'),
};
const SESSION_END = {
  id: 'e',
  source: 'urn:a:b',
  type: 'session.end',
  time: '2026-01-01T00:00:00Z',
  session: { id: 's' },
  outcome: 'completed',
  reason: 'r',
} as KnownEvent;

async function refusalOf(over: object): Promise<unknown> {
  return runInterceptionChain({ ...base, ...over }).catch((error: unknown) => error);
}

describe('§5 what a chain refuses before anybody is asked', () => {
  it.each<[string, object, string, string]>([
    ['no event', { event: null }, 'event-invalid', 'event'],
    ['an event that is text', { event: 'tool.before' }, 'event-invalid', 'event'],
    ['an event that is not canonical', { event: { ...base.event, time: 'now' } }, 'event-invalid', 'event'],
    [
      'an event that holds what is no JSON',
      { event: minimalEvent('tool.before', { at: new Date(0) }) },
      'event-invalid',
      'event',
    ],
    ['an event that cannot be intercepted', { event: SESSION_END }, 'event-invalid', 'event.type'],
    [
      "capabilities that are not the event's",
      { capabilities: { effects: ['deny', 'flow'] } },
      'capabilities-invalid',
      'capabilities',
    ],
    [
      'an id that occurs twice in a mode',
      { subscriptions: [subscription, subscription] },
      'configuration',
      'subscriptions[1].id',
    ],
    ['an empty id', { subscriptions: [{ ...subscription, id: '' }] }, 'configuration', 'subscriptions[0].id'],
    ['an id that is no text', { subscriptions: [{ ...subscription, id: 7 }] }, 'configuration', 'subscriptions[0].id'],
    [
      'an unknown mode',
      { subscriptions: [{ ...subscription, mode: 'ask' }] },
      'configuration',
      'subscriptions[0].mode',
    ],
    [
      'a time-out of nothing',
      { subscriptions: [{ ...subscription, timeoutMs: 0 }] },
      'configuration',
      'subscriptions[0].timeoutMs',
    ],
    [
      'a time-out that is text',
      { subscriptions: [{ ...subscription, timeoutMs: '5' }] },
      'configuration',
      'subscriptions[0].timeoutMs',
    ],
    [
      'an unknown policy',
      { subscriptions: [{ ...subscription, failurePolicy: 'later' }] },
      'configuration',
      'subscriptions[0].failurePolicy',
    ],
    ['half a retry', { retries: 0.5 }, 'configuration', 'retries'],
    ['fewer retries than none', { retries: -1 }, 'configuration', 'retries'],
    ['no budget for preparation', { prepareTimeoutMs: 0 }, 'configuration', 'prepareTimeoutMs'],
    ['a budget that is no number', { prepareTimeoutMs: Number.NaN }, 'configuration', 'prepareTimeoutMs'],
    ['nothing to deliver with', { deliver: undefined }, 'configuration', 'deliver'],
    ['values that are no JSON', { values: { content: new Map() } }, 'configuration', 'values'],
    ...(['prepare', 'materialize', 'notify', 'schedule', 'onFailure', 'onObservationFailure'] as const).map(
      (name): [string, object, string, string] => [
        `${name} that is no function`,
        { [name]: {} },
        'configuration',
        name,
      ],
    ),
  ])('§5 %s', async (_name, over, code, place) => {
    const refused = await refusalOf(over);
    expect(refused).toBeInstanceOf(ChainError);
    expect(refused).toMatchObject({ name: 'ChainError', code, place });
  });

  it.each<[object, string]>([
    [{ event: SESSION_END }, 'Chain: expected an interceptable event, got session.end'],
    [{ event: null }, 'Chain: expected a canonically valid event, got one that is not'],
    [
      { capabilities: { effects: ['flow'] } },
      'Chain: expected capabilities that are canonical for tool.before, got others',
    ],
    [{ retries: -1 }, 'Chain: expected retries to be a whole number from 0, got -1'],
    [{ deliver: {} }, 'Chain: expected deliver to be a function, got object'],
    [
      { subscriptions: [subscription, subscription] },
      'Chain: expected subscriptions[1].id to be an id that occurs once in mode intercept, got a',
    ],
    [{ values: { content: new Map() } }, 'Chain: expected values to be a JSON value, got something else'],
  ])('§5 %o, in words: subject, rule, what came', async (over, message) => {
    expect(await refusalOf(over)).toMatchObject({ message });
  });

  it('§5 keeps the cause of what is no JSON', async () => {
    expect(await refusalOf({ values: { content: new Map() } })).toHaveProperty('cause', expect.any(TypeError));
  });

  it('§5 takes one id once in each mode', async () => {
    const outcome = await runInterceptionChain({
      ...base,
      subscriptions: [subscription, { id: 'a', mode: 'observe' }],
      deliver: ({ message }) => answerOf(message, []),
    });
    expect(outcome.called).toEqual(['a']);
  });

  it('§5 takes a chain of nobody', async () => {
    const outcome = await runInterceptionChain({ ...base, subscriptions: [] });
    expect(outcome).toMatchObject({ decision: 'proceed', ended: null, called: [], failures: [], permission: 'none' });
  });

  it('§5 neither changes nor freezes what the host gave', async () => {
    const event = minimalEvent('tool.before', { list: [1] });
    const values: Record<string, JsonValue> = { other: { a: 1 } };
    const capabilities: Capabilities = { effects: ['message'] };
    const outcome = await runInterceptionChain({ ...base, event, values, capabilities, subscriptions: [] });
    expect([event, values, values.other, capabilities, capabilities.effects].filter(Object.isFrozen)).toEqual([]);
    expect(outcome.event).toEqual(event);
    expect(outcome.values).toEqual(values);
    expect(Object.isFrozen(outcome.values)).toBe(true);
  });
});
