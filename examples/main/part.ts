/** One part of the main job. Each file in this folder that exports one also runs on its own. */

import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface Part {
  /** What `npm start -- NAME` calls it. */
  readonly name: string;
  readonly title: string;
  /** Prints what it did; resolves to false, or rejects, when something is not as it should be. */
  run(print: (line?: string) => void): Promise<boolean>;
}

/** Runs parts one after the other; a part that fails keeps no other from running. The result is the exit code. */
export async function runParts(parts: readonly Part[]): Promise<number> {
  const print = (line = ''): void => void process.stdout.write(`${line}\n`);
  let failed = 0;
  for (const part of parts) {
    print(`\n${part.title}\n${'─'.repeat(part.title.length)}`);
    try {
      if (!(await part.run(print))) failed += 1;
    } catch (error) {
      failed += 1;
      print(`failed: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return failed === 0 ? 0 : 1;
}

/** Runs the part when its file is the program that was started: `if (isProgram(import.meta.url)) …`. */
export function isProgram(moduleUrl: string): boolean {
  const [, program] = process.argv;
  return program !== undefined && realpathSync(program) === realpathSync(fileURLToPath(moduleUrl));
}
