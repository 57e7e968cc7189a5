/** The subcommands by name; each is loaded only when it is called, since the generator's libraries are heavy. */

import type { Command } from './command.js';

export interface CommandEntry {
  /** One line of `ahp --help`. */
  readonly summary: string;
  load(): Promise<Command>;
}

export const commands: ReadonlyMap<string, CommandEntry> = new Map<string, CommandEntry>([
  [
    'generate',
    {
      summary: 'types, codecs, validators and catalogue from a folder of JSON Schemas',
      load: async () => (await import('./generate.js')).generateCommand,
    },
  ],
  [
    'validate',
    {
      summary: 'decode and validate messages from JSON and JSON Lines files',
      load: async () => (await import('./validate.js')).validateCommand,
    },
  ],
  [
    'serve',
    {
      summary: 'run a receiver from a handler module, over HTTP or stdio',
      load: async () => (await import('./serve.js')).serveCommand,
    },
  ],
]);
