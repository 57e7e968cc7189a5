import { expect, it } from 'vitest';
import { runKillRounds } from '../receiver/support/kill-rounds.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const ROUNDS = 400;

it(`§8 every receipt is honoured after ${ROUNDS} kills under upload load`, async () => {
  const { receipts, cutUploads } = await runKillRounds(ROUNDS, temporaryFolder());
  console.log(`${ROUNDS} kills, ${receipts} receipts honoured, ${cutUploads} kills with bodies half written`);
  expect(receipts).toBeGreaterThan(ROUNDS);
  expect(cutUploads).toBeGreaterThan(ROUNDS / 10);
});
