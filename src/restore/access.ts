// Which paths of a work tree have an access list, asked for once for many. By it the bits of a group are a mask: setting
// them would give rights to whoever the list names. It sets nothing.
import { withAccessLists } from '../base/access-lists.ts';
import { systemCode } from '../base/errors.ts';
import { files } from '../base/files.ts';
import { bytesOf, type TreePath, toText } from '../tree/tree-path.ts';
import type { AnchoredFiles } from '../work-tree/anchored-files.ts';

export class Access {
  readonly #tree: AnchoredFiles;
  readonly #listed = new Set<TreePath>();
  /** What got its owner's bits only. */
  readonly ownerOnly = new Set<TreePath>();

  constructor(tree: AnchoredFiles) {
    this.#tree = tree;
  }

  /** Asks for those that are there. */
  async ask(paths: readonly TreePath[]): Promise<void> {
    const root = Buffer.from(`${this.#tree.root}/`);
    const isListed = await withAccessLists(paths.map((path) => Buffer.concat([root, bytesOf(path)])));
    for (const path of paths) {
      const inode = this.#inode(path);
      if (inode !== undefined && isListed(inode)) this.#listed.add(path);
    }
  }

  /** Of a path that was asked for. */
  isListed(path: TreePath): boolean {
    return this.#listed.has(path);
  }

  #inode(path: TreePath): number | undefined {
    try {
      return files.lstatSync(this.#tree.address(path), { throwIfNoEntry: false })?.ino;
    } catch (error) {
      const code = systemCode(error);
      if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP' || code === 'EACCES') return undefined;
      throw error;
    }
  }
}

/** What is told of paths that got their owner's bits only. */
export function ownerOnlyMessage(paths: readonly TreePath[]): string {
  const some = paths.slice(0, 10).map((path) => JSON.stringify(toText(path)));
  return `${paths.length} path(s) got their owner's permissions only: access lists are not captured, and the bits of the group would give rights by one. Give them back by hand: ${some.join(', ')}.`;
}
