/**
 * Mutation testing of the boundary modules: `npm run mutation`, or one room by `npm run mutation -- --mutate
 * 'runtime/lineage/**'`. Mutants run in a copy of the project, against the tests of the rooms below.
 */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Rooms of `runtime/` whose rules are held to this; each has its tests in `test/` under the same name. */
const rooms = ['wire', 'compaction', 'observation', 'lineage', 'elicitation', 'chain'];

// The copy stands elsewhere, so the shared cases beside the project are named by their full path.
const shared = fileURLToPath(new URL('../shared/conformance', import.meta.url));
if (existsSync(shared)) process.env.AHP_CONFORMANCE ??= shared;

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'vitest.mutation.config.ts', related: false },
  coverageAnalysis: 'perTest',
  mutate: rooms.flatMap((room) => [
    `runtime/${room}/**/*.ts`,
    `!runtime/${room}/**/index.ts`,
    `!runtime/${room}/**/types.ts`,
  ]),
  ignorePatterns: ['/bench', '/dist', '/docs', '/reports', '/.ci', '/examples', '/test/golden', '/test/soak'],
  // Rewriting tsconfig.json needs a compiler API that TypeScript 7 no longer has; vitest does not read that file.
  tsconfigFile: 'tsconfig.none.json',
  tempDirName: '.tmp/mutation',
  reporters: ['clear-text', 'progress', 'json'],
  clearTextReporter: { allowColor: false, reportTests: false },
  jsonReporter: { fileName: '.tmp/mutation-report.json' },
  concurrency: 2,
  timeoutMS: 5_000,
  thresholds: { high: 95, low: 90, break: 85 },
};
