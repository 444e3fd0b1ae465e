// Sets up the daemon's process. Connects the server to the streams of the first client, the socket for more clients,
// the log, signals and uncaught failures. daemon.ts builds the daemon itself.
import { connect, type Socket } from 'node:net';
import { devNull, constants as systemConstants } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { attempt, isOfSystem } from './base/attempt.ts';
import { constants, files } from './base/files.ts';
import { createLog, type Log, type LogSink } from './base/log.ts';
import type { ServeFlags, Transport } from './flags.ts';
import type { ClientStreams } from './rpc/served-client.ts';
import { type FirstClient, type ServedDaemon, Server } from './rpc/server.ts';
import type { SocketListener } from './rpc/transport/socket-listener.ts';
import { guardStdout, sayFatal } from './rpc/transport/stdout-guard.ts';
import { BackgroundPlace, backgroundNote } from './wire/background-daemon.ts';
import { defaultStorage, socketDirectory } from './wire/places.ts';

const exitFailure = 70;

/** The maximum time in ms to wait for another daemon that has just started and does not listen yet. */
const startingMs = 10_000;

/** The error for a log file that cannot be opened. The error's message is for the person who chose the file. */
export class UnusableLogFile extends Error {}

/** Opens the log file. @throws UnusableLogFile */
function openLogFile(path: string): number {
  const { O_WRONLY, O_APPEND, O_CREAT, O_NONBLOCK } = constants;
  try {
    // Opens the file without blocking, because a blocking open of a FIFO without a reader never returns.
    return files.openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK, 0o600);
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error);
    throw new UnusableLogFile(`--log-file=${path} cannot be opened: ${what}`);
  }
}

function fileSink(path: string): LogSink {
  const descriptor = openLogFile(path);
  return (level, message) => {
    const line = `${new Date().toISOString()} ${process.pid} ${level} ${message.replaceAll('\n', '\n  ')}\n`;
    // Ignores errors of the file system, because a log line must not end the daemon when the disk is full. All other
    // errors are defects.
    attempt(isOfSystem, () => files.writeSync(descriptor, line));
  };
}

function connectTo(transport: Extract<Transport, { kind: 'pipe' | 'socket' }>): Promise<ClientStreams> {
  const options =
    transport.kind === 'pipe' ? { path: transport.path } : { port: transport.port, host: '127.0.0.1' };
  return new Promise((resolve, reject) => {
    // Allows half-open sockets, because a client that has finished writing may still wait for responses.
    const socket = connect({ ...options, allowHalfOpen: true, noDelay: true });
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject);
      resolve(streamsOf(socket));
    });
  });
}

function streamsOf(socket: Socket): ClientStreams {
  return { input: socket, output: socket, close: () => socket.destroy() };
}

/**
 * Leaves the standard streams. The parent process sees the end of the output, while this process continues to serve
 * other clients. A stream that is a socket keeps its descriptor. If the number of a standard stream became free, another
 * thread could open a file under this number before this thread does.
 */
function leaveStdio(): void {
  process.stdin.destroy();
  if (isSocket(1)) process.stdout.end();
  else pointToNothing(1);
  // Other processes may use the same socket for their errors (the journal of a service), so this process must not end it.
  if (!isSocket(2)) pointToNothing(2);
  process.stderr.write = () => true; // no client is left that reads errors
}

const isSocket = (descriptor: 1 | 2): boolean => files.fstatSync(descriptor).isSocket();

/** Closes an output that is not a socket. A pipe ends only when its last descriptor is closed. */
function pointToNothing(descriptor: 1 | 2): void {
  files.closeSync(descriptor);
  files.openSync(devNull, 'w'); // gets the number of the closed descriptor, unless another thread is faster
}

async function firstClient(flags: ServeFlags, log: Log): Promise<FirstClient | undefined> {
  const { transport, clientProcessId: processId } = flags;
  if (transport.kind === 'none') return undefined;
  if (transport.kind !== 'stdio') return { streams: await connectTo(transport), isParent: false, processId };
  const output = guardStdout(log);
  if (process.stdin.isTTY) {
    process.stderr.write(
      'checkpointd speaks JSON-RPC on stdin and stdout; "checkpointd --help" explains the flags, and "checkpointd help" lists the commands for people.\n',
    );
  }
  return { streams: { input: process.stdin, output, close: leaveStdio }, isParent: true, processId };
}

function watchProcess(server: Server): void {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => void server.end('signal', 128 + systemConstants.signals[signal]));
  }
}

/**
 * Starts to serve. The process then serves until it ends. @throws UnusableLogFile, or the error that prevented the
 * connection to the first client
 */
export async function serve(flags: ServeFlags): Promise<void> {
  const sinks: LogSink[] = [];
  const log = createLog(flags.logLevel, sinks);
  if (flags.logFile !== undefined) sinks.push(fileSink(flags.logFile));
  const first = await firstClient(flags, log);
  const storage = flags.storageDirectory ?? defaultStorage();
  const place = first === undefined ? await BackgroundPlace.take(storage) : undefined;
  if (first === undefined && place === undefined) return sayWhoListens(storage);
  let listener: SocketListener | undefined;
  const server = new Server({
    log,
    exit: (code) => {
      listener?.close();
      place?.release();
      process.exit(code);
    },
    ...(first === undefined ? { idleMs: flags.idleMs } : { first }),
  });
  sinks.push(server.logSink);
  watchProcess(server);
  const fail = (error: unknown): void => {
    sayFatal('the daemon ends because of a defect. The log (--log-file) has the details.');
    log.info(error instanceof Error ? (error.stack ?? error.message) : String(error));
    void server.end('failure', exitFailure);
  };
  process.on('uncaughtException', fail);
  process.on('unhandledRejection', fail);
  const load = async (): Promise<ServedDaemon> => {
    const { createDaemon } = await import('./daemon.ts');
    if (flags.listens) listener = await listenFor(server, storage, log);
    return createDaemon({
      notify: server.notify,
      log,
      onPoison: fail,
      storageDirectory: storage,
      keepsOpen: place !== undefined,
      watches: flags.watches,
      socket: listener?.path,
      orphanGraceMs: flags.orphanGraceMs,
    });
  };
  if (first !== undefined) return server.listen(load);
  sinks.push((level, message) => level === 'warn' && sayFatal(message));
  const daemon = await load();
  if (listener === undefined)
    throw new Error('the daemon could not open its socket, so no client could connect');
  server.listen(() => Promise.resolve(daemon));
  place?.writeNote(listener.path);
  process.stdout.write(`listening on ${listener.path}\n`);
  if (!process.stdout.isTTY) pointToNothing(1); // the command that started this process reads only this line
}

/**
 * Prints the socket path of the background daemon that is already running. That daemon may have just started, so this
 * function waits for its note.
 */
async function sayWhoListens(storage: string): Promise<void> {
  const endMs = performance.now() + startingMs;
  let note = backgroundNote(storage);
  while (note === undefined && performance.now() < endMs) {
    await delay(20);
    note = backgroundNote(storage);
  }
  if (note === undefined) throw new Error(`another daemon serves ${storage}, but its socket is unknown`);
  process.stdout.write(`listening on ${note.socket}\n`);
}

async function listenFor(server: Server, storage: string, log: Log): Promise<SocketListener | undefined> {
  const { listenForClients } = await import('./rpc/transport/socket-listener.ts');
  const directory = socketDirectory(join(storage, 'run'));
  return listenForClients(directory, (socket) => server.attach(streamsOf(socket)), log);
}
