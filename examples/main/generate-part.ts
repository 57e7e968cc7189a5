/** Regenerates `generated/` from `schemas/`. On its own: `npx tsx examples/main/generate-part.ts`. */

import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generateFolder } from '../../generator/folder.js';
import { isProgram, type Part, runParts } from './part.js';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

export const generatePart: Part = {
  name: 'generate',
  title: 'Generated from schemas/',
  async run(print) {
    const start = performance.now();
    const report = await generateFolder({ schemas: join(root, 'schemas'), out: join(root, 'generated') });
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    const changed = report.added.length + report.changed.length + report.removed.length;
    print(`${report.schemas} schema files → ${report.files} generated files in ${seconds} s`);
    print(changed === 0 ? 'nothing changed since the last generation' : `${changed} files changed`);
    return true;
  },
};

if (isProgram(import.meta.url)) process.exitCode = await runParts([generatePart]);
