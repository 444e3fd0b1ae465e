// Controls chokidar's thread (chokidar-thread.ts) from the main thread, and has the state of the watch, which clients
// see. This module watches either the whole tree or nothing. After a missed event, it restarts the watch (`suspect`).
// When the system allows no more watches, it ends the watch (`unwatched`).
import type { Log } from '../base/log.ts';
import type { TreePath } from '../tree/tree-path.ts';
import { reachedLimit, remedyOf } from './mark-queue.ts';
import { WatchThread } from './watch-thread.ts';

/** The arguments of the thread. */
export interface ChokidarOrder {
  /** The canonical path of the work tree. */
  readonly root: string;
  readonly storage?: string | undefined;
  /** The directories in the work tree that the ignore rules exclude. */
  readonly ignored: readonly TreePath[];
}

export type FromChokidar =
  | {
      readonly kind: 'marks';
      readonly paths: readonly TreePath[];
      /** True when events were lost, or when there are too many marks to send. `paths` is then empty. */
      readonly isEverything: boolean;
      readonly directories: number;
    }
  | { readonly kind: 'live'; readonly directories: number }
  | { readonly kind: 'tooMany' }
  | { readonly kind: 'failed'; readonly code: string; readonly isLimit: boolean };

export type ToChokidar =
  /** The main thread has processed the last marks. The watching thread gathers new marks until it gets this message. */
  { readonly kind: 'taken' } | { readonly kind: 'ignored'; readonly paths: readonly TreePath[] };

/**
 * `unwatched`: the watch has not started, was closed, or has ended for ever. `scanning`: chokidar opens the directories.
 * `live`: chokidar watches every directory. `suspect`: chokidar missed an event and restarts after a pause.
 */
export type WatchState = 'unwatched' | 'scanning' | 'live' | 'suspect';

export interface ChokidarWatchOptions {
  /** The canonical path of the work tree. */
  readonly root: string;
  /** The daemon's storage, which may be inside the work tree and is never watched. */
  readonly storage?: string;
  /** Returns the known directories that the ignore rules exclude. The thread does not watch these directories. */
  readonly ignoredDirectories?: () => readonly TreePath[];
  /** The program of the thread. A test passes another program. */
  readonly program?: URL;
  readonly onMark: (path: TreePath) => void;
  /** Called when any path may have changed. */
  readonly onEverything: () => void;
  readonly log: Log;
}

export class ChokidarWatch {
  readonly #options: ChokidarWatchOptions;
  readonly #thread: WatchThread<FromChokidar>;
  #state: WatchState = 'unwatched';
  #reason: string | undefined;
  #overflows = 0;
  #directories = 0;
  /** The number of watched directories when the thread last got the list of ignored directories. */
  #directoriesThen = 0;
  #ready: Promise<void> = Promise.resolve();
  #endStart: () => void = () => undefined;
  #isClosed = false;
  /** The reason of the last restart. Each reason is logged once. */
  #logged: string | undefined;

  constructor(options: ChokidarWatchOptions) {
    this.#options = options;
    const { program = new URL('./chokidar-thread.js', import.meta.url) } = options;
    this.#thread = new WatchThread(
      // The memory limit of the thread. Chokidar needs more than 192 MB for 100,000 files in 10,000 directories. If a
      // tree needs more than the limit, chokidar does not watch it.
      { name: 'chokidar', program, heapMb: 512 },
      {
        onMessage: (message) => this.#onMessage(message),
        onFailure: (reason, isHopeless) => (isHopeless ? void this.#giveUp(reason) : this.#startAnew(reason)),
      },
    );
  }

  get state(): WatchState {
    return this.#state;
  }

  /** Why the state is `suspect` or `unwatched`. */
  get reason(): string | undefined {
    return this.#reason;
  }

  get directories(): number {
    return this.#directories;
  }

  /** The number of times that events were lost or may have been lost. */
  get overflows(): number {
    return this.#overflows;
  }

  /** Starts in the background. Waits for `after` first, if `after` is given; see {@link ready}. */
  start(after?: Promise<void>): void {
    if (this.#isClosed || this.#thread.isRunning) return;
    this.#ready = new Promise((resolve) => (this.#endStart = resolve));
    this.#state = 'scanning';
    this.#reason = undefined;
    if (after === undefined) this.#begin();
    else void after.then(() => this.#begin());
  }

  #begin(): void {
    if (this.#isClosed || this.#thread.isRunning) return;
    const { root, storage, ignoredDirectories } = this.#options;
    const order: ChokidarOrder = { root, storage, ignored: ignoredDirectories?.() ?? [] };
    this.#thread.start(order);
  }

  /** Resolves when the state is no longer `scanning`. */
  ready(): Promise<void> {
    return this.#ready;
  }

  /** Sends the ignored directories to the thread, because new directories may be ignored. */
  renewIgnored(): void {
    const { ignoredDirectories } = this.#options;
    if (this.#directories === this.#directoriesThen || ignoredDirectories === undefined) return;
    this.#directoriesThen = this.#directories;
    this.#say({ kind: 'ignored', paths: ignoredDirectories() });
  }

  /**
   * Closes chokidar's watches, so that the system has free watches for the directory handles, which captures need.
   * Returns undefined when chokidar has no watches.
   */
  makeRoom(code: string): Promise<void> | undefined {
    if (!this.#thread.isRunning) return undefined;
    return this.#giveUp(`${reachedLimit(code)}, and captures need the remaining watches`, remedyOf(code));
  }

  /** Stops watching. Resolves when no handle and no thread is left. */
  close(): Promise<void> {
    this.#isClosed = true;
    return this.#stop('unwatched');
  }

  #onMessage(message: FromChokidar): void {
    switch (message.kind) {
      case 'marks':
        if (this.#state === 'live') this.#directories = message.directories;
        for (const path of message.paths) this.#options.onMark(path);
        if (message.isEverything) this.#lose();
        return this.#say({ kind: 'taken' });
      case 'live':
        this.#thread.succeeded();
        this.#directories = message.directories;
        this.#directoriesThen = message.directories;
        this.#state = 'live';
        if (this.#logged !== undefined) this.#options.onEverything(); // for a moment, no thread was watching
        return this.#endStart();
      case 'tooMany':
        return this.#startAnew('more events arrived than the kernel can queue');
      case 'failed':
        if (message.isLimit) void this.#giveUp(reachedLimit(message.code), remedyOf(message.code));
        else this.#startAnew(`a directory cannot be watched (${message.code})`);
    }
  }

  #say(message: ToChokidar): void {
    this.#thread.say(message);
  }

  #lose(): void {
    this.#overflows += 1;
    this.#options.onEverything();
  }

  /**
   * Ends watching completely: if only a part of the tree were watched, clients could not know which part. A new attempt
   * would fail again.
   */
  #giveUp(reason: string, remedy?: string): Promise<void> {
    const what = `Changes of the work tree are not reported: ${reason}. Checkpoints stay correct.`;
    this.#options.log.warn(remedy === undefined ? what : `${what} ${remedy}`);
    this.#lose();
    return this.#stop('unwatched', reason);
  }

  /** Restarts chokidar after a pause, because it may have missed an event. Any path may have changed meanwhile. */
  #startAnew(reason: string): void {
    if (this.#isClosed || this.#state === 'suspect') return;
    this.#lose();
    if (this.#logged !== reason)
      this.#options.log.info(`The watch of the work tree starts again: ${reason}.`);
    this.#logged = reason;
    void this.#stop('suspect', reason);
    this.#thread.startLater(() => this.start());
  }

  #stop(state: 'unwatched' | 'suspect', reason?: string): Promise<void> {
    this.#state = state;
    this.#reason = reason;
    this.#directories = 0;
    this.#endStart();
    return this.#thread.stop();
  }
}
