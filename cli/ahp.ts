#!/usr/bin/env node
/** The `ahp` command: finds the subcommand, prints help, turns errors into exit codes. */

import { toolVersion } from '../generator/tool.js';
import { COMMON_OPTIONS, EXIT_FAILED, EXIT_OK, EXIT_USAGE, readArguments, UsageError } from './command.js';
import { commands } from './commands.js';
import { suggestion } from './suggest.js';

async function main(args: readonly string[]): Promise<number> {
  const [first, ...rest] = args;
  if (first === undefined) {
    process.stderr.write(generalHelp());
    return EXIT_USAGE;
  }
  if (first === 'help') return main([...rest.slice(0, 1), '--help']);
  if (first.startsWith('-')) {
    const { flags, positionals } = readArguments(args, COMMON_OPTIONS);
    if (positionals[0] !== undefined) throw new UsageError(`the command comes first: ahp ${positionals[0]} ${first}`);
    process.stdout.write(flags.has('help') || !flags.has('version') ? generalHelp() : versionLine());
    return EXIT_OK;
  }
  const entry = commands.get(first);
  if (entry === undefined) {
    throw new UsageError(`unknown command ${first}${suggestion(first, commands.keys()) || ', see ahp --help'}`);
  }
  const command = await entry.load();
  const parsed = readArguments(rest, command.options);
  if (parsed.flags.has('help')) process.stdout.write(`${command.help.trim()}\n`);
  else if (parsed.flags.has('version')) process.stdout.write(versionLine());
  else return command.run(parsed);
  return EXIT_OK;
}

function generalHelp(): string {
  const width = Math.max(...[...commands.keys()].map((name) => name.length));
  const lines = [...commands].map(([name, entry]) => `  ${name.padEnd(width)}  ${entry.summary}`);
  return `Usage: ahp COMMAND [options]

Commands:
${lines.join('\n')}

Options:
  -h, --help     this text, or the command's own after its name
  -V, --version  the version

Exit codes: 0 done, 1 invalid input, drift or failure, 2 wrong usage.
`;
}

function versionLine(): string {
  return `ahp-toolkit ${toolVersion()}\n`;
}

// A reader that has left (`| head`) is no failure of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(EXIT_OK);
  throw error;
});

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`ahp: ${message}\n`);
  process.exitCode = error instanceof UsageError ? EXIT_USAGE : EXIT_FAILED;
}
