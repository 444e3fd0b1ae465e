// The shapes in which a snapshot reaches the work tree: what a path holds and how two snapshots differ. They are
// the store's own types in structure (store/snapshot-store.ts), written again because worktree/ imports base only;
// a store's values are assignable to them. No behaviour beyond comparison.
import type { BlobId } from '../base/ids.ts';
import type { TreePath } from '../base/tree-path.ts';

/** The modes a snapshot knows, in git's spelling: a file, an executable file, a symbolic link. */
export type EntryMode = '100644' | '100755' | '120000';

/** What one path holds. */
export interface Entry {
  readonly path: TreePath;
  readonly mode: EntryMode;
  /** The permission bits (07777), only when stricter than usual. */
  readonly permissions?: number;
  readonly blob: BlobId;
}

/** One path that differs between the present and the target. */
export interface EntryChange {
  readonly path: TreePath;
  readonly before?: Entry;
  readonly after?: Entry;
}

/** An incremental hash over one blob whose size is known beforehand. */
export interface ContentHash {
  update(bytes: Uint8Array): void;
  digest(): BlobId;
}

/** Where contents come from and how they are named; every snapshot store is one. */
export interface Contents {
  /** The content in chunks, its hash checked at the end. @throws DataCorrupt, also when it is missing */
  read(blob: BlobId): AsyncIterable<Uint8Array>;
  /** Size in bytes of each blob, -1 for one that is missing. */
  sizes(blobs: readonly BlobId[]): Promise<number[]>;
  hash(size: number): ContentHash;
}

export function isLink(entry: { readonly mode: EntryMode }): boolean {
  return entry.mode === '120000';
}

/** Whether two entries have the same content in the same kind of thing; modes may differ. */
export function sameContent(
  a: { readonly mode: EntryMode; readonly blob: BlobId },
  b: { readonly mode: EntryMode; readonly blob: BlobId },
): boolean {
  return a.blob === b.blob && isLink(a) === isLink(b);
}
