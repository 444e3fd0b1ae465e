// What one path of a tree holds, and how two trees differ. Values without behaviour beyond comparison.
import type { BlobId } from '../base/ids.ts';
import type { TreePath } from './tree-path.ts';

/** The modes a snapshot knows, in git's spelling: a file, an executable file, a symbolic link. */
export type EntryMode = '100644' | '100755' | '120000';

/** One path of a snapshot. */
export interface Entry {
  readonly path: TreePath;
  readonly mode: EntryMode;
  /**
   * The permission bits (07777), only when stricter than usual: no owner write, or group or others without read.
   * Absent: whatever the umask gives. Part of the snapshot's id.
   */
  readonly permissions?: number;
  readonly blob: BlobId;
}

/** One path that differs between two snapshots; no rename detection (that is the differ's). */
export interface TreeChange {
  readonly path: TreePath;
  readonly before?: Entry;
  readonly after?: Entry;
}

export function isLink(entry: { readonly mode: EntryMode }): boolean {
  return entry.mode === '120000';
}

/** Whether two entries are the same in content, kind and permissions. */
export function sameEntry(a: Omit<Entry, 'path'>, b: Omit<Entry, 'path'>): boolean {
  return a.blob === b.blob && a.mode === b.mode && a.permissions === b.permissions;
}

/** Whether two entries have the same content in the same kind of thing; modes may differ. */
export function sameContent(
  a: { readonly mode: EntryMode; readonly blob: BlobId },
  b: { readonly mode: EntryMode; readonly blob: BlobId },
): boolean {
  return a.blob === b.blob && isLink(a) === isLink(b);
}
