/** Failures of a generation as text and as JSON: every problem of the run, each with its place and rule. */

import type { Problem } from '../generator/model.js';

export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly problems: readonly Problem[];
  /** For people, one problem per paragraph. */
  readonly text: string;
}

/** Of anything thrown by the generator; rethrows what is a fault of the tool and no finding. */
export function describeFailure(error: unknown): Failure {
  if (error instanceof RangeError && error.message.includes('call stack')) {
    const message =
      'the definitions refer to each other in a chain that is too long to compile; node --stack-size allows more';
    return { code: 'chain-too-long', message, problems: [], text: `ahp: ${message}\n` };
  }
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') throw error;
  const problems = 'problems' in error && Array.isArray(error.problems) ? (error.problems as readonly Problem[]) : [];
  const lines = problems.map(
    ({ code, place, rule, message }) => `${place.document}#${place.pointer}: ${message} (${code}: ${rule})\n`,
  );
  const text = problems.length === 0 ? `ahp: ${error.message}\n` : `${lines.join('')}${count(problems.length)}\n`;
  return { code: error.code, message: error.message, problems, text };
}

function count(problems: number): string {
  return problems === 1 ? 'one problem, nothing was written' : `${problems} problems, nothing was written`;
}
