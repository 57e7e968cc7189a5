import { describe, expect, it } from 'vitest';
import { catalogue } from '../../generated/index.js';
import { matchesEvent, passesFilters } from '../../runtime/registration/index.js';

const intercept = (...events: string[]) => ({ mode: 'intercept' as const, events });
const observe = (...events: string[]) => ({ mode: 'observe' as const, events });

describe('§6 wildcards', () => {
  it('match by exact name, by * and by one family', () => {
    expect(matchesEvent(observe('tool.after'), 'tool.after')).toBe(true);
    expect(matchesEvent(observe('tool.after'), 'tool.before')).toBe(false);
    expect(matchesEvent(observe('tool.*'), 'tool.before')).toBe(true);
    expect(matchesEvent(observe('tool.*'), 'tool.permission.request')).toBe(true);
    expect(matchesEvent(observe('task.*'), 'tool.before')).toBe(false);
    expect(matchesEvent(observe('t.*'), 'tool.before')).toBe(false);
    expect(matchesEvent(observe('user.*', 'task.*'), 'task.change.after')).toBe(true);
  });

  it('of an intercept subscription select interceptable events only', () => {
    expect(catalogue.eventNames).toHaveLength(32);
    const selected = catalogue.eventNames.filter((name) => matchesEvent(intercept('*'), name));
    expect([...selected].sort()).toEqual([...catalogue.interceptableEventNames].sort());
    expect(selected).toHaveLength(19);
    expect(matchesEvent(intercept('tool.*'), 'tool.progress')).toBe(false);
    expect(matchesEvent(intercept('hook.*'), 'hook.failure')).toBe(false);
  });

  it('of an observe subscription select all 32', () => {
    expect(catalogue.eventNames.filter((name) => matchesEvent(observe('*'), name))).toHaveLength(32);
  });

  it('select no event that the protocol does not know', () => {
    for (const name of ['tool.sideways', 'tool', '', '*', 'tool.*', '__proto__', 'toString']) {
      expect(matchesEvent(observe('*', 'tool.*'), name)).toBe(false);
    }
  });
});

describe('§6 filters are hints', () => {
  const shell = { tool: { kind: 'shell' }, path: '/repo/a' };

  it('compare exact text', () => {
    expect(passesFilters({ filters: { toolKinds: ['shell'] } }, shell)).toBe(true);
    expect(passesFilters({ filters: { toolKinds: ['Shell'] } }, shell)).toBe(false);
    expect(passesFilters({ filters: { toolKinds: ['sh'] } }, shell)).toBe(false);
    expect(passesFilters({ filters: { paths: ['/repo/a'] } }, shell)).toBe(true);
    expect(passesFilters({ filters: { paths: ['/repo'] } }, shell)).toBe(false);
    expect(passesFilters({ filters: { toolKinds: ['shell'], paths: ['/other'] } }, shell)).toBe(false);
    expect(passesFilters({ filters: { toolKinds: [] } }, shell)).toBe(false);
  });

  it('deliver an event without the member', () => {
    for (const event of [{}, { tool: {} }, { tool: { name: 'x' } }, { path: 7 }]) {
      expect(passesFilters({ filters: { toolKinds: ['shell'], paths: ['/x'] } }, event)).toBe(true);
    }
    const inherited = Object.create({ path: '/elsewhere' }) as object;
    expect(passesFilters({ filters: { paths: ['/x'] } }, inherited)).toBe(true);
  });

  it('deliver a batch when any one of its calls passes', () => {
    const batch = { calls: [shell, { tool: { kind: 'edit' }, path: '/repo/b' }] };
    expect(passesFilters({ filters: { toolKinds: ['edit'] } }, batch)).toBe(true);
    expect(passesFilters({ filters: { toolKinds: ['read'] } }, batch)).toBe(false);
    expect(passesFilters({ filters: { toolKinds: ['edit'], paths: ['/repo/a'] } }, batch)).toBe(false);
    expect(passesFilters({ filters: { toolKinds: ['read'] } }, { calls: [shell, { tool: {} }] })).toBe(true);
  });

  it('take no member called calls of a single call for a batch', () => {
    expect(
      passesFilters({ filters: { toolKinds: ['shell'] } }, { ...shell, calls: [{ tool: { kind: 'edit' } }] }),
    ).toBe(true);
    expect(passesFilters({ filters: { toolKinds: ['edit'] } }, { ...shell, calls: [{ tool: { kind: 'edit' } }] })).toBe(
      false,
    );
  });

  it('never filter a managed subscription, nor one without filters', () => {
    expect(passesFilters({ filters: { toolKinds: ['read'] }, scope: 'managed' }, shell)).toBe(true);
    expect(passesFilters({ filters: { toolKinds: ['read'] }, scope: 'project' }, shell)).toBe(false);
    expect(passesFilters({}, shell)).toBe(true);
    expect(passesFilters({ filters: {} }, shell)).toBe(true);
  });
});
