import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface MessageFile {
  readonly name: string;
  readonly text: string;
  readonly value: unknown;
}

const FOLDER = fileURLToPath(new URL('../../examples/messages/', import.meta.url));

/** The example messages that are well formed, in the order of their names. */
export function readExampleMessages(): MessageFile[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => {
      const text = readFileSync(join(FOLDER, name), 'utf8');
      return { name, text, value: JSON.parse(text) as unknown };
    });
}
