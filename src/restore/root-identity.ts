// Which directory a restore began on: asked again before it is finished, so that another project that stands at the
// same path by then is not touched. It opens nothing and decides nothing.
import { files } from '../base/files.ts';

/** JSON-safe. A device's number may change when the machine starts anew; the inode and its birth do not. */
export interface RootIdentity {
  readonly device: string;
  readonly inode: string;
  /** When the directory was made, ns since 1970; `0` where the file system does not know. */
  readonly born: string;
}

/** The directory that stands at an absolute path now, links not followed; undefined where none does. */
export function rootIdentity(root: string): RootIdentity | undefined {
  const stats = files.lstatSync(root, { bigint: true, throwIfNoEntry: false });
  if (stats?.isDirectory() !== true) return undefined;
  return { device: String(stats.dev), inode: String(stats.ino), born: String(stats.birthtimeNs) };
}

/** Whether it is the same directory, also after the machine has started anew. */
export function isSameRoot(a: RootIdentity, b: RootIdentity): boolean {
  return a.inode === b.inode && a.born === b.born;
}
