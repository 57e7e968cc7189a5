import { describe, expect, it } from 'vitest';
import { startProgress } from '../../cli/progress.js';
import { nearestName } from '../../cli/suggest.js';

describe('the nearest name', () => {
  const names = ['generate', 'validate', 'serve'];
  it.each([
    ['genrate', 'generate'],
    ['GENERATE', 'generate'],
    ['geenrate', 'generate'],
    ['vali', null],
    ['srve', 'serve'],
    ['xyz', null],
    ['', null],
  ])('of %j is %j', (typed, nearest) => {
    expect(nearestName(typed, names)).toBe(nearest);
  });

  it('is the first of equals', () => {
    expect(nearestName('cat', ['car', 'bat'])).toBe('car');
  });
});

describe('progress', () => {
  const run = (isTTY: boolean, quiet: boolean, times: number[]): string => {
    const parts: string[] = [];
    const target = { isTTY, write: (part: string) => void parts.push(part) };
    const progress = startProgress(target, quiet, () => times.shift() ?? 0);
    progress.phase('load');
    progress.phase('write');
    progress.done();
    return parts.join('');
  };

  it('shows on a terminal what takes longer than a moment, and takes its line away', () => {
    expect(run(true, false, [0, 100, 1000])).toBe('\r\u001b[Kwrite …\r\u001b[K');
  });

  it('shows nothing for a moment, without a terminal, and when it shall be quiet', () => {
    expect(run(true, false, [0, 100, 200])).toBe('');
    expect(run(false, false, [0, 1000, 2000])).toBe('');
    expect(run(true, true, [0, 1000, 2000])).toBe('');
  });
});
