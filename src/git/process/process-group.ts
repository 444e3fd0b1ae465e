// One running git and everything that it started: signalled together, watched together while somebody waits, and left
// behind when even SIGKILL does not end it, so that no wait of ours lasts for ever. Reads no pipe.
import type { Readable, Writable } from 'node:stream';
import { type CheckpointdError, systemCode } from '../../base/errors.ts';
import { SilenceTimer, silent } from './silence.ts';

/** What it needs of a child process. */
interface Child {
  readonly pid?: number | undefined;
  readonly stdin: Writable | null;
  readonly stdout: Readable | null;
  readonly stderr: Readable | null;
  kill(signal: NodeJS.Signals): boolean;
  unref(): void;
}

const termMs = 500;
const killMs = 1000;

export class ProcessGroup {
  readonly #child: Child;
  readonly #args: readonly string[];
  #abandon: (() => void) | undefined;
  #isKilled = false;
  /** Why we killed it, if that was for its silence. */
  failure: CheckpointdError | undefined;
  /** Resolves when it was killed and is not gone a second later: the system holds it, or its pipes were given on. */
  readonly abandoned: Promise<undefined>;

  constructor(child: Child, args: readonly string[]) {
    this.#child = child;
    this.#args = args;
    this.abandoned = new Promise((resolve) => {
      this.#abandon = () => resolve(undefined);
    });
  }

  kill(signal: NodeJS.Signals): void {
    signalGroup(this.#child, signal);
    if (signal !== 'SIGKILL' || this.#isKilled) return;
    this.#isKilled = true;
    setTimeout(() => this.#leave(), killMs).unref();
  }

  /** SIGTERM, and SIGKILL half a second later for one that ignores it. */
  end(): void {
    this.kill('SIGTERM');
    setTimeout(() => this.kill('SIGKILL'), termMs).unref();
  }

  /** Kills it for not having answered in that time; {@link failure} says so. */
  giveUp(patienceMs: number): void {
    this.failure ??= silent(this.#args, patienceMs);
    this.kill('SIGKILL');
  }

  /** See {@link GitProcess.awaiting}. */
  async awaiting<T>(work: Promise<T>): Promise<T> {
    const timer = new SilenceTimer({
      group: () => this.#child.pid,
      unseen: 'working',
      onSilence: (patienceMs) => this.giveUp(patienceMs),
    });
    timer.restart();
    try {
      return await work;
    } finally {
      timer.stop();
    }
  }

  #leave(): void {
    this.#abandon?.();
    for (const pipe of [this.#child.stdin, this.#child.stdout, this.#child.stderr]) pipe?.destroy();
    this.#child.unref();
  }
}

function signalGroup(child: Child, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === 'win32') child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch (error) {
    if (systemCode(error) === undefined) throw error; // ESRCH: it is gone
  }
}
