// The watching threads (handles-thread.ts, chokidar-thread.ts) and the sessions of this daemon that share them.
// Sessions share threads because a thread takes some 6 MB and five descriptors. On Linux one thread of each kind serves
// all sessions. The watches of these sessions share a queue of the kernel. When the queue may have overflowed, the
// thread informs all sessions. On other systems each session has its own thread. This code runs in the main thread;
// thread-seats.ts runs in the watching threads.
import { Worker } from 'node:worker_threads';
import { systemCode } from '../base/errors.ts';
import { limitCodes, reachedLimit } from './mark-queue.ts';

interface WatchProgram {
  readonly name: string;
  readonly program: URL;
  readonly heapMb: number;
}

export type ToThread<Order = object, Message = object> =
  | { readonly kind: 'enter'; readonly seat: number; readonly order: Order }
  | { readonly kind: 'say'; readonly seat: number; readonly message: Message }
  /** The session no longer needs to be watched. The thread answers with `left`. */
  | { readonly kind: 'leave'; readonly seat: number };

export type FromThread<Message> =
  | { readonly kind: 'message'; readonly seat: number; readonly message: Message }
  /**
   * The thread cannot watch for this session. `code` is the system's error code. If the error has no such code, `code`
   * is the error's text.
   */
  | { readonly kind: 'refused'; readonly seat: number; readonly code: string }
  /** The session has no more handles. */
  | { readonly kind: 'left'; readonly seat: number };

/** Describes an unexpected end of a thread. */
interface ThreadFailure {
  readonly reason: string;
  /** True when the system lacks a resource that the thread needs. */
  readonly isHopeless: boolean;
  /** True when several sessions shared the thread. Each of these sessions may have caused the failure. */
  readonly isShared: boolean;
}

interface Seat<Message> {
  onMessage(message: Message): void;
  onFailure(failure: ThreadFailure): void;
}

/** The threads that can serve more sessions. */
const openThreads = new Map<string, SharedThread<unknown>>();

/**
 * Returns a thread that runs the program: a thread that already serves other sessions, or a new thread.
 * @throws the system's error when the thread cannot be started
 */
function threadFor<Message>(program: WatchProgram, isAlone: boolean): SharedThread<Message> {
  if (isAlone || process.platform !== 'linux') return new SharedThread<Message>(program);
  const key = program.program.href;
  const thread = openThreads.get(key) ?? new SharedThread<unknown>(program, () => openThreads.delete(key));
  openThreads.set(key, thread);
  return thread;
}

/**
 * Size in MB of a thread's young generation. With V8's default for this size, a thread that opens 10,000 directories
 * keeps 30 MB of garbage. A small young generation does not limit what the thread may retain.
 */
const youngMb = 4;

/** How often in ms a timer runs that only keeps the process alive. */
const aliveMs = 60_000;

class SharedThread<Message> {
  readonly #worker: Worker;
  readonly #onFull: () => void;
  readonly #seats = new Map<number, Seat<Message>>();
  readonly #leaving = new Map<number, () => void>();
  readonly #exited: Promise<void>;
  #entered = 0;
  #isFull = false;

  /**
   * Starts the thread, which does not keep the process alive. `onFull` is called when no more sessions may enter the
   * thread.
   */
  constructor({ name, program, heapMb }: WatchProgram, onFull: () => void = () => undefined) {
    this.#onFull = onFull;
    const worker = new Worker(program, {
      name,
      resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: youngMb },
      execArgv: [],
      // The daemon sends its protocol on standard output, so output of the thread must not get there.
      stdout: true,
      stderr: true,
    });
    this.#worker = worker;
    worker.on('message', (message: FromThread<Message>) => this.#onMessage(message));
    worker.on('error', (error) => this.#failed(codeOf(error)));
    this.#exited = new Promise((resolve) => {
      worker.on('exit', (code) => {
        this.#fail({ reason: `its thread ended (${code})`, isHopeless: false });
        for (const left of this.#leaving.values()) left();
        this.#leaving.clear();
        resolve();
      });
    });
    worker.unref(); // last, because adding the message listener calls `ref()` on the worker
  }

  /** Gives a session a seat. Returns the id of the seat. */
  enter(seat: Seat<Message>, order: object): number {
    this.#entered += 1;
    this.#seats.set(this.#entered, seat);
    this.#post({ kind: 'enter', seat: this.#entered, order });
    return this.#entered;
  }

  say(seat: number, message: object): void {
    this.#post({ kind: 'say', seat, message });
  }

  /** Resolves when the session has no more handles. The thread ends with its last session. */
  async leave(seat: number): Promise<void> {
    this.#seats.delete(seat);
    if (this.#seats.size === 0) {
      this.close();
      await this.#worker.terminate();
      return;
    }
    const left = new Promise<void>((resolve) => this.#leaving.set(seat, resolve));
    this.#post({ kind: 'leave', seat });
    // The thread does not keep the process alive. Otherwise a process that has nothing else to do would end now, before
    // its session has ended.
    const alive = setInterval(() => undefined, aliveMs);
    await Promise.race([left, this.#exited]);
    clearInterval(alive);
    this.#leaving.delete(seat);
  }

  /** From now on, no more sessions may enter this thread. */
  close(): void {
    if (this.#isFull) return;
    this.#isFull = true;
    this.#onFull();
  }

  #post(message: ToThread): void {
    const port = this.#worker;
    port.postMessage(message);
  }

  #onMessage(message: FromThread<Message>): void {
    if (message.kind === 'left') return this.#leaving.get(message.seat)?.();
    const seat = this.#seats.get(message.seat);
    if (message.kind === 'message') return seat?.onMessage(message.message);
    seat?.onFailure({ reason: failureOf(message.code), isHopeless: false, isShared: false });
  }

  #failed(code: string): void {
    const isMemory = code === 'ERR_WORKER_OUT_OF_MEMORY';
    const reason = isMemory ? `watching the work tree takes too much memory (${code})` : failureOf(code);
    this.#fail({ reason, isHopeless: isMemory });
  }

  #fail(failure: Omit<ThreadFailure, 'isShared'>): void {
    this.close();
    const seats = [...this.#seats.values()];
    this.#seats.clear();
    const isShared = seats.length > 1;
    for (const seat of seats) seat.onFailure({ ...failure, isShared });
  }
}

function failureOf(code: string): string {
  return limitCodes.has(code) ? reachedLimit(code) : `its thread failed (${code})`;
}

/** Returns the system's code of an error. If the error has no such code, returns its text. */
function codeOf(error: unknown): string {
  return systemCode(error) ?? String(error);
}

interface WatchThreadListener<Message> {
  onMessage(message: Message): void;
  /**
   * The thread has ended by itself. `isHopeless`: the system lacks a resource that the thread needs, so a new thread
   * would end, too.
   */
  onFailure(reason: string, isHopeless: boolean): void;
}

interface Place<Message> {
  readonly thread: SharedThread<Message>;
  readonly seat: number;
}

const restartMsMin = 500;
const restartMsMax = 60_000;

/**
 * One session's seat in a watching thread. Starts and ends the watch, and restarts the watch after a pause. Each
 * failure doubles the pause.
 */
export class WatchThread<Message> {
  readonly #program: WatchProgram;
  readonly #listener: WatchThreadListener<Message>;
  #place: Place<Message> | undefined;
  readonly #ending = new Set<Promise<unknown>>();
  #restart: NodeJS.Timeout | undefined;
  #restartMs = restartMsMin;
  /**
   * True once a shared thread has failed. The session then gets its own thread, so that another failure concerns only
   * this session.
   */
  #isAlone = false;

  constructor(program: WatchProgram, listener: WatchThreadListener<Message>) {
    this.#program = program;
    this.#listener = listener;
  }

  get isRunning(): boolean {
    return this.#place !== undefined;
  }

  /** Starts to watch, in a thread that does not keep the process alive. */
  start(order: object): void {
    clearTimeout(this.#restart);
    try {
      this.#place = this.#enter(order);
    } catch (error) {
      this.#listener.onFailure(`its thread could not be started (${codeOf(error)})`, true);
    }
  }

  #enter(order: object): Place<Message> {
    const thread = threadFor<Message>(this.#program, this.#isAlone);
    const isCurrent = (): boolean => this.#place?.thread === thread && this.#place.seat === seat;
    const seat = thread.enter(
      {
        onMessage: (message) => isCurrent() && this.#listener.onMessage(message),
        onFailure: (failure) => isCurrent() && this.#failed(failure),
      },
      order,
    );
    return { thread, seat };
  }

  #failed({ reason, isHopeless, isShared }: ThreadFailure): void {
    this.#isAlone ||= isShared;
    this.#listener.onFailure(reason, isHopeless && !isShared);
  }

  /** Starts again after a pause. */
  startLater(start: () => void): void {
    clearTimeout(this.#restart);
    this.#restart = setTimeout(start, this.#restartMs).unref();
    this.#restartMs = Math.min(this.#restartMs * 2, restartMsMax);
  }

  /** Records that the thread works. So the pause after the next failure is short again. */
  succeeded(): void {
    this.#restartMs = restartMsMin;
  }

  say(message: object): void {
    this.#place?.thread.say(this.#place.seat, message);
  }

  /** From now on, no more sessions may enter the thread, because the thread does not answer. */
  closeThread(): void {
    this.#place?.thread.close();
  }

  /** Stops watching. Resolves when the handles of this seat and of all earlier seats are closed. */
  async stop(): Promise<void> {
    clearTimeout(this.#restart);
    const place = this.#place;
    this.#place = undefined;
    if (place !== undefined) {
      const left = place.thread.leave(place.seat).finally(() => this.#ending.delete(left));
      this.#ending.add(left);
    }
    await Promise.all(this.#ending);
  }
}
