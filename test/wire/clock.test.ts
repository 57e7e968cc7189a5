import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { armDeadline, type Clock, systemClock } from '../../runtime/wire/clock.js';

const DAY_MS = 86_400_000;

describe('armDeadline', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('fires once, at the deadline and not before', () => {
    const onExpired = vi.fn();
    armDeadline(systemClock, systemClock.now() + 100, onExpired);
    vi.advanceTimersByTime(99);
    expect(onExpired).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(onExpired).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(1_000);
    expect(onExpired).toHaveBeenCalledTimes(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('re-arms beyond what a timer holds: thirty days is not at once', () => {
    const onExpired = vi.fn();
    armDeadline(systemClock, systemClock.now() + 30 * DAY_MS, onExpired);
    vi.advanceTimersByTime(30 * DAY_MS - 1);
    expect(onExpired).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(onExpired).toHaveBeenCalledTimes(1);
  });

  it('never hands a timer more than it can hold', () => {
    const delays: number[] = [];
    const clock: Clock = {
      now: () => 0,
      setTimeout: (_task, delayMs) => delays.push(delayMs),
      clearTimeout: () => undefined,
    };
    armDeadline(clock, 2 ** 31 - 1, () => undefined);
    armDeadline(clock, 2 ** 31, () => undefined);
    armDeadline(clock, 0.25, () => undefined);
    armDeadline(clock, -5, () => undefined);
    expect(delays).toEqual([2 ** 31 - 1, 2 ** 31 - 1, 1, 1]);
  });

  it('a deadline that has passed fires from a timer, not on the stack', () => {
    const onExpired = vi.fn();
    armDeadline(systemClock, systemClock.now() - 1, onExpired);
    expect(onExpired).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(onExpired).toHaveBeenCalledTimes(1);
  });

  it('waits again when a timer comes early', () => {
    const tasks: (() => void)[] = [];
    let nowMs = 0;
    const clock: Clock = { now: () => nowMs, setTimeout: (task) => tasks.push(task), clearTimeout: () => undefined };
    const onExpired = vi.fn();
    armDeadline(clock, 10, onExpired);
    nowMs = 9.5;
    tasks[0]?.();
    expect(onExpired).not.toHaveBeenCalled();
    expect(tasks).toHaveLength(2);
    nowMs = 10;
    tasks[1]?.();
    expect(onExpired).toHaveBeenCalledTimes(1);
    expect(tasks).toHaveLength(2);
  });

  it('cancelled, leaves no timer, also after a re-arm and when cancelled twice', () => {
    const onExpired = vi.fn();
    const soon = armDeadline(systemClock, systemClock.now() + 5, onExpired);
    const far = armDeadline(systemClock, systemClock.now() + 60 * DAY_MS, onExpired);
    vi.advanceTimersByTime(4);
    soon.cancel();
    vi.advanceTimersByTime(30 * DAY_MS);
    expect(vi.getTimerCount()).toBe(1);
    far.cancel();
    far.cancel();
    expect(vi.getTimerCount()).toBe(0);
    vi.advanceTimersByTime(60 * DAY_MS);
    expect(onExpired).not.toHaveBeenCalled();
  });

  it('after it fired, cancel clears nothing of others', () => {
    const cleared: unknown[] = [];
    const tasks: (() => void)[] = [];
    const clock: Clock = {
      now: () => 1,
      setTimeout: (task) => tasks.push(task),
      clearTimeout: (handle) => cleared.push(handle),
    };
    const deadline = armDeadline(clock, 1, () => undefined);
    tasks[0]?.();
    deadline.cancel();
    expect(cleared).toEqual([]);
  });

  it('an infinite deadline never fires, NaN is refused', () => {
    armDeadline(systemClock, Infinity, () => undefined).cancel();
    armDeadline(systemClock, Infinity, () => undefined);
    expect(vi.getTimerCount()).toBe(0);
    expect(() => armDeadline(systemClock, Number.NaN, () => undefined)).toThrow(RangeError);
  });
});
