// Reserves stdout for the frames of the protocol. One stray line of a library would break the connection, so all other
// output (console, process.stdout, warnings) is written to the log. This module cannot intercept native code, or a
// child process that inherits stdout. Child processes therefore get pipes.
import type { Log } from '../../base/log.ts';
import type { FrameOutput } from './one-write-writer.ts';

const consoleMethods = ['log', 'info', 'debug', 'warn', 'error', 'trace', 'dir', 'table'] as const;

/**
 * Redirects all output that is not a frame, and returns the output for frames. Must be called once, before any output.
 */
export function guardStdout(log: Log): FrameOutput {
  const { stdout } = process;
  const write: FrameOutput['write'] = stdout.write.bind(stdout);
  const stray = (chunk: unknown, encoding?: unknown, done?: unknown): boolean => {
    const callback = typeof encoding === 'function' ? encoding : done;
    log.warn(`something wrote to stdout: ${JSON.stringify(String(chunk).slice(0, 200))}`);
    if (typeof callback === 'function') process.nextTick(callback);
    return true;
  };
  stdout.write = stray;
  for (const name of consoleMethods) {
    console[name] = (...words: unknown[]): void =>
      log.warn(`console.${name}: ${words.map(String).join(' ')}`);
  }
  // Removes Node's own listener: it prints warnings to stderr, and editors would show them as errors.
  process.removeAllListeners('warning');
  process.on('warning', (warning) => log.warn(`${warning.name}: ${warning.message}`));
  return {
    write,
    get writableLength() {
      return stdout.writableLength;
    },
    on: (event, listener) => stdout.on(event, listener),
  };
}

/** Prints the last message before a fatal end. While a daemon serves clients, it writes no other text to stderr. */
export function sayFatal(message: string): void {
  process.stderr.write(`checkpointd: ${message}\n`);
}
