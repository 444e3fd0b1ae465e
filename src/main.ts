#!/usr/bin/env node
// The process: flags in, exit code out, and between them the one daemon of the one client. It wires streams, the
// log, signals and uncaught failures to the server; what the daemon does is composed in daemon.ts.
import { connect } from 'node:net';
import { constants as systemConstants } from 'node:os';
import type { Readable } from 'node:stream';
import { systemCode } from './base/errors.ts';
import { constants, files } from './base/files.ts';
import { createLog, type LogSink } from './base/log.ts';
import { commandOf, helpText, type ServeFlags, type Transport } from './flags.ts';
import { packageVersion, protocolDocument } from './rpc/package-files.ts';
import { Server } from './rpc/server.ts';
import type { FrameOutput } from './rpc/transport/frame-backlog.ts';
import { guardStdout, sayFatal } from './rpc/transport/stdout-guard.ts';

const exitUsage = 2;
const exitFailure = 70;

class UnusableLogFile extends Error {}

/** @throws UnusableLogFile */
function openLogFile(path: string): number {
  const { O_WRONLY, O_APPEND, O_CREAT, O_NONBLOCK } = constants;
  try {
    // Without blocking: a FIFO that nobody reads would hold the start up for ever.
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
    try {
      files.writeSync(descriptor, line);
    } catch (error) {
      // A full disk must not end the daemon over a line of its log; all else is a defect.
      if (systemCode(error) === undefined) throw error;
    }
  };
}

interface Streams {
  readonly input: Readable;
  readonly output: FrameOutput;
}

function connectTo(transport: Exclude<Transport, { kind: 'stdio' }>): Promise<Streams> {
  const options =
    transport.kind === 'pipe' ? { path: transport.path } : { port: transport.port, host: '127.0.0.1' };
  return new Promise((resolve, reject) => {
    // Half-open: a client that has finished writing still wants its answers.
    const socket = connect({ ...options, allowHalfOpen: true, noDelay: true });
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject);
      resolve({ input: socket, output: socket });
    });
  });
}

function watchProcess(server: Server): void {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => void server.end('signal', 128 + systemConstants.signals[signal]));
  }
}

async function serve(flags: ServeFlags): Promise<void> {
  const sinks: LogSink[] = [];
  const log = createLog(flags.logLevel, sinks);
  if (flags.logFile !== undefined) sinks.push(fileSink(flags.logFile));
  const isStdio = flags.transport.kind === 'stdio';
  const streams = isStdio
    ? { input: process.stdin, output: guardStdout(log) }
    : await connectTo(flags.transport);
  const server = new Server({
    ...streams,
    log,
    exit: (code) => process.exit(code),
    isParentClient: isStdio,
    ...(flags.clientProcessId === undefined ? {} : { clientProcessId: flags.clientProcessId }),
  });
  sinks.push(server.logSink);
  if (isStdio && process.stdin.isTTY) {
    process.stderr.write(
      'checkpointd speaks JSON-RPC on stdin and stdout; "checkpointd --help" tells more.\n',
    );
  }
  watchProcess(server);
  const fail = (error: unknown): void => {
    sayFatal('ends because of a defect; the log (--log-file) has the details.');
    log.info(error instanceof Error ? (error.stack ?? error.message) : String(error));
    void server.end('failure', exitFailure);
  };
  process.on('uncaughtException', fail);
  process.on('unhandledRejection', fail);
  const { storageDirectory, orphanGraceMs } = flags;
  server.listen(async () => {
    const { createDaemon } = await import('./daemon.ts');
    return createDaemon({
      notify: server.notify,
      log,
      onPoison: fail,
      ...(storageDirectory === undefined ? {} : { storageDirectory }),
      ...(orphanGraceMs === undefined ? {} : { orphanGraceMs }),
    });
  });
}

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
  const command = commandOf(process.argv.slice(2));
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
      await serve(command);
  }
}

main().catch((error: unknown) => {
  // Only what comes before serving ends here: a log file that cannot be opened, a client that cannot be reached.
  if (error instanceof UnusableLogFile) {
    complain(error.message);
    return;
  }
  const what = error instanceof Error ? error.message : String(error);
  sayFatal(`could not start: ${what}`);
  process.exit(1);
});
