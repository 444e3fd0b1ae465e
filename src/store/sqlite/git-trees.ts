// Lets git itself compare two snapshots of the database, so that all strategies give the same diff. A scratch
// repository contains only the differences between the snapshots. All diffs use one scratch repository until it has
// grown large or the database is swept. So one differ process can serve many diffs, and equal contents are written only
// once.

import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { files, filesAsync } from '../../base/files.ts';
import type { BlobId } from '../../base/ids.ts';
import { Slices } from '../../base/slices.ts';
import { Turns } from '../../base/turns.ts';
import { TreeDiffer } from '../../git/diff/tree-differ.ts';
import { type ObjectType, objectHash, objectId } from '../../git/objects/object.ts';
import { type NewObject, packObjects } from '../../git/objects/object-pack.ts';
import { ObjectWriter } from '../../git/objects/object-writer.ts';
import { encodeTree, type TreeItem } from '../../git/objects/tree-format.ts';
import type { Entry, TreeChange } from '../../tree/tree.ts';
import type { GitTrees } from '../snapshot-store.ts';
import { readBlob, readBlobs } from './content.ts';
import type { SqliteDatabase } from './database/database.ts';

/** When the scratch repository exceeds this size, the next diff uses a new, empty one. */
const scratchBytesMax = 64 << 20;
const scratchObjectsMax = 20_000;
const scratchPacksMax = 50;

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

  /** `directory` is the directory of the scratch repositories. An opening of the session empties this directory. */
  constructor(database: SqliteDatabase, directory: string) {
    this.#database = database;
    this.#directory = directory;
  }

  /** Returns both sides of the changes as trees. @throws DataCorrupt for a content that cannot be read */
  async show(changes: readonly TreeChange[]): Promise<GitTrees> {
    const used = this.#use();
    const { scratch } = used;
    try {
      const { from, to } = await scratch.show(changes);
      const { gitDir, differ } = scratch;
      let isLocked = true;
      const dispose = async (): Promise<void> => {
        if (!isLocked) return;
        isLocked = false;
        if (scratch.isLarge) this.#retire(used);
        await this.#release(used);
      };
      return { gitDir, from, to, differ, dispose };
    } catch (error) {
      this.#retire(used); // the repository may contain a partly written object
      await this.#release(used);
      throw error;
    }
  }

  /**
   * Removes scratch repositories that no diff is using, because in these repositories removed contents would stay
   * readable after a sweep. The next diff starts a new repository.
   */
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

  /** Ends the processes at once. The next opening of the session removes the directory. */
  kill(): void {
    for (const { scratch } of this.#all) scratch.kill();
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

// A bare repository for git's differ, filled from the database. The daemon writes the contents and trees of a diff as
// one pack, without a git process. Even for a diff of one file, one pack is faster than a file for each object. This code
// removes only its own files. No file remains after the session is closed.

/** The maximum size in bytes of all objects that wait in memory. */
const waitingBytesMax = 8 << 20;

interface GitDirectory {
  readonly entries: Map<string, GitDirectory | Pick<TreeItem, 'mode' | 'id'>>;
}

class Scratch {
  readonly gitDir: string;
  readonly differ: TreeDiffer;
  /** The size in bytes of the contents and trees in the repository, before packing. */
  #bytes = 0;
  #packs = 0;
  /** The ids of the objects in the repository. */
  readonly #stored = new Set<string>();
  readonly #database: SqliteDatabase;
  readonly #writer: ObjectWriter;
  /** Git's ids of the contents that are already stored or waiting to be stored. */
  readonly #blobs = new Map<BlobId, string>();
  readonly #slices = new Slices();
  /** Runs one diff at a time, because a diff may need the objects that the previous diff stores. */
  readonly #turns = new Turns();
  #waiting = new Map<string, NewObject>();
  #waitingBytes = 0;
  #spooled = 0;

  private constructor(database: SqliteDatabase, gitDir: string) {
    this.#database = database;
    this.gitDir = gitDir;
    this.differ = new TreeDiffer(gitDir);
    this.#writer = new ObjectWriter({ gitDir }, (id) => void this.#stored.add(id));
  }

  static make(database: SqliteDatabase, parent: string): Scratch {
    const gitDir = join(parent, `diff-${randomBytes(6).toString('hex')}.git`);
    const scratch = new Scratch(database, gitDir);
    try {
      files.mkdirSync(join(gitDir, 'objects'), { recursive: true, mode: 0o700 });
      files.mkdirSync(join(gitDir, 'refs'));
      files.writeFileSync(join(gitDir, 'HEAD'), 'ref: refs/heads/none\n');
      const config = '[core]\n\trepositoryformatversion = 0\n\tbare = true\n';
      files.writeFileSync(join(gitDir, 'config'), config);
      return scratch;
    } catch (error) {
      files.rmSync(gitDir, { recursive: true, force: true });
      throw error;
    }
  }

  get isLarge(): boolean {
    return (
      this.#bytes > scratchBytesMax || this.#stored.size > scratchObjectsMax || this.#packs > scratchPacksMax
    );
  }

  /** Ends the processes at once. The next opening of the session removes the directory. */
  kill(): void {
    this.differ.kill();
    this.#writer.kill();
  }

  async remove(): Promise<void> {
    await Promise.all([this.differ.close(), this.#writer.close()]);
    await filesAsync.rm(this.gitDir, { recursive: true, force: true });
  }

  /** Stores both sides of the changes as trees, with everything that they need. @throws DataCorrupt */
  show(changes: readonly TreeChange[]): Promise<{ readonly from: string; readonly to: string }> {
    return this.#turns.run(async () => {
      const [olds, news] = [
        changes.flatMap(({ before }) => before ?? []),
        changes.flatMap(({ after }) => after ?? []),
      ];
      await this.#putBlobs([...olds, ...news]);
      const [from, to] = [await this.#tree(olds), await this.#tree(news)];
      await this.#store();
      return { from, to };
    });
  }

  async #tree(entries: readonly Entry[]): Promise<string> {
    const root: GitDirectory = { entries: new Map() };
    for (const { path, mode, blob } of entries) {
      if (this.#slices.isDue()) await this.#slices.pause();
      const parts = path.split('/');
      let directory = root;
      for (const name of parts.slice(0, -1)) {
        const found = directory.entries.get(name);
        const next: GitDirectory = found !== undefined && 'entries' in found ? found : { entries: new Map() };
        directory.entries.set(name, next);
        directory = next;
      }
      directory.entries.set(parts.at(-1) ?? '', { mode, id: this.#blobs.get(blob) ?? '' });
    }
    return this.#writeTree(root);
  }

  async #putBlobs(entries: readonly Entry[]): Promise<void> {
    const unknown = new Set(entries.map(({ blob }) => blob).filter((blob) => !this.#blobs.has(blob)));
    for await (const { blob, size, bytes, deflated } of readBlobs(this.#database, [...unknown])) {
      if (this.#slices.isDue()) await this.#slices.pause();
      this.#bytes += size;
      const isSmall = bytes !== undefined;
      const id = isSmall
        ? await this.#put('blob', bytes, deflated)
        : await this.#spool(readBlob(this.#database, blob), size);
      this.#blobs.set(blob, id);
    }
  }

  /** Stores a content that can be too large for the memory. */
  async #spool(content: AsyncIterable<Uint8Array>, size: number): Promise<string> {
    this.#spooled += 1;
    const file = join(this.gitDir, `spool-${this.#spooled}`);
    const hash = objectHash('blob', size);
    const handle = await filesAsync.open(file, 'wx', 0o600);
    try {
      for await (const bytes of content) {
        hash.update(bytes);
        await handle.writeFile(bytes);
      }
    } finally {
      await handle.close();
    }
    const id = hash.digest();
    await this.#writer.store('blob', id, { kind: 'spool', file, size });
    return id;
  }

  async #writeTree(directory: GitDirectory): Promise<string> {
    const items: TreeItem[] = [];
    for (const [name, entry] of directory.entries) {
      if ('entries' in entry) items.push({ name, mode: '040000', id: await this.#writeTree(entry) });
      else items.push({ name, ...entry });
    }
    const bytes = await encodeTree(items, this.#slices);
    this.#bytes += bytes.length;
    return this.#put('tree', bytes);
  }

  /** Queues an object. The object is stored at the end of {@link show} at the latest. */
  async #put(type: ObjectType, bytes: Uint8Array, deflated?: Uint8Array): Promise<string> {
    const id = objectId(type, bytes);
    if (this.#stored.has(id)) return id;
    this.#waiting.set(id, { type, id, bytes, deflated });
    this.#waitingBytes += bytes.length;
    if (this.#waitingBytes > waitingBytesMax) await this.#store();
    return id;
  }

  async #store(): Promise<void> {
    const objects = [...this.#waiting.values()];
    this.#waiting = new Map();
    this.#waitingBytes = 0;
    if (objects.length === 0) return;
    await packObjects({ gitDir: this.gitDir }, objects, { isLasting: false });
    for (const { id } of objects) this.#stored.add(id);
    this.#packs += 1;
  }
}
