// Watches the directories of a work tree and tells what may have changed: the main thread's side, which keeps the log of
// changes and the state. chokidar runs in a thread of its own (watch/thread/watcher-thread.ts) and only informs: captures
// rest on what they hold themselves (watch/held/). Names that are not UTF-8 are told as their directory.
import type { Worker } from 'node:worker_threads';
import { systemCode } from '../base/errors.ts';
import { given } from '../base/given.ts';
import type { Log } from '../base/log.ts';
import { rootPath, type TreePath } from '../tree/tree-path.ts';
import { type ChangeBatch, ChangeBatches } from './change-batches.ts';
import { ChangeLog, type Changes } from './change-log.ts';
import { Fence } from './fence.ts';
import { HeldWatch } from './held/held-watch.ts';
import { type FromThread, limitCodes, type ThreadOrder, type ToThread } from './thread/messages.ts';
import { queueShareOf, startThread, ThreadEnds } from './thread/thread-start.ts';

const restartMsMin = 1000;
const restartMsMax = 60_000;

export class WorkTreeWatcher {
  /** What the watch has told, left out or not; of any time when it was not live nothing is known. */
  readonly changes = new ChangeLog();
  /** What captures rest on; undefined without a directory for its fence. */
  readonly held: HeldWatch | undefined;
  readonly #options: WatcherOptions;
  readonly #fence: Fence | undefined;
  /** Where the last capture that succeeded began to look. */
  #capturedTo = 0;
  readonly #batches: ChangeBatches;
  readonly #threads = new ThreadEnds();
  #thread: Worker | undefined;
  #state: WatchState = 'unwatched';
  #reason: string | undefined;
  #events = 0;
  #eventsBefore = 0;
  #overflows = 0;
  #drifts = 0;
  #directories = 0;
  /** At the time when the thread was last told which directories are left out. */
  #directoriesThen = 0;
  #starting: Promise<void> = Promise.resolve();
  #restart: NodeJS.Timeout | undefined;
  #restartMs = restartMsMin;
  #isClosed = false;
  #hasWarned = false;
  #logged: string | undefined; // why it started anew the last time: said once

  constructor(options: WatcherOptions) {
    this.#options = options;
    const { fenceDirectory, onHoldable: onReady } = options;
    if (fenceDirectory !== undefined) {
      this.#fence = new Fence(fenceDirectory);
      const makeRoom = (code: string): Promise<void> | undefined => this.#makeRoom(code);
      this.held = new HeldWatch({ ...options, fenceDirectory: `${fenceDirectory}-held`, onReady, makeRoom });
    }
    this.#batches = new ChangeBatches((batch) => options.onChange?.(batch));
    this.changes.keepFor(this, this.#capturedTo);
  }

  get figures(): WatchFigures {
    return {
      state: this.#state,
      ...given({ reason: this.#reason }),
      watchedDirectories: this.#directories,
      events: this.#events,
      dirtyPaths: this.#changed().length,
      overflows: this.#overflows,
      drifts: this.#drifts,
    };
  }

  get isLive(): boolean {
    return this.#state === 'live';
  }

  /** Some of the paths that changed since the last capture, in order. */
  dirtyPaths(limit: number): TreePath[] {
    return this.#changed().slice(0, limit);
  }

  /** What may have changed since the last capture that succeeded. */
  changesSinceCapture(): Changes {
    return this.changes.since(this.#capturedTo);
  }

  /** A capture of everything that began to look at this position of {@link changes} has succeeded. */
  captured(position: number): void {
    this.#capturedTo = Math.max(this.#capturedTo, position);
    this.changes.keepFor(this, this.#capturedTo);
    this.#renewLeftOut();
  }

  /** Starts watching in the background, where `after` is given when that has resolved; see {@link ready}. */
  start(after?: Promise<void>): void {
    if (this.#isClosed || this.#thread !== undefined) return;
    this.held?.start();
    this.#starting = new Promise((resolve) => (this.#endStart = resolve));
    this.#become('scanning');
    if (after === undefined) this.#begin();
    else void after.then(() => this.#begin());
  }

  #begin(): void {
    if (this.#isClosed || this.#thread !== undefined) return;
    try {
      this.#thread = this.#startThread();
    } catch (error) {
      void this.#givenUp(`its thread could not be started (${systemCode(error) ?? String(error)})`);
    }
  }

  /** Resolves when it is live, or has failed: {@link figures} tells which. */
  ready(): Promise<void> {
    return this.#starting;
  }

  /**
   * True once every change made before this call is in {@link changes}; false when that cannot be proven: it is not
   * live, this is not Linux, or the proof did not come within a second.
   */
  async fence(): Promise<boolean> {
    return this.isLive && this.#fence !== undefined && (await this.#fence.pass());
  }

  /**
   * Takes what a capture found and nobody had told. Once these directories are watched anew the paths are told to
   * whoever listens, and `onDrift` is called. They are not in {@link changes}, which has what the watch itself told.
   */
  mend(paths: readonly TreePath[], directories: readonly TreePath[]): void {
    this.#say({ kind: 'mend', paths, directories });
  }

  /** Stops watching. Resolves when no handle and no thread is left. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#restart);
    this.#batches.close();
    const stopped = this.#stop();
    this.#become('unwatched');
    this.changes.stop('unwatched');
    await Promise.all([stopped, this.held?.close()]);
    this.#fence?.remove();
  }

  #endStart: () => void = () => undefined; // ends the waiting for a start

  #startThread(): Worker {
    const { root, storage, leftOut, program } = this.#options;
    const order: ThreadOrder = {
      root,
      ...given({ storage, fence: this.#fence?.prepare() }),
      leftOut: leftOut?.() ?? [],
      eventsMax: queueShareOf(),
    };
    const ifCurrent = <T>(then: (told: T) => void): ((told: T) => void) => {
      return (told) => {
        if (this.#thread === thread) then(told);
      };
    };
    const tell = {
      heard: ifCurrent((message: FromThread) => this.#hear(message)),
      crashed: ifCurrent((error) => this.#crashed(error)),
      ended: ifCurrent((code: number) => this.#suspect(`its thread ended (${code})`)),
    };
    const thread = startThread<FromThread>(order, tell, { ...watcherThread, ...given({ program }) });
    return thread;
  }

  /** No handle of the thread is left when this resolves. */
  async #stop(): Promise<void> {
    const thread = this.#thread;
    this.#thread = undefined;
    this.#directories = 0;
    this.#eventsBefore = this.#events;
    this.#endStart();
    this.#fence?.giveUp();
    await this.#threads.end(thread);
  }

  #hear(message: FromThread): void {
    switch (message.kind) {
      case 'marks':
        this.#events = this.#eventsBefore + message.events;
        this.#directories = this.#state === 'live' ? message.directories : 0;
        for (const path of message.paths) this.#mark(path);
        if (message.isEverything) this.#everything();
        return this.#say({ kind: 'taken' });
      case 'fence':
        return this.#fence?.read(message.cookie);
      case 'mended':
        return this.#mended(message.paths);
      case 'live':
        this.#restartMs = restartMsMin;
        this.#directories = message.directories;
        this.#directoriesThen = message.directories;
        this.#become('live');
        this.changes.start();
        // Seen by nobody since the last thread ended.
        if (this.#logged !== undefined) this.#batches.addEverything();
        return this.#endStart();
      case 'tooMany':
        return this.#suspect('more events at once than the kernel may keep');
      case 'failed':
        this.#failed(message.code);
    }
  }

  #mended(paths: readonly TreePath[]): void {
    this.#drifts += 1;
    if (this.#drifts === 1)
      this.#options.log.info(
        `A capture found ${paths.length} changes that the watch of the work tree had not told. It holds them, and what comes next is looked at as a whole.`,
      );
    for (const path of paths) this.#batches.add(path);
    this.#options.onDrift?.(paths);
  }

  #say(message: ToThread): void {
    this.#thread?.postMessage(message);
  }

  /** Directories that came since the thread was told may be left out, as the capture that ended has found. */
  #renewLeftOut(): void {
    const { leftOut } = this.#options;
    if (this.#directories === this.#directoriesThen || leftOut === undefined) return;
    this.#directoriesThen = this.#directories;
    this.#say({ kind: 'leftOut', leftOut: leftOut() });
  }

  #mark(path: TreePath): void {
    const { isIgnored } = this.#options;
    if (path !== rootPath && isIgnored(path)) return this.changes.markLeftOut(path, isIgnored);
    this.changes.mark(path);
    this.#batches.add(path);
  }

  /** What is known to have changed since the last capture; nothing when that was too much to keep. */
  #changed(): TreePath[] {
    const changes = this.changesSinceCapture();
    if (changes.kind === 'everything' && changes.reason === 'overflow') return [];
    return this.changes.toldSince(this.#capturedTo);
  }

  #everything(): void {
    this.#overflows += 1;
    this.changes.lose('overflow');
    this.#batches.addEverything();
  }

  #failed(code: string): void {
    if (!limitCodes.has(code)) this.#suspect(`a directory cannot be watched (${code})`);
    else void this.#givenUp(`the system's limit of watches is reached (${code})`);
  }

  #crashed(error: unknown): void {
    const code = systemCode(error);
    if (code === 'ERR_WORKER_OUT_OF_MEMORY')
      void this.#givenUp(`watching it takes too much memory (${code})`);
    else this.#suspect(`its thread failed (${code ?? String(error)})`);
  }

  /** Lets all watches go where captures lack some: those who are told can do without them, and a fast capture cannot. */
  #makeRoom(code: string): Promise<void> | undefined {
    const reason = `captures need the watches that are left, the system's limit is reached (${code})`;
    return this.#thread && this.#givenUp(reason);
  }

  /** Never partly watched: a client could not tell which half is. Trying again would fail again. */
  #givenUp(reason: string): Promise<void> {
    const remedy = reason.includes('limit') ? ' On Linux raise fs.inotify.max_user_watches.' : '';
    const what = `Changes of the work tree are not told: ${reason}. Captures stay right.${remedy}`;
    if (!this.#hasWarned) this.#options.log.warn(what);
    this.#hasWarned = true;
    this.#everything();
    this.changes.stop('unwatched');
    const stopped = this.#stop();
    this.#become('unwatched', reason);
    return stopped;
  }

  /** Something was missed, or may have been: everything is dirty, and the watch is made anew after a pause. */
  #suspect(reason: string): void {
    if (this.#isClosed || this.#state === 'suspect') return;
    this.#everything();
    this.changes.stop('suspect');
    this.#become('suspect', reason);
    if (this.#logged !== reason) this.#options.log.info(`The watch of the work tree starts anew: ${reason}.`);
    this.#logged = reason;
    void this.#stop();
    this.#restart = setTimeout(() => this.start(), this.#restartMs).unref();
    this.#restartMs = Math.min(this.#restartMs * 2, restartMsMax);
  }

  #become(state: WatchState, reason?: string): void {
    if (this.#state === state) return;
    this.#state = state;
    this.#reason = reason;
    this.#options.onState?.(this.figures);
  }
}

// The options of a watcher.

/** chokidar's walk of 100,000 files in 10,000 directories takes more than 192 MB; what takes more is not watched. */
export const watcherThread = {
  name: 'watcher',
  program: new URL('./thread/watcher-thread.js', import.meta.url),
  heapMb: 512,
} as const;

export interface WatcherOptions {
  /** The canonical path of the work tree. */
  readonly root: string;
  /** The daemon's storage, which may lie inside an allowed protected place and is never watched. */
  readonly storage?: string;
  /** A private directory, not yet there, for the cookies of `WorkTreeWatcher.fence`; without it there is none. */
  readonly fenceDirectory?: string;
  /** Whether the ignore rules leave this path out, as far as is known without asking; see Capturer.isLeftOut. */
  readonly isIgnored: (path: TreePath) => boolean;
  /** The directories that they leave out, as far as is known: they are not watched at all. */
  readonly leftOut?: () => readonly TreePath[];
  /** The program of the thread; a test gives another one. */
  readonly program?: URL;
  readonly onChange?: (batch: ChangeBatch) => void;
  /** Changes that had not been told, found by somebody else; from now on their directories are watched. */
  readonly onDrift?: (paths: readonly TreePath[]) => void;
  /** Directories can be held from now on (watch/held/). */
  readonly onHoldable?: () => void;
  readonly onState?: (figures: WatchFigures) => void;
  readonly log: Log;
}

// The state and the figures that a watcher reports about itself.

/** `live`: every directory was watched before it was read. `suspect`: something was missed; it starts anew. */
export type WatchState = 'unwatched' | 'scanning' | 'live' | 'suspect';

/** The watcher's figures, as `worktree/status` tells them. */
export interface WatchFigures {
  readonly state: WatchState;
  /** Why it is suspect or unwatched. */
  readonly reason?: string;
  readonly watchedDirectories: number;
  /** Events that the kernel has told since the watcher was made. */
  readonly events: number;
  /** Paths that changed since the last capture; 0 when there were too many to keep. */
  readonly dirtyPaths: number;
  /** How often events were lost, or may have been. */
  readonly overflows: number;
  /** How often a capture found changes that had not been told. */
  readonly drifts: number;
}
