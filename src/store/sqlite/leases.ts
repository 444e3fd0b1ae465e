// Protects unpublished captures from the sweeps of other daemons. Each open store has a lease that names the store's
// process. While a writer of the store is open, the lease protects all rows stored since the writer began. The lease
// also lists (pins) the latest snapshots of the store, and protects them. A lease ends when its process ends. The clock
// matters only for processes of other hosts and containers, whose leases are valid for a day. The generation is the
// store's logical clock: each step of a sweep that removes rows advances the generation. A row has the generation in
// which it was last stored or requested, so a sweep can distinguish old from new. Therefore a row that was seen by a
// store exists at least until the generation advances.
import type { SnapshotId } from '../../base/ids.ts';
import { describeSelf, holderState, parseHolder } from '../../base/process-lock.ts';
import type { SqliteDatabase } from './database/database.ts';

const dayMs = 86_400_000;
const unpublishedMax = 8;
const giveMsMax = 500;

/** Reads the generation. The generation cannot change during a transaction. */
export function generationOf(database: SqliteDatabase): number {
  return Number(database.row('SELECT value FROM generation')?.[0]);
}

/** Advances the generation inside a transaction, and returns the new generation. */
export function advanceGeneration(database: SqliteDatabase): number {
  database.run('UPDATE generation SET value = value + 1');
  return generationOf(database);
}

export class SqliteLease {
  readonly id: number;
  readonly #database: SqliteDatabase;
  readonly #session: string;
  #writers = 0;
  #pins: { readonly snapshot: SnapshotId; isPublished: boolean }[] = [];

  private constructor(database: SqliteDatabase, id: number, session: string) {
    this.#database = database;
    this.id = id;
    this.#session = session;
  }

  /**
   * Takes a lease for this open store. @throws ReadOnlyStore, StoreBusy …: taking the lease is the first write of an
   * opening.
   */
  static async take(database: SqliteDatabase, session: string): Promise<SqliteLease> {
    const holder = JSON.stringify(describeSelf());
    const id = await database.transaction(() => {
      // a session has only one owner, so the owner of an older lease must have died
      database.run('DELETE FROM leases WHERE session = ?', session);
      database.run(
        'INSERT INTO leases (session, holder, renewed_at) VALUES (?, ?, ?)',
        session,
        holder,
        Date.now(),
      );
      return Number(database.row('SELECT last_insert_rowid()')?.[0]);
    });
    return new SqliteLease(database, id, session);
  }

  /**
   * Takes the lease again if another daemon removed it. Await this function before a change. A daemon in another
   * container cannot see this process. After a day without a change of the session, such a daemon counts this process
   * as dead and removes the lease. Does nothing when the session already has another lease, because the session then
   * has another owner.
   */
  async retake(): Promise<void> {
    const select = 'SELECT 1 FROM leases WHERE id = ?';
    if ((await this.#database.read(() => this.#database.row(select, this.id))) !== undefined) return;
    await this.#database.transaction(() =>
      this.#database.run(
        'INSERT INTO leases (id, session, holder, renewed_at) SELECT ?, ?, ?, ? WHERE NOT EXISTS (SELECT 1 FROM leases WHERE session = ?)',
        this.id,
        this.#session,
        JSON.stringify(describeSelf()),
        Date.now(),
        this.#session,
      ),
    );
  }

  /**
   * Records that a writer begins. From now on, the lease protects all rows of the returned generation and of later
   * generations.
   */
  async beginWriting(): Promise<number> {
    await this.retake();
    this.#writers += 1;
    return this.#database.transaction(() => {
      this.#database.run(
        'UPDATE leases SET renewed_at = ?, writing_since = coalesce(writing_since, (SELECT value FROM generation)) WHERE id = ?',
        Date.now(),
        this.id,
      );
      return Number(this.#database.row('SELECT writing_since FROM leases WHERE id = ?', this.id)?.[0]);
    });
  }

  async endWriting(): Promise<void> {
    this.#writers -= 1;
    if (this.#writers > 0) return;
    await this.#database.transaction(() => {
      if (this.#writers === 0)
        this.#database.run('UPDATE leases SET writing_since = NULL WHERE id = ?', this.id);
    });
  }

  /**
   * Protects a snapshot that no checkpoint names. Call this function inside the transaction that stores the last
   * directory of the snapshot.
   */
  pin(snapshot: SnapshotId): void {
    this.#database.run(
      'INSERT INTO lease_snapshots (lease_id, snapshot) VALUES (?, ?) ON CONFLICT DO NOTHING',
      this.id,
      snapshot,
    );
  }

  /**
   * Removes pins from the lease: those of snapshots that a checkpoint now protects, and the oldest of the remaining
   * pins. Call this function after {@link pin} was committed.
   */
  async pinned(snapshot: SnapshotId): Promise<void> {
    const others = this.#pins.filter((pin) => pin.snapshot !== snapshot);
    const unpublished = others.filter((pin) => !pin.isPublished).slice(-unpublishedMax);
    this.#pins = [...unpublished, { snapshot, isPublished: false }];
    for (const pin of others) if (!unpublished.includes(pin)) await this.#release(pin.snapshot);
  }

  /**
   * Records that a checkpoint protects the snapshot. The pin stays until the next capture, which may build on this
   * snapshot.
   */
  published(snapshot: SnapshotId): void {
    for (const pin of this.#pins) if (pin.snapshot === snapshot) pin.isPublished = true;
  }

  /**
   * Gives up the lease when the store closes. Does not wait long, because a remaining lease ends with the process or
   * with the session's next lease.
   */
  async give(): Promise<void> {
    const forget = () => this.#database.run('DELETE FROM leases WHERE id = ?', this.id);
    await this.#database.transaction(forget, giveMsMax);
  }

  async #release(snapshot: SnapshotId): Promise<void> {
    await this.#database.transaction(() =>
      this.#database.run(
        'DELETE FROM lease_snapshots WHERE lease_id = ? AND snapshot = ?',
        this.id,
        snapshot,
      ),
    );
  }
}

/** Removes the leases of dead processes and the pins of these leases. */
export async function dropDeadLeases(database: SqliteDatabase, own: number): Promise<void> {
  const rows = await database.read(() =>
    database.rows('SELECT id, holder, renewed_at FROM leases WHERE id <> ?', own),
  );
  for (const [id, holder, renewedAt] of rows) {
    const state = holderState(parseHolder(String(holder)));
    const isOld = Math.abs(Date.now() - Number(renewedAt)) > dayMs;
    if (state === 'alive' || (state === 'unknown' && !isOld)) continue;
    await database.transaction(() => database.run('DELETE FROM leases WHERE id = ?', Number(id)));
  }
}
