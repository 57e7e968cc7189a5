/** Emits the intermediate representation as JSON with its schema, for people who look at it or compare two of them. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EmittedFile, Plan } from './model.js';
import { templatesFolder } from './tool.js';

export const IR_SCHEMA = 'ir.schema.json';

export function emitIr(plan: Plan): EmittedFile[] {
  const schema = readFileSync(join(templatesFolder(), IR_SCHEMA), 'utf8').replaceAll('\r\n', '\n');
  return [
    { path: 'ir.json', text: `${JSON.stringify(plan.set.ir, null, 2)}\n` },
    { path: IR_SCHEMA, text: schema, isFormatted: true },
  ];
}
