// The daemon as a child process of the client: starts it, reads it, and ends it for certain. This module
// knows pipes and signals, not the protocol.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { CheckpointdGoneError } from './client-error.ts';
import type { DaemonLink } from './connection.ts';

/** The number of last characters of stderr that are kept for the message of {@link CheckpointdGoneError}. */
const stderrCharacters = 16 * 1024;
/** A process that ends closes its output a moment before it is gone. */
const exitsAfterOutputMs = 300;

export class DaemonProcess implements DaemonLink {
  readonly #child: ChildProcessWithoutNullStreams;
  /** Resolves when the process has ended, with the reason as text. Never rejects. */
  readonly ended: Promise<string>;
  #tellEnd: (why: string) => void = () => undefined;
  #stderr = '';

  private constructor(child: ChildProcessWithoutNullStreams) {
    this.#child = child;
    // Stderr is always read, because a full pipe would stop the daemon.
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-stderrCharacters);
    });
    // A later failure of the process, such as a forbidden kill. `ended` may follow.
    child.on('error', () => undefined);
    this.keepAlive(false);
    this.ended = new Promise((resolve) => {
      this.#tellEnd = resolve;
      const tell = (): void => {
        const words = this.#stderr.trim();
        resolve(
          `the daemon ended with ${child.exitCode ?? child.signalCode}${words === '' ? '' : `: ${words}`}`,
        );
      };
      child.once('close', tell);
      // A grandchild may keep the pipes open after the end, so the last output is awaited only for a moment.
      child.once('exit', () => void delay(200, undefined, { ref: false }).then(tell));
    });
  }

  /** Starts the daemon. @throws CheckpointdGoneError when it cannot be started */
  static async start(
    command: string,
    args: readonly string[],
    env: Readonly<Record<string, string | undefined>> | undefined,
  ): Promise<DaemonProcess> {
    const child = spawn(command, args, { stdio: 'pipe', windowsHide: true, env: env ?? process.env });
    try {
      await once(child, 'spawn');
    } catch (error) {
      throw new CheckpointdGoneError(`could not start ${command}`, { cause: error });
    }
    return new DaemonProcess(child);
  }

  get input(): Writable {
    return this.#child.stdin;
  }

  get output(): Readable {
    return this.#child.stdout;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  get #isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  keepAlive(isWanted: boolean): void {
    const { stdin, stdout, stderr } = this.#child;
    // Pipes to a child are sockets, whatever their type says. A child that did not start has none.
    for (const each of [this.#child, stdin, stdout, stderr] as unknown as Partial<Socket>[]) {
      if (each.destroyed === true) continue; // such a socket would wait for a connection, with one more listener each time
      if (isWanted) each.ref?.();
      else each.unref?.();
    }
  }

  /** Resolves when the daemon has closed its output but continues to run, because other clients have sessions in it. */
  async #livesOn(): Promise<void> {
    const { stdout } = this.#child;
    if (!stdout.readableEnded) await once(stdout, 'end');
    await delay(exitsAfterOutputMs, undefined, { ref: false });
    if (!this.#isRunning) return;
    this.#tellEnd('the daemon continues for its other clients');
  }

  /** Waits this long for the end, then kills. Returns the exit code; `null` after a signal. */
  async end(patienceMs: number): Promise<number | null> {
    this.#child.stdin.end();
    if (this.#isRunning) {
      const exited = once(this.#child, 'exit');
      const timer = setTimeout(() => this.#child.kill('SIGKILL'), patienceMs);
      this.keepAlive(true);
      await Promise.race([exited, this.#livesOn()]);
      this.keepAlive(false);
      clearTimeout(timer);
    }
    // Destroys the pipes: a grandchild that has them would keep the client's own process alive.
    for (const pipe of [this.#child.stdout, this.#child.stderr]) pipe.destroy();
    return this.#child.exitCode;
  }
}
