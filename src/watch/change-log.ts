// The change log of one work tree. The log contains marks: each has a path that may have changed, and a position. Two
// sources write the log: the directory handles (directory-handles.ts) and chokidar (chokidar-watch.ts). Only the
// handles can prove that the log is complete. A capture therefore checks paths that chokidar has marked, but never
// omits a check because of chokidar. The log stores a limited number of the newest marks, and reports when it is
// incomplete. Each reader remembers its own position in the log.
import { restoreTemporaryPrefix } from '../tree/globs.ts';
import { byBytes, isGitName, nameOf, parentOf, rootPath, type TreePath } from '../tree/tree-path.ts';

export type ChangeSource = 'handles' | 'chokidar';

/**
 * Why the log is incomplete: there are no handles on the tree, the handles missed an event, or too many paths have
 * changed.
 */
export type LossReason = 'unwatched' | 'suspect' | 'overflow';

export type Changes =
  | { readonly kind: 'everything'; readonly reason: LossReason }
  /** The path of a directory stands for everything below the directory. */
  | { readonly kind: 'paths'; readonly paths: ReadonlySet<TreePath> };

interface ChangeLogOptions {
  /** True for a path that the ignore rules exclude. */
  readonly isIgnored?: (path: TreePath) => boolean;
  /** Called for every marked path that clients may see. */
  readonly onMark?: (path: TreePath, source: ChangeSource) => void;
}

interface Mark {
  readonly position: number;
  /** The position of the handles' newest mark for this path. 0 when only chokidar marked the path. */
  readonly handlesPosition: number;
  /** True to hide the mark from clients. A capture gets every mark. */
  readonly isHidden: boolean;
}

/**
 * The maximum number of paths that a capture checks one by one. Checking more paths costs more than scanning the whole
 * tree.
 */
const pathsMax = 10_000;

export class ChangeLog {
  readonly #options: ChangeLogOptions;
  /** For each path, its newest mark. The path with the oldest of these marks comes first. */
  readonly #marks = new Map<TreePath, Mark>();
  #unwatched: ReadonlySet<TreePath> = new Set();
  #position = 0;
  /** The log has every change since this position. */
  #completeFrom = 0;
  /** The log dropped the marks up to this position because there were too many. */
  #droppedTo = 0;
  #lastLoss: LossReason = 'unwatched';
  /** Why the handles are not watching now. Undefined while the handles are watching. */
  #ended: LossReason | undefined = 'unwatched';

  constructor(options: ChangeLogOptions = {}) {
    this.#options = options;
  }

  get position(): number {
    return this.#position;
  }

  /** Records that from now on the handles make a mark for every change. */
  begin(): void {
    this.lose(this.#ended ?? this.#lastLoss);
    this.#ended = undefined;
  }

  /** Records that the handles may miss changes until the next {@link begin}. */
  end(reason: LossReason): void {
    this.lose(reason);
    this.#ended = reason;
    this.#unwatched = new Set();
  }

  /** Records that the handles may have missed a change. So the log is incomplete for all positions up to now. */
  lose(reason: LossReason): void {
    this.#position += 1;
    this.#completeFrom = this.#position;
    this.#lastLoss = reason;
  }

  /** Records that a path may have changed. All paths in an ignored directory share one mark. */
  mark(path: TreePath, source: ChangeSource): void {
    const ignored = this.#topmostIgnored(path);
    const isHidden = ignored !== undefined || isPrivate(path);
    this.#add(ignored ?? path, source, isHidden);
    if (!isHidden) this.#options.onMark?.(path, source);
  }

  /**
   * Replaces the list of the directories that have no handle. A capture always checks these directories, and an audit
   * leaves them out.
   */
  setUnwatched(directories: Iterable<TreePath>): void {
    const before = this.#unwatched;
    this.#unwatched = new Set(directories);
    // Marks a directory that has just got its handle, because the log lacks the directory's earlier changes.
    for (const directory of before)
      if (!this.#unwatched.has(directory)) this.#add(directory, 'handles', true);
  }

  isCompleteSince(position: number): boolean {
    return this.#lossSince(position) === undefined;
  }

  /** Returns the changes since the position, for captures. */
  changesSince(position: number): Changes {
    const reason = this.#lossSince(position);
    if (reason !== undefined) return { kind: 'everything', reason };
    const paths = new Set<TreePath>();
    for (const [path, mark] of this.#marks) {
      // Ignores chokidar's mark of the root. chokidar marks the root when it gets a file name that is not text. A
      // capture needs no mark to find that the root was replaced.
      const newest = path === rootPath ? mark.handlesPosition : mark.position;
      if (newest > position) paths.add(path);
    }
    return { kind: 'paths', paths };
  }

  /**
   * True when the handles marked the path or a directory above it after the position. Also true when the handles do not
   * watch the path.
   */
  isMarkedByHandles(path: TreePath, position: number): boolean {
    for (let at = path; ; at = parentOf(at)) {
      if ((this.#marks.get(at)?.handlesPosition ?? 0) > position || this.#unwatched.has(at)) return true;
      if (at === rootPath) return false;
    }
  }

  /**
   * Returns the sorted paths that either source has marked since the position. Returns an empty list when there were
   * too many paths to store.
   */
  visibleSince(position: number): TreePath[] {
    if (position < this.#droppedTo) return [];
    const paths: TreePath[] = [];
    for (const [path, mark] of this.#marks) if (mark.position > position && !mark.isHidden) paths.push(path);
    return paths.sort(byBytes);
  }

  #add(path: TreePath, source: ChangeSource, isHidden: boolean): void {
    this.#position += 1;
    const handlesPosition =
      source === 'handles' ? this.#position : (this.#marks.get(path)?.handlesPosition ?? 0);
    this.#marks.delete(path);
    this.#marks.set(path, { position: this.#position, handlesPosition, isHidden });
    if (this.#marks.size > pathsMax) this.#dropOldest();
  }

  #dropOldest(): void {
    for (const [path, { position }] of this.#marks) {
      this.#marks.delete(path);
      this.#droppedTo = position;
      if (position <= this.#completeFrom) return;
      this.#completeFrom = position;
      this.#lastLoss = 'overflow';
      return;
    }
  }

  /** Returns the topmost ignored directory that contains an ignored path, or the path itself. */
  #topmostIgnored(path: TreePath): TreePath | undefined {
    const { isIgnored } = this.#options;
    if (isIgnored === undefined || path === rootPath || !isIgnored(path)) return undefined;
    for (let cut = path.indexOf('/'); cut > 0; cut = path.indexOf('/', cut + 1)) {
      const above = path.slice(0, cut) as TreePath;
      if (isIgnored(above)) return above;
    }
    return path;
  }

  #lossSince(position: number): LossReason | undefined {
    if (this.#ended !== undefined) return this.#ended;
    return position < this.#completeFrom ? this.#lastLoss : undefined;
  }
}

/** True for paths that captures see but clients never see: git's own names and the temporary names of restores. */
function isPrivate(path: TreePath): boolean {
  const name = nameOf(path);
  return isGitName(name) || name === restoreTemporaryPrefix;
}
