// Manages a bare repository in which the daemon builds and reads lines. The repository itself stores new objects.
// Through git's alternates, the repository also has the objects of the session's store, or the fetched objects. The
// callers of this module move the refs.
import { join } from 'node:path';
import { files } from '../base/files.ts';
import type { BlobId, SnapshotId } from '../base/ids.ts';
import { RecentSet } from '../base/recent-set.ts';
import { ended } from '../base/turns.ts';
import type { SnapshotWriter } from '../capture/snapshot-sink.ts';
import { type ObjectType, objectHash } from '../git/objects/object.ts';
import { packFrom } from '../git/objects/object-pack.ts';
import { ObjectReader, wholeBytesMax } from '../git/objects/object-reader.ts';
import { ObjectWriter } from '../git/objects/object-writer.ts';
import { alternateObjects, type GitPlace } from '../git/process/environment.ts';
import { runGit } from '../git/process/run.ts';
import { UnreadableRefs } from '../git/refs/readable-refs.ts';
import { refsInFiles, writeRefFile } from '../git/refs/ref-files.ts';
import { entriesIn, linkPacks, openBareRepository } from '../git/repository/bare-repository.ts';
import { gitTrees } from '../store/git/checkpoints.ts';
import { Packing } from '../store/git/packing.ts';
import { GitWriter, SweepGate } from '../store/git/writer.ts';
import { TreeReader } from '../store/tree-reader.ts';
import type { Directory } from '../tree/tree.ts';

const knownMax = 200_000;
/**
 * If a repository has more packs than this, the daemon joins them, because each look-up of an object searches all
 * packs. An import adds packs, because it links packs instead of copying their objects.
 */
const packsMax = 20;

export class TravelObjects {
  readonly gitDir: string;
  readonly alternates: readonly string[];
  readonly #place: GitPlace;
  /** The list of the contents that were already copied to this repository from a store without git objects. */
  readonly contentsFile: string;
  /** The directory for incoming contents. This directory is emptied when the repository is opened. */
  readonly spoolDirectory: string;
  readonly #writer: ObjectWriter;
  readonly reader: ObjectReader;
  readonly #trees: TreeReader;
  readonly #gate = new SweepGate();
  /** The known sizes of contents. Before many contents are read, one query gets all their sizes. */
  readonly #sizes = new Map<BlobId, number>();
  /** The directories that were read from snapshots, by their ids. */
  readonly #built = new Map<string, Directory>();
  readonly #known = { proven: new RecentSet(knownMax), there: new RecentSet(knownMax) };

  private constructor(directory: string, alternates: readonly string[]) {
    this.gitDir = join(directory, 'objects.git');
    this.spoolDirectory = join(directory, 'spool');
    this.contentsFile = join(directory, 'contents');
    this.alternates = alternates;
    this.#place = { gitDir: this.gitDir, environment: alternateObjects(alternates) };
    this.#writer = new ObjectWriter(this.#place);
    this.reader = new ObjectReader(this.#place);
    this.#trees = new TreeReader(gitTrees(this.reader));
  }

  /**
   * Makes or repairs the repository in a directory that only one process uses at a time. If the repository has more
   * packs than `renewsAbovePacks`, replaces it with an empty repository. After a replacement, the caller fetches all
   * objects again.
   */
  static async open(
    directory: string,
    {
      alternates = [],
      renewsAbovePacks = Number.POSITIVE_INFINITY,
    }: { readonly alternates?: readonly string[]; readonly renewsAbovePacks?: number } = {},
  ): Promise<TravelObjects> {
    const objects = new TravelObjects(directory, alternates);
    files.mkdirSync(directory, { recursive: true, mode: 0o700 });
    files.rmSync(objects.spoolDirectory, { recursive: true, force: true });
    files.mkdirSync(objects.spoolDirectory, { mode: 0o700 });
    // Moves the repository away before removing it, because a kill during the removal must not leave refs without their
    // objects.
    if (objects.packs().size > renewsAbovePacks) {
      const old = join(objects.spoolDirectory, 'old.git');
      files.renameSync(objects.gitDir, old);
      files.rmSync(old, { recursive: true, force: true });
    }
    await openBareRepository(objects.gitDir);
    return objects;
  }

  /** Returns a writer for a snapshot. The writer stores a snapshot in the same way as the strategy `shadow`. */
  snapshotWriter(signal?: AbortSignal): SnapshotWriter {
    const { reader, spoolDirectory } = this;
    const parts = { place: this.#place, objects: this.#writer, spoolDirectory, reader };
    return new GitWriter({
      ...parts,
      trees: this.#trees,
      ...this.#known,
      isBelieved: true,
      gate: this.#gate,
      signal,
    });
  }

  hash(size: number): { update(bytes: Uint8Array): void; digest(): BlobId } {
    const hash = objectHash('blob', size);
    return { update: (bytes) => hash.update(bytes), digest: () => hash.digest() as BlobId };
  }

  directory(snapshot: SnapshotId): Promise<Directory> {
    return this.#trees.directory(snapshot, this.#built);
  }

  /** Yields the content of a file in chunks and checks its hash at the end. @throws DataCorrupt */
  async *read(blob: BlobId): AsyncIterable<Uint8Array> {
    const size = this.#sizes.get(blob) ?? (await this.sizes([blob]))[0] ?? -1;
    if (size > wholeBytesMax) yield* this.reader.stream('blob', blob, size);
    else yield await this.reader.read('blob', blob);
  }

  /** Returns the sizes of contents in bytes. Returns -1 for a missing content. */
  async sizes(blobs: readonly BlobId[]): Promise<number[]> {
    const sizes = await this.reader.sizes(blobs);
    for (const [index, blob] of blobs.entries()) {
      const size = sizes[index] ?? -1;
      if (size >= 0) this.#sizes.set(blob, size);
    }
    return sizes;
  }

  write(type: ObjectType, bytes: Uint8Array): Promise<string> {
    return this.#writer.write(type, bytes);
  }

  /** Returns the commit of every ref below these prefixes. Each prefix ends with a slash. */
  async refsBelow(...names: readonly string[]): Promise<ReadonlyMap<string, string>> {
    try {
      return refsInFiles(this.gitDir, names);
    } catch (error) {
      if (!(error instanceof UnreadableRefs)) throw error;
    }
    const args = ['for-each-ref', '--format=%(objectname) %(refname)', ...names];
    const { stdout } = await runGit({ place: this.#place, args });
    const lines = stdout.toString('latin1').split('\n').filter(Boolean);
    return new Map(lines.map((line) => [line.slice(41), line.slice(0, 40)]));
  }

  /**
   * Writes the refs one after another, in the given order. Starts no git process if the directories of the refs already
   * exist.
   */
  async writeRefs(refs: ReadonlyMap<string, string>): Promise<void> {
    const left = [...refs].filter(([ref, to]) => !writeRefFile(join(this.gitDir, ref), to));
    await this.moveRefs(new Map(left));
  }

  /** Moves all refs in one transaction. The value undefined removes a ref. */
  async moveRefs(moves: ReadonlyMap<string, string | undefined>): Promise<void> {
    const lines = [...moves].map(([ref, to]) =>
      to === undefined ? `delete ${ref}\n` : `update ${ref} ${to}\n`,
    );
    const input = Buffer.from(lines.join(''), 'latin1');
    if (lines.length > 0)
      await runGit({ place: this.#place, args: ['update-ref', '--stdin', '--no-deref'], input });
  }

  /** Returns the names of all packs, without the file extension. */
  packs(): ReadonlySet<string> {
    const names = entriesIn(this.#packDirectory).map(({ name }) => name);
    return new Set(names.filter((name) => name.endsWith('.pack')).map((name) => name.slice(0, -5)));
  }

  /** Removes packs whose objects no ref needs. */
  async removePacks(isUnneeded: (name: string) => boolean): Promise<void> {
    const unneeded = [...this.packs()].filter(isUnneeded);
    // Removes the index first, because git fails on an index without its pack.
    for (const name of unneeded)
      for (const ending of ['idx', 'rev', 'pack'])
        files.rmSync(join(this.#packDirectory, `${name}.${ending}`), { force: true });
    if (unneeded.length > 0) await this.reader.renew();
  }

  get #packDirectory(): string {
    return join(this.gitDir, 'objects', 'pack');
  }

  /**
   * Packs loose objects, small packs and refs if there are many of them. Every push adds some ten objects, and every
   * fetch adds a pack. After a failure the repository is still complete, and the next packing tries again.
   */
  async pack(): Promise<void> {
    const place = this.#place;
    const packing = new Packing({
      objects: join(this.gitDir, 'objects'),
      place,
      packsMax,
      refs: {
        pack: async (signal) => {
          await runGit({ place, args: ['pack-refs', '--all'], signal });
          return [];
        },
      },
      unsynced: { forget: () => undefined },
      onReplaced: () => this.reader.renew(),
    });
    await ended(packing.pack());
  }

  /** True when the commit `earlier` is `later` or an ancestor of `later`. This repository must have both commits. */
  async isBefore(earlier: string, later: string): Promise<boolean> {
    const args = ['merge-base', '--is-ancestor', earlier, later];
    const { exitCode } = await runGit({ place: this.#place, args, accept: [0, 1, 128] });
    return exitCode === 0;
  }

  /**
   * Adds a commit of another repository, with all objects that the commit needs. Links whole packs, which may also
   * contain other objects. @throws GitFailed when an object is missing; NoSpace, AbortError
   */
  async addFrom(
    { gitDir }: Pick<TravelObjects, 'gitDir'>,
    commit: string,
    signal?: AbortSignal,
  ): Promise<void> {
    const [from, to] = [gitDir, this.gitDir].map((each) => join(each, 'objects')) as [string, string];
    if (!(await linkPacks(from, to))) await packFrom(this.#place, { from, ids: [commit] }, signal);
  }

  /** True when this repository has the commit and all objects of its tree. Reads no content. */
  async isComplete(commit: string, signal?: AbortSignal): Promise<boolean> {
    const args = ['rev-list', '--objects', '--quiet', `${commit}^{tree}`];
    const { exitCode } = await runGit({ place: this.#place, args, accept: [0, 1, 128], signal });
    return exitCode === 0;
  }

  async close(): Promise<void> {
    await Promise.all([this.#writer.close(), this.reader.close()]);
  }
}
