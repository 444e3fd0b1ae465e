// Captures one work tree into one store: scans the work tree (scan.ts), and stores the result as a snapshot. Keeps the
// state from which the next scan starts. This module never writes to the work tree and publishes no checkpoint.
import { isKind } from '../base/errors.ts';
import type { Stamp } from '../base/file-stamp.ts';
import type { BlobId, SnapshotId } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import { Slices } from '../base/slices.ts';
import { counted } from '../base/text/plural.ts';
import type { UserPlaces } from '../git/ignore/global-excludes.ts';
import { Globs } from '../tree/globs.ts';
import { type Directory, nodeAt } from '../tree/tree.ts';
import { ancestors, nameOf, parentOf, rootPath, type TreePath, toText } from '../tree/tree-path.ts';
import type { ChangeLog } from '../watch/change-log.ts';
import { discard } from '../work-tree/stable-read.ts';
import { requireWorkTree, type WorkTree } from '../work-tree/work-tree.ts';
import { BackgroundScans } from './background-scans.ts';
import type { FullCaptureReason, ScanBase, ScanHandles } from './fast-scan.ts';
import type { BlobSink, CaptureProgress } from './file-reading.ts';
import { IgnoreScopes, inScope } from './ignore-rules.ts';
import { KnownFiles } from './known-files.ts';
import { isLeftOut, type Listings, leftOutDirectories } from './listing.ts';
import {
  chooseScan,
  mayBeFast,
  nothingScanned,
  type Scanned,
  type ScanPlace,
  type ScanRequest,
  type ScanState,
  scanAll,
  scanFast,
  watchedRules,
} from './scan.ts';
import { settleMsUsual } from './settled.ts';
import type { SkippedPath, SnapshotSink, SnapshotWriter, StableContent } from './snapshot-sink.ts';
import type { ScannedTree } from './watch-audit.ts';

export interface Capture {
  readonly snapshot: SnapshotId;
  readonly root: Directory;
  readonly skipped: readonly SkippedPath[];
  /**
   * Directories and files whose current state is unknown, because they are unreadable. A restore never deletes these
   * directories and files.
   */
  readonly unknown: readonly TreePath[];
  /**
   * Databases to which a program wrote during the capture. The captured contents of these databases may be
   * inconsistent.
   */
  readonly torn: readonly TreePath[];
  /** `cold`: the capture scanned everything; `reason` says why. */
  readonly path: 'cold' | 'fast';
  readonly reason?: FullCaptureReason | undefined;
  readonly ms: number;
}

/** How many captures have succeeded: the number of fast captures, and for each reason the number of cold captures. */
export interface CaptureCounts {
  readonly fast: number;
  readonly cold: ReadonlyMap<FullCaptureReason, number>;
}

export interface CaptureRequest {
  /**
   * The snapshot on which the capture builds. A checkpoint must refer to this snapshot until the new capture is
   * published. Otherwise the store may remove the snapshot. The capture takes unchanged files from this snapshot
   * without reading or storing them again. Files of this snapshot are captured even if the rules exclude them.
   */
  readonly previous?: SnapshotId | undefined;
  /**
   * Files or whole directories that a restore will overwrite or delete. These paths are captured even if the rules
   * exclude them.
   */
  readonly alsoInclude?: readonly TreePath[] | undefined;
  /**
   * A very recent capture, and every path that the caller has changed since then. At all other paths, the scan compares
   * only the names. The next capture finds edits that another process made at these paths.
   */
  readonly since?: { readonly capture: Capture; readonly touched: readonly TreePath[] };
  readonly signal?: AbortSignal;
  readonly onProgress?: CaptureProgress;
}

export interface CapturerOptions {
  readonly store: SnapshotSink;
  readonly workTree: WorkTree;
  /**
   * A private directory of the session, in which the ignore engines keep their git directories. The capturer makes this
   * directory when it is needed.
   */
  readonly ignoreDirectory: string;
  /** Globs that include ignored files, and globs that exclude files. tree/globs.ts describes the language. */
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  /** Larger files are skipped as `tooLarge`. Default: no limit. */
  readonly maxFileBytes?: number;
  /**
   * The daemon's storage, if the storage is inside the work tree. The storage can be there only when the client has
   * allowed a protected directory. The storage is never scanned.
   */
  readonly leftOut?: readonly TreePath[] | undefined;
  readonly places?: UserPlaces;
  /**
   * The file that keeps the list of known files (known-files.ts) for the next opening. When absent, the list is not
   * written.
   */
  readonly knownFile?: string | undefined;
  /** The directory handles that fast captures need. When absent, every capture scans everything. */
  readonly handles?: () => ScanHandles | undefined;
  /** Called after each successful scan. */
  readonly onScanned?: (scan: FinishedScan) => void;
  /**
   * Returns the snapshot on which the next capture will build. The scans before the first capture also use
   * this snapshot.
   */
  readonly head?: () => SnapshotId | undefined;
  /** For tests: the clock of this process, in milliseconds since 1970. `settleMs` replaces the time in settled.ts. */
  readonly now?: () => number;
  readonly settleMs?: number;
  /** For tests: how long after a capture the background scan starts. */
  readonly backgroundDelayMs?: number;
  readonly log: Log;
}

/** A successful scan. */
export interface FinishedScan {
  /** The position in the change log when the scan began. Later changes may or may not be in the result. */
  readonly position: number;
  readonly tree: ScannedTree;
  /** True when the scan checked every file, and checked every earlier listing before it reused the listing. */
  readonly isWhole: boolean;
  /** True when the request had neither `since` nor `alsoInclude`. In this case, only the rules selected the files. */
  readonly isPlain: boolean;
  /** True when the result of the scan was stored as a snapshot. */
  readonly isStored: boolean;
}

/** The maximum number of snapshots whose trees are kept in memory. */
const rootsMax = 4;

/** Concurrent captures share only the results of finished scans. */
export class Capturer {
  readonly #options: CapturerOptions;
  readonly #place: ScanPlace;
  readonly #background: BackgroundScans;
  readonly #roots = new Map<SnapshotId, Directory>();
  /** The listings of each {@link Capture} object that a caller still uses. */
  readonly #listings = new WeakMap<Capture, Listings>();
  #state: ScanState = nothingScanned;
  /** The tree of the last plain capture; see {@link FinishedScan.isPlain}. */
  #last: Directory | undefined;
  #scans = 0;
  #fast = 0;
  readonly #cold = new Map<FullCaptureReason, number>();
  #resolveWatched: () => void = () => undefined;
  readonly #whenWatched = new Promise<void>((resolve) => (this.#resolveWatched = resolve));

  constructor(options: CapturerOptions) {
    this.#options = options;
    this.#place = placeOf(options);
    this.#background = new BackgroundScans(
      (signal) => this.#scanInBackground(signal),
      (error) => options.log.info(`A full scan failed: ${String(error)}`),
      options.backgroundDelayMs,
    );
  }

  /**
   * Stores the current state of the work tree.
   *
   * @throws WorkTreeMissing, NotADirectory, WorkTreeUnreadable for the root; the store's errors; AbortError. A failed
   * capture stores nothing.
   */
  async capture(request: CaptureRequest = {}): Promise<Capture> {
    await this.#background.untilFirst(request.signal);
    const resume = this.holdBackgroundScans();
    try {
      return await this.#capture(request);
    } finally {
      resume();
      if (this.#wanted !== 'now') this.#resolveWatched();
    }
  }

  /**
   * Stops the background scan, and starts none until the caller calls the returned function. A restore holds them,
   * because a scan would read the files that the restore is replacing.
   */
  holdBackgroundScans(): () => void {
    this.#background.captureBegins();
    return () => {
      this.#background.captureEnds();
      const when = this.#wanted;
      if (when !== undefined) this.#background.schedule(when === 'now');
    };
  }

  async #capture(request: CaptureRequest): Promise<Capture> {
    const started = performance.now();
    const { store, onScanned } = this.#options;
    const position = this.#changes?.position;
    const { previous, since, ...how } = request;
    const previousTree = await this.#treeOf(previous);
    const writer = store.writer(request.signal);
    try {
      const sink = new Backlog(writer);
      const isPlain = since === undefined && request.alsoInclude === undefined;
      const earlier = since && { listings: this.#listings.get(since.capture), touched: since.touched };
      const { result, reason, next } = await this.#scan({
        ...how,
        previous: previousTree,
        sink,
        since: earlier,
      });
      await sink.drained();
      request.signal?.throwIfAborted();
      const snapshot = await writer.seal(result.root);
      this.#adopt(next);
      this.#remember(snapshot, result.root);
      if (isPlain) this.#last = result.root;
      const ms = performance.now() - started;
      this.#logCapture(result, reason, ms);
      const { root, skipped, unknown, torn } = result;
      const path = reason === undefined ? 'fast' : 'cold';
      const capture: Capture = { snapshot, root, skipped, unknown, torn, path, reason, ms };
      this.#listings.set(capture, result.listings);
      if (position !== undefined)
        onScanned?.({ position, tree: result, isWhole: since === undefined, isPlain, isStored: true });
      return capture;
    } catch (error) {
      await writer.abort();
      throw error;
    }
  }

  /**
   * Returns whether a capture of the current state would differ from a snapshot. Stores nothing. Returns `unsure` when
   * a difference is possible only at unreadable paths or at paths that the snapshot skipped. @throws as {@link capture}
   */
  async isChanged(
    previous: SnapshotId,
    signal?: AbortSignal,
    skippedThen: readonly SkippedPath[] = [],
  ): Promise<boolean | 'unsure'> {
    await this.#background.untilFirst(signal);
    const tree = await this.#treeOf(previous);
    const { result, next } = await this.#scan({ previous: tree, sink: undefined, signal });
    if (!result.isStopped) this.#adopt(next);
    if (!result.isStopped && result.root === tree) return false;
    // If the scan stopped early, it found a path that is new, or that the snapshot skipped.
    return skippedThen.length > 0 || (!result.isStopped && result.skipped.length > 0) ? 'unsure' : true;
  }

  /**
   * Returns the content that a capture found at a path, and the file's stamp at that time. `stampProves` is true when
   * an equal stamp proves that the content is unchanged.
   */
  contentIn(
    capture: Capture,
    path: TreePath,
  ): { readonly stamp: Stamp; readonly blob: BlobId; readonly stampProves: boolean } | undefined {
    const entry = this.#listings.get(capture)?.get(parentOf(path))?.entries.get(nameOf(path));
    if (entry?.stamp === undefined || entry.blob === undefined || !entry.taken) return undefined;
    return { stamp: entry.stamp, blob: entry.blob, stampProves: entry.settled };
  }

  /**
   * If an enclosing repository ignores the whole work tree, returns the root of this repository. In this case, captures
   * do not apply the rules of that repository.
   */
  ignoredBy(): Promise<string | undefined> {
    return this.#place.scopes.ignoredBy();
  }

  /** True when the last scan omitted this path or a directory above it. The watcher calls this function. */
  isLeftOut(path: TreePath): boolean {
    return isLeftOut(this.#state.listings, path);
  }

  /**
   * True when, by the current ignore rules, the next capture certainly includes a file at this path. False when in
   * doubt, for example for a new file that only the `include` globs match.
   * @throws GitMissing, GitFailed
   */
  async takes(path: TreePath): Promise<boolean> {
    const { exclude, scopes } = this.#place;
    const above = ancestors(path);
    const isExcluded = exclude.matches(path, false) || above.some((each) => exclude.matches(each, true));
    const { listings } = this.#state;
    if (isExcluded || isLeftOut(listings, path)) return false;
    const head = await this.#treeOf(this.#options.head?.());
    if (head !== undefined && nodeAt(head, path) !== undefined) return true;
    const nearest = above.map((each) => listings.get(each)).find((each) => each !== undefined);
    if (nearest !== undefined && nearest.inherited.mode !== 'rules') return false;
    const scope = nearest?.scope ?? (await scopes.outermost());
    await scope.oracle.refresh();
    scope.oracle.renew(); // the engine has cached rules, which may have changed meanwhile
    const [isIgnored] = await scope.oracle.ignored([inScope(scope, path)]);
    return isIgnored === false;
  }

  /** Returns the topmost directories that the last scan omitted. The watcher calls this function. */
  leftOutDirectories(): TreePath[] {
    return leftOutDirectories(this.#state.listings);
  }

  /** True when the watcher has reported every change since the last scan. */
  get isWatched(): boolean {
    const { base } = this.#state;
    return isBase(base) && this.#changes?.isCompleteSince(base.position) === true;
  }

  get counts(): CaptureCounts {
    return { fast: this.#fast, cold: this.#cold };
  }

  /** Resolves when captures can be fast, or when it is certain that captures can never be fast. */
  whenWatched(): Promise<void> {
    return this.#whenWatched;
  }

  /** Scans everything in the background, so that later captures may be fast. Called when directories can be watched. */
  scanSoon(): void {
    if (this.#wanted === 'now') this.#background.schedule(true);
  }

  /** Called when the watcher has missed a change. The next capture then scans everything. */
  requireFullScan(): void {
    this.#state = { ...this.#state, base: undefined };
    this.#options.handles?.()?.closeAll();
    this.#background.schedule(false);
  }

  /** Ends the background scan. Captures may continue. */
  stopBackgroundScan(): Promise<void> {
    return this.#background.stop();
  }

  /** Ends the ignore engines and the running scan. Writes the list of known files, unless the session is deleted. */
  async close(isOver?: 'deleted'): Promise<void> {
    await this.#background.close();
    try {
      if (isOver === undefined) await this.#writeKnown(new Slices(), false);
    } finally {
      await this.#place.scopes.close();
    }
  }

  /** Ends the ignore engines at once. Called when the process is about to end. */
  kill(): void {
    this.#background.interrupt();
    this.#place.scopes.kill();
  }

  /**
   * Makes a fast scan of the paths that may have changed. If nothing proves that a fast scan is enough, makes a full
   * scan.
   */
  async #scan(request: ScanRequest): Promise<Scanned> {
    this.#scans += 1;
    try {
      // Reads the state only after this `await`. During the `await`, another capture or a missed change may replace the
      // state.
      const watched = mayBeFast(this.#state, request) ? await watchedRules(this.#place) : undefined;
      const state = this.#state;
      const plan = await chooseScan(state, request, watched);
      const fast = typeof plan === 'string' ? plan : await scanFast(this.#place, request, plan);
      const scanned = typeof fast === 'string' ? await scanAll(this.#place, state, request, fast) : fast;
      requireWorkTree(this.#place.workTree); // another file system may have been mounted during the scan
      return scanned;
    } finally {
      this.#scans -= 1;
      // No scan needs the engines of nested repositories any more.
      if (this.#scans === 0) await this.#place.scopes.closeNested();
    }
  }

  /** Records the state from which the next scan starts. */
  #adopt(next: ScanState): void {
    const { base } = next;
    const changes = this.#changes;
    if (!isBase(base)) this.#state = next;
    else if (changes?.isCompleteSince(base.position) !== true)
      this.#state = { ...next, base: this.#state.base };
    else {
      this.#state = next;
      changes.setUnwatched(base.recheck.unwatched);
    }
  }

  /**
   * When to make a full background scan. `now`: captures cannot be fast yet. `later`: in a pause between captures, to
   * check whether fast captures missed a change.
   */
  get #wanted(): 'now' | 'later' | undefined {
    const { base } = this.#state;
    if (this.#options.handles === undefined || base === 'never') return undefined;
    if (base === undefined) return 'now';
    return base.fastScans > 0 ? 'later' : undefined;
  }

  /**
   * Scans everything and stores nothing. After this scan, a capture can be a fast scan. The scan also finds changes
   * that the watcher missed.
   */
  async #scanInBackground(signal: AbortSignal): Promise<void> {
    if (this.#options.handles?.()?.isReady !== true) return;
    const position = this.#changes?.position ?? 0;
    const previous = this.#last ?? (await this.#treeOf(this.#options.head?.()));
    const how = { isFull: true, isInBackground: true, signal };
    const { result, next } = await this.#scan({ previous, sink: discarding, ...how });
    this.#adopt(next);
    this.#options.onScanned?.({ position, tree: result, isWhole: true, isPlain: true, isStored: false });
    this.#resolveWatched();
    await this.#writeKnown(Slices.inBackground(signal), true);
  }

  async #writeKnown(slices: Slices, isSeldom: boolean): Promise<void> {
    const { listings, clock } = this.#state;
    if (clock === undefined) return;
    const root = listings.get(rootPath)?.made;
    const [snapshot] = [...this.#roots].find(([, tree]) => tree === root) ?? [];
    await this.#place.known?.write(listings, clock, slices, { snapshot, isSeldom });
  }

  get #changes(): ChangeLog | undefined {
    return this.#options.handles?.()?.changes;
  }

  #logCapture(result: Scanned['result'], reason: FullCaptureReason | undefined, ms: number): void {
    const { log } = this.#options;
    const why = reason ?? 'what changed';
    log.debug(`captured ${result.files} files, read ${result.read}, in ${ms.toFixed(0)} ms (${why})`);
    if (result.ownerOnly.length > 0) log.warn(accessListsFound(result.ownerOnly));
    if (reason === undefined) this.#fast += 1;
    else this.#cold.set(reason, (this.#cold.get(reason) ?? 0) + 1);
  }

  async #treeOf(snapshot: SnapshotId | undefined): Promise<Directory | undefined> {
    const { store, log } = this.#options;
    // The store is damaged, so every file is read and stored again.
    if (snapshot === undefined || store.isDoubtful?.()) return undefined;
    try {
      const root =
        this.#roots.get(snapshot) ?? (await this.#knownTree(snapshot)) ?? (await store.directory(snapshot));
      this.#remember(snapshot, root);
      return root;
    } catch (error) {
      if (!isKind('StoreCorrupt')(error)) throw error;
      log.warn(`the capture reads every file again: ${error.message}`);
      return undefined;
    }
  }

  /**
   * Returns the tree that the last opening wrote beside the known files, if the store still has every directory of the
   * tree.
   */
  async #knownTree(snapshot: SnapshotId): Promise<Directory | undefined> {
    if (this.#state !== nothingScanned) return undefined;
    const tree = await this.#place.known?.tree(snapshot, new Slices());
    const { store } = this.#options;
    return tree !== undefined && (await store.hasDirectories(tree.ids)) ? tree.root : undefined;
  }

  #remember(snapshot: SnapshotId, root: Directory): void {
    this.#roots.delete(snapshot);
    this.#roots.set(snapshot, root);
    for (const oldest of this.#roots.keys()) {
      if (this.#roots.size <= rootsMax) break;
      this.#roots.delete(oldest);
    }
  }
}

function placeOf(options: CapturerOptions): ScanPlace {
  const { store, workTree, include, exclude, maxFileBytes, leftOut, log } = options;
  const settleMs = options.settleMs ?? settleMsUsual;
  const settings = JSON.stringify([include ?? [], exclude ?? [], maxFileBytes ?? null, leftOut ?? []]);
  const file = options.knownFile;
  return {
    workTree,
    store,
    scopes: new IgnoreScopes({
      workTree: workTree.root,
      directory: options.ignoreDirectory,
      log,
      places: options.places,
    }),
    include: new Globs(include ?? []),
    exclude: new Globs(exclude ?? []),
    maxFileBytes: maxFileBytes ?? Number.MAX_SAFE_INTEGER,
    leftOut: new Set(leftOut),
    now: options.now ?? Date.now,
    settleMs,
    known:
      file === undefined ? undefined : new KnownFiles({ file, root: workTree.root, settings, settleMs, log }),
    handles: () => options.handles?.(),
  };
}

function isBase(base: ScanState['base']): base is ScanBase {
  return base !== undefined && base !== 'never';
}

function accessListsFound(paths: readonly TreePath[]): string {
  const some = paths.slice(0, 3).map((path) => JSON.stringify(toText(path)));
  return `Access lists are not captured. After a restore, only the owner can use the ${counted(paths.length, 'path')} that ${paths.length === 1 ? 'has' : 'have'} an access list: ${some.join(', ')}`;
}

/** A sink that discards all contents. */
const discarding: BlobSink = {
  add: (_blob, content) => {
    discard(content);
    return undefined;
  },
};

/**
 * Passes contents to the store. Many writes run concurrently. The number and the total size of these writes are
 * limited. If a write fails, a later call throws the error of this write.
 */
class Backlog implements BlobSink {
  readonly addDeflated: BlobSink['addDeflated'];
  readonly #writer: SnapshotWriter;
  #pending: Promise<unknown>[] = [];
  #bytes = 0;
  #failure: { readonly error: unknown } | undefined;

  constructor(writer: SnapshotWriter) {
    this.#writer = writer;
    this.addDeflated = writer.addDeflated?.bind(writer);
  }

  add(blob: BlobId, content: StableContent): Promise<void> | undefined {
    const adding = this.#writer.addBlob(blob, content).catch((error: unknown) => {
      this.#failure ??= { error };
    });
    this.#pending.push(adding);
    this.#bytes += content.kind === 'bytes' ? content.bytes.length : content.size;
    return this.#pending.length >= 256 || this.#bytes >= 1 << 24 ? this.drained() : undefined;
  }

  async drained(): Promise<void> {
    const pending = this.#pending;
    this.#pending = [];
    this.#bytes = 0;
    await Promise.all(pending);
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}
