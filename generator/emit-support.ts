/** Emits the modules that every generated folder carries as they stand: the JSON module and what codecs and validators share. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EmittedFile } from './model.js';
import { listFiles, templatesFolder } from './tool.js';

/** `templates/support/json/*.ts` becomes `json/*.ts`, and `templates/support/*.ts` becomes `support/*.ts`. */
export function emitSupport(): EmittedFile[] {
  const folder = join(templatesFolder(), 'support');
  return listFiles(folder)
    .filter((path) => path.endsWith('.ts'))
    .map((path) => {
      const text = readFileSync(join(folder, path), 'utf8').replaceAll('\r\n', '\n');
      if (path.startsWith('json/')) return { path, text, isFormatted: true };
      // The JSON module stands beside the support folder once it is emitted, and inside it among the templates.
      return { path: `support/${path}`, text: text.replaceAll(`from './json/`, `from '../json/`), isFormatted: true };
    });
}
