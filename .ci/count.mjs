// Prints `PASSED FAILED` from vitest's JSON report; a run that failed without a failed test counts as one failure.

import { readFileSync } from 'node:fs';

const [file, status] = process.argv.slice(2);
let passed = 0;
let failed = 0;
try {
  const report = JSON.parse(readFileSync(file, 'utf8'));
  passed = report.numPassedTests;
  // A suite that does not load has no tests of its own.
  const broken = report.testResults.filter((suite) => suite.status === 'failed' && suite.assertionResults.length === 0);
  failed = report.numFailedTests + broken.length;
} catch {
  failed = 0;
}
if (failed === 0 && (status !== '0' || passed === 0)) failed = 1;
console.log(`${passed} ${failed}`);
