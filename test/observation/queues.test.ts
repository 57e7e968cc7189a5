import { describe, expect, it, vi } from 'vitest';
import {
  DeliveryQueues,
  dispatchObservations,
  type ObservableSubscription,
  type ObservationError,
} from '../../runtime/observation/index.js';
import { barrier, settleTurns } from '../support/barrier.js';
import { intercept, observe, sentEvent, toolEvent } from './support.js';

describe('DeliveryQueues', () => {
  it('§4 ten events in a row: order kept behind a slow one, while others go on', async () => {
    const queues = new DeliveryQueues();
    const gate = barrier();
    const got: Record<string, string[]> = { slow: [], records: [] };
    const failures: string[] = [];
    const subscriptions = [observe('throws'), observe('slow'), observe('records')];
    const handles = Array.from({ length: 10 }, (_, index) =>
      dispatchObservations({
        event: toolEvent(`e${index}`),
        subscriptions,
        called: [],
        schedule: queues.schedule,
        prepare: ({ event }) => event,
        notify: async ({ message, subscription: { id } }) => {
          if (id === 'throws') throw new Error('always');
          if (id === 'slow') await gate.promise;
          got[id]?.push(sentEvent(message).id);
        },
        onFailure: ({ error }) => failures.push(error.code),
      }),
    );
    await settleTurns(30);
    const ids = Array.from({ length: 10 }, (_, index) => `e${index}`);
    expect(got).toEqual({ slow: [], records: ids });
    expect(failures).toEqual(Array.from({ length: 10 }, () => 'notification'));
    expect(queues.sizeOf(observe('slow'))).toBe(10);
    expect(queues.sizeOf(observe('records'))).toBe(0);
    gate.open();
    await Promise.all(handles.map(({ done }) => done));
    expect(got.slow).toEqual(ids);
    await settleTurns();
    expect(queues.sizeOf(observe('slow'))).toBe(0);
  });

  it('§4 holds 1,000 deliveries; the newest is dropped and recorded', async () => {
    const queues = new DeliveryQueues();
    const failures: [string, ObservationError][] = [];
    const subscription = observe('slow');
    const handles = Array.from({ length: 1_002 }, (_, index) =>
      dispatchObservations({
        event: toolEvent(`e${index}`),
        subscriptions: [subscription],
        called: [],
        schedule: queues.schedule,
        prepare: ({ event }) => event,
        notify: () => new Promise(() => undefined),
        onFailure: ({ error }) => failures.push([`e${index}`, error]),
      }),
    );
    expect(queues.sizeOf(subscription)).toBe(1_000);
    expect(failures.map(([id, { code }]) => [id, code])).toEqual([
      ['e1000', 'queue-full'],
      ['e1001', 'queue-full'],
    ]);
    await handles[1_000]?.done;
    expect(handles[1_001]?.pending).toBe(0);
    expect(handles[999]?.pending).toBe(1);
    for (const handle of handles) handle.cancel();
    await Promise.all(handles.map(({ done }) => done));
    for (let turn = 0; turn < 1_100 && queues.sizeOf(subscription) > 0; turn += 1) await settleTurns(1);
    expect(queues.sizeOf(subscription)).toBe(0);
  });

  it('room comes back when a delivery ends', async () => {
    const queues = new DeliveryQueues({ limit: 2 });
    const gates = [barrier(), barrier(), barrier()];
    const run = (index: number) => queues.schedule(async () => gates[index]?.promise, { subscription: observe('a') });
    run(0);
    run(1);
    expect(() => run(2)).toThrow(expect.objectContaining({ code: 'queue-full' }));
    await settleTurns();
    expect(() => run(2)).toThrow(expect.objectContaining({ code: 'queue-full' }));
    gates[0]?.open();
    await settleTurns();
    expect(queues.sizeOf(observe('a'))).toBe(1);
    run(2);
    expect(queues.sizeOf(observe('a'))).toBe(2);
    gates[1]?.open();
    gates[2]?.open();
    await settleTurns(6);
    expect(queues.sizeOf(observe('a'))).toBe(0);
  });

  it('a cancelled delivery frees its place at once', async () => {
    const queues = new DeliveryQueues();
    const got: string[] = [];
    const send = (id: string, stuck: boolean) =>
      dispatchObservations({
        event: toolEvent(id),
        subscriptions: [observe('a')],
        called: [],
        schedule: queues.schedule,
        prepare: ({ event }) => event,
        notify: () => (stuck ? new Promise(() => undefined) : got.push(id)),
      });
    const stuck = send('stuck', true);
    const cancelled = send('cancelled', false);
    const next = send('next', false);
    await settleTurns();
    cancelled.cancel();
    stuck.cancel();
    await next.done;
    expect(got).toEqual(['next']);
  });

  it('§4 cancelled deliveries behind a slow one keep nobody out of a full queue', async () => {
    const queues = new DeliveryQueues({ limit: 3 });
    const slow = barrier();
    const got: string[] = [];
    const codes: string[] = [];
    const send = (id: string) =>
      dispatchObservations({
        event: toolEvent(id),
        subscriptions: [observe('a')],
        called: [],
        schedule: queues.schedule,
        prepare: ({ event }) => event,
        notify: async () => {
          if (id === 'slow') await slow.promise;
          got.push(id);
        },
        onFailure: ({ error }) => codes.push(`${id} ${error.code}`),
      });
    send('slow');
    const cancelled = [send('c1'), send('c2')];
    await settleTurns();
    send('refused');
    cancelled[0]?.cancel();
    send('third');
    cancelled[1]?.cancel();
    const last = send('last');
    send('refused too');
    expect(queues.sizeOf(observe('a'))).toBe(3);
    slow.open();
    await last.done;
    await settleTurns();
    expect(got).toEqual(['slow', 'third', 'last']);
    expect(codes).toEqual(['refused queue-full', 'refused too queue-full']);
  });

  it('§4 cancelling the delivery under way in a full queue loses none of those behind it', async () => {
    const queues = new DeliveryQueues({ limit: 2 });
    const got: string[] = [];
    const send = (id: string) =>
      dispatchObservations({
        event: toolEvent(id),
        subscriptions: [observe('a')],
        called: [],
        schedule: queues.schedule,
        prepare: ({ event }) => event,
        notify: () => (id === 'stuck' ? new Promise(() => undefined) : got.push(id)),
      });
    const stuck = send('stuck');
    const behind = send('behind');
    await settleTurns();
    stuck.cancel();
    send('newest');
    await Promise.race([behind.done, settleTurns(20)]);
    expect(got[0]).toBe('behind');
  });

  it('the two modes of one id have queues of their own', async () => {
    const queues = new DeliveryQueues();
    const gate = barrier();
    const ran: string[] = [];
    const task = (name: string, subscription: ObservableSubscription) =>
      queues.schedule(
        async () => {
          ran.push(name);
          await gate.promise;
        },
        { subscription },
      );
    task('intercept', intercept('a'));
    task('observe', observe('a'));
    task('behind', observe('a'));
    await settleTurns();
    expect(ran).toEqual(['intercept', 'observe']);
    gate.open();
    await settleTurns(6);
    expect(ran).toEqual(['intercept', 'observe', 'behind']);
  });

  it('a task that rejects or throws does not stop those behind it', async () => {
    const queues = new DeliveryQueues();
    const ran: string[] = [];
    const subscription = observe('a');
    queues.schedule(async () => Promise.reject(new Error('x')), { subscription });
    queues.schedule(
      () => {
        throw new Error('x');
      },
      { subscription },
    );
    queues.schedule(async () => void ran.push('behind'), { subscription });
    await settleTurns(6);
    expect(ran).toEqual(['behind']);
  });

  it('nothing runs on the caller’s stack', async () => {
    const ran: string[] = [];
    const queues = new DeliveryQueues();
    queues.schedule(async () => void ran.push('a'), { subscription: observe('a') });
    expect(ran).toEqual([]);
    await settleTurns();
    expect(ran).toEqual(['a']);
  });

  it('§4 a queue that was empty serves again, and an idle one sets nothing in motion', async () => {
    const queues = new DeliveryQueues({ limit: 1 });
    const ran: string[] = [];
    const subscription = observe('a');
    for (const name of ['first', 'second', 'third']) {
      queues.schedule(async () => void ran.push(name), { subscription });
      expect(queues.sizeOf(subscription)).toBe(1);
      expect(() => queues.schedule(async () => undefined, { subscription })).toThrow('expected room in the queue');
      await settleTurns(6);
      expect(queues.sizeOf(subscription)).toBe(0);
    }
    expect(ran).toEqual(['first', 'second', 'third']);
    const turns = vi.spyOn(globalThis, 'setTimeout');
    await settleTurns(6);
    expect(turns).not.toHaveBeenCalled();
    turns.mockRestore();
  });

  it.each([0, -1, 1.5, Number.NaN, '5', null])('refuses the limit %s', (limit) => {
    expect(() => new DeliveryQueues({ limit: limit as number })).toThrow(RangeError);
    expect(() => new DeliveryQueues({ limit: limit as number })).toThrow('expected "limit" to be a positive integer');
  });
});
