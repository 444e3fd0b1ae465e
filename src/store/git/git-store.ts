// The SnapshotStore on git objects and refs, shared by the strategies `shadow` and `local`. The differences
// of these strategies (the places of objects and refs, the protection from pruning) are in the GitHome. This
// module never opens a work tree, an index or HEAD.
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { CheckpointdError } from '../../base/errors.ts';
import type { BlobId, CheckpointId, SnapshotId } from '../../base/ids.ts';
import { RecentSet } from '../../base/recent-set.ts';
import { ended } from '../../base/turns.ts';
import type { BlobHash, SnapshotWriter } from '../../capture/snapshot-sink.ts';
import { TreeDiffer } from '../../git/diff/tree-differ.ts';
import { isLoose, objectHash, objectId } from '../../git/objects/object.ts';
import { packFrom, packObjects } from '../../git/objects/object-pack.ts';
import { ObjectReader, wholeBytesMax } from '../../git/objects/object-reader.ts';
import { ObjectWriter } from '../../git/objects/object-writer.ts';
import { emptyTree } from '../../git/objects/tree-format.ts';
import type { RefChange } from '../../git/refs/ref-files.ts';
import { linkPacks } from '../../git/repository/bare-repository.ts';
import type {
  GitTrees,
  Publication,
  SnapshotStore,
  StoredCheckpoint,
  StoreProblem,
  StoreUsage,
} from '../snapshot-store.ts';
import { TreeReader, TreeStore } from '../tree-reader.ts';
import { verifySnapshots } from '../verify-snapshots.ts';
import {
  encodeCommit,
  gitTrees,
  nameRefsOf,
  partsOfSnapshot,
  readCheckpoints,
  unusedModes,
} from './checkpoints.ts';
import type { GitHome } from './git-home.ts';
import type { RecordLines } from './packed-records.ts';
import { Packing } from './packing.ts';
import {
  checkpointRef,
  meaningOf,
  modesRef,
  nameRef,
  protectingRef,
  tagRef,
  unknownCheckpoint,
} from './refs.ts';
import { repairedText, repairListing } from './repair.ts';
import { refuseUnpublished } from './unpublished.ts';
import { damagedWhole, verifiedGit } from './verify.ts';
import { GitWriter, SweepGate } from './writer.ts';

/**
 * The maximum number of blobs that the store remembers as stored. If the store has forgotten a blob, it asks git again.
 */
const knownMax = 200_000;
/** About a megabyte. */
const sizesMax = 20_000;
/** If more packed checkpoints than this are uncached, an opening writes the cache of records. */
const uncachedMax = 100;
/** Each capture of many files makes a pack. Above this number of packs, the daemon joins packs when it packs. */
const packsMax = 20;
/** From this number of commits on, the store writes the commits of one transaction as a pack. */
const packedCommitsMin = 40;

export class GitStore extends TreeStore implements SnapshotStore {
  readonly strategy: string;
  readonly spoolDirectory: string;
  readonly gitObjects: readonly string[];
  readonly #home: GitHome;
  readonly #objects: ObjectWriter;
  readonly #reader: ObjectReader;
  readonly #differ: TreeDiffer;
  /**
   * The sizes of contents that a caller is about to read. A size never changes, because the id of a content determines
   * it.
   */
  readonly #sizes = new Map<BlobId, number>();
  readonly #gate = new SweepGate();
  /** Packs the store's objects and refs. Absent when the user's git packs the objects. */
  readonly #packing: Packing | undefined;
  #hasRemoved = false;
  #damaged: readonly StoreProblem[] = [];
  readonly #known = { proven: new RecentSet(knownMax), there: new RecentSet(knownMax) };

  constructor(home: GitHome) {
    const reader = new ObjectReader(home.readPlace, home.looseIn);
    super(new TreeReader(gitTrees(reader)));
    this.strategy = home.strategy;
    this.spoolDirectory = home.spoolDirectory;
    this.gitObjects = [join(home.readPlace.gitDir, 'objects')];
    this.#home = home;
    const onStored = (id: string): void => home.unsynced.stored(id);
    this.#objects = new ObjectWriter(home.writePlace, onStored);
    this.#reader = reader;
    this.#differ = new TreeDiffer(home.readPlace.gitDir);
    if (home.packs === undefined) return;
    const { packs: objects, writePlace: place, refs, unsynced } = home;
    const onReplaced = (): Promise<void> => this.#renewReaders();
    const around = (change: () => Promise<void>): Promise<void> => this.#keepingRecords(change);
    this.#packing = new Packing({ objects, place, refs, unsynced, packsMax, onReplaced, around });
  }

  /** The ids of the running git processes, for tests that kill these processes. */
  get pids(): number[] {
    return [
      ...this.#reader.pids,
      ...this.#differ.pids,
      ...(this.#home.refs.pid ? [this.#home.refs.pid] : []),
    ];
  }

  hash(size: number): BlobHash {
    const hash = objectHash('blob', size);
    return { update: (bytes) => hash.update(bytes), digest: () => hash.digest() as BlobId };
  }

  writer(signal?: AbortSignal, writesAll = false): SnapshotWriter {
    if (writesAll) for (const ids of Object.values(this.#known)) ids.clear();
    const { writePlace: place, spoolDirectory } = this.#home;
    const [objects, reader, trees, gate] = [this.#objects, this.#reader, this.trees, this.#gate];
    const known = { ...this.#known, isBelieved: this.#home.isBelieved };
    return new GitWriter({ place, objects, spoolDirectory, reader, trees, ...known, gate, signal });
  }

  async publish(publication: Publication): Promise<{ readonly commit?: string | undefined }> {
    const [commit] = await this.#publish([publication]);
    return { commit };
  }

  async publishAll(publications: readonly Publication[]): Promise<void> {
    await this.#publish(publications);
  }

  /** Publishes the checkpoints in one transaction. Returns their commits. */
  async #publish(publications: readonly Publication[]): Promise<string[]> {
    const changes = publications.flatMap((publication, index) => this.#changesOf(publication, index));
    const commits = await this.#writeCommits(publications).catch(refuseUnpublished);
    const modes = publications.flatMap(({ record }) => partsOfSnapshot(record.snapshot).modes ?? []);
    await this.#home.transferObjects?.([...commits, ...modes], this.#hasRemoved);
    // If two checkpoints have the same tag, the later checkpoint gets the tag, because a transaction can move a ref
    // only once.
    const moves = new Map(changes.map(({ ref, index, to }) => [ref, to ?? commits[index] ?? '']));
    await this.#home.refs.commit([...moves].map(([ref, to]) => ({ ref, to }))).catch(refuseUnpublished);
    for (const ref of moves.keys()) this.#home.unsynced.moved(ref);
    for (const { record } of publications) this.#gate.published(record.snapshot);
    await this.#home.refsMoved?.();
    this.#packing?.published();
    return commits;
  }

  /**
   * Returns the refs of a publication. Without `to`, the ref moves to the commit of the checkpoint at `index`. An
   * invalid name throws here, before anything is written.
   */
  #changesOf(
    { record, tag, name }: Publication,
    index: number,
  ): { readonly ref: string; readonly index: number; readonly to?: string }[] {
    const { names } = this.#home;
    const { modes } = partsOfSnapshot(record.snapshot);
    const refs = [
      checkpointRef(names, record.id),
      ...(tag === undefined ? [] : [tagRef(names, tag)]),
      ...(name === undefined ? [] : [nameRef(names, record.id, name)]),
    ];
    const changes = refs.map((ref) => ({ ref, index }));
    return modes === undefined ? changes : [...changes, { ref: modesRef(names, modes), index, to: modes }];
  }

  async #writeCommits(publications: readonly Publication[]): Promise<string[]> {
    const encoded = publications.map(({ record }) => encodeCommit(record));
    if (encoded.length < packedCommitsMin)
      return Promise.all(encoded.map((bytes) => this.#objects.write('commit', bytes)));
    const commits = encoded.map(
      (bytes) => ({ type: 'commit', id: objectId('commit', bytes), bytes }) as const,
    );
    await packObjects(this.#home.writePlace, commits);
    return commits.map(({ id }) => id);
  }

  /** Links packs if git writes directly into this store. A linked pack may contain objects that no snapshot needs. */
  async adopt(objects: string, snapshots: readonly SnapshotId[], signal?: AbortSignal): Promise<void> {
    const { isBelieved, writePlace } = this.#home;
    const [own = ''] = this.gitObjects;
    if (isBelieved && (await linkPacks(objects, own))) return;
    const ids = snapshots
      .map(partsOfSnapshot)
      .flatMap(({ tree, modes }) => [tree, ...(modes ? [modes] : [])]);
    await packFrom(writePlace, { from: objects, ids: [...new Set(ids)] }, signal);
  }

  async hasDirectories(ids: readonly string[]): Promise<boolean> {
    return (await this.#reader.firstMissing(ids)) === undefined;
  }

  async checkpoints(): Promise<StoredCheckpoint[]> {
    const { refs, names, records } = this.#home;
    const cached = records?.read() ?? new Map<string, string>();
    const packs = records?.stamps();
    const { good, problems } = await readCheckpoints(refs, names, this.#reader, cached);
    this.#damaged = problems;
    const unread = good.filter(({ commit = '' }) => !cached.has(commit));
    if (packs !== undefined && unread.length > uncachedMax) {
      const isPacked = ({ commit = '' }: StoredCheckpoint): boolean =>
        !this.#home.looseIn?.some((objects) => isLoose(objects, commit));
      // The cache has only packed checkpoints, so writing it for loose checkpoints would be repeated at each opening.
      if (unread.filter(isPacked).length > uncachedMax) records?.write(this.#linesOf(good, cached), packs);
    }
    return good;
  }

  /**
   * Runs `change`, which changes packs, and then rewrites the cache of records. Reads only the commits whose records
   * were not cached. Keeps no records in memory while `change` runs.
   */
  async #keepingRecords(change: () => Promise<void>): Promise<void> {
    const { refs, names, records } = this.#home;
    const before = records?.stamps();
    await change();
    const packs = records?.stamps();
    if (records === undefined || packs === undefined || isDeepStrictEqual(before, packs)) return;
    const cached = records.read(before);
    const unread = new Map([...refs.refs].filter(([, id]) => !cached.has(id)));
    const { good } = await readCheckpoints({ refs: unread, broken: [] }, names, this.#reader);
    records.write(this.#linesOf(good, cached), packs);
  }

  /**
   * Yields the line for the object of each ref. If the record of an object was not read, takes its line from the cache.
   */
  *#linesOf(
    read: readonly StoredCheckpoint[],
    cached: RecordLines,
  ): Generator<readonly [id: string, json: string]> {
    const records = new Map(read.map(({ commit = '', record }) => [commit, record]));
    for (const id of new Set(this.#home.refs.refs.values())) {
      const record = records.get(id);
      yield [id, record === undefined ? (cached.get(id) ?? '') : JSON.stringify(record)];
    }
  }

  async repairListing(ids: ReadonlySet<CheckpointId>, stored: readonly StoredCheckpoint[]): Promise<boolean> {
    const repaired = await repairListing(this.#home, this.#reader, ids, stored);
    const hasMoved = repaired.checkpoints + repaired.moved > 0;
    if (hasMoved) this.#home.onRepair?.(repairedText(repaired));
    return hasMoved;
  }

  async explainLoss(count: number): Promise<CheckpointdError | undefined> {
    const commit = this.#damaged.find(({ affects }) => affects.length > 0)?.what;
    if (commit !== undefined) return damagedWhole(this.#home.readPlace, commit, count);
    return this.#home.explainLoss?.(count);
  }

  gone(): string | undefined {
    return this.#home.gone();
  }

  damaged(): readonly StoreProblem[] {
    return this.#damaged;
  }

  async rename(id: CheckpointId, name: string | undefined): Promise<void> {
    const { names, refs } = this.#home;
    const commit = refs.refs.get(checkpointRef(names, id));
    if (commit === undefined) throw unknownCheckpoint(id);
    const changes: RefChange[] = nameRefsOf(refs, names, new Set([id])).map((ref) => ({
      ref,
      to: undefined,
    }));
    if (name !== undefined) {
      const ref = nameRef(names, id, name);
      const unchanged = changes.findIndex((change) => change.ref === ref);
      if (unchanged >= 0) changes.splice(unchanged, 1);
      changes.push({ ref, to: commit });
    }
    await refs.commit(changes).catch(refuseUnpublished);
  }

  async remove(ids: readonly CheckpointId[]): Promise<void> {
    const { names, refs } = this.#home;
    const gone: string[] = nameRefsOf(refs, names, new Set(ids));
    const commits = new Set<string>();
    for (const id of ids) {
      const ref = checkpointRef(names, id);
      const commit = refs.refs.get(ref);
      if (commit === undefined) continue;
      commits.add(commit);
      gone.push(ref);
    }
    for (const [ref, commit] of refs.refs) {
      if (commits.has(commit) && meaningOf(names, ref).kind === 'tag') gone.push(ref);
    }
    const changes = gone.map((ref) => ({ ref, to: undefined }));
    await refs.commit(changes).catch(refuseUnpublished);
    this.#hasRemoved = true;
  }

  async sizes(blobs: readonly BlobId[]): Promise<number[]> {
    const sizes = await this.#reader.sizes(blobs);
    if (this.#sizes.size + blobs.length > sizesMax) this.#sizes.clear();
    for (const [index, blob] of blobs.slice(0, sizesMax).entries()) {
      const size = sizes[index] ?? -1;
      if (size >= 0) this.#sizes.set(blob, size);
    }
    return sizes;
  }

  async *read(
    blob: BlobId,
    range?: { readonly offset: number; readonly length: number },
  ): AsyncIterable<Uint8Array> {
    const [size = -1] = this.#sizes.has(blob) ? [this.#sizes.get(blob)] : await this.#reader.sizes([blob]);
    const from = range?.offset ?? 0;
    const to = range === undefined ? Number.POSITIVE_INFINITY : from + range.length;
    // Asks the reader even for a missing content, because the reader's error explains the loss.
    if (size <= wholeBytesMax) {
      const bytes = await this.#reader.read('blob', blob);
      const part = bytes.subarray(Math.min(from, size), Math.min(to, size));
      if (part.length > 0) yield part;
      return;
    }
    let at = 0;
    for await (const chunk of this.#reader.stream('blob', blob, size)) {
      const part = chunk.subarray(Math.max(0, from - at), Math.max(0, to - at));
      at += chunk.length;
      if (part.length > 0) yield part;
      if (at >= to && at < size) return; // a check would have to read the whole content, not only the range
    }
  }

  async gitTrees(from: SnapshotId | undefined, to: SnapshotId): Promise<GitTrees> {
    return {
      gitDir: this.#home.readPlace.gitDir,
      differ: this.#differ,
      from: from === undefined ? emptyTree : partsOfSnapshot(from).tree,
      to: partsOfSnapshot(to).tree,
      dispose: () => Promise.resolve(),
    };
  }

  async sweep(signal?: AbortSignal): Promise<{ readonly bytesFreed: number; readonly blobsFreed: number }> {
    const alone = (): Promise<{ readonly bytesFreed: number; readonly blobsFreed: number }> =>
      this.#sweepAlone(signal);
    if (this.#packing === undefined) return alone();
    const freed = await this.#packing.whileIdle(alone);
    // If each command opens and closes the session, the session is never quiet, and nothing else packs it. A failure or
    // a cancelled request changes nothing here, because the store is complete without the packing.
    await ended(this.#packing.pack(signal));
    return freed;
  }

  async #sweepAlone(
    signal: AbortSignal | undefined,
  ): Promise<{ readonly bytesFreed: number; readonly blobsFreed: number }> {
    const freed = await this.#gate.sweep(async (unpublished) => {
      const before = await this.#home.usage();
      const protecting = await this.#protect(unpublished);
      try {
        await this.#home.sweep(signal);
      } finally {
        await this.#home.refs.commit(protecting.map((ref) => ({ ref, to: undefined })));
        for (const ids of Object.values(this.#known)) ids.clear();
        this.trees.clear();
        await this.#renewReaders();
      }
      const after = await this.#home.usage();
      const bytesFreed = Math.max(0, before.bytes - after.bytes);
      return { bytesFreed, blobsFreed: Math.max(0, before.blobs - after.blobs) };
    });
    return freed ?? { bytesFreed: 0, blobsFreed: 0 };
  }

  async verify(signal?: AbortSignal, onChecked?: (contents: number) => void): Promise<StoreProblem[]> {
    const { refs, names } = this.#home;
    await refs.reload();
    const { good, problems } = await readCheckpoints(refs, names, this.#reader);
    this.trees.clear();
    const source = verifiedGit(this.#reader, good);
    return [...problems, ...(await verifySnapshots(source, good, signal, onChecked))];
  }

  sync(): Promise<void> {
    return this.#home.unsynced.sync();
  }

  async usage(): Promise<StoreUsage> {
    const { refs, names } = this.#home;
    const checkpoints = [...refs.refs.keys()].filter((ref) => meaningOf(names, ref).kind === 'checkpoint');
    return { ...(await this.#home.usage()), checkpoints: checkpoints.length };
  }

  /** Packs loose objects and refs now, if the daemon packs this store at all. @throws as {@link Packing.pack} */
  async pack(): Promise<void> {
    await this.#packing?.pack();
  }

  async #renewReaders(): Promise<void> {
    await Promise.all([this.#reader.renew(), this.#differ.renew()]);
  }

  async close(): Promise<void> {
    const children = [this.#objects, this.#reader, this.#differ, this.#home.refs];
    try {
      await this.#packing?.close();
      await this.#home.unsynced.close();
      await this.#home.close();
    } finally {
      await Promise.all(children.map((each) => each.close()));
    }
  }

  kill(): void {
    this.#packing?.kill();
    this.#home.unsynced.kill();
    for (const child of [this.#objects, this.#reader, this.#differ, this.#home.refs]) child.kill();
  }

  destroy(): Promise<void> {
    return this.#home.destroy();
  }

  /**
   * Creates refs to the unpublished snapshots that a sweep must keep. Removes the refs of unneeded permission tables.
   */
  async #protect(unpublished: readonly SnapshotId[]): Promise<string[]> {
    const { refs, names } = this.#home;
    const parts = unpublished.map(partsOfSnapshot);
    const objects = parts.flatMap(({ tree, modes }) => (modes === undefined ? [tree] : [tree, modes]));
    const protecting = [...new Set(objects)].map((id) => ({ ref: protectingRef(names, id), to: id }));
    await this.#home.transferObjects?.([], false);
    await refs.commit([...protecting, ...unusedModes(refs, names, await this.checkpoints())]);
    return protecting.map(({ ref }) => ref);
  }
}
