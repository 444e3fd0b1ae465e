// Parses the command line of a script, including the flag for help. After a mistake of the user, prints one clear line
// and ends with exit code 2.
import { type ParseArgsConfig, parseArgs } from 'node:util';

const exitUsage = 2;

/** Parses the flags. Prints `help` on request. If a flag is wrong, prints its name and ends the process. */
export function commandLine<T extends ParseArgsConfig>(
  help: string,
  config: T,
): ReturnType<typeof parseArgs<T>> {
  const end = process.argv.indexOf('--'); // the words after `--` are the command line of another program
  const own = end === -1 ? process.argv : process.argv.slice(0, end);
  if (own.includes('--help') || own.includes('-h')) {
    process.stdout.write(`${help.trim()}\n`);
    process.exit(0);
  }
  try {
    return parseArgs(config);
  } catch (error) {
    // If a flag is wrong, the error message of parseArgs contains the flag.
    if (!(error instanceof TypeError && 'code' in error)) throw error;
    process.stderr.write(`${error.message.split('\n')[0]}\n\n${help.trim()}\n`);
    return process.exit(exitUsage);
  }
}
