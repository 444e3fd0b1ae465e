// Parses the command line of a script. Handles the help and the flags, and ends with one clear line and exit code 2
// after a mistake.
import { type ParseArgsConfig, parseArgs } from 'node:util';

const exitUsage = 2;

/** Parses the flags. Prints `help` on request. When a flag is wrong, prints the flag's name and ends the process. */
export function commandLine<T extends ParseArgsConfig>(
  help: string,
  config: T,
): ReturnType<typeof parseArgs<T>> {
  const end = process.argv.indexOf('--'); // after `--` comes the command line of a different program
  const own = end === -1 ? process.argv : process.argv.slice(0, end);
  if (own.includes('--help') || own.includes('-h')) {
    process.stdout.write(`${help.trim()}\n`);
    process.exit(0);
  }
  try {
    return parseArgs(config);
  } catch (error) {
    // The error message of parseArgs names the wrong flag.
    if (!(error instanceof TypeError && 'code' in error)) throw error;
    process.stderr.write(`${error.message.split('\n')[0]}\n\n${help.trim()}\n`);
    return process.exit(exitUsage);
  }
}
