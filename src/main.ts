#!/usr/bin/env node
// The entry point of the process: parses the command line and sets the exit code. Loads only the modules that the
// command line needs. So the daemon does not wait for the modules of the commands, and a command does not wait for
// those of the daemon.

async function main(): Promise<void> {
  const words = commandFirst(process.argv.slice(2));
  const [first = '-'] = words;
  if (first === 'hook' || first === 'hook-keeper') {
    const { hookCommand } = await import('./cli/hooks/hook.ts');
    process.exitCode = await hookCommand(words);
  } else if (!first.startsWith('-') && first !== 'daemon') {
    const { runPlainCommand } = await import('./cli/plain-command.ts');
    process.exitCode = (await runPlainCommand(words)) ?? (await runAnyCommand(words));
  } else {
    const { runDaemon } = await import('./run-daemon.ts');
    await runDaemon(words);
  }
}

/**
 * Changes `checkpointd -C directory command …` to `checkpointd command -C directory …`, because users of git write `-C`
 * before the command.
 */
function commandFirst(words: readonly string[]): readonly string[] {
  const [flag, directory, command, ...rest] = words;
  if (flag !== '-C' || directory === undefined || command === undefined) return words;
  return [command, flag, directory, ...rest];
}

async function runAnyCommand(words: readonly string[]): Promise<number> {
  const { runCommand } = await import('./cli/program.ts');
  return runCommand(words);
}

// The bundled file is CommonJS (scripts/bundle.ts), in which top-level await is not possible. A failure ends the
// process.
void main();
