// Writes log lines with levels to sinks: a file, or the client's window/logMessage. Never writes to stdout, which
// carries only protocol frames. Never logs file contents or the environment.

export const logLevels = ['error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof logLevels)[number];
export type LogSink = (level: LogLevel, message: string) => void;

export interface Log {
  error(message: string): void;
  warn(message: string): void;
  info(message: string): void;
  debug(message: string): void;
}

export function createLog(level: LogLevel, sinks: readonly LogSink[]): Log {
  const limit = logLevels.indexOf(level);
  const write = (at: LogLevel) => (message: string) => {
    if (logLevels.indexOf(at) <= limit) for (const sink of sinks) sink(at, message);
  };
  return { error: write('error'), warn: write('warn'), info: write('info'), debug: write('debug') };
}

/**
 * A log that discards every line. For tests of a single module.
 * @forTests
 */
export const silentLog: Log = createLog('error', []);
