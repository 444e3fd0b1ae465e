// The command line, read into one value or one complaint. It starts nothing and touches no file.
import { isAbsolute, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type LogLevel, logLevels } from './base/log.ts';

/** Where the client is. With `pipe` and `socket` the client listens and the daemon connects. */
export type Transport =
  | { readonly kind: 'stdio' }
  | { readonly kind: 'pipe'; readonly path: string }
  | { readonly kind: 'socket'; readonly port: number };

export type Command =
  | { readonly do: 'help' }
  | { readonly do: 'version' }
  | { readonly do: 'printProtocol' }
  | { readonly do: 'complain'; readonly complaint: string }
  | ({ readonly do: 'serve' } & ServeFlags);

export interface ServeFlags {
  readonly transport: Transport;
  readonly logLevel: LogLevel;
  readonly logFile?: string;
  readonly storageDirectory?: string;
  /** How long a session that a killed daemon left is kept for whoever resumes it, ms. */
  readonly orphanGraceMs?: number;
  readonly clientProcessId?: number;
}

export const helpText = `checkpointd: checkpoints and restores a work tree and an agent's conversation, over JSON-RPC.

Usage: checkpointd [--stdio | --pipe=NAME | --socket=PORT] [options]

  --stdio                 serve on stdin and stdout (the default)
  --pipe=NAME             connect to the pipe or Unix socket on which the client listens
  --socket=PORT           connect to the port of 127.0.0.1 on which the client listens (also --port=PORT)
  --clientProcessId=PID   end when this process does
  --storage-dir=DIR       keep sessions here instead of $XDG_STATE_HOME/checkpointd
  --orphan-grace-hours=N  keep what a killed daemon left for N hours (default: 24; 0: sweep it at the next start)
  --log-file=FILE         append the log to this file
  --log-level=LEVEL       ${logLevels.join(', ')} (default: info)
  --print-protocol        print protocol.json, the description of every method
  --version               print the version
  --help                  print this text

Values may be given as --flag=VALUE or --flag VALUE. Exit codes: 0 after shutdown and exit, 1 when the client goes
away without them, 2 for a wrong command line, 70 for a defect, 128 + n for a signal.
`;

const options = {
  stdio: { type: 'boolean' },
  pipe: { type: 'string' },
  socket: { type: 'string' },
  port: { type: 'string' },
  clientProcessId: { type: 'string' },
  'storage-dir': { type: 'string' },
  'orphan-grace-hours': { type: 'string' },
  'log-file': { type: 'string' },
  'log-level': { type: 'string' },
  'print-protocol': { type: 'boolean' },
  version: { type: 'boolean', short: 'v' },
  help: { type: 'boolean', short: 'h' },
} as const;

class Complaint extends Error {}

function wholeNumber(flag: string, text: string, max: number): number {
  const number = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  if (number < 1 || number > max)
    throw new Complaint(`--${flag} must be a number from 1 to ${max}, not "${text}".`);
  return number;
}

/** Hours in decimal notation, as milliseconds. */
function graceOf(text: string): number {
  const hours = /^\d{1,6}(\.\d{1,6})?$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isNaN(hours))
    throw new Complaint(
      `--orphan-grace-hours must be a number of hours such as 24, 0.5 or 0, not "${text}".`,
    );
  return Math.round(hours * 3_600_000);
}

function parse(argv: readonly string[]): Command {
  const { values } = parseArgs({ args: [...argv], options, strict: true, allowPositionals: false });
  if (values.help === true) return { do: 'help' };
  if (values.version === true) return { do: 'version' };
  if (values['print-protocol'] === true) return { do: 'printProtocol' };
  for (const [flag, value] of Object.entries(values)) {
    if (value === '') throw new Complaint(`--${flag} needs a value.`);
  }
  const transports: Transport[] = [];
  if (values.stdio === true) transports.push({ kind: 'stdio' });
  if (values.pipe !== undefined) transports.push({ kind: 'pipe', path: values.pipe });
  for (const flag of ['socket', 'port'] as const) {
    const text = values[flag];
    if (text !== undefined) transports.push({ kind: 'socket', port: wholeNumber(flag, text, 65535) });
  }
  if (transports.length > 1) throw new Complaint('Give one of --stdio, --pipe and --socket, not several.');
  const level = values['log-level'] ?? 'info';
  const logLevel = logLevels.find((name) => name === level);
  if (logLevel === undefined) {
    throw new Complaint(`--log-level must be one of ${logLevels.join(', ')}, not "${level}".`);
  }
  const { clientProcessId, 'log-file': logFile, 'storage-dir': storage } = values;
  const grace = values['orphan-grace-hours'];
  return {
    do: 'serve',
    transport: transports[0] ?? { kind: 'stdio' },
    logLevel,
    ...(logFile === undefined ? {} : { logFile }),
    ...(storage === undefined ? {} : { storageDirectory: isAbsolute(storage) ? storage : resolve(storage) }),
    ...(grace === undefined ? {} : { orphanGraceMs: graceOf(grace) }),
    ...(clientProcessId === undefined
      ? {}
      : { clientProcessId: wholeNumber('clientProcessId', clientProcessId, 2 ** 31 - 1) }),
  };
}

/** What the command line asks for (`argv` without node and the script). Never throws. */
export function commandOf(argv: readonly string[]): Command {
  try {
    return parse(argv);
  } catch (error) {
    const known = error instanceof Complaint || (error instanceof TypeError && 'code' in error);
    if (!known) throw error;
    return { do: 'complain', complaint: error.message };
  }
}
