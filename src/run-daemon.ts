// Runs the daemon's command line: parses the flags, and either prints a short answer or starts the daemon.
import { syncsAtOnce } from './base/atomic-file.ts';
import { systemCode } from './base/errors.ts';
import { commandOf, helpText, type ServeFlags } from './flags.ts';
import { packageVersion, protocolDocument } from './wire/places.ts';

const exitUsage = 2;

export async function runDaemon(words: readonly string[]): Promise<void> {
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

/** Prints the text. Does not fail if the reader closes the output early (`| head -1`). */
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

/**
 * Starts to serve. Reports a failure that prevents the start: a log file that cannot be opened, or a client that cannot
 * be reached.
 */
async function startServing(flags: ServeFlags): Promise<void> {
  process.env['UV_THREADPOOL_SIZE'] ??= String(syncsAtOnce); // Node reads this when it first uses the threads
  const { serve, UnusableLogFile } = await import('./serve.ts');
  try {
    await serve(flags);
  } catch (error) {
    if (error instanceof UnusableLogFile) {
      complain(error.message);
      return;
    }
    const what = error instanceof Error ? error.message : String(error);
    process.stderr.write(`checkpointd: the daemon could not start: ${what}\n`);
    process.exit(1);
  }
}
