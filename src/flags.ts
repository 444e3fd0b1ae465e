// Parses the daemon's command line and returns a value or an error message. This module starts nothing and uses no
// file.
import { isAbsolute, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type LogLevel, logLevels } from './base/log.ts';

/**
 * The connection between the daemon and its first client. `pipe`, `socket`: the client listens and the daemon connects.
 * `none`: all clients use the daemon's own socket.
 */
export type Transport =
  | { readonly kind: 'none' }
  | { readonly kind: 'stdio' }
  | { readonly kind: 'pipe'; readonly path: string }
  | { readonly kind: 'socket'; readonly port: number };

type ProgramStart =
  | { readonly do: 'help' }
  | { readonly do: 'version' }
  | { readonly do: 'printProtocol' }
  | { readonly do: 'complain'; readonly complaint: string }
  | ({ readonly do: 'serve' } & ServeFlags);

export interface ServeFlags {
  readonly transport: Transport;
  readonly logLevel: LogLevel;
  readonly logFile?: string | undefined;
  readonly storageDirectory?: string;
  /** How long the session of a killed daemon is kept, in ms, so that a client can resume it. */
  readonly orphanGraceMs?: number;
  readonly clientProcessId?: number;
  /** True when further clients of the same user may connect through a private socket. */
  readonly listens: boolean;
  /**
   * True to watch a work tree from the beginning. False to watch only after the first client has left or a second
   * client has come.
   */
  readonly watches: boolean;
  /** How long the daemon waits for a client, in ms, if it has no first client. */
  readonly idleMs: number;
}

export const helpText = `checkpointd: makes and restores checkpoints of a work tree and an agent's conversation, over JSON-RPC.

Usage: checkpointd [--stdio | --pipe=NAME | --socket=PORT] [options]
       checkpointd daemon [options]   serve clients on the daemon's socket and exit when the last one disconnects
       checkpointd help               list the commands for people: status, list, diff, create, restore, undo …

  --stdio                 serve on stdin and stdout (the default)
  --pipe=NAME             connect to the pipe or Unix socket on which the client listens
  --socket=PORT           connect to the port of 127.0.0.1 on which the client listens (also --port=PORT)
  --clientProcessId=PID   end when this process ends
  --storage-dir=DIR       keep sessions here instead of $XDG_STATE_HOME/checkpointd
  --orphan-grace-hours=N  keep sessions of killed daemons for N hours (default: 24; 0: delete them at the next start)
  --no-listen             open no socket for further clients of the same user
  --no-watch              watch a work tree only after its first client has left or a second has come
  --idle-minutes=N        for "checkpointd daemon": exit after N minutes without a client (default: 10)
  --log-file=FILE         append the log to this file
  --log-level=LEVEL       ${logLevels.join(', ')} (default: info)
  --print-protocol        print protocol.json, the description of every method
  --version               print the version
  --help                  print this text

Values may be given as --flag=VALUE or --flag VALUE. Exit codes: 0 after shutdown and exit, 1 when the client
disconnects without these two requests, 2 for a wrong command line, 70 for a defect, 128 + n for a signal.
`;

const options = {
  stdio: { type: 'boolean' },
  pipe: { type: 'string' },
  socket: { type: 'string' },
  port: { type: 'string' },
  clientProcessId: { type: 'string' },
  'storage-dir': { type: 'string' },
  'orphan-grace-hours': { type: 'string' },
  'no-listen': { type: 'boolean' },
  'no-watch': { type: 'boolean' },
  'idle-minutes': { type: 'string' },
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

/** Parses a time in decimal notation. Returns milliseconds. */
function timeOf(flag: string, text: string, unit: 'hours' | 'minutes', example: string): number {
  const amount = /^\d{1,6}(\.\d{1,6})?$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isNaN(amount))
    throw new Complaint(`--${flag} must be a number of ${unit} such as ${example}, not "${text}".`);
  return Math.round(amount * (unit === 'hours' ? 3_600_000 : 60_000));
}

function parse(argv: readonly string[]): ProgramStart {
  const isAlone = argv[0] === 'daemon';
  const { values } = parseArgs({
    args: argv.slice(isAlone ? 1 : 0),
    options,
    strict: true,
    allowPositionals: false,
  });
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
  if (isAlone && (transports.length > 0 || values.clientProcessId !== undefined || values['no-listen']))
    throw new Complaint(
      '"checkpointd daemon" starts without a client, so it accepts no --stdio, --pipe, --socket, --clientProcessId or --no-listen.',
    );
  if (!isAlone && values['idle-minutes'] !== undefined)
    throw new Complaint(
      '--idle-minutes is only for "checkpointd daemon". Any other daemon ends with its first client.',
    );
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
    transport: isAlone ? { kind: 'none' } : (transports[0] ?? { kind: 'stdio' }),
    logLevel,
    logFile,
    ...(storage === undefined ? {} : { storageDirectory: isAbsolute(storage) ? storage : resolve(storage) }),
    ...(grace === undefined
      ? {}
      : { orphanGraceMs: timeOf('orphan-grace-hours', grace, 'hours', '24, 0.5 or 0') }),
    listens: values['no-listen'] !== true,
    watches: values['no-watch'] !== true,
    idleMs: timeOf('idle-minutes', values['idle-minutes'] ?? '10', 'minutes', '10 or 0.5'),
    ...(clientProcessId === undefined
      ? {}
      : { clientProcessId: wholeNumber('clientProcessId', clientProcessId, 2 ** 31 - 1) }),
  };
}

/** Parses a command line (`argv` without node and the script) and returns the action that it requests. Never throws. */
export function commandOf(argv: readonly string[]): ProgramStart {
  try {
    return parse(argv);
  } catch (error) {
    const known = error instanceof Complaint || (error instanceof TypeError && 'code' in error);
    if (!known) throw error;
    return { do: 'complain', complaint: error.message };
  }
}
