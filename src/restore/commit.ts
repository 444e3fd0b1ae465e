// The visible half of a restore: puts staged contents in place, one rename or link at a time, each after a last
// look that the thing it replaces is still the one that was verified. Between that look and the rename lie two
// system calls; what is edited even there is found afterwards under its second name, and handed back as edited. What
// lies outside the work tree (displaced.ts) is looked at once more later; another second name goes at once.
import { isOnOverlay } from '../base/directory-identity.ts';
import { systemCode } from '../base/errors.ts';
import { identityOf, isSameContent, isStampOf, mayBeOneFile, stampOf } from '../base/file-stamp.ts';
import { type BigIntStats, files } from '../base/files.ts';
import { given } from '../base/given.ts';
import type { Entry } from '../tree/tree.ts';
import { ancestors, byBytes, join, nameOf, parentOf, type TreePath } from '../tree/tree-path.ts';
import type { AnchoredFiles } from '../work-tree/anchored-files.ts';
import type { DisplacedFiles } from './displaced.ts';
import { pathReason } from './failure.ts';
import { namesBelow, type Signature, statsAt } from './present-state.ts';
import type { StagedDelete, StagedWrite } from './staging.ts';
import { type Temporaries } from './temporaries.ts';

/** `conflict`: somebody changed the path meanwhile; it stays as they made it. */
export type CommitOutcome = 'done' | 'conflict';

/** Was written to while it was replaced, and something else stands at its path now. */
export interface Edited {
  readonly path: TreePath;
  /** The entry that the restore put there. Absent when it removed the path. */
  readonly put?: Pick<Entry, 'mode' | 'blob'>;
  /** Where it lies: outside the work tree, or in it under a name that no sweep removes. */
  readonly at: Aside;
}

/** Commits operations one by one, synchronously: no turn of the event loop lies between a look and its rename. */
export class Commit {
  readonly #tree: AnchoredFiles;
  readonly #temporaries: Temporaries;
  /** Directories that get stricter bits at the end: private from their first moment. */
  readonly #strict: ReadonlySet<TreePath>;
  /** Directories whose list of names was changed; filled here, read by the restorer. */
  readonly #touched: Set<TreePath>;
  /** Files with other names of which one was taken away here: that alone changes the ctime that the others show. */
  readonly #shared = new Set<string>();
  /** Files that the commit moved to a temporary name and could not remove, with their original names. */
  readonly stuck = new Map<TreePath, TreePath>();
  /** The edits that the last steps met. The caller of the steps takes them from here. */
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
        this.#noteShared(moved);
        this.#names.dismiss(aside);
        return 'done';
      }
    } catch (error) {
      this.#names.putBack(aside, path);
      throw error;
    }
    this.#names.putBack(aside, path);
    return 'conflict';
  }

  write(write: StagedWrite): CommitOutcome {
    this.#ensureDirectory(parentOf(write.path));
    if (write.displaces !== undefined) return this.#displace(write, write.displaces);
    const stats = write.replaces && statsAt(this.#tree, write.path);
    if (write.replaces === undefined || stats === undefined) return this.#place(write.temporary, write.path);
    if (!this.#isUntouched(stats, write.replaces)) return 'conflict';
    return this.#replace(write, write.replaces);
  }

  /** Removes those of the directories that are empty by now, and those above that become so. */
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
      // Not empty, in use, a mount point, or not ours to remove: an empty directory is in no snapshot.
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

  /** Nothing may be at `path`: a link fails where a rename would overwrite what just appeared there. */
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
      // Not back over the path: what stands there now may have been written to as well.
      const at = 'outside' in aside ? aside : { beside: this.#names.keep(aside, path) };
      this.edited.push({ path, at, ...given({ put: write.after }) });
      return 'conflict';
    }
    this.#names.dismiss(aside);
    return 'done';
  }

  /** A second name of what stands there, and as what it is shown; nothing shown: it is not what was verified. */
  #secondName(path: TreePath, signature: Signature): { aside: Aside; shown?: Signature } | undefined {
    const aside = this.#names.link(path);
    const stats = aside && this.#names.statsOf(aside);
    if (aside === undefined || stats === undefined) return aside && { aside };
    this.#noteShared(stats, 2n);
    if (isSameContent(stats, signature)) return { aside, shown: signature };
    const first = this.#shownAsAnother(path, stats, signature);
    if (first === undefined) return { aside };
    this.#noteShared(first, 2n);
    if ('beside' in aside) return { aside, shown: stampOf(stats) };
    // The late look knows a file by its inode, and would take this one for another.
    this.#names.remove(aside);
    const beside = this.#names.linkBeside(path);
    const again = beside && this.#names.statsOf(beside);
    if (beside === undefined || again === undefined) return beside && { aside: beside };
    const isVerified = this.#shownAsAnother(path, again, signature) !== undefined;
    return { aside: beside, ...(isVerified ? { shown: stampOf(again) } : {}) };
  }

  /** The stats of the path, where an overlay shows a second name of a file from the layer below as another file. */
  #shownAsAnother(path: TreePath, second: BigIntStats, signature: Signature): BigIntStats | undefined {
    const first = statsAt(this.#tree, path);
    const isOne = first !== undefined && isSameContent(first, signature) && mayBeOneFile(first, second);
    return isOne && isOnOverlay(this.#tree.address(parentOf(path))) ? first : undefined;
  }

  /** Moves the directory aside, verifies all of it there, puts the file in place, then removes the directory. */
  #displace({ path, temporary }: StagedWrite, held: ReadonlyMap<TreePath, Signature>): CommitOutcome {
    if (!this.#holdsOnly(path, path, held)) return 'conflict';
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
    if (!this.#holdsOnly(aside, path, held) || this.#place(temporary, path) === 'conflict') {
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
      isGone = this.#removeHeld(aside, path, held);
    } catch (error) {
      // The file is in place, and what it displaced is saved: the rest of it is seen to at the end.
      if (pathReason(error) === undefined) throw error;
      this.stuck.set(wrapper, path);
      return 'done';
    }
    if (isGone && this.#removeIfEmpty(wrapper)) this.#temporaries.gone(wrapper);
    // Something was made in it by a program that still stood in it. Mere directories are cleared with the rest.
    else if (!isGone && !this.#holdsOnly(aside, path, new Map())) this.keep(wrapper);
    return 'done';
  }

  /** True when the directory at `at` (that stood at `home`) has nothing but the held files, all untouched. */
  #holdsOnly(at: TreePath, home: TreePath, held: ReadonlyMap<TreePath, Signature>): boolean {
    return namesBelow(this.#tree, at).every(({ name, isDirectory }) => {
      const path = join(at, name);
      if (isDirectory) return this.#holdsOnly(path, join(home, name), held);
      const signature = held.get(join(home, name));
      const stats = signature && statsAt(this.#tree, path);
      return signature !== undefined && stats !== undefined && isSameContent(stats, signature);
    });
  }

  /** Removes what is held; false when something else is left. */
  #removeHeld(at: TreePath, home: TreePath, held: ReadonlyMap<TreePath, Signature>): boolean {
    for (const { name, isDirectory } of namesBelow(this.#tree, at)) {
      if (isDirectory) this.#removeHeld(join(at, name), join(home, name), held);
      else if (held.has(join(home, name))) {
        this.#noteShared(statsAt(this.#tree, join(at, name)));
        files.unlinkSync(this.#tree.address(join(at, name)));
      }
    }
    return this.#removeIfEmpty(at);
  }

  #isUntouched(stats: BigIntStats, signature: Signature): boolean {
    if (isStampOf(signature, stats)) return true;
    return this.#shared.has(identityOf(stats)) && isSameContent(stats, signature);
  }

  /** Notes a file that has more names than the `own` ones of this restore. */
  #noteShared(stats: BigIntStats | undefined, own = 1n): void {
    if (stats !== undefined && stats.nlink > own) this.#shared.add(identityOf(stats));
  }

  /** Gives what a temporary name holds one that no sweep removes, and returns it. */
  keep(temporary: TreePath): TreePath {
    return this.#names.keepTemporary(temporary);
  }
}

/** A second name: outside the work tree, or beside its path. */
export type Aside = { readonly outside: string } | { readonly beside: TreePath };

/** Error codes of a file system that refuses a second name, in general or for this file. */
export const cannotLink = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EINVAL']);

/**
 * The second names of what a restore takes away: outside the work tree where that is possible (displaced.ts), else a
 * temporary name beside its path.
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

  /** Gives what stands at the path a second name; undefined where the file system has no such thing. */
  link(path: TreePath): Aside | undefined {
    const outside = this.#takeOutside(path, (name) => files.linkSync(this.#tree.address(path), name));
    return outside ?? this.linkBeside(path);
  }

  linkBeside(path: TreePath): { readonly beside: TreePath } | undefined {
    const beside = this.#temporaries.next(parentOf(path));
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
   * A failure to use the place outside (another disk below the root, a full disk) does not stop the restore.
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

  /** It is verified to be saved. What lies outside waits for the late look. */
  dismiss(aside: Aside): void {
    if ('beside' in aside) this.unlink(aside.beside);
  }

  /** Removes the second name. The file still has its first name. */
  remove(aside: Aside): void {
    if ('beside' in aside) this.unlink(aside.beside);
    else files.unlinkSync(aside.outside);
  }

  /** Back under its own name; where that is taken by now, under a name that no sweep removes. */
  putBack(aside: Aside, path: TreePath): void {
    if (statsAt(this.#tree, path) !== undefined) this.keep(aside, path);
    else if ('beside' in aside) this.rename(aside.beside, path);
    else this.#renameIn(aside.outside, path);
  }

  /** Gives it a name beside its path that no sweep removes, and returns that. */
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
