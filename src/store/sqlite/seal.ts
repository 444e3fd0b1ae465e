// Stores the directories of a capture that are new, and pins the root, which names the whole. A directory row
// promises that all below it is there: children are stored first, sweeps remove parents first. So a directory that
// was sealed before needs one look, and the cost follows the change. It brings no content: writer.ts does.
import { CheckpointdError } from '../../base/errors.ts';
import type { BlobId, SnapshotId } from '../../base/ids.ts';
import { Slices } from '../../base/slices.ts';
import { type Directory, type FileNode, isDirectory } from '../../tree/directory.ts';
import type { SqliteDatabase } from './database/database.ts';
import { generationOf, type SqliteLease } from './leases.ts';
import type { SeenRows } from './seen.ts';
import { type EncodedNode, encodeNode, type SubTree } from './tree-node.ts';

interface Plan {
  root: SnapshotId;
  readonly ids: Map<Directory, string>;
  /** New directories, children first. */
  readonly nodes: Map<string, EncodedNode>;
  readonly reused: Map<string, Directory>;
  /** Contents that this writer did not bring. */
  readonly blobs: Set<BlobId>;
}

// Sweeps of other daemons that come between the look and the last transaction, before it looks inside that.
const attemptsMax = 4;

export class SqliteSeal {
  readonly #database: SqliteDatabase;
  readonly #seen: SeenRows;
  readonly #lease: SqliteLease;
  /** Contents that the writer has brought: its lease holds them. */
  readonly #added: ReadonlySet<BlobId>;
  readonly #signal: AbortSignal | undefined;

  constructor(
    database: SqliteDatabase,
    seen: SeenRows,
    lease: SqliteLease,
    added: ReadonlySet<BlobId>,
    signal: AbortSignal | undefined,
  ) {
    this.#database = database;
    this.#seen = seen;
    this.#lease = lease;
    this.#added = added;
    this.#signal = signal;
  }

  /** @throws DataCorrupt (retryable) when contents that the capture relied on are gone, and the database's errors. */
  async run(root: Directory): Promise<SnapshotId> {
    for (let attempt = 0; ; attempt += 1) {
      const plan = await this.#plan(root);
      const generation = await this.#check(plan);
      if (!(await this.#store(plan, generation, attempt >= attemptsMax))) continue;
      for (const [directory, id] of plan.ids) directory.sealed = id;
      return plan.root;
    }
  }

  /** Names every directory that has no id yet, children first. */
  async #plan(root: Directory): Promise<Plan> {
    const slices = new Slices(this.#signal);
    const plan: Plan = {
      root: '' as SnapshotId,
      ids: new Map(),
      nodes: new Map(),
      reused: new Map(),
      blobs: new Set(),
    };
    const visit = async (directory: Directory, isRoot: boolean): Promise<string | undefined> => {
      const { sealed } = directory;
      if (sealed !== undefined && !this.#seen.isLost(sealed)) {
        plan.reused.set(sealed, directory);
        return sealed;
      }
      if (slices.isDue()) await slices.pause();
      const entries = new Map<string, SubTree | FileNode>();
      for (const [name, entry] of directory.entries) {
        if (!isDirectory(entry)) {
          entries.set(name, entry);
          if (!this.#added.has(entry.blob)) plan.blobs.add(entry.blob);
          continue;
        }
        const tree = await visit(entry, false);
        if (tree !== undefined) entries.set(name, { tree });
      }
      if (entries.size === 0 && !isRoot) return undefined; // empty directories are not captured
      const { permissions } = directory;
      const node = encodeNode(permissions === undefined ? { entries } : { entries, permissions });
      plan.nodes.set(node.id, node);
      plan.ids.set(directory, node.id);
      return node.id;
    };
    plan.root = (await visit(root, true)) as SnapshotId;
    return plan;
  }

  /** Makes sure that what the plan takes for granted is there; returns the generation in which it was. */
  async #check(plan: Plan): Promise<number> {
    const trees = await this.#seen.missingTrees([...plan.reused.keys()], this.#signal);
    if (trees.missing.length > 0) {
      this.#seen.lose(trees.missing); // swept meanwhile; they are in memory, so they are stored again
      return -1;
    }
    const blobs = await this.#seen.missingBlobs([...plan.blobs], this.#signal);
    if (blobs.missing.length > 0) {
      throw new CheckpointdError(
        'DataCorrupt',
        `${blobs.missing.length} contents of this capture are not in the store: they were removed since the capture it builds on. Capture again from the start.`,
        { details: { blobs: blobs.missing.slice(0, 10) }, retryable: true },
      );
    }
    return Math.min(trees.generation, blobs.generation);
  }

  /** Stores the new directories and pins the root; false when something may have been removed since the check. */
  async #store(plan: Plan, generation: number, anyGeneration: boolean): Promise<boolean> {
    if (generation < 0) return false;
    const nodes = [...plan.nodes.values()];
    const root = plan.nodes.get(plan.root);
    const inner = nodes.filter((node) => node !== root);
    await this.#database.inSlices(
      inner,
      () => {
        const stamp = generationOf(this.#database);
        return (node) => this.#insertNode(node, stamp);
      },
      this.#signal,
    );
    const isStored = await this.#database.transaction(() => {
      const present = generationOf(this.#database);
      if (present !== generation && !(anyGeneration && this.#isAllThere(plan))) return false;
      if (root !== undefined) this.#insertNode(root, present);
      this.#lease.pin(plan.root);
      return true;
    });
    if (isStored) {
      this.#seen.addTrees(generation, [...plan.nodes.keys()]);
      this.#seen.addBlobs(generation, [...this.#added]);
    }
    return isStored;
  }

  /** Inside a transaction, where nothing moves: for a store that is swept all the time. May take long. */
  #isAllThere(plan: Plan): boolean {
    return this.#seen.areThere([...plan.reused.keys()], [...plan.blobs]);
  }

  #insertNode({ id, bytes }: EncodedNode, stamp: number): void {
    this.#database.run(
      'INSERT INTO checkpoint_trees (id, stamp, node) VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET stamp = max(stamp, excluded.stamp), node = excluded.node WHERE stamp < excluded.stamp OR node <> excluded.node',
      Buffer.from(id, 'hex'),
      stamp,
      bytes,
    );
  }
}
