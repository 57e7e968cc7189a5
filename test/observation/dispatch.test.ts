import { getEventListeners } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { type KnownEvent, validateObserveNotification } from '../../generated/index.js';
import {
  dispatchObservations,
  immediateScheduler,
  type ObservableSubscription,
  type ObservationError,
  type ObservationOptions,
} from '../../runtime/observation/index.js';
import { barrier, settleTurns } from '../support/barrier.js';
import { deepFreeze, isDeepFrozen } from '../support/frozen.js';
import { intercept, observe, sentEvent, toolEvent } from './support.js';

type Options = ObservationOptions<ObservableSubscription>;

/** A dispatch whose deliveries are recorded as they are sent. */
function start(options: Partial<Options>) {
  const sent: { to: ObservableSubscription; message: unknown; signal: AbortSignal }[] = [];
  const failures: { id: string; error: ObservationError }[] = [];
  const handle = dispatchObservations({
    event: toolEvent(),
    subscriptions: [],
    called: [],
    prepare: ({ event }) => event,
    notify: ({ message, subscription, signal }) => {
      sent.push({ to: subscription, message, signal });
    },
    onFailure: ({ subscription, error }) => failures.push({ id: subscription.id, error }),
    ...options,
  });
  return { handle, sent, failures, ids: () => sent.map(({ to }) => `${to.mode} ${to.id}`) };
}

describe('who gets the event', () => {
  it('§4 every observer, and every interceptor that was not called, in order', async () => {
    const { handle, ids } = start({
      subscriptions: [intercept('a'), observe('b'), intercept('c'), observe('d')],
      called: ['a'],
    });
    expect(handle.pending).toBe(3);
    await handle.done;
    expect(ids()).toEqual(['observe b', 'intercept c', 'observe d']);
    expect(handle.pending).toBe(0);
  });

  it('§4 a called interceptor gets no second copy, unless it has its own observe subscription', async () => {
    const subscriptions = [intercept('a'), observe('a'), intercept('b'), observe('b')];
    const { handle, ids } = start({ subscriptions, called: new Set(['a']) });
    await handle.done;
    expect(ids()).toEqual(['observe a', 'intercept b', 'observe b']);
  });

  it('§4 tracking is by subscription id, not by backend', async () => {
    const subscriptions = [
      { ...intercept('backend/0'), backend: 'backend' },
      { ...intercept('backend/1'), backend: 'backend' },
    ];
    const { handle, ids } = start({ subscriptions, called: ['backend/0'] });
    await handle.done;
    expect(ids()).toEqual(['intercept backend/1']);
  });

  it('nobody to tell is done at once', async () => {
    const parent = new AbortController();
    const { handle, ids } = start({ subscriptions: [intercept('a')], called: ['a'], signal: parent.signal });
    expect(handle.pending).toBe(0);
    await handle.done;
    expect(ids()).toEqual([]);
    expect(getEventListeners(parent.signal, 'abort')).toEqual([]);
  });
});

describe('the notification', () => {
  it('§4 is canonical and holds the event alone: no disposition, no id of a subscription', async () => {
    const { handle, sent } = start({
      subscriptions: [{ ...intercept('secret-id'), backend: 'secret-backend' } as never],
    });
    await handle.done;
    expect(sent[0]?.message).toEqual({
      jsonrpc: '2.0',
      method: 'hooks/observe',
      params: { protocolVersion: 'draft', event: toolEvent() },
    });
    expect(validateObserveNotification(sent[0]?.message).ok).toBe(true);
    expect(JSON.stringify(sent[0]?.message)).not.toContain('secret');
    expect(isDeepFrozen(sent[0]?.message)).toBe(true);
  });

  it('§4 carries the projection that prepare made for this subscription', async () => {
    const { handle, sent } = start({
      subscriptions: [observe('a'), observe('b')],
      prepare: async ({ event, subscription }) => ({ ...event, extensions: { 'com.example.for': subscription.id } }),
    });
    await handle.done;
    expect(sent.map(({ message }) => sentEvent(message).extensions)).toEqual([
      { 'com.example.for': 'a' },
      { 'com.example.for': 'b' },
    ]);
  });
});

describe('isolation', () => {
  it('§4 callbacks see a frozen snapshot; the host may change its event at once, and is never frozen', async () => {
    const event = toolEvent();
    const seen: KnownEvent[] = [];
    const { handle } = start({
      event,
      subscriptions: [observe('a'), observe('b')],
      prepare: ({ event: view }) => {
        seen.push(view);
        return view;
      },
    });
    event.id = 'changed';
    expect(Object.isFrozen(event)).toBe(false);
    await handle.done;
    expect(seen.map(({ id }) => id)).toEqual(['e1', 'e1']);
    expect(seen.every(isDeepFrozen)).toBe(true);
  });

  it('a frozen event is shared, not copied', async () => {
    const event = deepFreeze(toolEvent());
    const { handle, sent } = start({ event, subscriptions: [observe('a'), observe('b')] });
    await handle.done;
    for (const { message } of sent) expect(sentEvent(message)).toBe(event);
  });

  it('§4 a projection that its maker changes afterwards is sent as it was', async () => {
    let kept: { path?: string } = {};
    const { handle, sent } = start({
      subscriptions: [observe('a')],
      prepare: ({ event }) => {
        const projection = structuredClone(event) as KnownEvent & { path?: string };
        kept = projection;
        return projection;
      },
      notify: ({ message }) => {
        kept.path = 'changed';
        sent.push({ to: observe('a'), message: structuredClone(message), signal: new AbortController().signal });
      },
    });
    await handle.done;
    expect(JSON.stringify(sent[0]?.message)).not.toContain('changed');
  });
});

describe('dropped deliveries', () => {
  const late = { prepare: (): never => raise(), notify: (): never => raise() };

  it.each<[string, Partial<Options>, string]>([
    ['prepare throws', { prepare: late.prepare }, 'preparation'],
    ['prepare rejects', { prepare: async () => raise() }, 'preparation'],
    ['notify throws', { notify: late.notify }, 'notification'],
    ['notify rejects', { notify: async () => raise() }, 'notification'],
    ['the projection has another id', { prepare: ({ event }) => ({ ...event, id: 'x' }) }, 'event-changed'],
    ['another source', { prepare: ({ event }) => ({ ...event, source: 'urn:example:x' }) }, 'event-changed'],
    ['another type', { prepare: () => otherType() }, 'event-changed'],
    [
      'the projection is not canonical',
      { prepare: ({ event }) => ({ ...event, path: '' }) as KnownEvent },
      'event-invalid',
    ],
    ['the projection is no object', { prepare: () => undefined as never }, 'event-invalid'],
    ['the projection is null', { prepare: () => null as never }, 'event-invalid'],
    [
      'the projection is no JSON',
      { prepare: ({ event }) => ({ ...event, native: new Date(0) }) as never },
      'event-invalid',
    ],
    ['the scheduler throws', { schedule: () => raise() }, 'schedule'],
  ])('§4 %s: that delivery is dropped, recorded, and nothing else happens', async (_name, options, code) => {
    const { handle, failures } = start({ subscriptions: [observe('a')], ...options });
    await handle.done;
    expect(failures.map(({ id, error }) => [id, error.name, error.code])).toEqual([['a', 'ObservationError', code]]);
    expect(failures[0]?.error.message).toMatch(/^Observation: expected .*, got /);
    expect(failures[0]?.error.message).not.toContain('secret');
    expect(handle.pending).toBe(0);
  });

  it('§4 keep the error of the callback as the cause', async () => {
    for (const options of [{ prepare: late.prepare }, { notify: late.notify }, { schedule: late.notify }]) {
      const { handle, failures } = start({ subscriptions: [observe('a')], ...options });
      await handle.done;
      expect(failures[0]?.error.cause).toEqual(new Error('the secret'));
    }
  });

  it('§4 one failing delivery leaves the others as they are', async () => {
    const { handle, ids, failures } = start({
      subscriptions: [observe('a'), observe('bad'), observe('c')],
      prepare: ({ event, subscription }) => (subscription.id === 'bad' ? raise() : event),
    });
    await handle.done;
    expect(ids()).toEqual(['observe a', 'observe c']);
    expect(failures.map(({ id }) => id)).toEqual(['bad']);
  });

  it('a failing onFailure, and none, reach nothing', async () => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    for (const onFailure of [() => raise(), async () => raise(), undefined]) {
      const handle = dispatchObservations({
        event: toolEvent(),
        subscriptions: [observe('a')],
        called: [],
        prepare: late.prepare,
        notify: late.notify,
        ...(onFailure === undefined ? {} : { onFailure }),
      });
      await handle.done;
    }
    await settleTurns();
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });
});

describe('scheduling', () => {
  it('§4 the call itself never waits: nothing of a delivery runs on its stack', async () => {
    const log: string[] = [];
    const { handle } = start({
      subscriptions: [observe('a')],
      prepare: ({ event }) => {
        log.push('prepare');
        return event;
      },
      notify: () => log.push('notify'),
    });
    log.push('returned');
    await Promise.resolve();
    expect(log).toEqual(['returned']);
    await handle.done;
    expect(log).toEqual(['returned', 'prepare', 'notify']);
  });

  it('§4 each delivery is one task of the scheduler, and a task runs once', async () => {
    const tasks: (() => Promise<void>)[] = [];
    const about: ObservableSubscription[] = [];
    const { handle, ids } = start({
      subscriptions: [observe('a'), observe('b')],
      schedule: (task, { subscription }) => {
        tasks.push(task);
        about.push(subscription);
      },
    });
    expect(about).toEqual([observe('a'), observe('b')]);
    expect(handle.pending).toBe(2);
    await tasks[1]?.();
    await tasks[1]?.();
    expect(ids()).toEqual(['observe b']);
    expect(handle.pending).toBe(1);
    await Promise.all([tasks[0]?.(), tasks[0]?.()]);
    expect(ids()).toEqual(['observe b', 'observe a']);
    await handle.done;
  });

  it('§4 a task tells when its delivery has ended, and does not reject', async () => {
    const tasks: (() => Promise<void>)[] = [];
    const gate = barrier();
    let isOver = false;
    const { handle } = start({
      subscriptions: [observe('a'), observe('b')],
      schedule: (task) => tasks.push(task),
      notify: ({ subscription }) => (subscription.id === 'a' ? gate.promise : raise()),
    });
    const over = tasks[0]?.().then(() => {
      isOver = true;
    });
    await tasks[1]?.();
    await settleTurns();
    expect(isOver).toBe(false);
    expect(handle.pending).toBe(1);
    gate.open();
    await over;
    expect(handle.pending).toBe(0);
  });

  it('§4 a scheduler that runs at once does not end the dispatch early', async () => {
    const pending: number[] = [];
    const { handle, ids } = start({
      subscriptions: [observe('a'), observe('b'), observe('c')],
      schedule: (task) => void task(),
    });
    pending.push(handle.pending);
    await handle.done;
    expect(pending).toEqual([3]);
    expect(ids()).toEqual(['observe a', 'observe b', 'observe c']);
  });

  it('immediateScheduler runs tasks in order, off the stack, from unreferenced immediates', async () => {
    const spy = vi.spyOn(globalThis, 'setImmediate');
    const log: number[] = [];
    immediateScheduler(() => log.push(1));
    immediateScheduler(() => log.push(2));
    expect(spy.mock.results.map(({ value }) => (value as NodeJS.Immediate).hasRef())).toEqual([false, false]);
    spy.mockRestore();
    expect(log).toEqual([]);
    await settleTurns();
    expect(log).toEqual([1, 2]);
  });

  it('§4 an asynchronous scheduler that refuses later drops that delivery alone', async () => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    const cause = new Error('refused later');
    const { handle, ids, failures } = start({
      subscriptions: [observe('a'), observe('b')],
      schedule: (async (task: () => Promise<void>, { subscription }: { subscription: ObservableSubscription }) => {
        if (subscription.id === 'a') throw cause;
        await task();
        throw new Error('after the delivery has ended');
      }) as Options['schedule'] & object,
    });
    await handle.done;
    await settleTurns();
    process.off('unhandledRejection', unhandled);
    expect(handle.pending).toBe(0);
    expect(ids()).toEqual(['observe b']);
    expect(failures.map(({ id, error }) => [id, error.code, error.cause])).toEqual([['a', 'schedule', cause]]);
    expect(unhandled).not.toHaveBeenCalled();
  });

  it('§4 a slow, throwing or never settling observer delays nobody else', async () => {
    const { handle, ids, failures } = start({
      subscriptions: [observe('never'), observe('throws'), observe('records')],
      notify: ({ subscription }) => {
        if (subscription.id === 'never') return new Promise(() => undefined);
        if (subscription.id === 'throws') raise();
        return undefined;
      },
    });
    const records: string[] = [];
    const second = start({ subscriptions: [observe('records')], notify: () => records.push('got') });
    await second.handle.done;
    await settleTurns();
    expect(records).toEqual(['got']);
    expect(ids()).toEqual([]);
    expect(failures.map(({ id }) => id)).toEqual(['throws']);
    expect(handle.pending).toBe(1);
    handle.cancel();
    await handle.done;
  });
});

describe('cancellation', () => {
  it('§4 cancel starts no further delivery, waits for none, and ends the dispatch', async () => {
    const tasks: (() => Promise<void>)[] = [];
    const gate = barrier();
    const parent = new AbortController();
    const { handle, sent, failures } = start({
      subscriptions: [observe('a'), observe('b')],
      schedule: (task) => tasks.push(task),
      signal: parent.signal,
      notify: ({ message, subscription, signal }) => {
        sent.push({ to: subscription, message, signal });
        return gate.promise;
      },
    });
    const first = tasks[0]?.();
    await settleTurns();
    expect(handle.pending).toBe(2);
    handle.cancel();
    expect(handle.pending).toBe(0);
    await handle.done;
    await first;
    await tasks[1]?.();
    expect(sent).toHaveLength(1);
    expect(sent[0]?.signal.aborted).toBe(true);
    gate.fail(new Error('late'));
    await settleTurns();
    expect(failures).toEqual([]);
    expect(getEventListeners(parent.signal, 'abort')).toEqual([]);
    expect(parent.signal.aborted).toBe(false);
    handle.cancel();
  });

  it('§4 an aborted signal starts no delivery', async () => {
    const scheduled: unknown[] = [];
    const { handle, sent } = start({
      subscriptions: [observe('a')],
      signal: AbortSignal.abort(),
      schedule: (task) => scheduled.push(task),
    });
    expect(handle.pending).toBe(0);
    await handle.done;
    expect(scheduled).toEqual([]);
    expect(sent).toEqual([]);
  });

  it('§4 an abort between preparation and notification sends nothing', async () => {
    for (const how of ['signal', 'cancel'] as const) {
      const controller = new AbortController();
      const prepared = barrier<KnownEvent>();
      const entered = barrier<AbortSignal>();
      const { handle, sent, failures } = start({
        subscriptions: [observe('a')],
        signal: controller.signal,
        prepare: ({ signal }) => {
          entered.open(signal);
          return prepared.promise;
        },
      });
      const signal = await entered.promise;
      prepared.open(toolEvent());
      if (how === 'signal') controller.abort('why');
      else handle.cancel();
      expect(signal.aborted).toBe(true);
      if (how === 'signal') expect(signal.reason).toBe('why');
      await handle.done;
      await settleTurns();
      expect(sent).toEqual([]);
      expect(failures).toEqual([]);
    }
  });

  it('§4 a delivery that cancels while others are being scheduled stops those', async () => {
    const scheduled: string[] = [];
    const controller = new AbortController();
    const { handle } = start({
      subscriptions: [observe('a'), observe('b')],
      signal: controller.signal,
      schedule: (_task, { subscription }) => {
        scheduled.push(subscription.id);
        controller.abort();
      },
    });
    await handle.done;
    expect(scheduled).toEqual(['a']);
    expect(handle.pending).toBe(0);
  });

  it('lets go of the signal of the host when everything has ended', async () => {
    const controller = new AbortController();
    const { handle } = start({ subscriptions: [observe('a')], signal: controller.signal });
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1);
    await handle.done;
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });
});

describe('bad calls throw at once', () => {
  it.each<[string, Record<string, unknown>, string]>([
    ['no prepare', { prepare: undefined }, 'Observation dispatch: expected "prepare" to be a function, got undefined'],
    ['no notify', { notify: null }, 'Observation dispatch: expected "notify" to be a function, got object'],
    ['no called', { called: undefined }, 'expected "called" to be a list of subscription ids'],
    ['called that is text', { called: 'abc' }, 'expected "called" to be a list of subscription ids'],
    ['called that is null', { called: null }, 'expected "called" to be a list of subscription ids'],
    ['called that is no list', { called: {} }, 'expected "called" to be a list of subscription ids'],
    ['an unknown mode', { subscriptions: [{ id: 'a', mode: 'watch' }] }, 'expected the mode "intercept" or "observe"'],
    [
      'an id twice in one mode',
      { subscriptions: [observe('a'), observe('a')] },
      'expected an id once per mode, got it twice',
    ],
    ['an intercept id twice', { subscriptions: [intercept('a'), intercept('a')] }, 'expected an id once per mode'],
    ['an event that is no JSON', { event: { at: new Date(0) } }, 'expected JSON values only'],
  ])('§4 %s', (_name, options, message) => {
    const scheduled: unknown[] = [];
    const schedule = (task: unknown) => scheduled.push(task);
    expect(() => start({ subscriptions: [observe('a')], schedule, ...options } as never)).toThrow(TypeError);
    expect(() => start({ subscriptions: [observe('a')], schedule, ...options } as never)).toThrow(message);
    expect(scheduled).toEqual([]);
  });
});

function raise(): never {
  throw new Error('the secret');
}

function otherType(): KnownEvent {
  const { tool, call, path, ...rest } = toolEvent();
  return {
    ...rest,
    type: 'tool.permission.resolved',
    tool,
    call,
    path,
    decision: 'allow',
    decidedBy: 'user',
  } as KnownEvent;
}
