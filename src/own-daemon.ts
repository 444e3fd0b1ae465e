// Runs a daemon in the process of a command of the kind `brief` (cli/reach.ts). The daemon serves only this command,
// over two streams in memory. Starting a second process would take as long as most commands. A command that runs until
// the user ends it starts a process for its daemon instead, because other clients may join that daemon and outlive the
// command.
import { constants as systemConstants } from 'node:os';
import { PassThrough } from 'node:stream';
import { createLog, type LogSink } from './base/log.ts';
import type { DaemonLink } from './client/connection.ts';
import { createDaemon } from './daemon.ts';
import { Server } from './rpc/server.ts';
import { sayFatal } from './rpc/transport/stdout-guard.ts';

const exitFailure = 70;
/** The time in ms after the daemon's end in which the command may still print. */
const printMs = 1000;
const fatalSignals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

export class OwnDaemon implements DaemonLink {
  readonly input = new PassThrough();
  readonly output = new PassThrough();
  readonly pid = undefined;
  readonly ended: Promise<string>;
  readonly #server: Server;
  #resolveEnded: (why: string) => void = () => undefined;
  #code: number | null = null;
  /** True when a signal or a defect ends the daemon. This process must then end directly after the daemon. */
  #isFatal = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(storage: string) {
    this.ended = new Promise((resolve) => (this.#resolveEnded = resolve));
    const sinks: LogSink[] = [];
    const log = createLog('info', sinks);
    const streams = { input: this.input, output: this.output, close: () => this.output.end() };
    this.#server = new Server({ log, exit: (code) => this.#end(code), first: { streams, isParent: false } });
    sinks.push(this.#server.logSink);
    for (const signal of fatalSignals) process.on(signal, this.#onSignal);
    process.on('uncaughtException', this.#fail).on('unhandledRejection', this.#fail);
    // The command ends before a second capture, so the daemon watches nothing. The daemon also listens on no socket: if
    // another client joined, the command could not end.
    const { notify } = this.#server;
    const options = { notify, log, onPoison: this.#fail, storageDirectory: storage, watches: false };
    this.#server.listen(async () => createDaemon(options));
  }

  keepAlive(isWanted: boolean): void {
    clearInterval(this.#timer);
    this.#timer = isWanted ? setInterval(() => undefined, 1 << 30) : undefined;
  }

  kill(): void {
    void this.#server.end('failure', exitFailure);
  }

  /** Waits for the daemon's end. The server limits the time. Returns the exit code that a process would have. */
  async end(patienceMs: number): Promise<number | null> {
    this.input.end();
    if (patienceMs === 0) void this.#server.end('exit', 1);
    this.keepAlive(true);
    await this.ended;
    this.keepAlive(false);
    return this.#code;
  }

  readonly #onSignal = (signal: NodeJS.Signals): void => {
    this.#isFatal = true;
    void this.#server.end('signal', 128 + systemConstants.signals[signal]);
  };

  readonly #fail = (error: unknown): void => {
    this.#isFatal = true;
    const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
    sayFatal(`the command ends because of a defect: ${what}`);
    void this.#server.end('failure', exitFailure);
  };

  #end(code: number): void {
    if (this.#isFatal) process.exit(code);
    for (const signal of fatalSignals) process.off(signal, this.#onSignal);
    process.off('uncaughtException', this.#fail).off('unhandledRejection', this.#fail);
    // A daemon in its own process would be gone now, with all work that it has abandoned. This process must end, too.
    setTimeout(() => process.exit(), printMs).unref();
    this.#code = code;
    this.#resolveEnded(`the daemon ended with ${code}`);
  }
}
