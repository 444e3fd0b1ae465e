// Shows two snapshots of the database to git's own differ, so that all strategies give the same diff (ruling 18): a
// scratch repository with what differs between them and nothing else. Loose objects are written here, without a
// process: a diff of one file takes two objects and some trees. Nothing of it outlives `dispose`.
import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createDeflate, deflate } from 'node:zlib';
import { filesAsync } from '../base/files.ts';
import type { BlobId } from '../base/ids.ts';
import { byBytes } from '../base/tree-path.ts';
import type { GitTrees, SnapshotEntry, TreeChange } from './snapshot-store.ts';
import { readBlob } from './sqlite-content.ts';
import type { SqliteDatabase } from './sqlite-database.ts';

const deflateAsync = promisify<Uint8Array, { level: number }, Buffer>(deflate);

interface GitDirectory {
  readonly entries: Map<string, GitDirectory | { readonly mode: string; readonly id: string }>;
}

/** Makes the scratch repository below `parent`. @throws DataCorrupt for a content that cannot be read */
export async function makeGitTrees(
  database: SqliteDatabase,
  parent: string,
  changes: readonly TreeChange[],
): Promise<GitTrees> {
  const gitDir = join(parent, `diff-${randomBytes(6).toString('hex')}.git`);
  const dispose = (): Promise<void> => filesAsync.rm(gitDir, { recursive: true, force: true });
  try {
    await filesAsync.mkdir(join(gitDir, 'objects'), { recursive: true, mode: 0o700 });
    await filesAsync.mkdir(join(gitDir, 'refs'));
    await filesAsync.writeFile(join(gitDir, 'HEAD'), 'ref: refs/heads/none\n');
    await filesAsync.writeFile(
      join(gitDir, 'config'),
      '[core]\n\trepositoryformatversion = 0\n\tbare = true\n',
    );
    const scratch = new Scratch(database, gitDir);
    const from = await scratch.tree(changes.flatMap(({ before }) => before ?? []));
    const to = await scratch.tree(changes.flatMap(({ after }) => after ?? []));
    return { gitDir, from, to, dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

class Scratch {
  readonly #database: SqliteDatabase;
  readonly #gitDir: string;
  readonly #blobs = new Map<BlobId, string>();
  readonly #trees = new Set<string>();
  #temporary = 0;

  constructor(database: SqliteDatabase, gitDir: string) {
    this.#database = database;
    this.#gitDir = gitDir;
  }

  async tree(entries: readonly SnapshotEntry[]): Promise<string> {
    const root: GitDirectory = { entries: new Map() };
    for (const { path, mode, blob } of entries) {
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

  async #blob(blob: BlobId): Promise<string> {
    const known = this.#blobs.get(blob);
    if (known !== undefined) return known;
    const size = await this.#database.read(() =>
      Number(this.#database.row('SELECT size FROM checkpoint_blobs WHERE hash = ?', blob)?.[0] ?? 0),
    );
    const id = await this.#writeObject(`blob ${size}\0`, readBlob(this.#database, blob));
    this.#blobs.set(blob, id);
    return id;
  }

  async #writeTree(directory: GitDirectory): Promise<string> {
    const rows: { readonly key: string; readonly bytes: Buffer }[] = [];
    for (const [name, entry] of directory.entries) {
      const isTree = 'entries' in entry;
      const [mode, id] = isTree ? ['40000', await this.#writeTree(entry)] : [entry.mode, entry.id];
      const bytes = Buffer.concat([Buffer.from(`${mode} ${name}\0`, 'latin1'), Buffer.from(id, 'hex')]);
      rows.push({ key: isTree ? `${name}/` : name, bytes }); // git sorts a directory as its name with a slash
    }
    const bytes = Buffer.concat(rows.sort((a, b) => byBytes(a.key, b.key)).map((row) => row.bytes));
    const head = Buffer.from(`tree ${bytes.length}\0`);
    const id = createHash('sha1').update(head).update(bytes).digest('hex');
    if (this.#trees.has(id)) return id;
    this.#trees.add(id);
    const packed = await deflateAsync(Buffer.concat([head, bytes]), { level: 1 });
    const file = await this.#place(id);
    await filesAsync.writeFile(file, packed, { mode: 0o600 });
    return id;
  }

  /** Streams a loose object to the disk; its name is known at the end. */
  async #writeObject(head: string, content: AsyncIterable<Uint8Array>): Promise<string> {
    const temporary = join(this.#gitDir, `tmp-${(this.#temporary += 1)}`);
    const hash = createHash('sha1').update(head);
    const handle = await filesAsync.open(temporary, 'wx', 0o600);
    try {
      const packer = createDeflate({ level: 1 });
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
    await filesAsync.rename(temporary, await this.#place(id));
    return id;
  }

  async #place(id: string): Promise<string> {
    const directory = join(this.#gitDir, 'objects', id.slice(0, 2));
    await filesAsync.mkdir(directory, { recursive: true, mode: 0o700 });
    return join(directory, id.slice(2));
  }
}
