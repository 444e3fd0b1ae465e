// Ends the daemon, or one client's share of it, always by the same steps. Stops once, within a time limit,
// sends the replies, and exits with the code of this end. Uses no session. The daemon decides what a stop
// removes or keeps.
import type { Log } from '../base/log.ts';
import { within } from '../base/within.ts';

/**
 * Why the daemon ends. `exit`: without a shutdown before it. `endOfInput`: also an output without a reader.
 * `framing`: the client's bytes were invalid. `failure`: an uncaught error of ours. `idle`: no client came for long.
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

export interface EndingPorts {
  /** Lets running requests finish for a while, then aborts them. */
  readonly finishRequests: (graceMs: number) => Promise<void>;
  /** Ends all sessions. Called once, with the first reason. */
  readonly stop: (reason: EndReason) => Promise<void>;
  /** Waits until the replies are sent. */
  readonly drain: (msMax: number) => Promise<void>;
  /** Work that continues while there is time and may stay unfinished. Must not reject. */
  readonly finish: () => Promise<void>;
  readonly exit: (code: number) => void;
  readonly log: Log;
}

// A client that shuts down waits a second (eglot kills after 1.5 s). Running requests get the first part of
// this second.
const shutdownMsMax = 600;
const shutdownGraceMs = 300;
/** A client that closes the daemon's input but continues to read waits for the answers, and sends nothing more. */
const inputGraceMs = 2500;

/** How long each part of an end may take, in order. The next start completes unfinished work. */
interface Patience {
  /** A longer restore is interrupted between two of its steps. The restore's note says how to continue. */
  readonly stopMsMax: number;
  /** Replies get at least this long, plus the part of `drainedMsMax` that the stop did not use. */
  readonly drainMsMax: number;
  readonly drainedMsMax: number;
  /** Removed sessions are already renamed away. The next start deletes the rest. */
  readonly finishMsMax: number;
}

/** A client that sends `exit` waits for the process, and kills it after two seconds. */
const untilExit: Patience = { stopMsMax: 1000, drainMsMax: 300, drainedMsMax: 1400, finishMsMax: 400 };
const patient: Patience = { stopMsMax: 5000, drainMsMax: 1000, drainedMsMax: 1000, finishMsMax: 1000 };
/** Reasons for which no client waits for replies, or after which the daemon cannot continue. */
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

  /** Performs `shutdown`: resolves when everything is stopped, or when the client must not wait any longer. */
  async shutdown(): Promise<void> {
    await within(shutdownMsMax, this.#stop('shutdown'));
  }

  /** Ends for good. The first call determines the code. Later calls wait for the same end. */
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
      // The process must end after every failure, with the code that its parent expects.
      this.#ports.log.error('The stop failed. The next start removes what it left.');
      this.#ports.log.info(error instanceof Error ? (error.stack ?? error.message) : String(error));
    }
  }
}

/** Returns how long running requests may continue, in ms. */
function graceOf(reason: EndReason): number {
  if (abrupt.has(reason)) return 0;
  return reason === 'endOfInput' ? inputGraceMs : shutdownGraceMs;
}
