// Writes one capture into a git store. Blobs and trees wait in memory, because their number decides how they are stored.
// A few objects become loose objects, and more objects go into one pack. The many blobs of a first capture go into this
// pack while the capture reads more files. The writer makes trees bottom up, and only for changed directories. The
// writer publishes nothing, so its objects are garbage until a ref protects them.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import { attemptAsyncOr } from '../../base/attempt.ts';
import { CheckpointdError, isKind } from '../../base/errors.ts';
import { files } from '../../base/files.ts';
import type { BlobId, SnapshotId } from '../../base/ids.ts';
import { Slices } from '../../base/slices.ts';
import { ended, Turns } from '../../base/turns.ts';
import type { DeflatedBlob, SnapshotWriter, StableContent } from '../../capture/snapshot-sink.ts';
import type { ObjectSource } from '../../git/objects/large-object.ts';
import {
  type ObjectType,
  objectId,
  possiblyLoose,
  removeEmptyLoose,
  stateOfLoose,
} from '../../git/objects/object.ts';
import { type NewObject, PackWriter } from '../../git/objects/object-pack.ts';
import { type ObjectReader, wholeBytesMax } from '../../git/objects/object-reader.ts';
import { type ObjectWriter, removeSpool } from '../../git/objects/object-writer.ts';
import { emptyTree, encodeTree, type TreeItem } from '../../git/objects/tree-format.ts';
import { type GitPlace, objectsOf } from '../../git/process/environment.ts';
import { encodeModes } from '../../tree/strict-modes.ts';
import { type Directory, isDirectory } from '../../tree/tree.ts';
import { release } from '../../work-tree/stable-read.ts';
import type { TreeReader } from '../tree-reader.ts';
import { nodeOfTree } from './checkpoints.ts';
import { moveObjects } from './quarantine.ts';
import { refuseUnpublished } from './unpublished.ts';

/** From this number on, pending blobs go into a pack, while the capture reads more files. */
const bulkMin = 300;
/**
 * From this number on, the objects of a capture go into one pack. Two files take much less time than this many, but
 * every pack makes each later look-up a little slower. The user's git starts a garbage collection at 50 packs or 6,700
 * loose objects, so packs of this size do not start it earlier than loose objects.
 */
const packedMin = 150;
/** The maximum size in bytes of an object that may go into this pack. A larger object is compressed on a thread. */
const packedBytesMax = 128 << 10;
/** The maximum size in bytes of all contents that wait in memory. Contents beyond this limit are written one by one. */
const pendingBytesMax = 16 << 20;
/** The maximum size in bytes of a spool file that goes into a pack. A larger file becomes a loose object. */
const spoolBytesMax = 32 << 20;

interface GitWriterParts {
  readonly place: GitPlace;
  readonly objects: ObjectWriter;
  /** A private directory for spool files, on any file system. */
  readonly spoolDirectory: string;
  /** Reads all objects: those of this writer, and those that were stored earlier. */
  readonly reader: ObjectReader;
  /** Caches directories that were stored. */
  readonly trees: Pick<TreeReader, 'keep'>;
  /** Blobs that this store wrote or read completely, and that cannot disappear from the store. */
  readonly proven: KnownIds;
  /** Blobs that exist according to git, but that the daemon has not read. */
  readonly there: KnownIds;
  /** True when git sees earlier objects, and therefore does not write them again. */
  readonly isBelieved: boolean;
  readonly gate: SweepGate;
  readonly signal: AbortSignal | undefined;
}

interface KnownIds {
  has(id: string): boolean;
  add(id: string): void;
}

/** Directories in the form in which git stores them, keyed by their ids. */
interface MadeTrees {
  readonly root: string;
  readonly made: ReadonlyMap<Directory, string>;
  readonly bytes: ReadonlyMap<string, Buffer>;
  /** Blobs that are entries of the directories, but that this writer did not receive. */
  readonly unchecked: ReadonlySet<string>;
}

export class GitWriter implements SnapshotWriter {
  readonly #parts: GitWriterParts;
  readonly #proof: Proof | undefined;
  readonly #added = new Set<string>();
  #pending: ObjectToProve[] = [];
  #pendingBytes = 0;
  /** Blobs that are stored together with the trees. */
  #blobs: NewObject[] = [];
  /** The pack of a capture with many objects. */
  #pack: PackWriter | undefined;
  /** The writes of loose objects that are not finished. */
  #writes: Promise<void>[] = [];
  #failure: { readonly error: unknown } | undefined;
  readonly #turns = new Turns();
  /**
   * A function that allows sweeps again. The first write forbids sweeps, until the writer has stored (sealed) its tree
   * or was aborted.
   */
  #leave: (() => void) | undefined;

  constructor(parts: GitWriterParts) {
    this.#parts = parts;
    this.#proof = parts.isBelieved ? new Proof(parts) : undefined;
  }

  /**
   * Adds a blob. Calls may overlap. The writer processes one call at a time, so that contents never mix in the pack.
   */
  addBlob(id: BlobId, content: StableContent): Promise<void> {
    return this.#turns.run(() => this.#add(id, content)).catch(refuseUnpublished);
  }

  addDeflated(blobs: readonly DeflatedBlob[]): Promise<void> {
    const add = async (): Promise<void> => {
      for (const { id, bytes, size } of blobs) await this.#add(id, { kind: 'deflated', bytes, size });
    };
    return this.#turns.run(add).catch(refuseUnpublished);
  }

  async seal(root: Directory): Promise<SnapshotId> {
    this.#parts.signal?.throwIfAborted();
    await this.#turns.whenIdle();
    this.#leave ??= await this.#parts.gate.enter();
    const snapshot = await this.#seal(root).catch(refuseUnpublished);
    this.#parts.gate.sealed(snapshot);
    this.#leave();
    this.#leave = undefined;
    return snapshot;
  }

  async #seal(root: Directory): Promise<SnapshotId> {
    await this.#flush();
    const trees = await this.#makeTrees(root);
    await this.#checkThere([...trees.unchecked]);
    await this.#storeTrees(trees.bytes);
    const slices = new Slices(this.#parts.signal);
    for (const id of this.#added) {
      if (slices.isDue()) await slices.pause();
      this.#parts.proven.add(id);
    }
    for (const [directory, sealed] of trees.made) directory.sealed = sealed;
    const modes = await encodeModes(root, slices);
    if (modes === undefined) return trees.root as SnapshotId;
    const id = objectId('blob', modes);
    for (const { content } of await this.#missing('blob', [{ id, content: { kind: 'bytes', bytes: modes } }]))
      await this.#parts.objects.store('blob', id, sourceOf(content));
    return `${trees.root}-${id}` as SnapshotId;
  }

  async abort(): Promise<void> {
    this.#fail(new CheckpointdError('StoreUnavailable', 'The capture was aborted.'));
    await this.#turns.whenIdle();
    for (const { content } of this.#pending.splice(0)) dropSpool(content);
    this.#pack?.abort();
    this.#pack = undefined;
    await Promise.all(this.#writes);
    this.#leave?.();
    this.#leave = undefined;
  }

  async #add(id: BlobId, content: NewContent): Promise<void> {
    this.#parts.signal?.throwIfAborted();
    this.#leave ??= await this.#parts.gate.enter();
    if (this.#failure !== undefined || this.#added.has(id) || this.#parts.proven.has(id)) {
      drop(content);
      this.#throwFailure();
      return;
    }
    this.#added.add(id);
    this.#pending.push({ id, content });
    if (content.kind !== 'spool') this.#pendingBytes += content.bytes.length;
    const isLarge = content.kind === 'spool' && content.size > spoolBytesMax;
    const isMuch = this.#pending.length >= bulkMin || this.#pendingBytes > pendingBytesMax;
    if (isLarge || isMuch) await this.#write();
  }

  /**
   * Stores pending blobs, except the blobs that the store already has and can read. With `isLast`, small blobs may wait
   * for the trees. The scan has then read its last file, so it needs their memory no more.
   */
  async #write(isLast = false): Promise<void> {
    const pending = this.#pending.splice(0);
    this.#pendingBytes = 0;
    const wanted = await this.#missing('blob', pending);
    if (pending.length >= bulkMin && wanted.length * 2 >= bulkMin) this.#pack ??= this.#newPack();
    for (const { id, content } of wanted) {
      const isLarge = content.kind === 'spool' && content.size > spoolBytesMax;
      const plain = this.#pack === undefined || isLarge ? sourceOf(content) : undefined;
      const isSmall = plain?.kind === 'bytes' && plain.bytes.length <= packedBytesMax;
      if (plain === undefined) await this.#addToPack(id, content);
      else if (isSmall && isLast) this.#blobs.push({ type: 'blob', id, bytes: plain.bytes });
      else this.#store(id, plain);
    }
    if (this.#pack === undefined) await this.#confirmAll();
    if (!isLast) for (const { content } of pending) if (content.kind !== 'deflated') release(content);
  }

  async #missing(type: ObjectType, handed: readonly ObjectToProve[]): Promise<readonly ObjectToProve[]> {
    if (this.#proof === undefined) {
      const { place } = this.#parts;
      const objects = objectsOf(place);
      const mayExist = looseAmong(objects, handed);
      for (const { id } of handed) if (mayExist(id)) removeEmptyLoose(objects, id);
      return handed;
    }
    let missing: readonly ObjectToProve[] = [];
    try {
      missing = await this.#proof.missing(type, handed);
      return missing;
    } finally {
      const left = new Set(missing);
      for (const each of handed) if (!left.has(each)) dropSpool(each.content);
    }
  }

  #newPack(): PackWriter {
    return new PackWriter(this.#parts.place, { signal: this.#parts.signal });
  }

  async #addToPack(id: string, content: NewContent): Promise<void> {
    try {
      if (content.kind === 'deflated') await this.#pack?.addDeflated(id, content.bytes, content.size);
      else await this.#pack?.add('blob', id, content);
    } catch (error) {
      this.#fail(error);
      throw error;
    }
  }

  async #flush(): Promise<void> {
    this.#throwFailure();
    await this.#write(true);
    await this.#confirmAll();
  }

  #store(id: string, content: ObjectSource): void {
    const write = this.#parts.objects.store('blob', id, content);
    this.#writes.push(write.catch((error: unknown) => this.#fail(error)));
  }

  async #confirmAll(): Promise<void> {
    await Promise.all(this.#writes.splice(0));
    this.#throwFailure();
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /** Makes every directory that is not sealed. The directories are marked as sealed only when git has all of them. */
  async #makeTrees(root: Directory): Promise<MadeTrees> {
    const made = new Map<Directory, string>();
    const bytes = new Map<string, Buffer>();
    const unchecked = new Set<string>();
    const slices = new Slices(this.#parts.signal);
    const make = async (directory: Directory): Promise<string> => {
      if (directory.sealed !== undefined) return directory.sealed;
      const items: TreeItem[] = [];
      for (const [name, node] of directory.entries) {
        if (slices.isDue()) await slices.pause();
        if (isDirectory(node)) {
          const id = await make(node);
          // Empty directories are not captured.
          if (id !== emptyTree) items.push({ name, mode: '040000', id });
        } else {
          items.push({ name, mode: node.mode, id: node.blob });
          const isKnown = [this.#added, this.#parts.proven, this.#parts.there].some((ids) =>
            ids.has(node.blob),
          );
          if (!isKnown) unchecked.add(node.blob);
        }
      }
      const encoded = await encodeTree(items, slices);
      const id = objectId('tree', encoded);
      made.set(directory, id);
      bytes.set(id, encoded);
      return id;
    };
    return { root: await make(root), made, bytes, unchecked };
  }

  /** Stores the trees, and the blobs that waited for them. */
  async #storeTrees(trees: ReadonlyMap<string, Buffer>): Promise<void> {
    const { objects } = this.#parts;
    const handed = [...trees].map(
      ([id, bytes]): ObjectToProve => ({ id, content: { kind: 'bytes', bytes } }),
    );
    const wanted = await this.#missing('tree', handed);
    const blobs = this.#blobs.splice(0);
    if (blobs.length + wanted.length >= packedMin) this.#pack ??= this.#newPack();
    if (this.#pack !== undefined) {
      for (const { id, bytes } of blobs) await this.#pack.add('blob', id, { kind: 'bytes', bytes });
      for (const { id, content } of wanted) await this.#pack.add('tree', id, sourceOf(content));
      await this.#pack.finish();
      this.#pack = undefined;
    } else {
      for (const { id, bytes } of blobs) this.#store(id, { kind: 'bytes', bytes });
      await this.#confirmAll();
      await Promise.all(wanted.map(({ id, content }) => objects.store('tree', id, sourceOf(content))));
    }
    if (trees.size >= bulkMin) return;
    for (const [id, bytes] of trees) this.#parts.trees.keep(id, await nodeOfTree(bytes, id));
  }

  /**
   * Checks that the store has each blob that the new trees mention, but that this writer did not receive. No other
   * step would notice that such a blob is missing.
   */
  async #checkThere(blobs: readonly string[]): Promise<void> {
    const hole = await this.#parts.reader.firstMissing(blobs);
    if (hole !== undefined) {
      throw new CheckpointdError(
        'DataCorrupt',
        `The checkpoint store has lost the content ${hole} of an unchanged file. Make the checkpoint again.`,
        { details: { object: hole, problem: 'missing' }, retryable: true },
      );
    }
    for (const blob of blobs) this.#parts.there.add(blob);
  }
}

/**
 * Returns a function that is false for ids without a loose object. For a few ids, checking a file for each id takes
 * less time than a listing.
 */
function looseAmong(objects: string, handed: readonly ObjectToProve[]): (id: string) => boolean {
  return handed.length < bulkMin ? () => true : possiblyLoose(objects);
}

type NewContent = StableContent | ({ readonly kind: 'deflated' } & Omit<DeflatedBlob, 'id'>);

function dropSpool(content: NewContent): void {
  if (content.kind === 'spool') removeSpool(content.file);
}

function drop(content: NewContent): void {
  dropSpool(content);
  if (content.kind !== 'deflated') release(content);
}

/** Returns the content in a form that every writer takes. */
function sourceOf(content: NewContent): ObjectSource {
  return content.kind === 'deflated' ? { kind: 'bytes', bytes: inflateSync(content.bytes) } : content;
}

// Proves that every content of a capture is in the store. Git does not write an object that seems to exist. Therefore
// the proof first reads such an object, to check that it is undamaged. If the object is damaged, the proof writes a
// readable copy in another place, and git then uses this copy. Only stores into which git writes directly use this
// proof. Objects that no capture passes to the proof are checked by `store/verify` and the next full scan.

interface ObjectToProve {
  readonly id: string;
  readonly content: NewContent;
}

interface ProofParts {
  readonly place: GitPlace;
  readonly objects: ObjectWriter;
  readonly reader: ObjectReader;
  readonly spoolDirectory: string;
}

class Proof {
  readonly #parts: ProofParts;
  readonly #objects: string;
  /** True when the store had packs before this writer. All later packs are from this writer. */
  readonly #hasPacks: boolean;

  constructor(parts: ProofParts) {
    this.#parts = parts;
    this.#objects = join(parts.place.gitDir, 'objects');
    this.#hasPacks = files.readdirSync(join(this.#objects, 'pack')).some((name) => name.endsWith('.idx'));
  }

  /** Returns the items that are missing and must be written. Every item that is not returned is certainly readable. */
  async missing<T extends ObjectToProve>(type: ObjectType, handed: readonly T[]): Promise<T[]> {
    const missing: T[] = [];
    const asked: T[] = [];
    const unloose: T[] = [];
    const mayExist = looseAmong(this.#objects, handed);
    for (const each of handed) {
      const file = join(this.#objects, each.id.slice(0, 2), each.id.slice(2));
      const state = mayExist(each.id) ? stateOfLoose(file, each.id, true) : 'absent';
      if (state === 'damaged') files.rmSync(file, { force: true });
      if (state === 'unread') asked.push(each);
      else if (state !== 'whole') unloose.push(each);
    }
    const { reader } = this.#parts;
    const packed = this.#hasPacks ? reader.perhapsPacked(unloose.map(({ id }) => id)) : undefined;
    for (const each of unloose) (packed?.has(each.id) === true ? asked : missing).push(each);
    if (asked.length === 0) return missing;
    const sizes = await reader.sizes(asked.map(({ id }) => id));
    const work = asked.map(async (each, i) => {
      const size = sizes[i] ?? -1;
      if (size === -1) missing.push(each);
      else if (!(await this.#isReadable(type, each.id, size))) await this.#writeBeside(type, each);
    });
    await Promise.all(work);
    return missing;
  }

  async #isReadable(type: ObjectType, id: string, size: number): Promise<boolean> {
    const { reader } = this.#parts;
    return attemptAsyncOr(false, isKind('DataCorrupt'), async () => {
      if (size <= wholeBytesMax) await reader.read(type, id);
      else for await (const chunk of reader.stream(type, id, size)) void chunk; // the reader checks the hash at the end
      return true;
    });
  }

  /** Writes an object into a directory in which git sees no other objects, and then moves the object to its place. */
  async #writeBeside(type: ObjectType, { id, content }: ObjectToProve): Promise<void> {
    const { objects, spoolDirectory } = this.#parts;
    const directory = join(spoolDirectory, `${randomBytes(6).toString('hex')}.objects`);
    files.mkdirSync(join(directory, 'pack'), { recursive: true, mode: 0o700 });
    const writer = objects.beside(directory);
    try {
      await writer.store(type, id, sourceOf(content));
      moveObjects(directory, this.#objects);
    } finally {
      await writer.close();
      files.rmSync(directory, { recursive: true, force: true });
    }
  }
}

// Prevents a sweep and a capture of one store from running at the same time. A sweep begins only when no writer is
// open. A writer that begins during a sweep delays its first write until the sweep has ended. Also remembers the
// finished snapshots that are not published yet, so that a sweep spares them. This class handles no objects itself.

/**
 * The time in ms after which a sweep no longer spares an unpublished snapshot. A snapshot that stays unpublished for so
 * long was made only for a comparison (`hasChanges`).
 */
const unpublishedMsMax = 600_000;

export class SweepGate {
  #writers = 0;
  #sweeping: Promise<unknown> | undefined;
  readonly #unpublished = new Map<SnapshotId, number>();

  /** Resolves when no sweep runs. The writer counts as open until the returned function is called. */
  async enter(): Promise<() => void> {
    while (this.#sweeping !== undefined) await this.#sweeping;
    this.#writers += 1;
    let isOpen = true;
    return () => {
      if (isOpen) this.#writers -= 1;
      isOpen = false;
    };
  }

  sealed(snapshot: SnapshotId): void {
    this.#unpublished.set(snapshot, performance.now());
  }

  published(snapshot: SnapshotId): void {
    this.#unpublished.delete(snapshot);
  }

  /**
   * Runs `body` alone. Returns undefined at once when a writer is open, because a sweep could not recognise the
   * writer's new objects.
   */
  async sweep<T>(body: (unpublished: readonly SnapshotId[]) => Promise<T>): Promise<T | undefined> {
    while (this.#sweeping !== undefined) await this.#sweeping;
    if (this.#writers > 0) return undefined;
    const limit = performance.now() - unpublishedMsMax;
    for (const [snapshot, at] of this.#unpublished) if (at < limit) this.#unpublished.delete(snapshot);
    const work = body([...this.#unpublished.keys()]);
    this.#sweeping = ended(work);
    try {
      return await work;
    } finally {
      this.#sweeping = undefined;
    }
  }
}
