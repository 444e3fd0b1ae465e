// Merges three trees path by path, by the rules of git's own merge. The merge combines the changes that each side made
// to the base. If the two sides contradict each other at a path, the merged tree has the entry of `ours` there. The
// caller passes the renames and a function that merges contents, so this module reads nothing. The merge does not
// follow renamed directories. If one side renames a directory, a file that the other side created in it stays in the
// old directory.
import type { BlobId } from '../base/ids.ts';
import {
  asDirectory,
  type Directory,
  type Entry,
  type FileNode,
  isDirectory,
  isLink,
  nodeAt,
  sameEntry,
  type TreeChange,
} from './tree.ts';
import { ancestors, byBytes, join, type TreePath } from './tree-path.ts';

/** The differences between one side and the base. */
export interface MergeSide {
  readonly changes: readonly TreeChange[];
  /** The new path of each renamed file, keyed by the old path. */
  readonly renames: ReadonlyMap<TreePath, TreePath>;
}

/** Why the two sides cannot be combined at a path. */
type MergeConflict =
  /** Both sides changed the same lines. */
  | 'content'
  /** Both sides changed a binary file. */
  | 'binary'
  /** Both sides changed the target of a link. */
  | 'link'
  /** One side deleted a file that the other side changed or renamed. */
  | 'deleted'
  /** Both sides created a file at the path, with different contents. */
  | 'bothAdded'
  /** Both sides changed the permission bits in different ways. */
  | 'mode'
  /** One side has a file at the path, and the other side has a link. */
  | 'kind'
  /** Both sides renamed the file in different ways, or two files were renamed to one path. */
  | 'renamed'
  /** One side has a file at a path where the other side needs a directory. */
  | 'inTheWay';

export interface MergedPath {
  readonly path: TreePath;
  /** `gone`: `ours` does not change, because it is already equal to the result of the merge. */
  readonly outcome: 'clean' | 'gone' | 'conflict';
  readonly reason?: MergeConflict | undefined;
  readonly base?: Entry | undefined;
  readonly ours?: Entry | undefined;
  readonly theirs?: Entry | undefined;
}

export interface TreeMerge {
  /** The differences between `ours` and the merged tree, ordered by path. */
  readonly changes: readonly TreeChange[];
  /** Every path that `theirs` or the merge changes, in bytewise order. */
  readonly paths: readonly MergedPath[];
}

/** The result of merging contents. If the texts conflict, the blob contains conflict markers. */
export type MergedContent =
  | { readonly kind: 'merged'; readonly blob: BlobId; readonly isClean: boolean }
  | { readonly kind: 'binary' };

export interface MergeRequest {
  /** The whole tree of `ours`. */
  readonly tree: Directory;
  readonly ours: MergeSide;
  readonly theirs: MergeSide;
  /** Merges three contents. An absent base counts as empty. Several calls may run at the same time. */
  readonly contents: (
    base: BlobId | undefined,
    ours: BlobId,
    theirs: BlobId,
    path: TreePath,
  ) => Promise<MergedContent>;
  /**
   * True to write conflict markers into text files. By default, a text file with conflicts keeps the content of `ours`.
   */
  readonly marks?: boolean;
}

/** Merges two sides that have a common base. */
export async function mergeTrees(request: MergeRequest): Promise<TreeMerge> {
  const merge = new ThreeWay(request);
  merge.collect();
  await merge.followRenames();
  await merge.resolve();
  merge.refuseInTheWay();
  return merge.result();
}

type SideName = 'ours' | 'theirs';

/**
 * A cell: one path with its three entries. A rename moves entries from the cell of the old path to the cell of the new
 * path.
 */
interface Cell {
  readonly path: TreePath;
  base: Entry | undefined;
  ours: Entry | undefined;
  theirs: Entry | undefined;
  conflict?: MergeConflict;
  /**
   * The paths that are merged as a group. If one of these paths has a conflict, all paths of the group stay unchanged.
   */
  group: Set<TreePath>;
}

interface Resolved {
  readonly entry: Entry | undefined;
  readonly conflict?: MergeConflict | undefined;
}

/** The number of contents that are merged at the same time. Each merge runs a git process. */
const mergesAtOnce = 4;

/** Conflicts between texts. The merge can write markers for these conflicts into the file. */
const markable: ReadonlySet<string> = new Set(['content', 'bothAdded']);

class ThreeWay {
  readonly #request: MergeRequest;
  readonly #cells = new Map<TreePath, Cell>();
  /** The three entries of each path before the renames were applied. */
  readonly #given = new Map<TreePath, { readonly [K in 'base' | SideName]: Entry | undefined }>();
  readonly #merged = new Map<TreePath, Entry | undefined>();
  readonly #conflicts = new Map<TreePath, MergeConflict>();

  constructor(request: MergeRequest) {
    this.#request = request;
  }

  collect(): void {
    for (const side of ['ours', 'theirs'] as const) {
      for (const { path, before, after } of this.#request[side].changes) {
        const cell = this.#cells.get(path) ?? {
          path,
          base: before,
          ours: before,
          theirs: before,
          group: new Set([path]),
        };
        cell[side] = after;
        this.#cells.set(path, cell);
      }
    }
    for (const [path, { base, ours, theirs }] of this.#cells) this.#given.set(path, { base, ours, theirs });
  }

  async followRenames(): Promise<void> {
    const { ours, theirs } = this.#request;
    const sources = new Set([...ours.renames.keys(), ...theirs.renames.keys()]);
    for (const from of [...sources].sort(byBytes)) {
      const [to, other] = [ours.renames.get(from), theirs.renames.get(from)];
      const source = this.#cells.get(from);
      if (source === undefined) continue;
      if (to !== undefined && other !== undefined) this.#bothRenamed(source, to, other);
      else if (to !== undefined) await this.#oneRenamed(source, to, 'ours');
      else if (other !== undefined) await this.#oneRenamed(source, other, 'theirs');
    }
  }

  #bothRenamed(source: Cell, ours: TreePath, theirs: TreePath): void {
    const [one, two] = [this.#cells.get(ours), this.#cells.get(theirs)];
    if (one === undefined || two === undefined) return;
    this.#join(source, one);
    this.#join(source, two);
    if (one === two) {
      one.base = source.base;
      empty(source);
    } else for (const cell of [source, one, two]) cell.conflict = 'renamed';
  }

  async #oneRenamed(source: Cell, to: TreePath, side: SideName): Promise<void> {
    const target = this.#cells.get(to);
    const moved = target?.[side];
    if (target === undefined || moved === undefined) return;
    const otherSide = side === 'ours' ? 'theirs' : 'ours';
    const stayed = source[otherSide];
    const isOtherKind = stayed !== undefined && isLink(stayed) !== isLink(moved);
    // If both sides renamed the file, and one side then created a new file at the old path, this is one rename and no
    // collision.
    const collides = target[otherSide] !== undefined && !isOtherKind;
    this.#join(source, target);
    if (collides && stayed !== undefined) {
      const entries = { base: source.base, ours: stayed, theirs: stayed, [side]: moved };
      const { entry, conflict } = await this.#threeWay(to, entries);
      target[side] = entry;
      if (conflict !== undefined) target.conflict = conflict;
    } else if (collides) target.conflict = 'renamed';
    else {
      target.base = source.base;
      if (isOtherKind) {
        source.base = undefined;
        if (target[otherSide] === undefined) target.conflict = 'kind';
      } else if (stayed === undefined) target.conflict = 'deleted';
      else target[otherSide] = stayed;
    }
    if (!isOtherKind) empty(source);
  }

  #join(one: Cell, other: Cell): void {
    if (one.group === other.group) return;
    const all = new Set([...one.group, ...other.group]);
    for (const path of all) {
      const cell = this.#cells.get(path);
      if (cell !== undefined) cell.group = all;
    }
  }

  async resolve(): Promise<void> {
    const resolved = await this.#resolveCells();
    for (const cell of this.#cells.values()) {
      const { entry, conflict } = resolved.get(cell) ?? { entry: cell.ours };
      this.#merged.set(cell.path, entry);
      const found = cell.conflict ?? conflict;
      if (found !== undefined) this.#conflicts.set(cell.path, found);
    }
    const found = Array.from(this.#conflicts);
    for (const [path, reason] of found) {
      const isMarked = this.#request.marks === true && markable.has(reason);
      if (!isMarked || this.#cells.get(path)?.conflict !== undefined) this.#leave(path, reason);
    }
  }

  /** Merges all paths, several at a time. If one path fails, waits for the merges that have already begun. */
  async #resolveCells(): Promise<ReadonlyMap<Cell, Resolved>> {
    const resolved = new Map<Cell, Resolved>();
    const left = [...this.#cells.values()].reverse();
    const work = async (): Promise<void> => {
      try {
        for (let cell = left.pop(); cell !== undefined; cell = left.pop())
          resolved.set(cell, await this.#resolveCell(cell));
      } catch (error) {
        left.length = 0;
        throw error;
      }
    };
    const ends = await Promise.allSettled(Array.from({ length: mergesAtOnce }, work));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
    return resolved;
  }

  /** Uses the entries of `ours` for a path and for all paths of its group. */
  #leave(path: TreePath, reason: MergeConflict): void {
    for (const each of this.#cells.get(path)?.group ?? [path]) {
      this.#merged.set(each, this.#given.get(each)?.ours);
      if (!this.#conflicts.has(each)) this.#conflicts.set(each, reason);
    }
  }

  async #resolveCell({ path, base, ours, theirs }: Cell): Promise<Resolved> {
    if (ours !== undefined && theirs !== undefined) return this.#threeWay(path, { base, ours, theirs });
    const left = ours ?? theirs;
    if (left === undefined || base === undefined) return { entry: left };
    return sameEntry(left, base) ? { entry: undefined } : { entry: left, conflict: 'deleted' };
  }

  async #threeWay(path: TreePath, { base, ours, theirs }: Required3): Promise<Resolved> {
    if (sameEntry(ours, theirs)) return { entry: { ...ours, path } };
    if (base !== undefined && sameEntry(base, ours)) return { entry: { ...theirs, path } };
    if (base !== undefined && sameEntry(base, theirs)) return { entry: { ...ours, path } };
    if (isLink(ours) !== isLink(theirs)) return { entry: ours, conflict: 'kind' };
    const bits = mergeBits(base, ours, theirs);
    const content = await this.#mergeContents(path, { base, ours, theirs });
    const conflict = content.conflict ?? (bits === undefined ? 'mode' : undefined);
    const { mode, permissions } = bits ?? ours;
    return { entry: { path, mode, blob: content.blob, permissions }, conflict };
  }

  async #mergeContents(
    path: TreePath,
    { base, ours, theirs }: Required3,
  ): Promise<{ readonly blob: BlobId; readonly conflict?: MergeConflict }> {
    // If a file has become a link, its old content cannot be the base for a merge of texts.
    const common = base !== undefined && isLink(base) === isLink(ours) ? base.blob : undefined;
    if (ours.blob === theirs.blob || theirs.blob === common) return { blob: ours.blob };
    if (ours.blob === common) return { blob: theirs.blob };
    if (isLink(ours)) return { blob: ours.blob, conflict: common === undefined ? 'bothAdded' : 'link' };
    const merged = await this.#request.contents(common, ours.blob, theirs.blob, path);
    if (merged.kind === 'binary') return { blob: ours.blob, conflict: 'binary' };
    if (merged.isClean) return { blob: merged.blob };
    return { blob: merged.blob, conflict: common === undefined ? 'bothAdded' : 'content' };
  }

  /**
   * Finds added paths that cannot be written: a directory is at the path, or a file is where the path needs a
   * directory. Leaves out each of these paths, and reports it as a conflict.
   */
  refuseInTheWay(): void {
    for (let isStable = false; !isStable; ) {
      isStable = true;
      for (const [path, entry] of this.#merged) {
        const before = this.#given.get(path)?.ours;
        if (entry === undefined || before !== undefined || !this.#isBlocked(path)) continue;
        this.#conflicts.set(path, 'inTheWay');
        this.#leave(path, 'inTheWay');
        isStable = false;
      }
    }
  }

  #isBlocked(path: TreePath): boolean {
    if (ancestors(path).some((above) => this.#staysFile(above))) return true;
    const directory = asDirectory(nodeAt(this.#request.tree, path));
    return directory !== undefined && this.#staysAnything(path, directory);
  }

  #staysFile(path: TreePath): boolean {
    if (this.#merged.has(path)) return this.#merged.get(path) !== undefined;
    const node = nodeAt(this.#request.tree, path);
    return node !== undefined && !isDirectory(node);
  }

  #staysAnything(at: TreePath, directory: Directory): boolean {
    for (const [name, node] of directory.entries) {
      const path = join(at, name);
      if (isDirectory(node) ? this.#staysAnything(path, node) : this.#staysFile(path)) return true;
    }
    return false;
  }

  result(): TreeMerge {
    const changes: TreeChange[] = [];
    const paths: MergedPath[] = [];
    const touched = new Set(this.#request.theirs.changes.map(({ path }) => path));
    for (const path of [...this.#cells.keys()].sort(byBytes)) {
      const { base, ours, theirs } = this.#given.get(path) ?? {};
      const after = this.#merged.get(path);
      const isSame = same(ours, after);
      if (!isSame) changes.push({ path, before: ours, after });
      const reason = this.#conflicts.get(path);
      if (reason === undefined && isSame && !touched.has(path)) continue;
      const outcome = reason !== undefined ? 'conflict' : isSame ? 'gone' : 'clean';
      paths.push({ path, outcome, reason, base, ours, theirs });
    }
    return { changes, paths };
  }
}

interface Required3 {
  readonly base: Entry | undefined;
  readonly ours: Entry;
  readonly theirs: Entry;
}

function empty(cell: Cell): void {
  cell.base = undefined;
  cell.ours = undefined;
  cell.theirs = undefined;
}

function same(one: Entry | undefined, other: Entry | undefined): boolean {
  return one === undefined || other === undefined ? one === other : sameEntry(one, other);
}

type Bits = Pick<FileNode, 'mode' | 'permissions'>;

/**
 * Merges the executable bit and the strict permissions separately. Returns undefined when both sides changed the bit,
 * or the permissions, in different ways.
 */
function mergeBits(base: Entry | undefined, ours: Entry, theirs: Entry): Bits | undefined {
  const mode = pick(base?.mode, ours.mode, theirs.mode, base !== undefined);
  const strict = pick(base?.permissions, ours.permissions, theirs.permissions, base !== undefined);
  if (mode === undefined || strict === undefined) return undefined;
  const permissions = strict.value;
  if (permissions === undefined || mode.value === '120000') return { mode: mode.value };
  // The executable bit may come from one side, and the permissions from the other side. If the bit is set, the owner
  // may run the file. If the bit is not set, no user may run the file.
  const fitting = mode.value === '100755' ? permissions | 0o100 : permissions & ~0o111;
  return { mode: mode.value, permissions: fitting };
}

function pick<T>(
  base: T | undefined,
  ours: T,
  theirs: T,
  hasBase: boolean,
): { readonly value: T } | undefined {
  if (ours === theirs) return { value: ours };
  if (hasBase && ours === base) return { value: theirs };
  if (hasBase && theirs === base) return { value: ours };
  return undefined;
}
