/** Emits the intermediate representation as JSON, for people who look at it or compare two of them. */

import type { EmittedFile, Plan } from './model.js';

export function emitIr(plan: Plan): EmittedFile[] {
  return [{ path: 'ir.json', text: `${JSON.stringify(plan.set.ir, null, 2)}\n` }];
}
