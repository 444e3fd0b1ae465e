// Runs the daemon as a child process of the client: starts the process, reads its output, and makes sure that it ends.
// This module handles only pipes and signals, and does not use the protocol.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { CheckpointdGoneError } from './client-error.ts';
import type { DaemonLink } from './connection.ts';

/** The message of {@link CheckpointdGoneError} contains at most this number of characters from the end of stderr. */
const stderrCharacters = 16 * 1024;
/** The maximum time to wait for the end of the process after its output has ended. */
const exitsAfterOutputMs = 300;

export class DaemonProcess implements DaemonLink {
  readonly #child: ChildProcessWithoutNullStreams;
  /** Resolves with the reason as text when the process has ended. Never rejects. */
  readonly ended: Promise<string>;
  #resolveEnded: (why: string) => void = () => undefined;
  #stderr = '';

  private constructor(child: ChildProcessWithoutNullStreams) {
    this.#child = child;
    // Stderr is always read, because a full pipe would stop the daemon.
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-stderrCharacters);
    });
    // Ignores later error events, for example because this user has no permission to kill the process. If the process
    // ends after an error event, `ended` still resolves.
    child.on('error', () => undefined);
    this.keepAlive(false);
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve;
      const report = (): void => {
        const words = this.#stderr.trim();
        resolve(
          `the daemon ended with ${child.exitCode ?? child.signalCode}${words === '' ? '' : `: ${words}`}`,
        );
      };
      child.once('close', report);
      // A process that the daemon started may keep the pipes open after the daemon's end. So this code waits only a
      // moment for the last output.
      child.once('exit', () => void delay(200, undefined, { ref: false }).then(report));
    });
  }

  /** Starts the daemon. @throws CheckpointdGoneError when the daemon cannot be started */
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
    // Node implements the pipes to a child as sockets, although it declares them with other types. A child that did not
    // start has no pipes.
    for (const each of [this.#child, stdin, stdout, stderr] as unknown as Partial<Socket>[]) {
      if (each.destroyed === true) continue; // each call on a destroyed socket would add a listener
      if (isWanted) each.ref?.();
      else each.unref?.();
    }
  }

  /** Resolves when the daemon has closed its output, but continues to run for other clients. */
  async #livesOn(): Promise<void> {
    const { stdout } = this.#child;
    if (!stdout.readableEnded) await once(stdout, 'end');
    await delay(exitsAfterOutputMs, undefined, { ref: false });
    if (!this.#isRunning) return;
    this.#resolveEnded('the daemon continues for its other clients');
  }

  /**
   * Waits up to `patienceMs` for the daemon's end, and then kills the daemon. Returns the exit code, or `null` after a
   * signal.
   */
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
    // Destroys the pipes. If a child of the daemon still has the pipes open, the pipes would keep the client's process
    // alive.
    for (const pipe of [this.#child.stdout, this.#child.stderr]) pipe.destroy();
    return this.#child.exitCode;
  }
}
