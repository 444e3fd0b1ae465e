// Every way in which the daemon ends, or one client's share of it, funnelled into one path: stop once, within a bound
// of time, let the replies out, leave with the code of that end. It knows no session; what a stop removes or keeps is
// the daemon's affair.
import type { Log } from '../base/log.ts';
import { within } from '../base/within.ts';

/**
 * Why the daemon ends. `exit`: without a shutdown before it. `endOfInput`: also an output without a reader.
 * `framing`: the client's bytes made no sense. `failure`: an uncaught error of ours. `idle`: no client came for long.
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
  /** Ends what is held. Called once, with the first reason. */
  readonly stop: (reason: EndReason) => Promise<void>;
  /** Waits until the replies have left. */
  readonly drain: (msMax: number) => Promise<void>;
  /** Work that goes on while there is time and need not finish. Must not reject. */
  readonly finish: () => Promise<void>;
  readonly exit: (code: number) => void;
  readonly log: Log;
}

// A client that shuts down has a second (eglot kills after 1.5 s), of which running requests get the first part.
const shutdownMsMax = 600;
const shutdownGraceMs = 300;
/** A client that closes the daemon's input and reads on waits for the answers, and sends nothing more. */
const inputGraceMs = 2500;

/** How long each part of an end may take, in order; what is under way then is left for the next start to finish. */
interface Patience {
  /** A restore that runs longer is left between two of its steps, with the note that tells how it goes on. */
  readonly stopMsMax: number;
  /** Replies get at least this long to leave, and what of `drainedMsMax` the stop has left over. */
  readonly drainMsMax: number;
  readonly drainedMsMax: number;
  /** Removed sessions are renamed away by then; what of them is not deleted now is deleted by the next start. */
  readonly finishMsMax: number;
}

/** A client that sends `exit` waits for the process, and kills it after two seconds. */
const untilExit: Patience = { stopMsMax: 1000, drainMsMax: 300, drainedMsMax: 1400, finishMsMax: 400 };
const patient: Patience = { stopMsMax: 5000, drainMsMax: 1000, drainedMsMax: 1000, finishMsMax: 1000 };
/** Reasons for which no client waits for replies, or after which the daemon cannot go on. */
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

  /** The work of `shutdown`: resolves when all is stopped, or when the client must not wait any longer. */
  async shutdown(): Promise<void> {
    await within(shutdownMsMax, this.#stop('shutdown'));
  }

  /** Ends for good. The first call decides the code; later ones join it. */
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

/** How long running requests may go on, ms. */
function graceOf(reason: EndReason): number {
  if (abrupt.has(reason)) return 0;
  return reason === 'endOfInput' ? inputGraceMs : shutdownGraceMs;
}
