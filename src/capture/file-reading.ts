// Reads the files of listed directories and passes the contents to a sink. Reuses an earlier content when an equal
// stamp proves that the content is unchanged. This module lists no directory and is independent of trees.
import { attempt, isOfSystem } from '../base/attempt.ts';
import { isSameStamp, type Stamp } from '../base/file-stamp.ts';
import type { BlobId } from '../base/ids.ts';
import type { Slices } from '../base/slices.ts';
import { type Directory, isDirectory, nodeAt } from '../tree/tree.ts';
import { join, type TreePath } from '../tree/tree-path.ts';
import { discard, ReusedMemory, readLink, readStable, type StableRead } from '../work-tree/stable-read.ts';
import { type ReachedPath, reachPath, type WorkTree } from '../work-tree/work-tree.ts';
import type { EarlierListings, WalkedDirectory, WalkedEntry } from './listing.ts';
import { markAccessLists } from './scan-result.ts';
import { type FileClock, isSettled } from './settled.ts';
import type { BlobHash, SnapshotWriter, StableContent } from './snapshot-sink.ts';
import { ThreadedReading } from './threaded-reading.ts';

export interface CaptureProgress {
  (done: {
    /** `walk` while the scan lists directories. Absent while the scan reads contents. */
    readonly phase?: 'walk';
    readonly filesDone: number;
    readonly filesTotal?: number;
    readonly bytesDone: number;
  }): void;
}

/**
 * Receives contents. If `add` returns a promise, the scan waits for it. From this call on, the sink owns the content's
 * spool file.
 */
export interface BlobSink {
  add(blob: BlobId, content: StableContent): Promise<void> | undefined;
  /** See {@link SnapshotWriter.addDeflated}. */
  readonly addDeflated?: SnapshotWriter['addDeflated'] | undefined;
}

export interface ReadingOptions {
  readonly tree: WorkTree;
  readonly earlier: EarlierListings;
  /** The tree of the snapshot on which the capture builds. */
  readonly previous: Directory | undefined;
  hash(size: number): BlobHash;
  /**
   * Receives the contents. When absent, nothing is stored, and reading stops at the first path that is not in the
   * previous snapshot.
   */
  readonly sink: BlobSink | undefined;
  readonly spoolDirectory: string;
  readonly maxFileBytes: number;
  readonly clock: FileClock;
  /** If a file's last change is more recent than this time, every scan reads the file again; see {@link isSettled}. */
  readonly settleMs: number;
  readonly slices: Slices;
  readonly onProgress: CaptureProgress | undefined;
  /**
   * True when the watcher proves that the path was not written since the earlier scan. With this proof, an equal stamp
   * is enough, even if the content changed a moment ago.
   */
  readonly isUnwritten?: (path: TreePath) => boolean;
}

const progressMs = 100;

export class FileReading {
  readonly #options: ReadingOptions;
  readonly #memory = new ReusedMemory();
  readonly #threaded: ThreadedReading | undefined;
  /** The start time of the scan, in seconds of a monotonic clock. */
  readonly #startedAt = Math.floor(performance.now() / 1000);
  /** The listings of this scan whose files were already read. */
  readonly #done = new Map<TreePath, WalkedDirectory>();
  readonly #ownerOnly: TreePath[] = [];
  /** Directories that were replaced by another directory. */
  #exchanged = new Set<TreePath>();
  /** The earlier listings by inode. Undefined until a directory at a new path is read. */
  #byInode: ReadonlyMap<number, WalkedDirectory> | undefined;
  #isStopped = false;
  #read = 0;
  #files = 0;
  /** The number of files in the listings, when the walk has ended. */
  #filesTotal: number | undefined;
  /** The number of files that the other thread has read during the walk. */
  #filesInThread = 0;
  #bytes = 0;
  #listed = 0;
  #reportedMs = performance.now();

  constructor(options: ReadingOptions) {
    this.#options = options;
    this.#threaded = this.#threadedReading();
  }

  /** True when the scan found something new and has no sink. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  get files(): number {
    return this.#files;
  }

  get read(): number {
    return this.#read;
  }

  /** Paths that have an access list, or whose access list could not be read. */
  get ownerOnly(): readonly TreePath[] {
    return this.#ownerOnly;
  }

  /**
   * Returns the directories that were found to be replaced since the last call. The caller has to list these
   * directories again.
   */
  takeExchanged(): ReadonlySet<TreePath> {
    const exchanged = this.#exchanged;
    this.#exchanged = new Set();
    return exchanged;
  }

  /** Starts to read the files of these directories in another thread, if this is worth while. */
  begin(directories: readonly WalkedDirectory[]): void {
    this.#threaded?.offer(directories);
  }

  /** Ends the other thread. The caller must call this function at the end of the scan, also after an error. */
  close(): void {
    this.#threaded?.close();
  }

  /** Adds files to the number of finished files. This scan need not check these files. */
  pass(count: number): void {
    this.#files += count;
  }

  /** Completes the entries of files: reads the contents of the files, and finds out whether they have access lists. */
  async readAll(fresh: readonly WalkedDirectory[]): Promise<void> {
    const listed = fresh.reduce((sum, directory) => sum + directory.entries.size, 0);
    this.#filesTotal = this.#files - this.#filesInThread + listed;
    this.#filesInThread = 0;
    const inThread: WalkedDirectory[] = [];
    for (const directory of fresh) {
      if (this.#threaded?.reclaim(directory) === false) inThread.push(directory);
      else if (!(await this.#readDirectory(directory))) return;
    }
    await this.#threaded?.finish();
    this.#threaded?.close();
    for (const directory of inThread) await this.#readDirectory(directory);
    this.#ownerOnly.push(...(await markAccessLists(fresh, this.#options)));
  }

  /** Reads all files of a directory that are not read yet. Returns false when the scan can stop. */
  async #readDirectory(directory: WalkedDirectory): Promise<boolean> {
    let reached: ReachedPath | undefined;
    try {
      for (const [name, entry] of directory.entries) {
        if (!entry.taken || (entry.kind !== 'file' && entry.kind !== 'link')) continue;
        if (entry.blob !== undefined) continue; // the other thread has read the file
        if (this.#options.slices.isDue()) await this.#pause();
        this.#files += 1;
        if (this.#reuse(directory, name, entry) || this.#reuseMoved(directory, name, entry)) continue;
        if (this.#isNews(directory, name)) return false;
        reached ??= this.#reach(directory);
        if (reached !== undefined)
          await this.#readEntry(reached, name, entry, this.#earlier(directory, name), this.#options.sink);
        if (entry.unread === 'elsewhere') this.#exchanged.add(directory.path);
      }
    } finally {
      reached?.release();
    }
    this.#done.set(directory.path, directory);
    return true;
  }

  /** Returns undefined when the scan may reuse earlier contents, or when the store needs other hashes. */
  #threadedReading(): ThreadedReading | undefined {
    const { sink, earlier, tree, clock, maxFileBytes } = this.#options;
    const isFirst = earlier[Symbol.iterator]().next().done === true;
    const add = sink?.addDeflated;
    if (add === undefined || !isFirst) return undefined;
    return new ThreadedReading({
      tree,
      maxFileBytes,
      behindMs: clock.behindMs,
      take: (entry, { id, size }) => {
        this.#files += 1;
        this.#filesInThread += 1;
        this.#read += 1;
        this.#bytes += size;
        entry.blob = id;
        this.#settle(entry, undefined);
      },
      add: async (blobs) => {
        await add(blobs);
        this.#reportRead();
      },
    });
  }

  /**
   * True when a file still has the content that was read for its entry. In this case, the entry's `settled` may become
   * true.
   */
  async isStill(directory: WalkedDirectory, name: string, entry: WalkedEntry): Promise<boolean> {
    const reached = this.#reach(directory);
    if (reached === undefined) return false;
    try {
      const now = { ...entry, blob: undefined };
      const isLink = entry.kind === 'link';
      if (!isLink && (entry.stamp?.size ?? 0) > this.#options.maxFileBytes) return false;
      await this.#readEntry(reached, name, now, entry, undefined);
      const { stamp } = entry;
      if (now.blob !== entry.blob || now.stamp === undefined || stamp === undefined) return false;
      if (!isSameStamp(now.stamp, stamp)) return false;
      entry.settled ||= now.settled;
      return true;
    } finally {
      reached.release();
    }
  }

  /**
   * Reuses a content that was read under the same stamp, by this scan or by an earlier scan. Takes a content from an
   * earlier scan only if it is certain that the store still has it. Returns false when there is no content to reuse.
   */
  #reuse(directory: WalkedDirectory, name: string, entry: WalkedEntry): boolean {
    const { stamp } = entry;
    if (stamp === undefined) return false;
    const now = this.#done.get(directory.path)?.entries.get(name);
    if (now?.blob !== undefined && now.stamp !== undefined && isSameStamp(now.stamp, stamp)) {
      return reuse(entry, now);
    }
    const old = this.#earlier(directory, name);
    if (old?.blob === undefined || old.stamp === undefined || !isSameStamp(old.stamp, stamp)) return false;
    if (!old.settled && !this.#isUnwritten(directory, name, old)) return false;
    // With a sink, reuses a content only if the previous snapshot has it. A sweep may have removed the contents of an
    // unpublished snapshot.
    const previous = directory.inherited.previous?.entries.get(name);
    const isUnchanged = previous !== undefined && !isDirectory(previous) && previous.blob === old.blob;
    if (this.#options.sink !== undefined && !isUnchanged) return false;
    return reuse(entry, old);
  }

  /**
   * If the file was moved together with its directory, reuses the content that was read at the old path. Renaming a
   * directory does not change the stamps of its files, so an equal stamp proves an equal content.
   */
  #reuseMoved(directory: WalkedDirectory, name: string, entry: WalkedEntry): boolean {
    if (this.#options.sink === undefined) return false;
    const from = this.#movedFrom(directory);
    const old = from?.entries.get(name);
    if (from === undefined || old?.blob === undefined || old.unread !== undefined || !old.settled)
      return false;
    const { stamp } = entry;
    if (old.stamp === undefined || stamp === undefined || !isSameStamp(old.stamp, stamp)) return false;
    const previous = nodeAt(this.#options.previous, join(from.path, name));
    if (previous === undefined || isDirectory(previous) || previous.blob !== old.blob) return false;
    return reuse(entry, old);
  }

  /**
   * Returns the earlier listing of this directory if the directory had another path when it was listed. Recognizes the
   * directory by its inode.
   */
  #movedFrom({ path, stamp }: WalkedDirectory): WalkedDirectory | undefined {
    const { earlier } = this.#options;
    if (earlier.get(path)?.stamp.ino === stamp.ino) return undefined;
    this.#byInode ??= byInode(earlier);
    return this.#byInode.get(stamp.ino);
  }

  /**
   * True when the watcher proves that no program wrote to the file. False for a file with several names, because the
   * watcher reports a write under only one name.
   */
  #isUnwritten({ path }: WalkedDirectory, name: string, { links, unread }: WalkedEntry): boolean {
    const { isUnwritten } = this.#options;
    if (isUnwritten === undefined || links !== undefined || unread !== undefined) return false;
    return isUnwritten(join(path, name));
  }

  #earlier(directory: WalkedDirectory, name: string): WalkedEntry | undefined {
    return this.#options.earlier.get(directory.path)?.entries.get(name);
  }

  /** True when a scan without a sink need not read the file, because the path is not in the previous snapshot. */
  #isNews(directory: WalkedDirectory, name: string): boolean {
    if (this.#options.sink !== undefined) return false;
    const previous = directory.inherited.previous?.entries.get(name);
    this.#isStopped ||= previous === undefined || isDirectory(previous);
    return this.#isStopped;
  }

  #reach(directory: WalkedDirectory): ReachedPath | undefined {
    // `reachPath` fails if the directory has changed since it was listed. The final check of all directories detects
    // this change.
    return attempt(isOfSystem, () => reachPath(this.#options.tree, directory.path));
  }

  async #readEntry(
    reached: ReachedPath,
    name: string,
    entry: WalkedEntry,
    old: WalkedEntry | undefined,
    sink: BlobSink | undefined,
  ): Promise<void> {
    const got =
      entry.kind === 'link'
        ? this.#readLink(reached, name)
        : await this.#readFile(reached, name, entry.stamp, sink !== undefined);
    if (got.kind === 'gone') return;
    if (got.kind !== 'read') {
      entry.unread = got.kind;
      return;
    }
    entry.stamp = got.stamp;
    entry.blob = got.id;
    this.#settle(entry, old);
    if (got.content === undefined) return;
    if (sink === undefined) discard(got.content);
    else {
      const wait = sink.add(got.id, got.content);
      if (wait !== undefined) await wait;
    }
  }

  async #readFile(
    reached: ReachedPath,
    name: string,
    listed: Stamp | undefined,
    isContentWanted: boolean,
  ): Promise<StableRead<BlobId> | { readonly kind: 'tooLarge' }> {
    const { spoolDirectory, maxFileBytes, slices } = this.#options;
    if ((listed?.size ?? 0) > maxFileBytes) return { kind: 'tooLarge' };
    const got = await readStable(reached, name, {
      hash: (size) => this.#options.hash(size),
      maxFileBytes,
      slices,
      behindMs: this.#options.clock.behindMs,
      listed,
      spoolDirectory,
      isContentWanted,
      memory: this.#memory,
    });
    this.#read += 1;
    if (got.kind === 'read') this.#bytes += got.stamp.size;
    return got;
  }

  #readLink(reached: ReachedPath, name: string): StableRead<BlobId> {
    const got = readLink(reached, name);
    if (got.kind !== 'read') return got;
    const hash = this.#options.hash(got.target.length);
    hash.update(got.target);
    return { ...got, id: hash.digest(), content: { kind: 'bytes', bytes: got.target } };
  }

  /**
   * Sets `settled` to true if the stamp is old enough. The clock of the file system decides this. A stamp is also old
   * enough if a scan saw it long ago.
   */
  #settle(entry: WalkedEntry, old: WalkedEntry | undefined): void {
    const { stamp } = entry;
    if (stamp === undefined) return;
    const { clock, settleMs } = this.#options;
    const isSeenBefore = old?.stamp !== undefined && old.seenAt > 0 && isSameStamp(old.stamp, stamp);
    entry.seenAt = isSeenBefore ? old.seenAt : Math.ceil(performance.now() / 1000);
    entry.settled =
      isSettled(stamp, clock, settleMs) || this.#startedAt - entry.seenAt >= Math.ceil(settleMs / 1000);
  }

  async #pause(): Promise<void> {
    await this.#options.slices.pause();
    this.#reportRead();
  }

  #reportRead(): void {
    const filesTotal = this.#filesTotal;
    if (filesTotal === undefined || !this.#isReportDue()) return; // the walk still reports progress
    this.#options.onProgress?.({ filesDone: this.#files, filesTotal, bytesDone: this.#bytes });
  }

  /** Reports progress while the walk lists directories. The total is not known yet. */
  reportListed(names: number): void {
    this.#listed += names;
    if (this.#isReportDue())
      this.#options.onProgress?.({ phase: 'walk', filesDone: this.#listed, bytesDone: 0 });
  }

  #isReportDue(): boolean {
    if (this.#options.onProgress === undefined) return false;
    const now = performance.now();
    if (now - this.#reportedMs < progressMs) return false;
    this.#reportedMs = now;
    return true;
  }
}

/** Copies the content of an earlier entry with the same stamp. */
function reuse(entry: WalkedEntry, { blob, settled, seenAt }: WalkedEntry): true {
  entry.blob = blob;
  entry.settled = settled;
  entry.seenAt = seenAt;
  return true;
}

function byInode(earlier: EarlierListings): Map<number, WalkedDirectory> {
  const found = new Map<number, WalkedDirectory>();
  for (const [, directory] of earlier) found.set(directory.stamp.ino, directory);
  return found;
}
