// The second names of what a restore takes away: outside the work tree where it can be (displaced.ts), else a
// temporary name beside its path; and the renames of the commit, with what they say of temporaries and of touched directories.
import { systemCode } from '../base/errors.ts';
import { type BigIntStats, files } from '../base/files.ts';
import { join, nameOf, parentOf, type TreePath } from '../tree/tree-path.ts';
import type { AnchoredFiles } from '../work-tree/anchored-files.ts';
import type { DisplacedFiles } from './displaced.ts';
import { statsAt } from './present-state.ts';
import type { Temporaries } from './temporaries.ts';

/** A second name: outside the work tree, or beside its path. */
export type Aside = { readonly outside: string } | { readonly beside: TreePath };

/** What a file system, or the rights of a file, say where there can be no second name. */
export const cannotLink = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EINVAL']);

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

  /** Whatever keeps it from going there (another disk below the root, a full one) does not keep the restore. */
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

  /** What it is a second name of has its own. */
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
