// Removes checkpoints, and keeps the rows of all other checkpoints correct and complete. The changes of a removed
// checkpoint are merged into its children. The cost depends on the changes. If the removed checkpoint has full rows,
// one child takes over the removed checkpoint's row in `checkpoints`. This child then need not write full rows.
// Contents stay until sweep.ts removes them.
import { attemptAsync, isA } from '../../base/attempt.ts';
import { CheckpointdError } from '../../base/errors.ts';
import type { CheckpointId, SnapshotId } from '../../base/ids.ts';
import { invariant } from '../../base/invariant.ts';
import type { TreeChange } from '../../tree/tree.ts';
import { type Captured, leavesOut } from './carried.ts';
import type { SessionRows } from './checkpoints.ts';
import {
  changeRows,
  drain,
  type FileRow,
  fullRows,
  insertRows,
  patchFullRows,
  portionsOf,
  rowsAtOnceMax,
  state,
} from './rows.ts';

interface Node {
  readonly id: number;
  readonly parent: number | undefined;
  readonly checkpoint: string;
  readonly snapshot: SnapshotId;
  readonly isFull: boolean;
  readonly createdAt: number;
}

/** The new rows of a remaining checkpoint whose parent is removed. */
interface Fold {
  readonly node: Node;
  /** The nearest remaining ancestor. */
  readonly ancestor: Node | undefined;
  /** If the row of `checkpoints` stays: the new file rows that replace the old file rows. */
  readonly rows?: readonly FileRow[];
  /** If a new row of `checkpoints` replaces the old row: the id of the new row, whose file rows are already written. */
  readonly staged?: number;
  /**
   * If the checkpoint takes over the file rows of a removed full checkpoint: the removed checkpoint, and the changes to
   * these file rows.
   */
  readonly takeover?: { readonly donor: Node; readonly changes: readonly TreeChange[] };
}

interface Plan {
  readonly nodes: ReadonlyMap<number, Node>;
  readonly gone: ReadonlyMap<number, Node>;
  /** Removed full checkpoints whose rows a remaining checkpoint takes over. */
  readonly donors: Set<number>;
  /** The checkpoints that get complete rows. */
  readonly standAlone: Set<number>;
}

const identityColumns =
  'created_at, seq, checkpoint, snapshot, file_count, total_size, tag, name, user_message, record';

export class SqliteRemoval {
  readonly #parts: SessionRows;

  constructor(parts: SessionRows) {
    this.#parts = parts;
  }

  /** Removes all these checkpoints in one transaction. Skips missing ids. */
  async remove(ids: readonly CheckpointId[]): Promise<void> {
    const nodes = await this.#nodes();
    const wanted = new Set<string>(ids);
    const gone = new Map([...nodes].filter(([, node]) => wanted.has(node.checkpoint)));
    if (gone.size === 0) return;
    const plan: Plan = { nodes, gone, donors: new Set(), standAlone: new Set() };
    const folds: Fold[] = [];
    /**
     * Checkpoints whose rows repeat an entry of an earlier checkpoint. The removal may make these rows repeat a
     * different entry.
     */
    const changing = new Set<number>();
    try {
      for (const node of nodes.values()) {
        if (node.parent === undefined || gone.has(node.id)) continue;
        if (!gone.has(node.parent) && !changing.has(node.parent)) continue;
        const captured = await this.#parts.carried.captured(node.id);
        if (!node.isFull && leavesOut(captured.skipped)) changing.add(node.id);
        folds.push(await this.#plan(node, captured, plan));
      }
      await this.#parts.database.transaction(() => this.#apply(folds, gone));
    } catch (error) {
      for (const { staged } of folds) if (staged !== undefined) await drain(this.#parts.database, staged);
      throw error;
    } finally {
      this.#parts.carried.forget();
    }
    await this.#tidy();
  }

  /** Removes every checkpoint of the session at once. */
  async removeAll(): Promise<void> {
    await this.#parts.database.transaction(() =>
      this.#parts.database.run(
        'UPDATE checkpoints SET state = 2, writer = ?, tag = NULL, name = NULL WHERE conversation_id = ?',
        this.#parts.lease,
        this.#parts.conversation,
      ),
    );
    await this.#tidy();
  }

  /**
   * Removes the session itself, and everything that only the session needed. Call this function after {@link
   * removeAll}.
   */
  async forget(sweep: () => Promise<unknown>): Promise<void> {
    // Ignores a failure, as #tidy does, because the checkpoints are already removed.
    await attemptAsync(isA(CheckpointdError), async () => {
      await this.#parts.database.transaction(() => {
        this.#parts.database.run('DELETE FROM lease_snapshots WHERE lease_id = ?', this.#parts.lease);
        this.#parts.database.run(
          'DELETE FROM conversations WHERE id = ? AND NOT EXISTS (SELECT 1 FROM checkpoints WHERE conversation_id = ?)',
          this.#parts.conversation,
          this.#parts.conversation,
        );
      });
      await sweep();
    });
  }

  /**
   * Removes the remaining rows now, if possible. Ignores an error (such as a full disk), because the checkpoints are
   * already removed. A later sweep removes the rows that are left.
   */
  async #tidy(): Promise<void> {
    await attemptAsync(isA(CheckpointdError), () => this.drainRemoved());
  }

  /**
   * Deletes the rows of removed checkpoints in small steps. Includes rows that an earlier opening of the session has
   * left behind.
   */
  async drainRemoved(): Promise<void> {
    const rows = await this.#parts.database.read(() =>
      this.#parts.database.rows(
        'SELECT id FROM checkpoints WHERE state <> 1 AND conversation_id = ? AND (state = 2 OR writer IS NULL)',
        this.#parts.conversation,
      ),
    );
    for (const [id] of rows) await drain(this.#parts.database, Number(id));
  }

  async #nodes(): Promise<Map<number, Node>> {
    const rows = await this.#parts.database.read(() =>
      this.#parts.database.rows(
        'SELECT id, parent_id, checkpoint, snapshot, is_full, created_at FROM checkpoints WHERE conversation_id = ? AND state = 1 ORDER BY seq',
        this.#parts.conversation,
      ),
    );
    return new Map(
      rows.map(([id, parent, checkpoint, snapshot, isFull, createdAt]) => [
        Number(id),
        {
          id: Number(id),
          parent: parent === null ? undefined : Number(parent),
          checkpoint: String(checkpoint),
          snapshot: String(snapshot) as SnapshotId,
          isFull: isFull === 1,
          createdAt: Number(createdAt),
        },
      ]),
    );
  }

  async #plan(node: Node, captured: Captured, { nodes, gone, donors, standAlone }: Plan): Promise<Fold> {
    let donor: Node | undefined;
    let ancestor = node.parent === undefined ? undefined : nodes.get(node.parent);
    while (ancestor !== undefined && gone.has(ancestor.id)) {
      if (ancestor.isFull) donor ??= ancestor;
      ancestor = ancestor.parent === undefined ? undefined : nodes.get(ancestor.parent);
    }
    if (node.isFull) return { node, ancestor };
    if (ancestor !== undefined) {
      const carried = await this.#parts.carried.of(ancestor.id, { gone, standAlone });
      const before = { snapshot: ancestor.snapshot, carried };
      const rows = changeRows(await this.#parts.carried.changes(before, captured));
      const isSmall = rows.length <= rowsAtOnceMax && (await this.#rowCount(node)) <= rowsAtOnceMax;
      if (isSmall) return { node, ancestor, rows };
      return { node, ancestor, staged: await this.#stage(node, rows, false) };
    }
    standAlone.add(node.id);
    invariant(donor !== undefined, 'no checkpoint of a chain has complete rows');
    if (!donors.has(donor.id)) {
      const changes = await this.#parts.trees.changes(donor.snapshot, node.snapshot);
      if (changes.length <= rowsAtOnceMax) {
        donors.add(donor.id);
        return { node, ancestor, takeover: { donor, changes } };
      }
    }
    const full = await fullRows(this.#parts.database, this.#parts.trees, node.snapshot);
    return { node, ancestor, staged: await this.#stage(node, full.rows, true) };
  }

  async #rowCount(node: Node): Promise<number> {
    const row = await this.#parts.database.read(() =>
      this.#parts.database.row(
        'SELECT count(*) FROM checkpoint_file_snapshots WHERE checkpoint_id = ?',
        node.id,
      ),
    );
    return Number(row?.[0]);
  }

  /** Writes file rows that belong to a hidden copy of the checkpoint. */
  async #stage(node: Node, rows: readonly FileRow[], isFull: boolean): Promise<number> {
    const id = await this.#parts.database.transaction(() => {
      this.#parts.database.run(
        `INSERT INTO checkpoints (conversation_id, parent_id, state, writer, is_full, rows_since_full, ${identityColumns})
         SELECT conversation_id, NULL, ?, ?, ?, ?, ${identityColumns} FROM checkpoints WHERE id = ?`,
        state.unfinished,
        this.#parts.lease,
        isFull ? 1 : 0,
        isFull ? 0 : rows.length,
        node.id,
      );
      return Number(this.#parts.database.row('SELECT last_insert_rowid()')?.[0]);
    });
    await this.#parts.database.inSlices(
      portionsOf(rows),
      () => (some) => insertRows(this.#parts.database, id, node.createdAt, some),
    );
    await this.#parts.database.drainJournal();
    return id;
  }

  /** Hides the removed and the replaced rows, then shows the new rows. Call this function inside one transaction. */
  #apply(folds: readonly Fold[], gone: ReadonlyMap<number, Node>): void {
    const moved = new Map<number, number>();
    for (const { node, staged, takeover } of folds) {
      const to = staged ?? takeover?.donor.id;
      if (to !== undefined) moved.set(node.id, to);
    }
    const reborn = new Set(moved.values());
    const steppedDown = [...gone.keys(), ...moved.keys()];
    for (const id of steppedDown) {
      this.#parts.database.run(
        'UPDATE checkpoints SET state = 2, writer = ?, parent_id = NULL WHERE id = ?',
        this.#parts.lease,
        id,
      );
    }
    for (const fold of folds) {
      const to = moved.get(fold.node.id);
      if (to === undefined) continue;
      if (fold.takeover !== undefined) {
        patchFullRows(this.#parts.database, to, fold.node.createdAt, fold.takeover.changes);
      }
      // Copies the text inside the database, so that damaged text stays unchanged.
      this.#parts.database.run(
        `UPDATE checkpoints SET state = 1, writer = NULL, rows_since_full = 0, (${identityColumns}) =
           (SELECT ${identityColumns} FROM checkpoints WHERE id = ?) WHERE id = ?`,
        fold.node.id,
        to,
      );
      this.#parts.database.run(
        'UPDATE checkpoints SET parent_id = ? WHERE parent_id = ? AND state = 1',
        to,
        fold.node.id,
      );
    }
    for (const id of steppedDown.filter((each) => !reborn.has(each)))
      this.#parts.database.run('UPDATE checkpoints SET tag = NULL, name = NULL WHERE id = ?', id);
    for (const { node, ancestor, rows } of folds) {
      const id = moved.get(node.id) ?? node.id;
      const parent = ancestor === undefined ? null : (moved.get(ancestor.id) ?? ancestor.id);
      this.#parts.database.run('UPDATE checkpoints SET parent_id = ? WHERE id = ?', parent, id);
      if (rows === undefined) continue;
      this.#parts.database.run('DELETE FROM checkpoint_file_snapshots WHERE checkpoint_id = ?', id);
      insertRows(this.#parts.database, id, node.createdAt, rows);
    }
  }
}
