import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { linkAbort, raceAbort } from '../../runtime/wire/abort.js';
import { barrier, settleTurns } from '../support/barrier.js';

describe('raceAbort', () => {
  it('settles as the promise does, and leaves no listener', async () => {
    const { signal } = new AbortController();
    await expect(raceAbort(Promise.resolve(7), signal)).resolves.toBe(7);
    await expect(raceAbort(Promise.reject(new Error('own')), signal)).rejects.toThrow('own');
    await expect(raceAbort('plain', signal)).resolves.toBe('plain');
    await expect(raceAbort('plain', undefined)).resolves.toBe('plain');
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('rejects with the reason at once when the signal aborts, and swallows what comes late', async () => {
    const controller = new AbortController();
    const gate = barrier<number>();
    const raced = raceAbort(gate.promise, controller.signal);
    controller.abort('why');
    await expect(raced).rejects.toBe('why');
    gate.fail(new Error('late'));
    await settleTurns();
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });

  it('rejects when the signal was aborted before, whatever the promise holds', async () => {
    const signal = AbortSignal.abort('before');
    await expect(raceAbort(Promise.resolve(1), signal)).rejects.toBe('before');
    await expect(raceAbort(Promise.reject(new Error('own')), signal)).rejects.toBe('before');
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('prefers the abort to a value that arrives on the same turn', async () => {
    const controller = new AbortController();
    const gate = barrier<number>();
    const raced = raceAbort(gate.promise, controller.signal);
    gate.open(1);
    controller.abort('same turn');
    await expect(raced).rejects.toBe('same turn');
  });
});

it('a hundred waits and links under one signal are no leak to Node', async () => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error): void => void warnings.push(warning);
  process.on('warning', onWarning);
  for (const follow of [raceAbort.bind(null, new Promise(() => undefined)), linkAbort]) {
    const controller = new AbortController();
    const waits = Array.from({ length: 100 }, () => follow(controller.signal));
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(100);
    controller.abort('end');
    await Promise.allSettled(waits);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  }
  await settleTurns();
  process.off('warning', onWarning);
  expect(warnings).toEqual([]);
});

describe('linkAbort', () => {
  it('follows every parent, keeps the reason, and lets go of the others', () => {
    const first = new AbortController();
    const second = new AbortController();
    const link = linkAbort(first.signal, undefined, second.signal);
    expect(link.signal.aborted).toBe(false);
    second.abort('second');
    expect(link.signal.reason).toBe('second');
    expect(getEventListeners(first.signal, 'abort')).toEqual([]);
    first.abort('first');
    expect(link.signal.reason).toBe('second');
  });

  it('starts aborted when a parent is, and holds no other parent', () => {
    const later = new AbortController();
    const earlier = new AbortController();
    const link = linkAbort(earlier.signal, AbortSignal.abort('gone'), later.signal);
    expect(link.signal.reason).toBe('gone');
    expect(getEventListeners(later.signal, 'abort')).toEqual([]);
    expect(getEventListeners(earlier.signal, 'abort')).toEqual([]);
  });

  it('can be aborted by its owner without touching the parent', () => {
    const parent = new AbortController();
    const link = linkAbort(parent.signal);
    link.abort('own');
    expect(link.signal.reason).toBe('own');
    expect(parent.signal.aborted).toBe(false);
    expect(getEventListeners(parent.signal, 'abort')).toEqual([]);
  });

  it('released, follows no more', () => {
    const parent = new AbortController();
    const link = linkAbort(parent.signal);
    link.release();
    parent.abort();
    expect(link.signal.aborted).toBe(false);
  });
});
