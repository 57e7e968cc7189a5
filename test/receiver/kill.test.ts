import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.js';
import { runKillRounds } from './support/kill-rounds.js';

it('§8 every receipt is honoured after twenty kills under upload load, and nothing else is kept', async () => {
  const { receipts, cutUploads } = await runKillRounds(20, temporaryFolder());
  expect(receipts).toBeGreaterThan(0);
  expect(cutUploads).toBeGreaterThan(0);
}, 300_000);
