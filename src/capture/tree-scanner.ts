// The scans of one work tree: of what may have changed where that is proven to be enough (fast/), and else of
// everything. It knows what the last one saw; it stores nothing and knows no snapshot.
import { given } from '../base/given.ts';
import type { Log } from '../base/log.ts';
import { passMeanwhile } from '../base/seam.ts';
import { Slices } from '../base/slices.ts';
import type { UserPlaces } from '../git/ignore/global-excludes.ts';
import type { Directory } from '../tree/directory.ts';
import { Globs } from '../tree/globs.ts';
import { join, nameOf, parentOf, rootPath, type TreePath } from '../tree/tree-path.ts';
import type { Changes } from '../watch/change-log.ts';
import type { DirectoryHandles } from '../watch/directory-handles.ts';
import { requireWorkTree, type WorkTree } from '../work-tree/work-tree.ts';
import type { CaptureRequest, FullCaptureReason } from './capturer.ts';
import { FastScan } from './fast/fast-scan.ts';
import { FullScanNeeded } from './fast/scan-base.ts';
import { ScanPlanner } from './fast/scan-planner.ts';
import type { BlobSink } from './file-reading.ts';
import { FullScan, type ScanOptions, type ScanResult } from './full-scan.ts';
import { pathTreeOf } from './ignore/ignore-rules.ts';
import { GitIgnoreScopes } from './ignore/ignore-scopes.ts';
import { KnownFiles } from './known/known-files.ts';
import type { Listings } from './listings.ts';
import { type FileClock, readFileClock, settleMsUsual } from './settled.ts';
import type { SnapshotSink } from './snapshot-sink.ts';

export interface TreeScannerOptions {
  readonly store: SnapshotSink;
  readonly workTree: WorkTree;
  /** A private directory of the session for the git directories of the ignore engines; made when needed. */
  readonly ignoreDirectory: string;
  /** Globs that opt ignored files in, and files out; the language is described in tree/globs.ts. */
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  /** Larger files are skipped as `tooLarge`. Default: no limit. */
  readonly maxFileBytes?: number;
  /** Storage of ours inside the work tree (an allowed protected place), never looked into. */
  readonly leftOut?: readonly TreePath[];
  readonly places?: UserPlaces;
  /** For tests: our own clock in milliseconds since 1970, and how long a content stays doubtful (see settled.ts). */
  readonly now?: () => number;
  readonly settleMs?: number;
  /** Where what is known of files is kept from one opening to the next; absent: it is not. */
  readonly knownFile?: string;
  /** What captures may rest on once they hold it; absent: every capture looks at everything. */
  readonly held?: () => DirectoryHandles | undefined;
  readonly log: Log;
}

export interface ScanRequest extends Pick<CaptureRequest, 'alsoInclude' | 'signal' | 'onProgress'> {
  /** The tree of the snapshot to build on. */
  readonly kept: Directory | undefined;
  readonly sink: BlobSink | undefined;
  /** What a scan of a moment ago saw, and the paths that were changed since. */
  readonly since?: { readonly listings: Listings | undefined; readonly touched: readonly TreePath[] };
  /** Look at everything, whatever is proven. */
  readonly isWhole?: boolean;
  /** Nobody waits for it, and what comes meanwhile should not wait for it either. */
  readonly isInBackground?: boolean;
  /** What the watch has told. */
  readonly changes?: Changes | undefined;
}

export interface FinishedScan {
  readonly seen: ScanResult;
  /** Why it looked at everything; undefined when it did not. */
  readonly reason: FullCaptureReason | undefined;
  /** What was seen is what later scans may rest on. */
  readonly accept: () => Promise<void>;
}

export class TreeScanner {
  readonly #options: TreeScannerOptions;
  readonly #scopes: GitIgnoreScopes;
  readonly #include: Globs;
  readonly #exclude: Globs;
  readonly #held: ScanPlanner;
  readonly #known: KnownFiles | undefined;
  #directories: Listings = new Map();
  /** The clock under which these were looked at. */
  #clock: FileClock | undefined;
  #running = 0;

  constructor(options: TreeScannerOptions) {
    this.#options = options;
    this.#include = new Globs(options.include ?? []);
    this.#exclude = new Globs(options.exclude ?? []);
    this.#scopes = new GitIgnoreScopes({
      workTree: options.workTree.root,
      directory: options.ignoreDirectory,
      log: options.log,
      ...given({ places: options.places }),
    });
    this.#held = new ScanPlanner({
      root: options.workTree.root,
      scopes: this.#scopes,
      held: () => options.held?.(),
    });
    this.#known = knownFiles(options);
  }

  /** What the last scan saw. */
  get directories(): Listings {
    return this.#directories;
  }

  /** When a full scan is wanted beside the captures. */
  get wanted(): 'now' | 'later' | undefined {
    return this.#options.held === undefined ? undefined : this.#held.wanted;
  }

  /** Whether every change since the last scan is told. */
  get isHeld(): boolean {
    return this.#held.isHeld;
  }

  /** What was seen is not rested on any more. */
  distrust(): void {
    this.#held.distrust();
  }

  /** Ends the engines. */
  close(): Promise<void> {
    return this.#scopes.close();
  }

  /** Ends the engines at once, for a dying process. */
  kill(): void {
    this.#scopes.kill();
  }

  /** Looks at what may have changed where that is proven to be enough, and else at everything. */
  async scan(request: ScanRequest): Promise<FinishedScan> {
    try {
      const { isWhole, since, alsoInclude, kept } = request;
      const mayBeFast = isWhole !== true && (since !== undefined || alsoInclude === undefined);
      if (this.#options.held === undefined || !mayBeFast || kept === undefined)
        throw new FullScanNeeded(this.#reason(request));
      return await this.#scanFast(request, kept);
    } catch (error) {
      if (!(error instanceof FullScanNeeded)) throw error;
      return this.#scanAll(request, error.reason);
    }
  }

  async #scanFast(request: ScanRequest, kept: Directory): Promise<FinishedScan> {
    const plan = await this.#held.planFast(kept);
    passMeanwhile('scanFast: planned');
    const { base, recheck, hold, more } = plan;
    const { since: _since, alsoInclude = [], ...plain } = request;
    const options = this.#scanOptions(plain);
    const scan = new FastScan({ ...options, kept, base, recheck, before: base.seen.directories, hold, more });
    // Told or not: what was changed since a scan is known to have changed.
    const touched = request.since?.touched.map(parentOf).filter((path) => base.seen.directories.has(path));
    const listed = new Set([...plan.listed, ...(touched ?? [])]);
    const seen = await this.#tracked(() => scan.run(plan.marks, listed));
    if (alsoInclude.some((path) => isLeftOut(path, seen.directories)))
      throw new FullScanNeeded('alsoInclude');
    const accept = (): Promise<void> => {
      this.#directories = seen.directories;
      this.#clock = options.clock;
      this.#held.fastSucceeded(plan, seen);
      return Promise.resolve();
    };
    return { seen, reason: undefined, accept };
  }

  async #scanAll(request: ScanRequest, reason: FullCaptureReason): Promise<FinishedScan> {
    const isPlain = request.since === undefined && request.alsoInclude === undefined;
    const options = { ...this.#scanOptions(request), ...(await this.#remembered(request)) };
    const whole = isPlain ? await this.#held.planFull() : undefined;
    const scan = new FullScan(
      whole === undefined ? options : { ...options, beforeReading: whole.beforeReading },
    );
    const seen = await this.#tracked(() => scan.run());
    const accept = async (): Promise<void> => {
      this.#directories = seen.directories;
      this.#clock = options.clock;
      await whole?.succeeded(seen, options.clock.isLocal, slicesFor(request.signal, request.isInBackground));
    };
    return { seen, reason, accept };
  }

  /** Before the first scan: what the last one of an earlier opening saw. */
  async #remembered({ kept, signal }: ScanRequest): Promise<Pick<ScanOptions, 'before'> | undefined> {
    if (this.#known === undefined || kept === undefined || this.#directories.size > 0) return undefined;
    const { workTree, store, now = Date.now } = this.#options;
    const clock = readFileClock(workTree, store.spoolDirectory, now);
    const scope = await this.#scopes.outermost();
    const before = await this.#known.read(kept, scope, clock, slicesFor(signal));
    return before && { before };
  }

  /** Writes down what the last scan saw, for the next opening; see {@link KnownFiles.write}. @throws AbortError */
  async remember(signal?: AbortSignal, isSeldom = false): Promise<void> {
    if (this.#clock === undefined) return;
    await this.#known?.write(this.#directories, this.#clock, slicesFor(signal, isSeldom), isSeldom);
  }

  /** Why this look is at everything. */
  #reason({ alsoInclude, changes }: ScanRequest): FullCaptureReason {
    if (this.#directories.size === 0) return 'first';
    if (alsoInclude !== undefined) return 'alsoInclude';
    if (changes === undefined) return 'unwatched';
    if (changes.kind === 'everything') return changes.reason;
    for (const path of changes.paths) if (nameOf(path) === '.gitignore') return 'ignoreRules';
    return 'unproven';
  }

  #scanOptions({
    kept,
    sink,
    since,
    alsoInclude,
    signal,
    onProgress,
    isInBackground,
  }: ScanRequest): ScanOptions {
    const { workTree, store, maxFileBytes } = this.#options;
    requireWorkTree(workTree);
    const earlier = since?.listings;
    const touched = new Set(since?.touched.map(parentOf));
    return {
      tree: workTree,
      scopes: this.#scopes,
      include: this.#include,
      exclude: this.#exclude,
      before: earlier ?? this.#directories,
      ...(earlier === undefined ? {} : { looksAtFiles: (directory) => touched.has(directory) }),
      kept,
      alsoInclude: pathTreeOf(alsoInclude ?? []),
      leftOut: new Set(this.#options.leftOut),
      slices: slicesFor(signal, isInBackground),
      hash: (size) => store.hash(size),
      sink,
      spoolDirectory: store.spoolDirectory,
      maxFileBytes: maxFileBytes ?? Number.MAX_SAFE_INTEGER,
      clock: readFileClock(workTree, store.spoolDirectory, this.#options.now ?? Date.now),
      settleMs: this.#options.settleMs ?? settleMsUsual,
      onProgress,
    };
  }

  /** The root of an enclosing repository that ignores the whole work tree, and whose rules therefore do not count. */
  ignoredBy(): Promise<string | undefined> {
    return this.#scopes.ignoredBy();
  }

  /** Whether the last scan left this path out, itself or with a directory above it. For the watcher. */
  isLeftOut(path: TreePath): boolean {
    return isLeftOut(path, this.#directories);
  }

  /** The directories that the last scan left out; what lies below them is not listed. For the watcher. */
  leftOutDirectories(): TreePath[] {
    const found: TreePath[] = [];
    for (const [directory, { entries }] of this.#directories) {
      for (const [name, { kind, taken }] of entries)
        if (kind === 'directory' && !taken) found.push(join(directory, name));
    }
    return found;
  }

  /** Lets the engines of nested repositories go when no scan needs them any more. */
  async #tracked<T>(run: () => Promise<T>): Promise<T> {
    this.#running += 1;
    try {
      const seen = await run();
      requireWorkTree(this.#options.workTree); // what came over it meanwhile may be what was seen
      return seen;
    } finally {
      this.#running -= 1;
      if (this.#running === 0) await this.#scopes.rest();
    }
  }
}

/** Whether a scan left this path out, itself or with a directory above it. */
function isLeftOut(path: TreePath, directories: Listings): boolean {
  let directory = rootPath;
  for (const name of path.split('/')) {
    const entry = directories.get(directory)?.entries.get(name);
    if (entry === undefined) return false;
    if (!entry.taken) return true;
    directory = join(directory, name);
  }
  return false;
}

function knownFiles(options: TreeScannerOptions): KnownFiles | undefined {
  const { knownFile: file, workTree, include, exclude, maxFileBytes, leftOut, log } = options;
  if (file === undefined) return undefined;
  const settings = JSON.stringify([include ?? [], exclude ?? [], maxFileBytes ?? null, leftOut ?? []]);
  const settleMs = options.settleMs ?? settleMsUsual;
  return new KnownFiles({ file, root: workTree.root, settings, settleMs, log });
}

function slicesFor(signal: AbortSignal | undefined, isInBackground = false): Slices {
  return isInBackground ? Slices.inBackground(signal) : new Slices(signal);
}
