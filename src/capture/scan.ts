// Scans a work tree. The scan is a function without state of its own. The input is the state of the last scan and a
// request. The output is the result and the state for the next scan. One function decides whether to scan everything or
// only the paths that may have changed (a fast scan). While a scan reads contents, it passes them to a sink. This
// module does not depend on writers, snapshots or checkpoints.
import { passInterleaving } from '../base/seam.ts';
import { Slices } from '../base/slices.ts';
import type { Globs } from '../tree/globs.ts';
import { asDirectory, type Directory, differences } from '../tree/tree.ts';
import { parentOf, type TreePath } from '../tree/tree-path.ts';
import { requireWorkTree, type WorkTree } from '../work-tree/work-tree.ts';
import {
  type FastPlan,
  FastScan,
  type FullCaptureReason,
  rulesNow,
  type ScanBase,
  type ScanHandles,
  type ScanOptions,
  type ScanRules,
} from './fast-scan.ts';
import { type BlobSink, type CaptureProgress, FileReading } from './file-reading.ts';
import { type IgnoreScopes, pathTreeOf } from './ignore-rules.ts';
import type { KnownFiles } from './known-files.ts';
import { type EarlierListings, isLeftOut, type Listings, type WalkedDirectory } from './listing.ts';
import { Recheck } from './recheck.ts';
import { buildTree, ReportBuilder, type ScanResult } from './scan-result.ts';
import { type FileClock, readFileClock } from './settled.ts';
import type { SnapshotSink } from './snapshot-sink.ts';
import { Walk } from './walker.ts';

/** The work tree, and everything else that is the same for all scans. */
export interface ScanPlace {
  readonly workTree: WorkTree;
  readonly store: SnapshotSink;
  readonly scopes: IgnoreScopes;
  readonly include: Globs;
  readonly exclude: Globs;
  readonly maxFileBytes: number;
  /** The paths of the daemon's storage inside the work tree. These paths are never scanned. */
  readonly leftOut: ReadonlySet<string>;
  /** The clock of this process, in milliseconds since 1970. */
  readonly now: () => number;
  /** If a file's last change is more recent than this time, every scan reads the file's content again. */
  readonly settleMs: number;
  /** The known files that an earlier opening wrote. */
  readonly known: KnownFiles | undefined;
  /** Returns the directory handles that fast scans need, or undefined while there are none. */
  readonly handles: () => ScanHandles | undefined;
}

/** The state from which the next scan starts. */
export interface ScanState {
  /** The listings of the last scan. `clock` is the clock at the time of that scan. */
  readonly listings: Listings;
  readonly clock?: FileClock;
  /**
   * The base of the next fast scan. `never` if fast scans are impossible on the file system of the work tree, or on a
   * file system that is mounted inside.
   */
  readonly base?: ScanBase | 'never' | undefined;
}

export const nothingScanned: ScanState = { listings: new Map() };

export interface ScanRequest {
  /** The tree of the snapshot on which the capture builds. */
  readonly previous: Directory | undefined;
  /** Receives the contents. Without a sink, the scan stops at the first new path. */
  readonly sink: BlobSink | undefined;
  /** Paths to capture even if the rules exclude them. */
  readonly alsoInclude?: readonly TreePath[] | undefined;
  /** The listings of a very recent scan, and the paths that the requesting client has changed since that scan. */
  readonly since?:
    | { readonly listings: Listings | undefined; readonly touched: readonly TreePath[] }
    | undefined;
  /** True to scan everything, even when a fast scan would be enough. */
  readonly isFull?: boolean;
  /** True if no client waits for the scan. */
  readonly isInBackground?: boolean;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: CaptureProgress | undefined;
}

export interface Scanned {
  readonly result: ScanResult;
  /** The reason why everything was scanned. Undefined for a fast scan. */
  readonly reason: FullCaptureReason | undefined;
  /** The state for the next scan. The caller must store everything that this scan found before it uses this state. */
  readonly next: ScanState;
}

/** After this number of fast scans, a full scan checks the result of the fast scans. */
const fastMax = 49;
/**
 * The maximum number of differences between the base and the previous snapshot. With more differences, a fast scan
 * would take as long as a full scan.
 */
const differingMax = 1000;
/** The maximum number of directories for which a fast scan reads the user's git index again. */
const judgedMax = 1000;

/**
 * True when the request and the state permit a fast scan. If false, waiting for the fence of {@link watchedRules} would
 * waste time.
 */
export function mayBeFast(
  { base }: ScanState,
  { isFull, since, alsoInclude, previous }: ScanRequest,
): boolean {
  const isPlain = since !== undefined || alsoInclude === undefined;
  return isFull !== true && isPlain && previous !== undefined && base !== undefined && base !== 'never';
}

/** The current rules. These rules were read after the handles had marked every earlier change. */
interface WatchedRules extends ScanRules {
  readonly handles: ScanHandles;
}

/** Waits for a fence and reads the rules. Returns undefined when the daemon does not watch changes. */
export async function watchedRules(place: ScanPlace): Promise<WatchedRules | undefined> {
  const handles = place.handles();
  if (handles?.isReady !== true || !(await handles.fence())) return undefined;
  passInterleaving('scan: fence');
  const rules = await rulesNow(place.workTree.root, place.scopes);
  passInterleaving('scan: rules');
  return { ...rules, handles };
}

/** Returns the plan of a fast scan, or the reason for a full scan. Any doubt is a reason for a full scan. */
export async function chooseScan(
  state: ScanState,
  request: ScanRequest,
  watched: WatchedRules | undefined,
): Promise<FastPlan | FullCaptureReason> {
  const { previous, since, alsoInclude } = request;
  if (request.isFull === true) return 'audit';
  if (alsoInclude !== undefined && since === undefined) return isFirst(state) ? 'first' : 'alsoInclude';
  if (previous === undefined) return isFirst(state) ? 'first' : 'unproven';
  const { base } = state;
  if (base === undefined || base === 'never' || watched === undefined) return 'unwatched';
  const { handles, ...rules } = watched;
  if (base.fastScans >= fastMax) return 'audit';
  if (base.recheck.isTooMuch) return 'unproven';
  const { position } = handles.changes;
  const changes = handles.changes.changesSince(base.position);
  if (changes.kind === 'everything') return changes.reason;
  if (base.rules.root !== rules.root || base.rules.mounts !== rules.mounts) return 'unproven';
  if (base.rules.scope !== rules.scope || base.rules.chainKey !== rules.chainKey) return 'ignoreRules';
  const judged = base.rules.indexKey === rules.indexKey ? new Set<TreePath>() : base.recheck.withIgnored;
  if (judged.size > judgedMax) return 'ignoreRules';
  const differing = await differingDirectories(base.root, previous, new Slices(request.signal));
  if (differing === undefined) return 'unproven';
  // The client that requests the capture has changed these paths. These paths are scanned even if the watcher has not
  // reported the changes.
  const touched = since?.touched ?? [];
  const touchedDirectories = touched.map(parentOf).filter((path) => base.listings.has(path));
  return {
    base,
    previous,
    handles,
    rules,
    position,
    marks: changes.paths,
    listed: new Set([...judged, ...differing, ...touchedDirectories]),
    touched,
    isRepeated: since !== undefined,
  };
}

const isFirst = ({ listings }: ScanState): boolean => listings.size === 0;

/**
 * Returns the directories whose direct entries differ between two trees. Returns undefined when too many directories
 * differ.
 */
async function differingDirectories(
  before: Directory,
  after: Directory,
  slices: Slices,
): Promise<ReadonlySet<TreePath> | undefined> {
  const found = new Set<TreePath>();
  for await (const difference of differences(before, after, slices)) {
    const directories = [difference.before, difference.after].filter(
      (node) => asDirectory(node) !== undefined,
    );
    if (directories.length > 0) found.add(difference.path);
    // The parent's entries differ when the name is in only one tree, or is a directory in only one tree.
    if (directories.length < 2) found.add(parentOf(difference.path));
    if (found.size > differingMax) return undefined;
  }
  return found;
}

/**
 * Scans the paths that may have changed. If the fast scan finds that it is not enough, returns the reason for a full
 * scan.
 */
export async function scanFast(
  place: ScanPlace,
  { since: _since, alsoInclude = [], ...request }: ScanRequest,
  plan: FastPlan,
): Promise<Scanned | FullCaptureReason> {
  const { base, rules, position } = plan;
  const options = optionsOf(place, base.listings, request);
  const result = await new FastScan(plan, options).run();
  if (typeof result === 'string') return result;
  const { root, listings, recheck } = result;
  if (alsoInclude.some((path) => isLeftOut(listings, path))) return 'alsoInclude';
  const fastScans = base.fastScans + 1;
  const nextBase = { root, listings, position, rules, recheck, fastScans };
  return { result, reason: undefined, next: { listings, clock: options.clock, base: nextBase } };
}

/**
 * Scans everything. A later fast scan may build on the result if the directories were watched before they were read. In
 * a large work tree, waits until directories can be watched, so that no second scan has to follow.
 */
export async function scanAll(
  place: ScanPlace,
  state: ScanState,
  request: ScanRequest,
  reason: FullCaptureReason,
): Promise<Scanned> {
  const earlier =
    request.since?.listings ?? (await rememberedListings(place, state, request)) ?? state.listings;
  const options = optionsOf(place, earlier, request);
  const isPlain = request.since === undefined && request.alsoInclude === undefined;
  const handles = isPlain ? place.handles() : undefined;
  if (handles?.isReady === true) return scanWatched(place, state, { options, handles, reason });
  passInterleaving('scanAll: begins');
  const scan = beginScan(options);
  const isWatchable = async (directories: number): Promise<boolean> =>
    directories >= manyDirectories && (await handles?.whenReady()) === true;
  return closing(scan, async () => {
    const isWalked = await scan.walk.run(isWatchable);
    if (!isWalked && handles !== undefined) {
      scan.reading.close();
      return scanWatched(place, state, { options, handles, reason });
    }
    const result = await readAll(scan, options);
    return { result, reason, next: { listings: result.listings, clock: options.clock, base: state.base } };
  });
}

/** With this number of directories in one level of the tree, a second scan takes longer than the start of the handles. */
const manyDirectories = 500;

interface WatchedScan {
  readonly options: ScanOptions;
  readonly handles: ScanHandles;
  readonly reason: FullCaptureReason;
}

/** Scans everything, and watches each directory before it is read. */
async function scanWatched(
  place: ScanPlace,
  state: ScanState,
  { options, handles, reason }: WatchedScan,
): Promise<Scanned> {
  const { position } = handles.changes;
  const rules = await rulesNow(place.workTree.root, place.scopes);
  passInterleaving('scanAll: begins');
  const unwatched = new Set<TreePath>();
  const beforeReading = async (paths: readonly TreePath[]): Promise<void> => {
    for (const path of paths) unwatched.delete(path);
    for (const path of await handles.open(paths)) unwatched.add(path);
  };
  const scan = beginScan({ ...options, beforeReading });
  const result = await closing(scan, async () => {
    await scan.walk.run();
    return readAll(scan, options);
  });
  const { root, listings } = result;
  const next = { listings, clock: options.clock, base: state.base };
  if (result.isStopped) return { result, reason, next };
  if (!options.clock.isLocal || rules.mounts !== '')
    return { result, reason, next: { ...next, base: 'never' } };
  const recheck = await Recheck.of(listings, unwatched, options.slices);
  const base = { root, listings, position, rules, recheck, fastScans: 0 };
  return { result, reason, next: { ...next, base } };
}

/** Returns the listings that an earlier opening wrote, for the first scan of this opening. */
async function rememberedListings(
  { known, scopes, workTree, store, now }: ScanPlace,
  state: ScanState,
  { previous, signal }: ScanRequest,
): Promise<EarlierListings | undefined> {
  if (known === undefined || previous === undefined || !isFirst(state)) return undefined;
  const clock = readFileClock(workTree, store.spoolDirectory, now);
  return known.read(previous, await scopes.outermost(), clock, new Slices(signal));
}

function optionsOf(
  { workTree, store, scopes, include, exclude, maxFileBytes, leftOut, now, settleMs }: ScanPlace,
  earlier: EarlierListings,
  { previous, sink, since, alsoInclude, signal, onProgress, isInBackground }: ScanRequest,
): ScanOptions {
  requireWorkTree(workTree);
  const touched = new Set(since?.touched.map(parentOf));
  return {
    tree: workTree,
    scopes,
    include,
    exclude,
    earlier,
    ...(since?.listings === undefined ? {} : { checksFiles: (directory) => touched.has(directory) }),
    previous,
    alsoInclude: pathTreeOf(alsoInclude ?? []),
    leftOut,
    slices: isInBackground === true ? Slices.inBackground(signal) : new Slices(signal),
    hash: (size) => store.hash(size),
    sink,
    spoolDirectory: store.spoolDirectory,
    maxFileBytes,
    clock: readFileClock(workTree, store.spoolDirectory, now),
    settleMs,
    onProgress,
  };
}

/**
 * The maximum number of rounds that are repeated because directories change. If directories still change after these
 * rounds, the scan reports them as unstable.
 */
const againMax = 20;

/** A full scan in progress. */
interface FullScan {
  readonly walk: Walk;
  readonly reading: FileReading;
}

function beginScan(options: ScanOptions): FullScan {
  const reading = new FileReading(options);
  return {
    reading,
    walk: new Walk({
      ...options,
      onListed: (names) => reading.reportListed(names),
      onSelected: (directories) => reading.begin(directories),
    }),
  };
}

/** Runs the scan, and ends the thread in which the scan reads files. */
async function closing<T>({ reading }: FullScan, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } finally {
    reading.close();
  }
}

/**
 * Reads the files whose content is unknown after a walk. Walks changed directories again, in rounds, until nothing
 * changes during a round.
 */
async function readAll({ walk, reading }: FullScan, options: ScanOptions): Promise<ScanResult> {
  let passed = 0;
  const readFresh = async (): Promise<void> => {
    reading.pass(walk.unchangedFiles - passed);
    passed = walk.unchangedFiles;
    await reading.readAll(walk.takeFresh());
  };
  await readFresh();
  let reachable = walk.reachable();
  let unsettled: readonly WalkedDirectory[] = [];
  for (let attempt = 0; !reading.isStopped; attempt += 1) {
    unsettled = await walk.changed(reachable, reading.takeExchanged());
    if (unsettled.length === 0 || attempt === againMax) break;
    await walk.again(unsettled);
    await readFresh();
    reachable = walk.reachable();
  }
  const root = await buildTree(reachable, unsettled, walk.listings, options.slices);
  const report = new ReportBuilder(options);
  const listings = new Map<TreePath, WalkedDirectory>();
  for (const { path, failure } of unsettled) if (failure === undefined) report.skip(path, 'unstable');
  for (const directory of reachable) {
    if (options.slices.isDue()) await options.slices.pause();
    listings.set(directory.path, directory);
    report.add(directory);
  }
  // A later scan must not use the listing of a directory that changed during this scan.
  for (const { path } of unsettled) listings.delete(path);
  const { isStopped, files, read, ownerOnly } = reading;
  return { root, ...report.sorted(), listings, isStopped, files, read, ownerOnly };
}
