#!/usr/bin/env node
// The process: the command line in, an exit code out. It loads what the command line asks for and nothing else, so
// that neither the daemon nor a command waits for the other's modules.
import { systemCode } from './base/errors.ts';
import { commandOf, helpText, type ServeFlags } from './flags.ts';
import { packageVersion, protocolDocument } from './rpc/package-files.ts';

const exitUsage = 2;

/** Prints and ends; a reader that has enough (`| head -1`) is no failure. */
function print(text: string): void {
  process.stdout.on('error', (error) => {
    if (systemCode(error) !== 'EPIPE') throw error;
    process.exit(0);
  });
  process.stdout.write(text);
}

function complain(complaint: string): void {
  process.stderr.write(`checkpointd: ${complaint}\nRun "checkpointd --help" for the flags.\n`);
  process.exitCode = exitUsage;
}

async function main(): Promise<void> {
  const words = process.argv.slice(2);
  const [first = '-'] = words;
  if (first === 'hook' || first === 'hook-keeper') {
    const { hookCommand } = await import('./cli/hooks/hook-command.ts');
    process.exitCode = await hookCommand(words);
    return;
  }
  if (!first.startsWith('-') && first !== 'daemon') {
    const { runCommand } = await import('./cli/program.ts');
    process.exitCode = await runCommand(words);
    return;
  }
  const command = commandOf(words);
  switch (command.do) {
    case 'help':
      print(helpText);
      return;
    case 'version':
      print(`checkpointd ${packageVersion()}\n`);
      return;
    case 'printProtocol':
      print(protocolDocument('protocol.json'));
      return;
    case 'complain':
      complain(command.complaint);
      return;
    case 'serve':
      await startServing(command);
  }
}

/** Only what comes before serving fails here: a log file that cannot be opened, a client that cannot be reached. */
async function startServing(flags: ServeFlags): Promise<void> {
  const { serve, UnusableLogFile } = await import('./serve.ts');
  try {
    await serve(flags);
  } catch (error) {
    if (error instanceof UnusableLogFile) {
      complain(error.message);
      return;
    }
    const what = error instanceof Error ? error.message : String(error);
    process.stderr.write(`checkpointd: could not start: ${what}\n`);
    process.exit(1);
  }
}

await main();
