import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { barrier, settleTurns } from '../support/barrier.js';
import { answerOf, runScripted } from './support.js';

it('§5 a hundred chains under one signal are no leak to Node, and leave no listener', async () => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error): void => void warnings.push(warning);
  process.on('warning', onWarning);
  const controller = new AbortController();
  const gate = barrier<undefined>();
  const chains = Array.from({ length: 100 }, () =>
    runScripted([{ id: 'a', reply: (message) => gate.promise.then(() => answerOf(message, [])) }], {
      signal: controller.signal,
    }),
  );
  await settleTurns();
  expect(getEventListeners(controller.signal, 'abort')).toHaveLength(100);
  gate.open(undefined);
  const ended = await Promise.all(chains);
  process.off('warning', onWarning);
  expect(ended.every(({ outcome }) => outcome.decision === 'proceed')).toBe(true);
  expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  expect(warnings).toEqual([]);
});
