// One scan of a work tree: walk, read what is not known, look again until nothing moved, build the tree. It hands
// contents to a sink as it reads them and knows nothing of writers, snapshots or checkpoints.
import { isSameStamp } from '../base/file-stamp.ts';
import type { BlobId } from '../base/ids.ts';
import type { Directory } from '../tree/directory.ts';
import { byBytes, join, type TreePath } from '../tree/tree-path.ts';
import type { CaptureProgress } from './capturer.ts';
import type { WalkedDirectory, WalkedEntry } from './listing.ts';
import { isSettled } from './settled.ts';
import type { BlobHash, SkippedPath, StableContent } from './snapshot-sink.ts';
import { discard, type ReadContent, readLink, readStable } from './stable-read.ts';
import { buildTree } from './tree-builder.ts';
import { Walk, type WalkOptions } from './walker.ts';
import { type Reached, reach } from './work-tree.ts';

/** Takes contents; a returned promise asks the scan to wait. It owns spool files from then on. */
export interface BlobSink {
  add(blob: BlobId, content: StableContent): Promise<void> | undefined;
}

export interface ScanOptions extends WalkOptions {
  readonly kept: Directory | undefined;
  hash(size: number): BlobHash;
  /** Absent: nothing is stored, and the scan stops at the first path that the previous snapshot does not hold. */
  readonly sink: BlobSink | undefined;
  readonly spoolDirectory: string;
  readonly maxFileBytes: number;
  /** How long after its last change a content is read again; see {@link isSettled}. */
  readonly settleMs: number;
  readonly onProgress: CaptureProgress | undefined;
}

export interface Seen {
  readonly root: Directory;
  readonly skipped: readonly SkippedPath[];
  readonly unknown: readonly TreePath[];
  readonly directories: ReadonlyMap<TreePath, WalkedDirectory>;
  /** False when a scan without a sink has stopped early: then something is new. */
  readonly isWhole: boolean;
  readonly files: number;
  readonly read: number;
}

/** How often directories that changed meanwhile are walked again before they are called unstable. */
const againMax = 20;
const progressMs = 100;

export class Scan {
  readonly #options: ScanOptions;
  readonly #walk: Walk;
  /** In seconds, by a clock that never jumps. */
  readonly #startedAt = Math.floor(performance.now() / 1000);
  /** The listings of this scan whose files have been read. */
  readonly #done = new Map<TreePath, WalkedDirectory>();
  #isStopped = false;
  #read = 0;
  #files = 0;
  #unchanged = 0;
  #bytes = 0;
  #looked = 0;
  #toldMs = performance.now();

  constructor(options: ScanOptions) {
    this.#options = options;
    this.#walk = new Walk({ ...options, onLooked: (names) => this.#tellWalk(names) });
  }

  async run(): Promise<Seen> {
    await this.#walk.run();
    await this.#readFresh();
    let unsettled: readonly WalkedDirectory[] = [];
    for (let attempt = 0; !this.#isStopped; attempt += 1) {
      unsettled = await this.#walk.changed();
      if (unsettled.length === 0 || attempt === againMax) break;
      await this.#walk.again(unsettled);
      await this.#readFresh();
    }
    const root = await buildTree(this.#walk, this.#options.slices);
    const report = new Report();
    const directories = new Map<TreePath, WalkedDirectory>();
    for (const { path } of unsettled) report.skip(path, 'unstable');
    for (const directory of this.#walk.reachable()) {
      if (this.#options.slices.isDue()) await this.#options.slices.pause();
      directories.set(directory.path, directory);
      report.add(directory);
    }
    // A listing that changed under our eyes proves nothing later.
    for (const { path } of unsettled) directories.delete(path);
    const { isStopped, files, read } = { isStopped: this.#isStopped, files: this.#files, read: this.#read };
    return { root, ...report.sorted(), directories, isWhole: !isStopped, files, read };
  }

  async #readFresh(): Promise<void> {
    const fresh = this.#walk.takeFresh();
    this.#files += this.#walk.unchangedFiles - this.#unchanged;
    this.#unchanged = this.#walk.unchangedFiles;
    const filesTotal = this.#files + fresh.reduce((sum, directory) => sum + directory.entries.size, 0);
    for (const directory of fresh) {
      let reached: Reached | undefined;
      try {
        for (const [name, entry] of directory.entries) {
          if (!entry.taken || (entry.kind !== 'file' && entry.kind !== 'link')) continue;
          if (this.#options.slices.isDue()) await this.#pause(filesTotal);
          this.#files += 1;
          if (this.#isKnown(directory, name, entry)) continue;
          if (this.#isNews(directory, name)) return;
          reached ??= this.#reach(directory);
          if (reached !== undefined)
            await this.#readEntry(reached, name, entry, this.#before(directory, name));
        }
      } finally {
        reached?.release();
      }
      this.#done.set(directory.path, directory);
    }
  }

  /** Takes over a content that was read under the same stamp: by this scan, or by an earlier one when settled. */
  #isKnown(directory: WalkedDirectory, name: string, entry: WalkedEntry): boolean {
    const { stamp } = entry;
    if (stamp === undefined) return false;
    const now = this.#done.get(directory.path)?.entries.get(name);
    if (now?.blob !== undefined && now.stamp !== undefined && isSameStamp(now.stamp, stamp)) {
      entry.blob = now.blob;
      entry.settled = now.settled;
      entry.seenAt = now.seenAt;
      return true;
    }
    const old = this.#before(directory, name);
    if (old?.blob === undefined || !old.settled || old.stamp === undefined) return false;
    if (!isSameStamp(old.stamp, stamp)) return false;
    // With a sink only what the previous snapshot holds counts: a snapshot that nobody published may be swept away.
    const kept = directory.inherited.kept?.entries.get(name);
    const isUnchanged = kept !== undefined && 'blob' in kept && kept.blob === old.blob;
    if (this.#options.sink !== undefined && !isUnchanged) return false;
    entry.blob = old.blob;
    entry.settled = true;
    return true;
  }

  #before(directory: WalkedDirectory, name: string): WalkedEntry | undefined {
    return this.#options.before.get(directory.path)?.entries.get(name);
  }

  /** Without a sink, a path that the previous snapshot does not hold answers the question. */
  #isNews(directory: WalkedDirectory, name: string): boolean {
    if (this.#options.sink !== undefined) return false;
    const kept = directory.inherited.kept?.entries.get(name);
    this.#isStopped ||= kept === undefined || !('blob' in kept);
    return this.#isStopped;
  }

  #reach(directory: WalkedDirectory): Reached | undefined {
    try {
      return reach(this.#options.tree, directory.path);
    } catch (error) {
      // Gone or changed since it was listed: the look at all directories that follows finds that out.
      if (!(error instanceof Error && 'code' in error)) throw error;
      return undefined;
    }
  }

  async #readEntry(
    reached: Reached,
    name: string,
    entry: WalkedEntry,
    old: WalkedEntry | undefined,
  ): Promise<void> {
    if (entry.kind === 'link') return this.#readLink(reached, name, entry, old);
    if ((entry.stamp?.size ?? 0) > this.#options.maxFileBytes) {
      entry.unread = 'tooLarge';
      return undefined;
    }
    const { sink, spoolDirectory, maxFileBytes, slices } = this.#options;
    const got = await readStable(reached, name, {
      hash: (size) => this.#options.hash(size),
      maxFileBytes,
      slices,
      behindMs: this.#options.clock.behindMs,
      ...(sink === undefined ? {} : { spoolDirectory }),
    });
    this.#read += 1;
    if (got.kind === 'read') {
      this.#bytes += got.stamp.size;
      entry.stamp = got.stamp;
      this.#settle(entry, old);
      return this.#take(entry, got.id, got.content);
    }
    if (got.kind !== 'gone') entry.unread = got.kind;
    return undefined;
  }

  async #readLink(
    reached: Reached,
    name: string,
    entry: WalkedEntry,
    old: WalkedEntry | undefined,
  ): Promise<void> {
    const got = readLink(reached, name);
    if (got.kind === 'gone') return;
    if (got.kind !== 'read') {
      entry.unread = got.kind;
      return;
    }
    const hash = this.#options.hash(got.target.length);
    hash.update(got.target);
    entry.stamp = got.stamp;
    this.#settle(entry, old);
    await this.#take(entry, hash.digest(), { kind: 'bytes', bytes: got.target });
  }

  /** Settled by the clock that set the stamp or, whatever that clock says, because we saw it so long ago. */
  #settle(entry: WalkedEntry, old: WalkedEntry | undefined): void {
    const { stamp } = entry;
    if (stamp === undefined) return;
    const { clock, settleMs } = this.#options;
    const isSeenBefore = old?.stamp !== undefined && old.seenAt > 0 && isSameStamp(old.stamp, stamp);
    entry.seenAt = isSeenBefore ? old.seenAt : Math.ceil(performance.now() / 1000);
    entry.settled =
      isSettled(stamp, clock, settleMs) || this.#startedAt - entry.seenAt >= Math.ceil(settleMs / 1000);
  }

  async #take(entry: WalkedEntry, blob: BlobId, content: ReadContent | undefined): Promise<void> {
    entry.blob = blob;
    if (content === undefined) return;
    if (this.#options.sink === undefined) discard(content);
    else {
      const wait = this.#options.sink.add(blob, content);
      if (wait !== undefined) await wait;
    }
  }

  async #pause(filesTotal: number): Promise<void> {
    await this.#options.slices.pause();
    if (this.#isTimeToTell()) {
      this.#options.onProgress?.({ filesDone: this.#files, filesTotal, bytesDone: this.#bytes });
    }
  }

  /** While names are looked at nobody knows how many there are, so there is no total. */
  #tellWalk(names: number): void {
    this.#looked += names;
    if (this.#isTimeToTell())
      this.#options.onProgress?.({ phase: 'walk', filesDone: this.#looked, bytesDone: 0 });
  }

  #isTimeToTell(): boolean {
    if (this.#options.onProgress === undefined) return false;
    const now = performance.now();
    if (now - this.#toldMs < progressMs) return false;
    this.#toldMs = now;
    return true;
  }
}

/** What a scan has to say of the paths that it did not take. */
class Report {
  readonly #skipped: SkippedPath[] = [];
  readonly #unknown: TreePath[] = [];

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
    for (const [name, entry] of directory.entries) {
      const reason = entry.taken ? reasonOf(entry) : undefined;
      if (reason === undefined) continue;
      const path = join(directory.path, name);
      this.skip(path, reason);
      if (reason === 'unreadable' || reason === 'nameTooLong' || reason === 'unstable')
        this.#unknown.push(path);
    }
  }

  sorted(): { readonly skipped: SkippedPath[]; readonly unknown: TreePath[] } {
    this.#skipped.sort((a, b) => byBytes(a.path, b.path));
    return { skipped: this.#skipped, unknown: this.#unknown.sort(byBytes) };
  }
}

function reasonOf(entry: WalkedEntry): SkippedPath['reason'] | undefined {
  if (entry.kind === 'directory') return undefined;
  if (entry.kind !== 'file' && entry.kind !== 'link') return entry.kind;
  return entry.unread ?? (entry.blob === undefined ? 'vanished' : undefined);
}
