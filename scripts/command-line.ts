// The command line of a script: its help, its flags, and one clear line with exit code 2 for a mistake.
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
    // The error of parseArgs names the wrong flag.
    if (!(error instanceof TypeError && 'code' in error)) throw error;
    process.stderr.write(`${error.message.split('\n')[0]}\n\n${help.trim()}\n`);
    return process.exit(exitUsage);
  }
}
