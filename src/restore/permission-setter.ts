// Changes the permission bits of directories and of existing files, without changing contents. Even if an access list
// turns the group bits into a mask, no user gets more rights than before.
import { groupHasMoreRights, ownerBits, withAccessLists } from '../base/access-lists.ts';
import { attempt } from '../base/attempt.ts';
import { counted } from '../base/text/plural.ts';
import type { Entry } from '../tree/tree.ts';
import { bytesOf, parentOf, rootPath, type TreePath, toText } from '../tree/tree-path.ts';
import type { AnchoredFiles } from '../work-tree/anchored-files.ts';
import { pathReason } from './failure.ts';
import type { PermissionChange, RestorePlan } from './plan.ts';
import { statsIfReachable } from './present-state.ts';

export class PermissionSetter {
  readonly #tree: AnchoredFiles;
  readonly #operations: readonly PermissionChange[];
  readonly #umask: number;
  readonly #access: Access;
  /** For each new directory, the existing directory from which it inherits an access list. */
  readonly #inherits = new Map<TreePath, TreePath>();

  constructor(tree: AnchoredFiles, plan: RestorePlan, umask: number, access: Access) {
    this.#tree = tree;
    this.#operations = plan.permissionChanges;
    this.#umask = umask;
    this.#access = access;
  }

  /**
   * Reads access lists before any change: those of paths that may get more permission bits, and those that a new
   * directory would inherit.
   */
  async ask(): Promise<void> {
    const asked = this.#operations.flatMap((each): TreePath[] => {
      if (each.kind === 'file') return [each.path];
      if (!groupHasMoreRights(directoryMode(each.permissions, this.#umask))) return [];
      const above = this.#existing(parentOf(each.path));
      this.#inherits.set(each.path, above);
      return [each.path, above];
    });
    await this.#access.ask([...new Set(asked)]);
  }

  /**
   * Lets the owner write to directories that are read-only now but writable in the target. The restore can then
   * replace the files in these directories. No other user gets more rights. The restore sets the final bits at its
   * end. If a change of permissions fails, the files below the directory cannot be replaced, and their failures are
   * reported.
   */
  unlock(): void {
    for (const operation of this.#operations) {
      const { kind, path } = operation;
      if (kind !== 'directory' || !((operation.permissions ?? 0o700) & 0o200)) continue;
      attempt(
        (error) => pathReason(error) !== undefined,
        () => {
          if (this.#tree.isDirectory(path))
            this.#tree.setMode(path, 'directory', (present) => present | 0o700);
        },
      );
    }
  }

  set(operation: PermissionChange): 'done' | 'conflict' {
    const { path } = operation;
    if (operation.kind === 'file') {
      const { before, after } = operation;
      const set = this.#tree.setMode(path, 'file', (present) =>
        this.#ownerOnly(
          path,
          fileMode(after, before.permissions === undefined ? present : undefined, this.#umask),
        ),
      );
      return set ? 'done' : 'conflict';
    }
    if (!this.#tree.isDirectory(path)) return 'done';
    const mode = this.#ownerOnly(path, directoryMode(operation.permissions, this.#umask));
    this.#tree.setMode(path, 'directory', () => mode);
    return 'done';
  }

  #ownerOnly(path: TreePath, mode: number): number {
    const above = this.#inherits.get(path);
    const isListed = this.#access.isListed(path) || (above !== undefined && this.#access.isListed(above));
    if (!isListed || !groupHasMoreRights(mode)) return mode;
    this.#access.ownerOnly.add(path);
    return mode & ownerBits;
  }

  #existing(directory: TreePath): TreePath {
    const isThere = directory === rootPath || this.#tree.isDirectory(directory);
    return isThere ? directory : this.#existing(parentOf(directory));
  }
}

/**
 * Knows which paths of a work tree have an access list. Reads the access lists of many paths at once. If a path has an
 * access list, its group bits are a mask. Setting these bits would give rights to the users in the list.
 */
export class Access {
  readonly #tree: AnchoredFiles;
  readonly #listed = new Set<TreePath>();
  /** The paths that got only the owner's permission bits. */
  readonly ownerOnly = new Set<TreePath>();

  constructor(tree: AnchoredFiles) {
    this.#tree = tree;
  }

  /** Reads the access lists of the given paths that exist. */
  async ask(paths: readonly TreePath[]): Promise<void> {
    const root = Buffer.from(`${this.#tree.root}/`);
    const isListed = await withAccessLists(paths.map((path) => Buffer.concat([root, bytesOf(path)])));
    for (const path of paths) {
      const inode = statsIfReachable(this.#tree, path)?.ino;
      if (inode !== undefined && isListed(inode)) this.#listed.add(path);
    }
  }

  /** True when the path has an access list. Call `ask` for the path first. */
  isListed(path: TreePath): boolean {
    return this.#listed.has(path);
  }
}

/** Returns the warning about paths that got only the owner's permission bits. */
export function ownerOnlyMessage(paths: readonly TreePath[]): string {
  const some = paths.slice(0, 10).map((path) => JSON.stringify(toText(path)));
  return `After the restore, only the owner can use ${counted(paths.length, 'path')}. Access lists are not captured, and the recorded permissions of the group may allow more than the access list did. Set the access lists by hand: ${some.join(', ')}.`;
}

/**
 * Returns the permission bits of a restored file. If the entry has no recorded bits, uses the bits of the replaced
 * file. For a new file, uses the bits that the umask leaves. The exec bit is always set as recorded.
 */
export function fileMode(entry: Entry, keptMode: number | undefined, umask: number): number {
  if (entry.permissions !== undefined) return entry.permissions & 0o7777;
  const base = keptMode === undefined ? 0o666 & ~umask : keptMode & 0o777;
  if (entry.mode !== '100755') return base & ~0o111;
  return keptMode === undefined ? 0o777 & ~umask : base | ((base & 0o444) >> 2);
}

/** Returns the permission bits of a restored directory: the recorded bits, or else the usual bits. */
export function directoryMode(permissions: number | undefined, umask: number): number {
  return permissions === undefined ? 0o777 & ~umask : permissions & 0o7777;
}
