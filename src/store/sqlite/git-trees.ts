// Shows two snapshots of the database to git's own differ, so that all strategies give the same diff: a scratch
// repository with what differs between them and nothing else. One scratch is used until it has grown large or the
// database was swept, so that a differ can stay with it and equal contents are written once.

import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createDeflate, deflate, deflateSync } from 'node:zlib';
import { files, filesAsync } from '../../base/files.ts';
import type { BlobId } from '../../base/ids.ts';
import { Slices } from '../../base/slices.ts';
import { TreeDiffer } from '../../git/diff/tree-differ.ts';
import type { Entry, TreeChange } from '../../tree/entry.ts';
import { byBytes } from '../../tree/tree-path.ts';
import type { GitTrees } from '../snapshot-store.ts';
import { inlineBytesMax, readBlob } from './content.ts';
import type { SqliteDatabase } from './database/database.ts';

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

// A bare repository for git's differ, filled object by object from the database. The daemon writes loose objects
// itself, without a process: a diff of one file takes two contents and some trees. It removes nothing but itself, and
// nothing in it outlives the open session.

const deflateAsync = promisify<Uint8Array, { level: number }, Buffer>(deflate);
const packing = { level: 1 };

interface GitDirectory {
  readonly entries: Map<string, GitDirectory | { readonly mode: string; readonly id: string }>;
}

export class Scratch {
  readonly gitDir: string;
  readonly differ: TreeDiffer;
  /** Bytes of the contents and trees in it, before packing. */
  bytes = 0;
  objects = 0;
  readonly #database: SqliteDatabase;
  readonly #blobs = new Map<BlobId, Promise<string>>();
  /** Small objects that are there. */
  readonly #written = new Set<string>();
  readonly #directories = new Set<string>();
  readonly #slices = new Slices();
  #temporary = 0;

  private constructor(database: SqliteDatabase, gitDir: string) {
    this.#database = database;
    this.gitDir = gitDir;
    this.differ = new TreeDiffer(gitDir);
  }

  /** Makes an empty one below `parent`. */
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

  async remove(): Promise<void> {
    await this.differ.close();
    await filesAsync.rm(this.gitDir, { recursive: true, force: true });
  }

  /** The id of a tree of these files, written with all that it needs. @throws DataCorrupt */
  async tree(entries: readonly Entry[]): Promise<string> {
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
      directory.entries.set(parts.at(-1) ?? '', { mode, id: await this.#blob(blob) });
    }
    return this.#writeTree(root);
  }

  #blob(blob: BlobId): Promise<string> {
    let id = this.#blobs.get(blob);
    if (id === undefined) {
      id = this.#writeBlob(blob);
      this.#blobs.set(blob, id);
    }
    return id;
  }

  async #writeBlob(blob: BlobId): Promise<string> {
    const size = await this.#database.read(() =>
      Number(this.#database.row('SELECT size FROM checkpoint_blobs WHERE hash = ?', blob)?.[0] ?? 0),
    );
    const content = readBlob(this.#database, blob);
    this.bytes += size;
    if (size > inlineBytesMax) return this.#stream(`blob ${size}\0`, content);
    const chunks: Uint8Array[] = [Buffer.from(`blob ${size}\0`)];
    for await (const bytes of content) chunks.push(bytes);
    return this.#write(Buffer.concat(chunks));
  }

  async #writeTree(directory: GitDirectory): Promise<string> {
    const rows: { readonly key: string; readonly bytes: Buffer }[] = [];
    for (const [name, entry] of directory.entries) {
      const isTree = 'entries' in entry;
      const [mode, id] = isTree ? ['40000', await this.#writeTree(entry)] : [entry.mode, entry.id];
      const bytes = Buffer.concat([Buffer.from(`${mode} ${name}\0`, 'latin1'), Buffer.from(id, 'hex')]);
      rows.push({ key: isTree ? `${name}/` : name, bytes }); // git sorts a directory as its name with a slash
    }
    if (this.#slices.isDue()) await this.#slices.pause();
    const bytes = Buffer.concat(rows.sort((a, b) => byBytes(a.key, b.key)).map((row) => row.bytes));
    this.bytes += bytes.length;
    return this.#write(Buffer.concat([Buffer.from(`tree ${bytes.length}\0`), bytes]));
  }

  /** Writes an object under its own name: git is asked for it only when it is whole. */
  async #write(object: Buffer): Promise<string> {
    const id = createHash('sha1').update(object).digest('hex');
    if (this.#written.has(id)) return id;
    const isSmall = object.length <= inlineBytesMax;
    const packed = isSmall ? deflateSync(object, packing) : await deflateAsync(object, packing);
    files.writeFileSync(this.#place(id), packed, { mode: 0o600 });
    this.#written.add(id);
    this.objects += 1;
    return id;
  }

  /** Streams a loose object to the disk; its name is known at the end. */
  async #stream(head: string, content: AsyncIterable<Uint8Array>): Promise<string> {
    const temporary = join(this.gitDir, `tmp-${(this.#temporary += 1)}`);
    const hash = createHash('sha1').update(head);
    const handle = await filesAsync.open(temporary, 'wx', 0o600);
    try {
      const packer = createDeflate(packing);
      const writing = (async () => {
        for await (const packed of packer) await handle.writeFile(packed as Uint8Array);
      })();
      try {
        packer.write(head);
        for await (const bytes of content) {
          hash.update(bytes);
          if (!packer.write(bytes)) await new Promise<void>((resolve) => void packer.once('drain', resolve));
        }
        packer.end();
      } catch (error) {
        packer.destroy();
        await Promise.allSettled([writing]);
        throw error;
      }
      await writing;
    } finally {
      await handle.close();
    }
    const id = hash.digest('hex');
    await filesAsync.rename(temporary, this.#place(id));
    this.objects += 1;
    return id;
  }

  #place(id: string): string {
    const directory = join(this.gitDir, 'objects', id.slice(0, 2));
    if (!this.#directories.has(directory)) {
      files.mkdirSync(directory, { recursive: true, mode: 0o700 });
      this.#directories.add(directory);
    }
    return join(directory, id.slice(2));
  }
}
