// Ends the daemon, or the connection of one client, always with the same steps. Stops the work once and within a time
// limit, sends the responses, and exits with the right code. This module does not touch sessions. The daemon decides
// what a stop removes or keeps.
import type { Log } from '../base/log.ts';
import { within } from '../base/within.ts';

/**
 * The reason why the daemon ends. `exit` means that the client sent `exit` without `shutdown`. `endOfInput` can also
 * mean that the client no longer reads the output. `framing` means that the client sent invalid bytes. `failure` means
 * an uncaught error of the daemon. `idle` means that no client has connected for a long time.
 */
export type EndReason =
  | 'shutdown'
  | 'exit'
  | 'endOfInput'
  | 'parentDeath'
  | 'framing'
  | 'signal'
  | 'failure'
  | 'idle';

interface EndingPorts {
  /** Waits for running requests. Aborts the requests that are still running after `graceMs`. */
  readonly finishRequests: (graceMs: number) => Promise<void>;
  /** Ends all sessions. Called once, with the first reason for the end. */
  readonly stop: (reason: EndReason) => Promise<void>;
  /** Waits until the responses are sent. */
  readonly drain: (msMax: number) => Promise<void>;
  /** Waits for work. When the time is over, the process may leave this work unfinished. Must not reject. */
  readonly finish: () => Promise<void>;
  readonly exit: (code: number) => void;
  readonly log: Log;
}

// A client that sends `shutdown` waits about a second for the answer (eglot kills the daemon after 1.5 s). Requests
// that are still running get the first part of this second.
const shutdownMsMax = 600;
const shutdownGraceMs = 300;
/**
 * The time that running requests get after the end of the input. A client that has closed the input may still read, and
 * wait for the answers.
 */
const inputGraceMs = 2500;

/**
 * The time limits for the steps of the daemon's end, in the order of the steps. The next start completes unfinished
 * work.
 */
interface Patience {
  /**
   * The time limit for stopping the work. A restore that takes longer is interrupted between two of its steps. The
   * restore's note tells a later daemon how to continue.
   */
  readonly stopMsMax: number;
  /**
   * The time that is always left for sending the responses. If the work stops before `drainedMsMax` is over, the rest of
   * that time is added.
   */
  readonly drainMsMax: number;
  readonly drainedMsMax: number;
  /**
   * The time limit for deleting the files of removed sessions, which are already renamed. The next start deletes the
   * remaining files.
   */
  readonly finishMsMax: number;
}

/**
 * The time limits after the client has sent `exit`. A client that sends `exit` waits for the end of the process, and
 * kills the process after two seconds.
 */
const untilExit: Patience = { stopMsMax: 1000, drainMsMax: 300, drainedMsMax: 1400, finishMsMax: 400 };
const patient: Patience = { stopMsMax: 5000, drainMsMax: 1000, drainedMsMax: 1000, finishMsMax: 1000 };
/**
 * The reasons for which running requests get no more time: no client waits for responses, or the daemon cannot
 * continue.
 */
const abrupt: ReadonlySet<EndReason> = new Set(['signal', 'parentDeath', 'failure', 'framing']);

export class Ending {
  readonly #ports: EndingPorts;
  #stopped: Promise<void> | undefined;
  #ended: Promise<void> | undefined;

  constructor(ports: EndingPorts) {
    this.#ports = ports;
  }

  get hasBegun(): boolean {
    return this.#stopped !== undefined;
  }

  /** Performs `shutdown`. Resolves when the work has stopped, or when the client must not wait any longer. */
  async shutdown(): Promise<void> {
    await within(shutdownMsMax, this.#stop('shutdown'));
  }

  /**
   * Ends the daemon or the client's connection. The first call determines the exit code, and later calls wait for the
   * same end.
   */
  end(reason: EndReason, code: number): Promise<void> {
    this.#ended ??= this.#end(reason, code);
    return this.#ended;
  }

  async #end(reason: EndReason, code: number): Promise<void> {
    this.#ports.log.info(`the daemon ends: ${reason}, exit code ${code}`);
    const started = performance.now();
    const { stopMsMax, drainMsMax, drainedMsMax, finishMsMax } = reason === 'exit' ? untilExit : patient;
    const inTime = await within(stopMsMax, this.#stop(reason));
    if (!inTime) this.#ports.log.error(`The stop was not finished within ${stopMsMax} ms.`);
    await this.#ports.drain(Math.max(drainMsMax, drainedMsMax - (performance.now() - started)));
    await within(finishMsMax, this.#ports.finish());
    this.#ports.exit(code);
  }

  #stop(reason: EndReason): Promise<void> {
    this.#stopped ??= this.#stopOnce(reason);
    return this.#stopped;
  }

  async #stopOnce(reason: EndReason): Promise<void> {
    await this.#ports.finishRequests(graceOf(reason));
    try {
      await this.#ports.stop(reason);
    } catch (error) {
      // If stopping the work fails, only logs the failure. The process must end in any case, with the exit code that
      // its parent expects.
      this.#ports.log.error(
        'The daemon could not end all sessions. The next daemon cleans up the remaining sessions.',
      );
      this.#ports.log.info(error instanceof Error ? (error.stack ?? error.message) : String(error));
    }
  }
}

/** Returns how long running requests may continue, in ms. */
function graceOf(reason: EndReason): number {
  if (abrupt.has(reason)) return 0;
  return reason === 'endOfInput' ? inputGraceMs : shutdownGraceMs;
}
