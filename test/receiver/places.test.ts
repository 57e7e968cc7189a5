import { describe, expect, it } from 'vitest';
import { Places } from '../../runtime/receiver/places.js';

const never = new AbortController().signal;

describe('places for what may be under way at once (§8)', () => {
  it('are as many as there are, and one comes back once', () => {
    const places = new Places(2);
    const [first, second] = [places.take(), places.take()];
    expect(places.take()).toBeNull();
    first?.();
    first?.();
    expect(places.take()).not.toBeNull();
    expect(places.take()).toBeNull();
    second?.();
    expect(places.take()).not.toBeNull();
  });

  it('go to those who wait in their order, and past those who gave up', async () => {
    const places = new Places(1);
    const held = places.take();
    const leaving = new AbortController();
    const order: string[] = [];
    const waiting = ['a', 'b', 'c'].map(async (name) => {
      const place = await places.wait(name === 'b' ? leaving.signal : never);
      order.push(name);
      place();
    });
    leaving.abort(new Error('gave up'));
    held?.();
    const settled = await Promise.allSettled(waiting);
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(order).toEqual(['a', 'c']);
    expect(places.take()).not.toBeNull();
  });

  it('that are handed over to somebody who leaves in that moment come back', async () => {
    const places = new Places(1);
    const held = places.take();
    const leaving = new AbortController();
    const waiting = places.wait(leaving.signal);
    held?.();
    leaving.abort(new Error('gave up'));
    await expect(waiting).rejects.toThrow('gave up');
    await expect.poll(() => places.take()).not.toBeNull();
  });

  it('are not given to a signal that has fired', async () => {
    const places = new Places(1);
    await expect(places.wait(AbortSignal.abort(new Error('over')))).rejects.toThrow('over');
    expect(places.take()).not.toBeNull();
  });
});
