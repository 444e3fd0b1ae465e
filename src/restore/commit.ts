// The visible half of a restore: puts staged contents in place, one rename or link at a time. Before each step, checks
// that the file to replace is still the verified file. Another program can edit the file between this check and the
// rename. So the old file first gets a second name (a hard link). The commit finds the edit under the second name, and
// returns the file in `edited`. If the second name is outside the work tree (displaced.ts), a later look checks the old
// file once more. A second name inside the work tree is removed at once.
import { isOnOverlay } from '../base/directory-identity.ts';
import { systemCode } from '../base/errors.ts';
import { identityOf, isSameContent, isStampOf, mayBeOneFile, stampOf } from '../base/file-stamp.ts';
import { type BigIntStats, files } from '../base/files.ts';
import type { Entry } from '../tree/tree.ts';
import { ancestors, byBytes, join, nameOf, parentOf, type TreePath } from '../tree/tree-path.ts';
import type { AnchoredFiles } from '../work-tree/anchored-files.ts';
import type { DisplacedFiles } from './displaced.ts';
import { pathReason } from './failure.ts';
import type { StagedMove } from './move-staging.ts';
import { namesBelow, type Signature, statsAt, statsIfThere } from './present-state.ts';
import type { StagedDelete, StagedWrite } from './staging.ts';
import { type Temporaries } from './temporaries.ts';

/**
 * The outcome of a step. `conflict`: another program has changed the path since staging, so the commit does not touch
 * the path.
 */
export type CommitOutcome = 'done' | 'conflict';

/** A file that a program edited while the restore replaced or removed it. */
export interface Edited {
  readonly path: TreePath;
  /** The entry that the restore put at the path. Absent when the restore removed the path. */
  readonly put?: Pick<Entry, 'mode' | 'blob'> | undefined;
  /** The place where the file is now: outside the work tree, or in the work tree under a name that no sweep removes. */
  readonly at: Aside;
}

/**
 * Commits operations one by one, synchronously, so this process handles no other event between a check and the rename
 * after it.
 */
export class Commit {
  readonly #tree: AnchoredFiles;
  readonly #temporaries: Temporaries;
  /**
   * The directories that get stricter permission bits at the end of the restore. The commit makes a new directory of
   * this kind private at once.
   */
  readonly #strict: ReadonlySet<TreePath>;
  /** The directories in which names were added or removed. The commit fills this set, and the restorer reads it. */
  readonly #touched: Set<TreePath>;
  /**
   * The identities of files that had several names when this restore removed one of the names. The removal changes the
   * ctime of the file, also under its other names.
   */
  readonly #shared = new Set<string>();
  /** Files that the commit moved to a temporary name and could not remove, with their original paths. */
  readonly stuck = new Map<TreePath, TreePath>();
  /**
   * The edits that other programs made during the last steps. The caller removes these edits from the list and handles
   * them.
   */
  readonly edited: Edited[] = [];
  readonly #names: Asides;

  constructor(
    tree: AnchoredFiles,
    temporaries: Temporaries,
    strict: ReadonlySet<TreePath>,
    touched: Set<TreePath>,
    displaced?: DisplacedFiles,
  ) {
    this.#tree = tree;
    this.#temporaries = temporaries;
    this.#strict = strict;
    this.#touched = touched;
    this.#names = new Asides(tree, temporaries, touched, displaced);
  }

  delete({ path, signature }: StagedDelete): CommitOutcome {
    const stats = statsAt(this.#tree, path);
    if (stats === undefined) return 'done';
    if (!this.#isUntouched(stats, signature)) return 'conflict';
    const aside = this.#names.move(path);
    try {
      const moved = this.#names.statsOf(aside);
      if (moved === undefined || isSameContent(moved, signature)) {
        this.#recordShared(moved);
        this.#names.dismiss(aside);
        return 'done';
      }
    } catch (error) {
      this.#names.moveBack(aside, path);
      throw error;
    }
    this.#names.moveBack(aside, path);
    return 'conflict';
  }

  write(write: StagedWrite): CommitOutcome {
    const { path, replaces } = write;
    const stats = replaces && statsIfThere(this.#tree, path);
    if (replaces !== undefined && stats !== undefined)
      return this.#isUntouched(stats, replaces) ? this.#replace(write, replaces) : 'conflict';
    this.#ensureDirectory(parentOf(path));
    if (write.displaces !== undefined) return this.#displace(write, write.displaces);
    return this.#place(write.temporary, path);
  }

  /**
   * Links a file to its new path. The caller then deletes the old path. Returns `conflict` when the file has
   * changed, its new path is taken, or the file system has no hard links.
   */
  placeMoved({ from, to, signature }: StagedMove): CommitOutcome {
    const stats = statsAt(this.#tree, from);
    if (stats === undefined || !this.#isUntouched(stats, signature)) return 'conflict';
    this.#ensureDirectory(parentOf(to));
    const second = this.#names.linkBeside(from, to);
    if (second === undefined) return 'conflict';
    const linked = this.#names.statsOf(second);
    const isVerified = linked !== undefined && isSameContent(linked, signature);
    if (isVerified) this.#recordShared(linked);
    if (isVerified && this.#place(second.beside, to) === 'done') return 'done';
    this.#names.remove(second);
    return 'conflict';
  }

  /** Renames a directory. Returns false when another entry is at the new path. */
  renameDirectory(from: TreePath, to: TreePath): boolean {
    this.#ensureDirectory(parentOf(to));
    if (statsAt(this.#tree, to) !== undefined) return false;
    this.#tree.forget(from);
    this.#names.rename(from, to);
    return true;
  }

  /** Moves a file back to its former path. Returns false when another file is at this path. */
  moveBack(path: TreePath, home: TreePath): boolean {
    this.#ensureDirectory(parentOf(home));
    return this.#place(path, home) === 'done';
  }

  /** Removes the given directories that are empty now, and the directories above them that become empty. */
  removeEmptied(directories: readonly TreePath[]): void {
    for (const start of [...directories].sort((a, b) => byBytes(b, a))) {
      for (const directory of [start, ...ancestors(start)]) {
        if (directory === '' || !this.#removeIfEmpty(directory)) break;
      }
    }
  }

  #removeIfEmpty(directory: TreePath): boolean {
    this.#tree.forget(directory);
    try {
      files.rmdirSync(this.#tree.address(directory));
      this.#touched.add(parentOf(directory));
      return true;
    } catch (error) {
      const code = systemCode(error);
      if (code === 'ENOENT') return true;
      // The system refuses to remove the directory: it is in use, is not empty, is a mount point, or belongs to another
      // user. The directory may stay, because snapshots do not contain empty directories.
      const stays = ['ENOTEMPTY', 'EEXIST', 'EBUSY', 'ENOTDIR', 'EACCES', 'EPERM', 'EROFS'];
      if (code !== undefined && stays.includes(code)) return false;
      throw error;
    }
  }

  #ensureDirectory(directory: TreePath): void {
    if (directory === '' || this.#tree.isDirectory(directory)) return;
    for (const path of [directory, ...ancestors(directory)].reverse()) {
      if (this.#tree.isDirectory(path)) continue;
      files.mkdirSync(this.#tree.address(path), { mode: this.#strict.has(path) ? 0o700 : 0o777 });
      this.#touched.add(parentOf(path));
    }
  }

  /**
   * Links the file to `path`, which must be free. A rename would overwrite a file that another program has
   * just made at the path.
   */
  #place(temporary: TreePath, path: TreePath): CommitOutcome {
    try {
      files.linkSync(this.#tree.address(temporary), this.#tree.address(path));
    } catch (error) {
      const code = systemCode(error);
      if (code === 'EEXIST') return 'conflict';
      if (code === undefined || !cannotLink.has(code)) throw error;
      if (statsAt(this.#tree, path) !== undefined) return 'conflict';
      this.#names.rename(temporary, path);
      return 'done';
    }
    this.#touched.add(parentOf(path));
    this.#names.unlink(temporary);
    return 'done';
  }

  #replace(write: StagedWrite, signature: Signature): CommitOutcome {
    const { path, temporary } = write;
    const second = this.#secondName(path, signature);
    if (second === undefined) {
      this.#names.rename(temporary, path);
      return 'done';
    }
    const { aside, shown } = second;
    if (shown === undefined) {
      this.#names.remove(aside);
      return 'conflict';
    }
    this.#names.rename(temporary, path);
    const after = this.#names.statsOf(aside);
    if (after !== undefined && !isSameContent(after, shown)) {
      // The commit does not put the old file back, because a program may have edited the new file, too.
      const at = 'outside' in aside ? aside : { beside: this.#names.keep(aside, path) };
      this.edited.push({ path, at, put: write.after });
      return 'conflict';
    }
    this.#names.dismiss(aside);
    return 'done';
  }

  /**
   * Gives the file at the path a second name, and returns this name. Sets `shown` only if this name belongs to the
   * verified file.
   */
  #secondName(path: TreePath, signature: Signature): { aside: Aside; shown?: Signature } | undefined {
    const aside = this.#names.link(path);
    const stats = aside && this.#names.statsOf(aside);
    if (aside === undefined || stats === undefined) return aside && { aside };
    this.#recordShared(stats, 2n);
    if (isSameContent(stats, signature)) return { aside, shown: signature };
    const first = this.#shownAsAnother(path, stats, signature);
    if (first === undefined) return { aside };
    this.#recordShared(first, 2n);
    if ('beside' in aside) return { aside, shown: stampOf(stats) };
    // Here the second name must not be outside the work tree. The later check (late-look.ts) identifies a file by its
    // inode, so it would take the second name for a different file.
    this.#names.remove(aside);
    const beside = this.#names.linkBeside(path);
    const again = beside && this.#names.statsOf(beside);
    if (beside === undefined || again === undefined) return beside && { aside: beside };
    const isVerified = this.#shownAsAnother(path, again, signature) !== undefined;
    return { aside: beside, ...(isVerified ? { shown: stampOf(again) } : {}) };
  }

  /**
   * On an overlay file system, the second name of a file from a lower layer may look like a different file. If so,
   * returns the stats of the file's path.
   */
  #shownAsAnother(path: TreePath, second: BigIntStats, signature: Signature): BigIntStats | undefined {
    const first = statsAt(this.#tree, path);
    const isOne = first !== undefined && isSameContent(first, signature) && mayBeOneFile(first, second);
    return isOne && isOnOverlay(this.#tree.address(parentOf(path))) ? first : undefined;
  }

  /**
   * Replaces a directory by a file: moves the directory aside, verifies all its files there, puts the new file in
   * place, then removes the directory.
   */
  #displace({ path, temporary }: StagedWrite, displaced: ReadonlyMap<TreePath, Signature>): CommitOutcome {
    if (!this.#containsOnly(path, path, displaced)) return 'conflict';
    const wrapper = this.#temporaries.next(parentOf(path));
    const aside = join(wrapper, nameOf(path));
    files.mkdirSync(this.#tree.address(wrapper), { mode: 0o700 });
    this.#tree.forget(path);
    try {
      this.#names.rename(path, aside);
    } catch (error) {
      this.#removeIfEmpty(wrapper);
      this.#temporaries.gone(wrapper);
      throw error;
    }
    if (!this.#containsOnly(aside, path, displaced) || this.#place(temporary, path) === 'conflict') {
      this.#tree.forget(wrapper);
      if (statsAt(this.#tree, path) !== undefined) this.keep(wrapper);
      else {
        this.#names.rename(aside, path);
        this.#removeIfEmpty(wrapper);
        this.#temporaries.gone(wrapper);
      }
      return 'conflict';
    }
    let isGone: boolean;
    try {
      isGone = this.#removeDisplaced(aside, path, displaced);
    } catch (error) {
      // The new file is in place, and a checkpoint contains the files of the displaced directory. The restore removes
      // the rest of this directory at its end.
      if (pathReason(error) === undefined) throw error;
      this.stuck.set(wrapper, path);
      return 'done';
    }
    if (isGone && this.#removeIfEmpty(wrapper)) this.#temporaries.gone(wrapper);
    // If a program has made a file in the directory, keeps the directory. An empty directory is removed later, with the
    // other temporary files.
    else if (!isGone && !this.#containsOnly(aside, path, new Map())) this.keep(wrapper);
    return 'done';
  }

  /**
   * True when the directory that moved from `home` to `at` contains only the files in `displaced`, and none of these
   * files has changed.
   */
  #containsOnly(at: TreePath, home: TreePath, displaced: ReadonlyMap<TreePath, Signature>): boolean {
    return namesBelow(this.#tree, at).every(({ name, isDirectory }) => {
      const path = join(at, name);
      if (isDirectory) return this.#containsOnly(path, join(home, name), displaced);
      const signature = displaced.get(join(home, name));
      const stats = signature && statsAt(this.#tree, path);
      return signature !== undefined && stats !== undefined && isSameContent(stats, signature);
    });
  }

  /**
   * Removes the files in `held`, then the directory. If the directory contains another entry, the directory stays, and
   * the function returns false.
   */
  #removeDisplaced(at: TreePath, home: TreePath, displaced: ReadonlyMap<TreePath, Signature>): boolean {
    for (const { name, isDirectory } of namesBelow(this.#tree, at)) {
      if (isDirectory) this.#removeDisplaced(join(at, name), join(home, name), displaced);
      else if (displaced.has(join(home, name))) {
        this.#recordShared(statsAt(this.#tree, join(at, name)));
        files.unlinkSync(this.#tree.address(join(at, name)));
      }
    }
    return this.#removeIfEmpty(at);
  }

  #isUntouched(stats: BigIntStats, signature: Signature): boolean {
    if (isStampOf(signature, stats)) return true;
    return this.#shared.has(identityOf(stats)) && isSameContent(stats, signature);
  }

  /** Records the file if it has more names than `own`, the number of names that the restore knows. */
  #recordShared(stats: BigIntStats | undefined, own = 1n): void {
    if (stats !== undefined && stats.nlink > own) this.#shared.add(identityOf(stats));
  }

  /** Renames a temporary file to a name that no sweep removes, and returns that name. */
  keep(temporary: TreePath): TreePath {
    return this.#names.keepTemporary(temporary);
  }
}

/** A second name of a file: outside the work tree, or beside the file's path. */
type Aside = { readonly outside: string } | { readonly beside: TreePath };

/** The error codes by which a file system refuses a hard link: to any file, or only to this file. */
const cannotLink = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EINVAL']);

/**
 * The second names of the files that a restore removes or replaces. A second name is outside the work tree if possible
 * (displaced.ts). Otherwise the second name is a temporary name beside the path.
 */
export class Asides {
  readonly #tree: AnchoredFiles;
  readonly #temporaries: Temporaries;
  readonly #touched: Set<TreePath>;
  readonly #displaced: DisplacedFiles | undefined;

  constructor(
    tree: AnchoredFiles,
    temporaries: Temporaries,
    touched: Set<TreePath>,
    displaced: DisplacedFiles | undefined,
  ) {
    this.#tree = tree;
    this.#temporaries = temporaries;
    this.#touched = touched;
    this.#displaced = displaced;
  }

  /** Gives the file at the path a second name. Returns undefined when the file system has no hard links. */
  link(path: TreePath): Aside | undefined {
    const outside = this.#takeOutside(path, (name) => files.linkSync(this.#tree.address(path), name));
    return outside ?? this.linkBeside(path);
  }

  /**
   * Gives the file a temporary name beside the path `near`. Returns undefined when the file system has no
   * hard links.
   */
  linkBeside(path: TreePath, near = path): { readonly beside: TreePath } | undefined {
    const beside = this.#temporaries.next(parentOf(near));
    try {
      files.linkSync(this.#tree.address(path), this.#tree.address(beside));
      return { beside };
    } catch (error) {
      this.#temporaries.gone(beside);
      const code = systemCode(error);
      if (code === undefined || !cannotLink.has(code)) throw error;
      return undefined;
    }
  }

  move(path: TreePath): Aside {
    const outside = this.#takeOutside(path, (name) => files.renameSync(this.#tree.address(path), name));
    if (outside !== undefined) {
      this.#touched.add(parentOf(path));
      return outside;
    }
    const beside = this.#temporaries.next(parentOf(path));
    this.rename(path, beside);
    return { beside };
  }

  /**
   * Gives the file a name outside the work tree. Returns undefined after a system error (another disk below
   * the root, a full disk), which does not stop the restore.
   */
  #takeOutside(path: TreePath, take: (name: string) => void): { readonly outside: string } | undefined {
    const outside = this.#displaced?.next(path);
    if (outside === undefined) return undefined;
    try {
      take(outside);
      return { outside };
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      return undefined;
    }
  }

  statsOf(aside: Aside): BigIntStats | undefined {
    if ('beside' in aside) return statsAt(this.#tree, aside.beside);
    return files.lstatSync(aside.outside, { bigint: true, throwIfNoEntry: false });
  }

  /**
   * Discards the second name of a file whose content the store has. A second name outside the work tree is not removed
   * now, but by the later check (late-look.ts).
   */
  dismiss(aside: Aside): void {
    if ('beside' in aside) this.unlink(aside.beside);
  }

  /** Removes the second name. The file still has its first name. */
  remove(aside: Aside): void {
    if ('beside' in aside) this.unlink(aside.beside);
    else files.unlinkSync(aside.outside);
  }

  /**
   * Moves the file back to its own path. If another entry is at this path, gives the file a name that no sweep removes.
   */
  moveBack(aside: Aside, path: TreePath): void {
    if (statsAt(this.#tree, path) !== undefined) this.keep(aside, path);
    else if ('beside' in aside) this.rename(aside.beside, path);
    else this.#renameIn(aside.outside, path);
  }

  /** Renames the file to a name that no sweep removes, in the directory of `path`. Returns this name. */
  keep(aside: Aside, path: TreePath): TreePath {
    if ('beside' in aside) return this.keepTemporary(aside.beside);
    const temporary = this.#temporaries.next(parentOf(path));
    const kept = keptName(temporary);
    this.#temporaries.gone(temporary);
    this.#renameIn(aside.outside, kept);
    return kept;
  }

  keepTemporary(temporary: TreePath): TreePath {
    const kept = keptName(temporary);
    this.#tree.forget(temporary);
    this.rename(temporary, kept);
    return kept;
  }

  #renameIn(outside: string, to: TreePath): void {
    files.renameSync(outside, this.#tree.address(to));
    this.#touched.add(parentOf(to));
  }

  rename(from: TreePath, to: TreePath): void {
    files.renameSync(this.#tree.address(from), this.#tree.address(to));
    this.#temporaries.gone(from);
    this.#touched.add(parentOf(from)).add(parentOf(to));
  }

  unlink(temporary: TreePath): void {
    files.unlinkSync(this.#tree.address(temporary));
    this.#temporaries.gone(temporary);
    this.#touched.add(parentOf(temporary));
  }
}

function keptName(temporary: TreePath): TreePath {
  return join(parentOf(temporary), nameOf(temporary).replace(/^\.ckpt-tmp-|^/, '.ckpt-kept-'));
}
