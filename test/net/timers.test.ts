import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { armTimeout, linkSignals, MAX_TIMER_MS } from '../../runtime/net/index.js';

const GC_PROGRAM = fileURLToPath(new URL('./support/deadline-under-gc.ts', import.meta.url));

describe('armTimeout', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('§6 re-arms a time-out of 30 days instead of firing at once', () => {
    const run = vi.fn();
    const thirtyDaysMs = 2_592_000_000;
    armTimeout(thirtyDaysMs, run);
    vi.advanceTimersByTime(1000);
    expect(run).not.toHaveBeenCalled();
    vi.advanceTimersByTime(MAX_TIMER_MS);
    expect(run).not.toHaveBeenCalled();
    vi.advanceTimersByTime(thirtyDaysMs - MAX_TIMER_MS - 1000);
    expect(run).toHaveBeenCalledTimes(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('takes 0, fractions and infinity', () => {
    const run = vi.fn();
    armTimeout(0, run);
    armTimeout(0.5, run);
    armTimeout(Number.POSITIVE_INFINITY, run);
    vi.advanceTimersByTime(2);
    expect(run).toHaveBeenCalledTimes(2);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('can be disarmed, also after it was armed again', () => {
    const run = vi.fn();
    const disarm = armTimeout(2 * MAX_TIMER_MS, run);
    vi.advanceTimersByTime(MAX_TIMER_MS + 5);
    disarm();
    expect(vi.getTimerCount()).toBe(0);
    expect(run).not.toHaveBeenCalled();
  });
});

describe('linkSignals', () => {
  it('follows the first of its signals, with its reason', () => {
    const first = new AbortController();
    const second = new AbortController();
    const linked = linkSignals([first.signal, undefined, second.signal]);
    second.abort('two');
    first.abort('one');
    expect(linked.signal.aborted).toBe(true);
    expect(linked.signal.reason).toBe('two');
  });

  it('is over at once for a signal that has fired', () => {
    expect(linkSignals([AbortSignal.abort('before')]).signal.reason).toBe('before');
  });

  it('lets go of its signals and its timer', () => {
    vi.useFakeTimers();
    try {
      const source = new AbortController();
      const linked = linkSignals([source.signal], { timeoutMs: 100, reason: () => 'late' });
      linked.dispose();
      expect(vi.getTimerCount()).toBe(0);
      source.abort();
      expect(linked.signal.aborted).toBe(false);
    } finally {
      vi.useRealTimers();
    }
  });

  it('fires although only a listener is kept and memory is collected meanwhile', () => {
    const args = ['--expose-gc', '--import', 'tsx', GC_PROGRAM];
    const run = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 20_000 });
    expect(run.stdout.trim()).toBe('fired: out of time');
  });
});
