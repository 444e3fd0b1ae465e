// Stores a tree that no capture made. The store already has the contents of the tree.
import type { SnapshotId } from '../base/ids.ts';
import type { Directory } from '../tree/tree.ts';
import type { SnapshotStore } from './snapshot-store.ts';

/** Stores a tree whose contents the store already has, and returns its snapshot. A failure leaves nothing behind. */
export async function snapshotOf(store: SnapshotStore, root: Directory): Promise<SnapshotId> {
  const writer = store.writer();
  try {
    return await writer.seal(root);
  } catch (error) {
    await writer.abort();
    throw error;
  }
}
