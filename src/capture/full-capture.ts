// The full capture: looks at the whole work tree, reads what may have changed, and hands it to the store. Always right,
// whatever a watcher knows. It never writes to the work tree and publishes nothing.
import { CheckpointdError } from '../base/errors.ts';
import { given } from '../base/given.ts';
import type { BlobId, SnapshotId } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import { Slices } from '../base/slices.ts';
import type { UserPlaces } from '../git/ignore/global-excludes.ts';
import type { Directory } from '../tree/directory.ts';
import { Globs } from '../tree/globs.ts';
import { join, nameOf, parentOf, rootPath, type TreePath } from '../tree/tree-path.ts';
import type { Changes } from '../watch/change-log.ts';
import type { Capture, CaptureRequest, Capturer, FullCaptureReason } from './capturer.ts';
import { addPath, type PathTree } from './ignore/ignore-rules.ts';
import { GitIgnoreScopes } from './ignore/ignore-scopes.ts';
import type { WalkedDirectory } from './listing.ts';
import { type BlobSink, Scan } from './scan.ts';
import type { SeenTree } from './seen-tree.ts';
import { readFileClock, settleMsUsual } from './settled.ts';
import type { SnapshotSink, SnapshotWriter, StableContent } from './snapshot-sink.ts';
import { rootIdentity, type WorkTree } from './work-tree.ts';

export interface FullCaptureOptions {
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
  /** Called when a capture begins to look: what changes from now on belongs to the next one. */
  readonly onLook?: (kind: LookKind) => StartedLook;
  readonly log: Log;
}

/** What a capture is going to look at. */
export interface LookKind {
  /** It looks at every file, and takes none over unseen. */
  readonly isWhole: boolean;
  /** And it takes what the rules say, and nothing else. */
  readonly isPlain: boolean;
}

export interface StartedLook {
  /** What may have changed since the last capture that succeeded. */
  readonly changes: Changes;
  /** Called with what the capture saw, when it has succeeded. */
  succeeded(seen: SeenTree): void;
}

const rootsMax = 4;

/** Captures one work tree into one store. Captures may run at the same time; they share only finished scans. */
export class FullCapture implements Capturer {
  readonly #options: FullCaptureOptions;
  readonly #scopes: GitIgnoreScopes;
  readonly #include: Globs;
  readonly #exclude: Globs;
  readonly #roots = new Map<SnapshotId, Directory>();
  #directories: ReadonlyMap<TreePath, WalkedDirectory> = new Map();
  /** What each capture saw, for as long as somebody holds it. */
  readonly #seen = new WeakMap<Capture, ReadonlyMap<TreePath, WalkedDirectory>>();
  #running = 0;

  constructor(options: FullCaptureOptions) {
    this.#options = options;
    this.#include = new Globs(options.include ?? []);
    this.#exclude = new Globs(options.exclude ?? []);
    this.#scopes = new GitIgnoreScopes({
      workTree: options.workTree.root,
      directory: options.ignoreDirectory,
      log: options.log,
      ...given({ places: options.places }),
    });
  }

  /**
   * Stores the present state of the work tree.
   *
   * @throws WorkTreeMissing, NotADirectory, WorkTreeUnreadable for the root; the store's errors; AbortError. After a
   * failure nothing of the capture is left.
   */
  async capture(request: CaptureRequest = {}): Promise<Capture> {
    const started = performance.now();
    const { store, log } = this.#options;
    const kept = await this.#rootOf(request.previous);
    const writer = store.writer(request.signal);
    try {
      const backlog = new Backlog(writer);
      const isWhole = request.since === undefined;
      const look = this.#options.onLook?.({ isWhole, isPlain: isWhole && request.alsoInclude === undefined });
      const reason = this.#reason(request, look?.changes);
      const scan = this.#scan(request, kept, backlog);
      const seen = await this.#tracked(() => scan.run());
      await backlog.drained();
      request.signal?.throwIfAborted();
      const snapshot = await writer.seal(seen.root);
      this.#directories = seen.directories;
      this.#remember(snapshot, seen.root);
      const ms = performance.now() - started;
      log.debug(`captured ${seen.files} files, read ${seen.read}, in ${ms.toFixed(0)} ms (${reason})`);
      const { root, skipped, unknown } = seen;
      const capture: Capture = { snapshot, root, skipped, unknown, path: 'cold', reason, ms };
      this.#seen.set(capture, seen.directories);
      look?.succeeded(seen);
      return capture;
    } catch (error) {
      await writer.abort();
      throw error;
    }
  }

  /** Whether a capture now would differ from a snapshot; stores nothing. @throws as {@link capture} */
  async isChanged(previous: SnapshotId, signal?: AbortSignal): Promise<boolean> {
    const kept = await this.#rootOf(previous);
    const scan = this.#scan(given({ signal }), kept, undefined);
    const seen = await this.#tracked(() => scan.run());
    if (seen.isWhole) this.#directories = seen.directories;
    return !seen.isWhole || seen.root !== kept;
  }

  /** Whether the last scan left this path out, itself or with a directory above it. For the watcher. */
  isLeftOut(path: TreePath): boolean {
    let directory = rootPath;
    for (const name of path.split('/')) {
      const entry = this.#directories.get(directory)?.entries.get(name);
      if (entry === undefined) return false;
      if (!entry.taken) return true;
      directory = join(directory, name);
    }
    return false;
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

  /** Ends the engines. */
  close(): Promise<void> {
    return this.#scopes.close();
  }

  /** Ends the engines at once, for a dying process. */
  kill(): void {
    this.#scopes.kill();
  }

  /** Why this capture looks at everything. */
  #reason(request: CaptureRequest, changes: Changes | undefined): FullCaptureReason {
    if (this.#directories.size === 0) return 'first';
    if (request.alsoInclude !== undefined) return 'alsoInclude';
    if (changes === undefined) return 'unwatched';
    if (changes.kind === 'everything') return changes.reason;
    for (const path of changes.paths) if (nameOf(path) === '.gitignore') return 'ignoreRules';
    return 'unproven';
  }

  #scan(request: CaptureRequest, kept: Directory | undefined, sink: BlobSink | undefined): Scan {
    const { workTree, store, maxFileBytes } = this.#options;
    rootIdentity(workTree.root);
    const earlier = request.since === undefined ? undefined : this.#seen.get(request.since.capture);
    const touched = new Set(request.since?.touched.map(parentOf));
    return new Scan({
      tree: workTree,
      scopes: this.#scopes,
      include: this.#include,
      exclude: this.#exclude,
      before: earlier ?? this.#directories,
      ...(earlier === undefined ? {} : { looksAtFiles: (directory) => touched.has(directory) }),
      kept,
      alsoInclude: pathTreeOf(request.alsoInclude ?? []),
      leftOut: new Set(this.#options.leftOut),
      slices: new Slices(request.signal),
      hash: (size) => store.hash(size),
      sink,
      spoolDirectory: store.spoolDirectory,
      maxFileBytes: maxFileBytes ?? Number.MAX_SAFE_INTEGER,
      clock: readFileClock(workTree, store.spoolDirectory, this.#options.now ?? Date.now),
      settleMs: this.#options.settleMs ?? settleMsUsual,
      onProgress: request.onProgress,
    });
  }

  /** Lets the engines of nested repositories go when no scan needs them any more. */
  async #tracked<T>(run: () => Promise<T>): Promise<T> {
    this.#running += 1;
    try {
      return await run();
    } finally {
      this.#running -= 1;
      if (this.#running === 0) await this.#scopes.rest();
    }
  }

  async #rootOf(snapshot: SnapshotId | undefined): Promise<Directory | undefined> {
    const { store, log } = this.#options;
    // What is known to be damaged is not carried over: every file is read and handed to the store again.
    if (snapshot === undefined || store.isDoubtful?.()) return undefined;
    try {
      const root = this.#roots.get(snapshot) ?? (await store.directory(snapshot));
      this.#remember(snapshot, root);
      return root;
    } catch (error) {
      if (!(error instanceof CheckpointdError) || error.kind !== 'StoreCorrupt') throw error;
      log.warn(`every file is read again: ${error.message}`);
      return undefined;
    }
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

function pathTreeOf(paths: readonly TreePath[]): PathTree | undefined {
  if (paths.length === 0) return undefined;
  const tree: PathTree = new Map();
  // Longest first, then shorter ones replace what they contain: a whole directory swallows a file in it.
  for (const path of [...paths].sort((a, b) => b.length - a.length)) {
    addWholePath(tree, path);
  }
  return tree;
}

function addWholePath(tree: PathTree, path: string): void {
  const cut = path.lastIndexOf('/');
  let node: PathTree = tree;
  for (const name of cut < 0 ? [] : path.slice(0, cut).split('/')) {
    const child = node.get(name);
    if (!(child instanceof Map)) break;
    node = child;
  }
  node.delete(path.slice(cut + 1));
  addPath(tree, path);
}

/** Blobs on their way into the store: many at once, bounded by count and bytes; the first failure is kept. */
class Backlog implements BlobSink {
  readonly #writer: SnapshotWriter;
  #pending: Promise<unknown>[] = [];
  #bytes = 0;
  #failure: { readonly error: unknown } | undefined;

  constructor(writer: SnapshotWriter) {
    this.#writer = writer;
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
