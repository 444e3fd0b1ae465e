// The permission bits that a restore changes without touching contents: files in place, and directories. Nobody gets
// more by it than they had where an access list makes a mask of the bits.
import { givesGroupMore, ownerBits } from '../base/access-lists.ts';
import { parentOf, rootPath, type TreePath } from '../tree/tree-path.ts';
import type { AnchoredFiles } from '../work-tree/anchored-files.ts';
import type { Access } from './access.ts';
import type { CommitOutcome } from './commit.ts';
import { pathReason } from './failure.ts';
import type { PermissionChange, RestorePlan } from './plan-steps.ts';
import { directoryMode, fileMode } from './staging.ts';

export class PermissionSetter {
  readonly #tree: AnchoredFiles;
  readonly #operations: readonly PermissionChange[];
  readonly #umask: number;
  readonly #access: Access;
  /** The directories whose lists new ones inherit, by the new one. */
  readonly #inherits = new Map<TreePath, TreePath>();

  constructor(tree: AnchoredFiles, plan: RestorePlan, umask: number, access: Access) {
    this.#tree = tree;
    this.#operations = plan.permissionChanges;
    this.#umask = umask;
    this.#access = access;
  }

  /** Before anything changes: asks for what gets more bits, and the directories whose lists a new one would inherit. */
  async ask(): Promise<void> {
    const asked = this.#operations.flatMap((each): TreePath[] => {
      if (each.kind === 'file') return [each.path];
      if (!givesGroupMore(directoryMode(each.permissions, this.#umask))) return [];
      const above = this.#existing(parentOf(each.path));
      this.#inherits.set(each.path, above);
      return [each.path, above];
    });
    await this.#access.ask([...new Set(asked)]);
  }

  /**
   * Lets the owner write to directories that are read-only now and writable in the target: their files could not
   * be replaced otherwise. Nobody else gets more; the final bits come last. A failure here shows at the files.
   */
  unlock(): void {
    for (const operation of this.#operations) {
      const { kind, path } = operation;
      if (kind !== 'directory' || !((operation.permissions ?? 0o700) & 0o200)) continue;
      try {
        if (this.#tree.isDirectory(path)) this.#tree.setMode(path, 'directory', (present) => present | 0o700);
      } catch (error) {
        if (pathReason(error) === undefined) throw error;
      }
    }
  }

  set(operation: PermissionChange): CommitOutcome {
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
    if (!isListed || !givesGroupMore(mode)) return mode;
    this.#access.ownerOnly.add(path);
    return mode & ownerBits;
  }

  #existing(directory: TreePath): TreePath {
    const isThere = directory === rootPath || this.#tree.isDirectory(directory);
    return isThere ? directory : this.#existing(parentOf(directory));
  }
}
