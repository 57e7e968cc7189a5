import { describe, expect, it } from 'vitest';
import { freezeDeep } from '../../runtime/wire/freeze.js';
import { stripNative } from '../../runtime/wire/native.js';
import { isDeepFrozen } from '../support/frozen.js';

const places = ['/native', '/error/native'];

describe('stripNative', () => {
  it('§7 removes the declared members alone; one of that name inside data is data', () => {
    const event = freezeDeep({
      id: 'e',
      native: { secret: 1 },
      error: { message: 'm', native: 2 },
      tool: { input: { native: 'data' } },
      extensions: { 'a.b': { native: 'data' } },
    });
    const stripped = stripNative(event, places);
    expect(stripped).toEqual({
      id: 'e',
      error: { message: 'm' },
      tool: { input: { native: 'data' } },
      extensions: { 'a.b': { native: 'data' } },
    });
    expect(stripped.tool).toBe(event.tool);
    expect(isDeepFrozen(stripped)).toBe(true);
    expect(event.native).toEqual({ secret: 1 });
  });

  it('strips a frozen event once, and gives one without native back as it is', () => {
    const event = freezeDeep({ id: 'e', native: 1 });
    expect(stripNative(event, places)).toBe(stripNative(event, places));
    const plain = freezeDeep({ id: 'e' });
    expect(stripNative(plain, places)).toBe(plain);
  });

  it('does not trust an event that can still change', () => {
    const event = { id: 'e', native: 1, error: { native: 2 } };
    expect(stripNative(event, places)).toEqual({ id: 'e', error: {} });
    event.id = 'f';
    expect(stripNative(event, places)).toEqual({ id: 'f', error: {} });
    expect(event).toEqual({ id: 'f', native: 1, error: { native: 2 } });
  });
});
