import { expect, it } from 'vitest';
import { TaskLineage } from '../../runtime/lineage/index.js';
import { observe, tool, verdict } from './support.js';

it('§9 the default bound is 100,000 events', () => {
  const lineage = new TaskLineage();
  for (let index = 0; index < 100_000; index += 1) lineage.accept(observe(tool(`e${index}`, 'root')));
  expect(verdict(lineage, observe(tool('root')))).toBe('capacity');
  expect(verdict(lineage, observe(tool('e0', 'root')))).toBe('accept');
  expect(lineage.size).toBe(100_000);
});
