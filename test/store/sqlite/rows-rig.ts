// Rebuilds a checkpoint from its rows, and computes the expected result.
import * as assert from 'uvu/assert';
import type { CheckpointId } from '../../../src/base/ids.ts';
import { skippedMatcher } from '../../../src/capture/scan-result.ts';
import type { SkippedPath } from '../../../src/capture/snapshot-sink.ts';
import type { SnapshotStore } from '../../../src/store/snapshot-store.ts';
import type { TreePath } from '../../../src/tree/tree-path.ts';
import { sql } from '../../support/stores/sqlite.ts';
import { blobOf, type PlainTree } from '../../support/trees/snapshots.ts';

/**
 * Rebuilds a checkpoint only from the table checkpoint_file_snapshots, starting at the nearest checkpoint that has all
 * its rows. The result does not have the skipped paths.
 */
export function rebuilt(
  storage: string,
  checkpoint: CheckpointId,
  skipped: readonly SkippedPath[] = [],
): string[] {
  const isSkipped = skippedMatcher(skipped);
  const chain: number[] = [];
  let id: unknown = sql(
    storage,
    'SELECT id FROM checkpoints WHERE checkpoint = ? AND state = 1',
    checkpoint,
  )[0]?.[0];
  for (;;) {
    assert.type(id, 'number', 'the chain ends in a full one');
    chain.unshift(Number(id));
    const [row] = sql(storage, 'SELECT parent_id, is_full, state FROM checkpoints WHERE id = ?', Number(id));
    assert.is(row?.[2], 1);
    if (row?.[1] === 1) break;
    id = row?.[0];
  }
  const tree = new Map<string, string>();
  for (const at of chain) {
    const rows = sql(
      storage,
      'SELECT file_path, change_type, mode, permissions, blob_hash, file_size FROM checkpoint_file_snapshots WHERE checkpoint_id = ?',
      at,
    );
    for (const [path, type, mode, permissions, hash, size] of rows) {
      assert.instance(path, Uint8Array);
      const name = Buffer.from(path as Uint8Array).toString('latin1');
      assert.is(tree.has(name), type !== 'added', `${String(type)} ${name}`);
      if (type === 'deleted' && at === chain.at(-1))
        assert.not.ok(isSkipped(name as TreePath), `skipped ${name}`);
      if (type === 'deleted') tree.delete(name);
      else tree.set(name, `${String(mode)} ${String(permissions)} ${String(hash)} ${String(size)}`);
    }
  }
  return [...tree]
    .filter(([path]) => !isSkipped(path as TreePath))
    .map(([path, what]) => `${path} ${what}`)
    .sort();
}

export function expected(store: SnapshotStore, tree: PlainTree): string[] {
  return [...tree]
    .map(([path, one]) => {
      const permissions = one.permissions ?? null;
      return `${path} ${one.mode} ${String(permissions)} ${blobOf(store, one.bytes)} ${one.bytes.length}`;
    })
    .sort();
}
