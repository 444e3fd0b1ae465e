// Shows two snapshots of the database to git's own differ, so that all strategies give the same diff: a
// scratch repository with what differs between them and nothing else. One is used until it has grown large or the
// database was swept, so that a differ can stay with it and the same contents are written once. Which git answers how
// is not known here; scratch.ts writes the objects.
import type { TreeChange } from '../../tree/entry.ts';
import type { GitTrees } from '../snapshot-store.ts';
import type { SqliteDatabase } from './database/database.ts';
import { Scratch } from './scratch.ts';

/** Then the next diff starts an empty one. */
const scratchBytesMax = 64 << 20;
const scratchObjectsMax = 20_000;

interface Used {
  readonly scratch: Scratch;
  users: number;
  isRetired: boolean;
}

export class SqliteGitTrees {
  readonly #database: SqliteDatabase;
  readonly #directory: string;
  readonly #all = new Set<Used>();
  #current: Used | undefined;

  /** @param directory emptied when the session is opened; the scratch repositories are made in it */
  constructor(database: SqliteDatabase, directory: string) {
    this.#database = database;
    this.#directory = directory;
  }

  /** Both sides of the changes as trees. @throws DataCorrupt for a content that cannot be read */
  async show(changes: readonly TreeChange[]): Promise<GitTrees> {
    const used = this.#use();
    const { scratch } = used;
    try {
      const from = await scratch.tree(changes.flatMap(({ before }) => before ?? []));
      const to = await scratch.tree(changes.flatMap(({ after }) => after ?? []));
      const { gitDir, differ } = scratch;
      let isHeld = true;
      const dispose = async (): Promise<void> => {
        if (!isHeld) return;
        isHeld = false;
        if (scratch.bytes > scratchBytesMax || scratch.objects > scratchObjectsMax) this.#retire(used);
        await this.#release(used);
      };
      return { gitDir, from, to, differ, dispose };
    } catch (error) {
      this.#retire(used); // half an object may stand in it
      await this.#release(used);
      throw error;
    }
  }

  /** Removes what no diff is using just now; the next one starts anew. After a sweep nothing removed stays readable. */
  async forget(): Promise<void> {
    const used = this.#current;
    if (used === undefined) return;
    used.users += 1;
    this.#retire(used);
    await this.#release(used);
  }

  async close(): Promise<void> {
    for (const used of this.#all) {
      this.#retire(used);
      await used.scratch.remove();
    }
  }

  /** Ends the processes at once; the directory goes with the next open. */
  kill(): void {
    for (const { scratch } of this.#all) scratch.differ.kill();
  }

  #use(): Used {
    if (this.#current === undefined) {
      const scratch = Scratch.make(this.#database, this.#directory);
      this.#current = { scratch, users: 0, isRetired: false };
      this.#all.add(this.#current);
    }
    this.#current.users += 1;
    return this.#current;
  }

  #retire(used: Used): void {
    used.isRetired = true;
    if (this.#current === used) this.#current = undefined;
  }

  async #release(used: Used): Promise<void> {
    used.users -= 1;
    if (!used.isRetired || used.users > 0) return;
    this.#all.delete(used);
    await used.scratch.remove();
  }
}
