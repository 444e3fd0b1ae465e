// Watches one work tree. Two sources write the change log: the directory handles and chokidar. The log has two uses: a
// capture reads the changes since a position, and the daemon notifies clients of changes in batches.
import type { Log } from '../base/log.ts';
import type { TreePath } from '../tree/tree-path.ts';
import { ChangeLog } from './change-log.ts';
import { ChokidarWatch, type ChokidarWatchOptions, type WatchState } from './chokidar-watch.ts';
import { DirectoryHandles } from './directory-handles.ts';

export interface ChangeBatch {
  readonly paths: readonly TreePath[];
  /** True when more paths have changed than a notification may list. The notification then lists no path. */
  readonly overflow: boolean;
  /** True when events were lost. The count of changed paths is then too low. */
  readonly isLost: boolean;
}

export interface WatcherOptions
  extends Pick<ChokidarWatchOptions, 'root' | 'storage' | 'ignoredDirectories' | 'program'> {
  /**
   * A private directory for the fence of the directory handles. The directory does not exist yet. When absent, there
   * are no handles.
   */
  readonly fenceDirectory?: string;
  /** True for a path that the known ignore rules exclude; see Capturer.isLeftOut. */
  readonly isIgnored: (path: TreePath) => boolean;
  readonly onChange?: (batch: ChangeBatch) => void;
  /** Called when directory handles can be opened. */
  readonly onHandlesReady?: () => void;
  readonly log: Log;
}

/** The watcher's figures, as `worktree/status` reports them. */
interface WatchFigures {
  readonly state: WatchState;
  /** Why the state is `suspect` or `unwatched`. */
  readonly reason?: string | undefined;
  readonly watchedDirectories: number;
  /** The number of paths that changed since the last capture. 0 when there were too many paths to store. */
  readonly dirtyPaths: number;
  /** The number of times that events were lost or may have been lost. */
  readonly overflows: number;
  /** The number of times that a capture found changes that the handles had not reported. */
  readonly drifts: number;
}

export class WorkTreeWatcher {
  readonly changes: ChangeLog;
  /** The directory handles. Undefined when there is no directory for the fence. */
  readonly handles: DirectoryHandles | undefined;
  readonly #options: WatcherOptions;
  readonly #chokidar: ChokidarWatch;
  readonly #batches: ChangeBatches;
  /** The position of the change log when the last successful capture began. */
  #capturedTo = 0;
  #drifts = 0;

  constructor(options: WatcherOptions) {
    this.#options = options;
    const { root, fenceDirectory, isIgnored, log } = options;
    this.#batches = new ChangeBatches((batch) => options.onChange?.(batch));
    this.changes = new ChangeLog({
      isIgnored,
      // The daemon sends the handles' marks to clients only while chokidar watches the whole tree.
      onMark: (path, source) => {
        if (source === 'chokidar' || this.#chokidar.state === 'live') this.#batches.add(path);
      },
    });
    this.#chokidar = new ChokidarWatch({
      ...options,
      onMark: (path) => this.changes.mark(path, 'chokidar'),
      onEverything: () => this.#batches.addEverything(),
    });
    if (fenceDirectory === undefined) return;
    this.handles = new DirectoryHandles({
      root,
      fenceDirectory,
      changes: this.changes,
      onReady: options.onHandlesReady,
      makeRoom: (code) => this.#chokidar.makeRoom(code),
      log,
    });
  }

  get figures(): WatchFigures {
    const { state, reason, directories, overflows } = this.#chokidar;
    return {
      state,
      reason,
      watchedDirectories: directories,
      dirtyPaths: this.#dirtyPaths().length,
      overflows,
      drifts: this.#drifts,
    };
  }

  /** Returns some of the paths that changed since the last capture, in sorted order. */
  dirtyPaths(limit: number): TreePath[] {
    return this.#dirtyPaths().slice(0, limit);
  }

  #dirtyPaths(): TreePath[] {
    return this.changes.visibleSince(this.#capturedTo);
  }

  /**
   * Records that a capture of the whole tree has succeeded. `position` is the position of {@link changes} at which the
   * capture began.
   */
  captured(position: number): void {
    this.#capturedTo = Math.max(this.#capturedTo, position);
    this.#chokidar.renewIgnored();
  }

  /**
   * Starts the handles and then chokidar. If `after` is given, starts chokidar only after `after` has ended; see {@link
   * ready}.
   */
  start(after?: Promise<void>): void {
    this.handles?.start();
    this.#chokidar.start(after);
  }

  /** Resolves when chokidar is live or has failed. {@link figures} shows which of the two has happened. */
  ready(): Promise<void> {
    return this.#chokidar.ready();
  }

  /** Counts changes that a capture found, and that the handles had not reported. Notifies clients of these changes. */
  drifted(paths: readonly TreePath[]): void {
    this.#drifts += 1;
    if (this.#drifts === 1)
      this.#options.log.info(
        `A capture found ${paths.length} changes that the watch of the work tree had not reported. The capture contains these changes, and the next capture reads everything.`,
      );
    this.#options.onChange?.({ paths, overflow: false, isLost: false });
  }

  /** Stops watching. Resolves when no handle and no thread is left. */
  async close(): Promise<void> {
    this.#batches.close();
    await Promise.all([this.#chokidar.close(), this.handles?.close()]);
  }
}

const batchMs = 100;
const batchPathsMax = 1000;

/**
 * Notifies clients of changed paths: at most ten times a second, with at most a thousand paths in one notification. So
 * a `git checkout` of a large branch does not flood the clients. If more than a thousand paths have changed, the
 * notification lists no paths.
 */
export class ChangeBatches {
  readonly #send: (batch: ChangeBatch) => void;
  #paths = new Set<TreePath>();
  #overflow = false;
  #isLost = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(send: (batch: ChangeBatch) => void) {
    this.#send = send;
  }

  add(path: TreePath): void {
    if (!this.#overflow) {
      this.#paths.add(path);
      if (this.#paths.size > batchPathsMax) this.#tooMany();
    }
    this.#arm();
  }

  /** Records that events were lost, so any path may have changed. */
  addEverything(): void {
    this.#isLost = true;
    this.#tooMany();
    this.#arm();
  }

  /** Drops unsent changes. */
  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #tooMany(): void {
    this.#overflow = true;
    this.#paths = new Set();
  }

  #arm(): void {
    this.#timer ??= setTimeout(() => this.#flush(), batchMs).unref();
  }

  #flush(): void {
    const batch = { paths: [...this.#paths].sort(), overflow: this.#overflow, isLost: this.#isLost };
    this.#timer = undefined;
    this.#paths = new Set();
    this.#overflow = false;
    this.#isLost = false;
    this.#send(batch);
  }
}
