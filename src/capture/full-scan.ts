// One scan of a work tree: walk, read what is not known, look again until nothing moved, build the tree. It hands
// contents to a sink as it reads them and knows nothing of writers, snapshots or checkpoints.
import type { Directory } from '../tree/directory.ts';
import { byBytes, join, type TreePath } from '../tree/tree-path.ts';
import { FileReading, type ReadingOptions } from './file-reading.ts';
import type { WalkedDirectory, WalkedEntry } from './listing.ts';
import type { Listings } from './listings.ts';
import type { SkippedPath } from './snapshot-sink.ts';
import { tornDatabases } from './torn-databases.ts';
import { buildTree } from './tree-builder.ts';
import { Walk, type WalkOptions } from './walker.ts';

export interface ScanOptions extends WalkOptions, ReadingOptions {
  readonly before: WalkOptions['before'];
  readonly kept: Directory | undefined;
}

export interface ScanResult {
  readonly root: Directory;
  readonly skipped: readonly SkippedPath[];
  readonly unknown: readonly TreePath[];
  /** Databases that were written to while the scan read them. */
  readonly torn: readonly TreePath[];
  readonly directories: Listings;
  /** False when a scan without a sink has stopped early: then something is new. */
  readonly isWhole: boolean;
  readonly files: number;
  readonly read: number;
  /** Paths of which this scan found that only their owner's permissions can be told. */
  readonly ownerOnly: readonly TreePath[];
}

/** How often directories that changed meanwhile are walked again before they are called unstable. */
const againMax = 20;

export class FullScan {
  readonly #options: ScanOptions;
  readonly #walk: Walk;
  readonly #reading: FileReading;
  #unchanged = 0;

  constructor(options: ScanOptions) {
    this.#options = options;
    this.#reading = new FileReading(options);
    this.#walk = new Walk({ ...options, onLooked: (names) => this.#reading.tellWalk(names) });
  }

  async run(): Promise<ScanResult> {
    await this.#walk.run();
    await this.#readFresh();
    let unsettled: readonly WalkedDirectory[] = [];
    for (let attempt = 0; !this.#reading.isStopped; attempt += 1) {
      unsettled = await this.#walk.changed(this.#reading.takeExchanged());
      if (unsettled.length === 0 || attempt === againMax) break;
      await this.#walk.again(unsettled);
      await this.#readFresh();
    }
    const root = await buildTree(this.#walk, this.#options.slices);
    const report = new ScanReport(this.#options);
    const directories = new Map<TreePath, WalkedDirectory>();
    for (const { path, failure } of unsettled) if (failure === undefined) report.skip(path, 'unstable');
    for (const directory of this.#walk.reachable()) {
      if (this.#options.slices.isDue()) await this.#options.slices.pause();
      directories.set(directory.path, directory);
      report.add(directory);
    }
    // A listing that changed under our eyes proves nothing later.
    for (const { path } of unsettled) directories.delete(path);
    const { isStopped, files, read, ownerOnly } = this.#reading;
    return { root, ...report.sorted(), directories, isWhole: !isStopped, files, read, ownerOnly };
  }

  async #readFresh(): Promise<void> {
    this.#reading.pass(this.#walk.unchangedFiles - this.#unchanged);
    this.#unchanged = this.#walk.unchangedFiles;
    await this.#reading.readAll(this.#walk.takeFresh());
  }
}

/** What a scan has to say of the paths that it did not take, gathered directory by directory. */
export class ScanReport {
  readonly #skipped: SkippedPath[] = [];
  readonly #unknown: TreePath[] = [];
  readonly #torn: TreePath[] = [];
  readonly #seen: Pick<ScanOptions, 'tree' | 'clock'>;

  constructor(seen: Pick<ScanOptions, 'tree' | 'clock'>) {
    this.#seen = seen;
  }

  skip(path: TreePath, reason: SkippedPath['reason']): void {
    this.#skipped.push({ path, reason });
  }

  add(directory: WalkedDirectory): void {
    if (directory.failure !== undefined) {
      this.skip(directory.path, directory.failure);
      this.#unknown.push(directory.path);
    }
    if (directory.gitDirectory !== undefined && directory.inherited.mode !== 'git')
      this.skip(directory.path, 'nestedGitDirectory');
    if (directory.isUnchanged) return; // what is not as it should be never stands
    let hasJournal = false;
    for (const [name, entry] of directory.entries) {
      hasJournal ||= journalName.test(name);
      const reason = entry.taken ? reasonOf(entry) : undecided(entry);
      if (reason === undefined) continue;
      const path = join(directory.path, name);
      this.skip(path, reason);
      if (unknownReasons.has(reason)) this.#unknown.push(path);
    }
    if (hasJournal) this.#torn.push(...tornDatabases(directory, this.#seen.tree, this.#seen.clock));
  }

  sorted(): Pick<ScanResult, 'skipped' | 'unknown' | 'torn'> {
    this.#skipped.sort((a, b) => byBytes(a.path, b.path));
    return { skipped: this.#skipped, unknown: this.#unknown.sort(byBytes), torn: this.#torn.sort(byBytes) };
  }
}

/** The journals that SQLite writes beside a database. */
const journalName = /-(?:wal|journal)$/;

const unknownReasons: ReadonlySet<SkippedPath['reason']> = new Set([
  'unreadable',
  'nameTooLong',
  'unstable',
  'undecided',
]);

function undecided({ unread }: WalkedEntry): SkippedPath['reason'] | undefined {
  return unread === 'undecided' ? unread : undefined;
}

function reasonOf(entry: WalkedEntry): SkippedPath['reason'] | undefined {
  if (entry.kind === 'directory') return undefined;
  if (entry.kind !== 'file' && entry.kind !== 'link') return entry.kind;
  if (entry.unread === 'elsewhere') return 'unstable';
  return entry.unread ?? (entry.blob === undefined ? 'vanished' : undefined);
}
