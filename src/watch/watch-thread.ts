// One of the two watching threads (handles-thread.ts, chokidar-thread.ts) from the main thread's side: starts it,
// ends it, and restarts it after a pause that doubles with each failure.
import { Worker } from 'node:worker_threads';
import { systemCode } from '../base/errors.ts';

export interface WatchProgram {
  readonly name: string;
  readonly program: URL;
  readonly heapMb: number;
}

export interface WatchThreadListener<Message> {
  heard(message: Message): void;
  /**
   * The thread has ended by itself. `isHopeless`: the system lacks what it needs, so another thread would end as
   * well.
   */
  failed(reason: string, isHopeless: boolean): void;
}

const restartMsMin = 500;
const restartMsMax = 60_000;

export class WatchThread<Message> {
  readonly #program: WatchProgram;
  readonly #listener: WatchThreadListener<Message>;
  #worker: Worker | undefined;
  readonly #ending = new Set<Promise<unknown>>();
  #restart: NodeJS.Timeout | undefined;
  #restartMs = restartMsMin;

  constructor(program: WatchProgram, listener: WatchThreadListener<Message>) {
    this.#program = program;
    this.#listener = listener;
  }

  get isRunning(): boolean {
    return this.#worker !== undefined;
  }

  /** Starts the thread, which keeps no process alive. */
  start(order: object): void {
    clearTimeout(this.#restart);
    try {
      this.#worker = this.#begin(order);
    } catch (error) {
      this.#listener.failed(`its thread could not be started (${codeOf(error)})`, true);
    }
  }

  #begin(order: object): Worker {
    const { name, program, heapMb } = this.#program;
    const worker = new Worker(program, {
      name,
      workerData: order,
      resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: 16 },
      execArgv: [],
      // Standard output is the wire, so output of the thread must not reach it.
      stdout: true,
      stderr: true,
    });
    const isCurrent = (): boolean => this.#worker === worker;
    worker.on('message', (message: Message) => isCurrent() && this.#listener.heard(message));
    worker.on('error', (error) => isCurrent() && this.#crashed(codeOf(error)));
    worker.on('exit', (code) => isCurrent() && this.#listener.failed(`its thread ended (${code})`, false));
    worker.unref(); // last, because listening to its messages references the worker again
    return worker;
  }

  /** Starts the thread again after a pause. */
  startLater(start: () => void): void {
    clearTimeout(this.#restart);
    this.#restart = setTimeout(start, this.#restartMs).unref();
    this.#restartMs = Math.min(this.#restartMs * 2, restartMsMax);
  }

  /** Notes that the thread works: after the next failure the pause is short again. */
  succeeded(): void {
    this.#restartMs = restartMsMin;
  }

  say(message: object): void {
    this.#worker?.postMessage(message);
  }

  /** Ends the thread. Resolves when this thread and all earlier ones are gone. */
  async stop(): Promise<void> {
    clearTimeout(this.#restart);
    const worker = this.#worker;
    this.#worker = undefined;
    if (worker !== undefined) {
      const ended = worker.terminate().finally(() => this.#ending.delete(ended));
      this.#ending.add(ended);
    }
    await Promise.all(this.#ending);
  }

  #crashed(code: string): void {
    const isMemory = code === 'ERR_WORKER_OUT_OF_MEMORY';
    this.#listener.failed(
      isMemory ? `watching it takes too much memory (${code})` : `its thread failed (${code})`,
      isMemory,
    );
  }
}

function codeOf(error: unknown): string {
  return systemCode(error) ?? String(error);
}
