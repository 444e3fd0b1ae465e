// Watches the directories of a work tree with chokidar and tells what may have changed. It only informs: no capture
// rests on it, because the kernel's queue overflows in silence, directories born while we run are watched late, and
// writes through mmap are never told. Names that are not UTF-8 are told as their directory.
import type { FSWatcher } from 'chokidar';
import { systemCode } from '../base/errors.ts';
import { files } from '../base/files.ts';
import type { Log } from '../base/log.ts';
import { fromText, isGitName, join, nameOf, rootPath, type TreePath } from '../base/tree-path.ts';
import { type ChangeBatch, ChangeBatches } from './change-batches.ts';
import type { ChangeSet } from './change-set.ts';
import { DirtyPaths } from './dirty-paths.ts';
import { isRestoreTemporary } from './exclusions.ts';

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
  readonly onChange?: (batch: ChangeBatch) => void;
  readonly onState?: (figures: WatchFigures) => void;
  readonly log: Log;
}

/** The kernel keeps so many events for one reader and drops the rest without a word; a quarter of it is too near. */
const queueShare = 0.25;
const queueDefault = 16_384;
/** A loop that stood still for so long may have let the queue run over. */
const loopDelayMsMax = 250;
const loopProbeMs = 200;
const restartMsMin = 1000;
const restartMsMax = 60_000;
const limitCodes = new Set(['ENOSPC', 'EMFILE', 'ENFILE', 'ENOMEM']);

export class WorkTreeWatcher {
  readonly #options: WatcherOptions;
  readonly #dirty = new DirtyPaths();
  readonly #batches: ChangeBatches;
  readonly #queueMax = queueLimit() * queueShare;
  #chokidar: FSWatcher | undefined;
  #state: WatchState = 'unwatched';
  #reason: string | undefined;
  #events = 0;
  #overflows = 0;
  #directories = 0;
  #starting: Promise<void> = Promise.resolve();
  #eventsInPhase = 0;
  #probe: NodeJS.Timeout | undefined;
  #restart: NodeJS.Timeout | undefined;
  #restartMs = restartMsMin;
  #isClosed = false;
  #hasWarned = false;

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
    return changes;
  }

  /** Starts watching in the background; see {@link ready}. */
  start(): void {
    this.#starting = this.#open();
    this.#starting.catch((error: unknown) => {
      this.#options.log.warn(`The work tree is not watched: ${String(error)}. Captures look at everything.`);
      this.#become('unwatched', String(error));
    });
  }

  /** Resolves when it is live, or has failed: {@link figures} tells which. */
  ready(): Promise<void> {
    return this.#starting;
  }

  async #open(): Promise<void> {
    if (this.#isClosed || this.#chokidar !== undefined) return;
    this.#become('scanning');
    const { watch } = await import('chokidar');
    if (this.#isClosed) return;
    const chokidar = watch(this.#options.root, {
      ignored: (path, stats) => (stats !== undefined && !stats.isDirectory()) || this.#isOutside(path),
      followSymlinks: false, // a link loop gave 10,000 events under 41 paths
      atomic: false, // else `*~` and `.*.swp` are never told
      ignoreInitial: true,
      ignorePermissionErrors: false,
    });
    this.#chokidar = chokidar;
    chokidar.on('raw', (type, name, details) => this.#mark(type, name, watchedPathOf(details)));
    chokidar.on('addDir', () => (this.#directories += 1));
    chokidar.on('unlinkDir', () => (this.#directories -= 1));
    chokidar.on('error', (error) => this.#failed(chokidar, error));
    await new Promise<void>((resolve) => {
      chokidar.once('ready', resolve);
      this.#giveUp = resolve;
    });
    if (this.#chokidar !== chokidar || this.#state !== 'scanning') return;
    this.#restartMs = restartMsMin;
    this.#directories = Object.keys(chokidar.getWatched()).filter(
      (path) => this.#within(path) !== undefined,
    ).length;
    this.#become('live');
    this.#probeLoop();
  }

  /** Stops watching. Resolves when no handle is left. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#restart);
    this.#batches.close();
    await this.#stop();
    this.#become('unwatched');
  }

  /** Lets a start that will never be ready go on. */
  #giveUp: () => void = () => undefined;

  async #stop(): Promise<void> {
    clearInterval(this.#probe);
    const chokidar = this.#chokidar;
    this.#chokidar = undefined;
    this.#directories = 0;
    this.#giveUp();
    if (chokidar === undefined) return;
    const closing = chokidar.close();
    // close() removes every listener, and a late error of a stat under way would then end the process.
    chokidar.on('addDir', () => (this.#directories += 1));
    chokidar.on('unlinkDir', () => (this.#directories -= 1));
    chokidar.on('error', () => undefined);
    await closing;
  }

  #mark(type: string, name: string | undefined, watchedPath: string): void {
    this.#events += 1;
    this.#countPhase();
    const directory = this.#within(watchedPath);
    if (directory === undefined) return;
    // A directory that goes tells its own name: the mark on it holds for all below.
    const isSelf = name === undefined || name === '' || (type === 'rename' && name === nameOf(directory));
    if (!isSelf && (isGitName(name) || isRestoreTemporary(name))) return;
    const isText = !isSelf && !name.includes('\uFFFD');
    const path = isText ? join(directory, fromText(name)) : directory;
    if (path !== rootPath && this.#options.isIgnored(path)) return;
    this.#dirty.mark(path);
    this.#batches.add(path);
  }

  /** The kernel drops events without a word, so a phase with many of them counts as one where some were dropped. */
  #countPhase(): void {
    if (this.#eventsInPhase === 0) setImmediate(() => (this.#eventsInPhase = 0));
    this.#eventsInPhase += 1;
    if (this.#eventsInPhase === Math.ceil(this.#queueMax)) {
      this.#suspect('more events at once than the kernel may keep');
    }
  }

  #probeLoop(): void {
    let last = performance.now();
    this.#probe = setInterval(() => {
      const now = performance.now();
      if (now - last > loopProbeMs + loopDelayMsMax) this.#everything();
      last = now;
    }, loopProbeMs).unref();
  }

  #everything(): void {
    this.#overflows += 1;
    this.#dirty.markEverything('overflow');
    this.#batches.addEverything();
  }

  #failed(chokidar: FSWatcher, error: unknown): void {
    if (this.#chokidar !== chokidar) return;
    const code = systemCode(error) ?? String(error);
    if (!limitCodes.has(code)) {
      this.#suspect(`a directory cannot be watched (${code})`);
      return;
    }
    // Never partly watched: a client could not tell which half is.
    if (!this.#hasWarned) {
      this.#options.log.warn(
        `The work tree is not watched: the system's limit is reached (${code}). Captures stay right and look at everything. On Linux raise fs.inotify.max_user_watches.`,
      );
    }
    this.#hasWarned = true;
    this.#reason = `the system's limit of watches is reached (${code})`;
    this.#everything();
    void this.#stop();
    this.#become('unwatched', this.#reason);
  }

  /** Something was missed, or may have been: everything is dirty, and the watch is made anew after a pause. */
  #suspect(reason: string): void {
    if (this.#isClosed || this.#state === 'suspect') return;
    this.#everything();
    this.#become('suspect', reason);
    this.#options.log.info(`The watch of the work tree starts anew: ${reason}.`);
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

  /** The path inside the work tree, or undefined for the one event kind that names its parent. */
  #within(absolute: string): TreePath | undefined {
    const { root } = this.#options;
    if (absolute === root) return rootPath;
    const prefix = root.endsWith('/') ? root : `${root}/`;
    const slashed = process.platform === 'win32' ? absolute.replaceAll('\\', '/') : absolute;
    return slashed.startsWith(prefix.replaceAll('\\', '/'))
      ? fromText(slashed.slice(prefix.length))
      : undefined;
  }

  #isOutside(absolute: string): boolean {
    const path = this.#within(absolute);
    if (path === undefined || path === rootPath) return false;
    if (absolute === this.#options.storage) return true;
    return isGitName(nameOf(path)) || this.#options.isIgnored(path);
  }
}

function watchedPathOf(details: unknown): string {
  return typeof details === 'object' && details !== null && 'watchedPath' in details
    ? String(details.watchedPath)
    : '';
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
