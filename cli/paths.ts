/** Folders and command lines as people read them. */

import { relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Relative to the working directory when it lies below it, absolute otherwise. */
export function shownPath(path: string): string {
  const shown = relative(process.cwd(), resolve(path));
  if (shown === '') return '.';
  return shown === '..' || shown.startsWith(`..${sep}`) ? resolve(path) : shown;
}

/** True when one folder is the other or lies inside it. */
export function overlaps(left: string, right: string): boolean {
  const [first, second] = [resolve(left) + sep, resolve(right) + sep];
  return first.startsWith(second) || second.startsWith(first);
}

/** A command line for this tool that can be pasted into a shell, from a checkout or from an installed package. */
export function commandLine(args: readonly string[]): string {
  const isCheckout = fileURLToPath(import.meta.url).endsWith('.ts');
  return ['npx', ...(isCheckout ? ['tsx', 'cli/ahp.ts'] : ['ahp']), ...args.map(quoteForShell)].join(' ');
}

function quoteForShell(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`;
}
