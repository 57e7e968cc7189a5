import { defineConfig } from 'vitest/config';

/** The tests that mutants are run against: those of the boundary modules and of what they stand on. */
const rooms = ['wire', 'compaction', 'observation', 'lineage', 'elicitation', 'chain'];

export default defineConfig({
  test: {
    include: rooms.map((room) => `test/${room}/**/*.test.ts`),
    // Neither can tell mutants apart: one runs programs of their own, the other is slow and about one number.
    exclude: ['test/observation/exit.test.ts', 'test/lineage/capacity.test.ts'],
    testTimeout: 30_000,
    pool: 'forks',
    // Modules are loaded once and mutants are switched on inside them, which is many times as fast.
    isolate: false,
  },
});
