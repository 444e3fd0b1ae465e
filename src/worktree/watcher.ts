// Watches the directories of a work tree and tells what may have changed: the main thread's side, which keeps the marks
// and the state. chokidar itself runs in a thread of its own (worktree/watcher-thread.ts). It only informs: no capture
// rests on it, because the kernel's queue overflows in silence, directories born while we run are watched late, and
// writes through mmap are never told. Names that are not UTF-8 are told as their directory.
import { Worker } from 'node:worker_threads';
import { systemCode } from '../base/errors.ts';
import { files } from '../base/files.ts';
import type { Log } from '../base/log.ts';
import { rootPath, type TreePath } from '../base/tree-path.ts';
import { type ChangeBatch, ChangeBatches } from './change-batches.ts';
import type { ChangeSet } from './change-set.ts';
import { DirtyPaths } from './dirty-paths.ts';
import type { FromThread, ThreadOrder, ToThread } from './watcher-messages.ts';

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
  /** Paths marked since the last {@link WorkTreeWatcher.drain}; 0 when there were too many to keep. */
  readonly dirtyPaths: number;
  /** How often events were lost, or may have been. */
  readonly overflows: number;
  /** Everything counts as changed. */
  readonly isEverythingDirty: boolean;
}

export interface WatcherOptions {
  /** The canonical path of the work tree. */
  readonly root: string;
  /** The daemon's storage, which may lie inside an allowed protected place and is never watched. */
  readonly storage?: string;
  /** Whether the ignore rules leave this path out, as far as is known without asking; see ColdCapture.isLeftOut. */
  readonly isIgnored: (path: TreePath) => boolean;
  /** The directories that they leave out, as far as is known: they are not watched at all. */
  readonly leftOut?: () => readonly TreePath[];
  /** The program of the thread; a test gives another one. */
  readonly program?: URL;
  readonly onChange?: (batch: ChangeBatch) => void;
  readonly onState?: (figures: WatchFigures) => void;
  readonly log: Log;
}

const threadProgram = new URL('./watcher-thread.js', import.meta.url);
/** The kernel keeps so many events for one reader and drops the rest without a word; a quarter of it is too near. */
const queueShare = 0.25;
const queueDefault = 16_384;
const restartMsMin = 1000;
const restartMsMax = 60_000;
const limitCodes = new Set(['ENOSPC', 'EMFILE', 'ENFILE', 'ENOMEM']);
/** chokidar's walk of 100,000 files in 10,000 directories takes more than 192 MB; what takes more is not watched. */
const threadHeap = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 16 };

export class WorkTreeWatcher {
  readonly #options: WatcherOptions;
  readonly #dirty = new DirtyPaths();
  readonly #batches: ChangeBatches;
  #thread: Worker | undefined;
  #state: WatchState = 'unwatched';
  #reason: string | undefined;
  #events = 0;
  #eventsBefore = 0;
  #overflows = 0;
  #directories = 0;
  /** At the time when the thread was last told which directories are left out. */
  #directoriesThen = 0;
  #starting: Promise<void> = Promise.resolve();
  #restart: NodeJS.Timeout | undefined;
  #restartMs = restartMsMin;
  #isClosed = false;
  #hasWarned = false;
  /** Why it started anew the last time: said once. */
  #logged: string | undefined;

  constructor(options: WatcherOptions) {
    this.#options = options;
    this.#batches = new ChangeBatches((batch) => options.onChange?.(batch));
    this.#dirty.markEverything('unwatched');
  }

  /** Cheap: nothing is counted for it. */
  get figures(): WatchFigures {
    return {
      state: this.#state,
      ...(this.#reason === undefined ? {} : { reason: this.#reason }),
      watchedDirectories: this.#directories,
      events: this.#events,
      dirtyPaths: this.#dirty.size,
      overflows: this.#overflows,
      isEverythingDirty: this.#dirty.isEverything,
    };
  }

  /** Some of the marked paths, in order. */
  dirtyPaths(limit: number): TreePath[] {
    return this.#dirty.first(limit);
  }

  /** Takes the marks since the last call: everything, unless the watcher was live all the while. */
  drain(): ChangeSet {
    const changes = this.#dirty.drain();
    if (this.#state !== 'live')
      this.#dirty.markEverything(this.#state === 'suspect' ? 'suspect' : 'unwatched');
    this.#renewLeftOut();
    return changes;
  }

  /** Starts watching in the background; see {@link ready}. */
  start(): void {
    if (this.#isClosed || this.#thread !== undefined) return;
    this.#starting = new Promise((resolve) => (this.#settle = resolve));
    this.#become('scanning');
    try {
      this.#thread = this.#startThread();
    } catch (error) {
      this.#givenUp(`its thread could not be started (${systemCode(error) ?? String(error)})`);
    }
  }

  /** Resolves when it is live, or has failed: {@link figures} tells which. */
  ready(): Promise<void> {
    return this.#starting;
  }

  /** Stops watching. Resolves when no handle and no thread is left. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#restart);
    this.#batches.close();
    const stopped = this.#stop();
    this.#become('unwatched');
    await stopped;
  }

  /** Ends the waiting for a start. */
  #settle: () => void = () => undefined;

  #startThread(): Worker {
    const { root, storage, leftOut, program = threadProgram } = this.#options;
    const order: ThreadOrder = {
      root,
      ...(storage === undefined ? {} : { storage }),
      leftOut: leftOut?.() ?? [],
      eventsMax: Math.ceil(queueLimit() * queueShare),
    };
    const thread = new Worker(program, {
      name: 'watcher',
      workerData: order,
      resourceLimits: threadHeap,
      execArgv: [],
      // Standard output is the wire: nothing of the thread's may reach it.
      stdout: true,
      stderr: true,
    });
    thread.unref();
    const isCurrent = (): boolean => this.#thread === thread;
    thread.on('message', (message: FromThread) => {
      if (isCurrent()) this.#hear(message);
    });
    thread.on('error', (error) => {
      if (isCurrent()) this.#crashed(error);
    });
    thread.on('exit', (code) => {
      if (isCurrent()) this.#suspect(`its thread ended (${code})`);
    });
    return thread;
  }

  /** No handle of the thread is left when this resolves. */
  async #stop(): Promise<void> {
    const thread = this.#thread;
    this.#thread = undefined;
    this.#directories = 0;
    this.#eventsBefore = this.#events;
    this.#settle();
    await thread?.terminate();
  }

  #hear(message: FromThread): void {
    switch (message.kind) {
      case 'marks':
        this.#events = this.#eventsBefore + message.events;
        this.#directories = this.#state === 'live' ? message.directories : 0;
        for (const path of message.paths) this.#mark(path);
        if (message.isEverything) this.#everything();
        this.#say({ kind: 'taken' });
        return;
      case 'live':
        this.#restartMs = restartMsMin;
        this.#directories = message.directories;
        this.#directoriesThen = message.directories;
        this.#become('live');
        // Seen by nobody since the last thread ended.
        if (this.#logged !== undefined) this.#batches.addEverything();
        this.#settle();
        return;
      case 'drowned':
        this.#suspect('more events at once than the kernel may keep');
        return;
      case 'failed':
        this.#failed(message.code);
    }
  }

  #say(message: ToThread): void {
    this.#thread?.postMessage(message);
  }

  /** Directories that came since may be left out, as the capture that begins now will find for the next time. */
  #renewLeftOut(): void {
    const { leftOut } = this.#options;
    if (this.#directories === this.#directoriesThen || leftOut === undefined) return;
    this.#directoriesThen = this.#directories;
    this.#say({ kind: 'leftOut', leftOut: leftOut() });
  }

  #mark(path: TreePath): void {
    if (path !== rootPath && this.#options.isIgnored(path)) return;
    this.#dirty.mark(path);
    this.#batches.add(path);
  }

  #everything(): void {
    this.#overflows += 1;
    this.#dirty.markEverything('overflow');
    this.#batches.addEverything();
  }

  #failed(code: string): void {
    if (!limitCodes.has(code)) this.#suspect(`a directory cannot be watched (${code})`);
    else this.#givenUp(`the system's limit of watches is reached (${code})`);
  }

  #crashed(error: unknown): void {
    const code = systemCode(error);
    if (code === 'ERR_WORKER_OUT_OF_MEMORY') this.#givenUp(`watching it takes too much memory (${code})`);
    else this.#suspect(`its thread failed (${code ?? String(error)})`);
  }

  /** Never partly watched: a client could not tell which half is. Trying again would fail again. */
  #givenUp(reason: string): void {
    if (!this.#hasWarned) {
      this.#options.log.warn(
        `The work tree is not watched: ${reason}. Captures stay right and look at everything.${reason.includes('limit') ? ' On Linux raise fs.inotify.max_user_watches.' : ''}`,
      );
    }
    this.#hasWarned = true;
    this.#everything();
    void this.#stop();
    this.#become('unwatched', reason);
  }

  /** Something was missed, or may have been: everything is dirty, and the watch is made anew after a pause. */
  #suspect(reason: string): void {
    if (this.#isClosed || this.#state === 'suspect') return;
    this.#everything();
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

function queueLimit(): number {
  try {
    const text = files.readFileSync('/proc/sys/fs/inotify/max_queued_events', 'utf8');
    return Number(text) || queueDefault;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return queueDefault; // not Linux
  }
}
