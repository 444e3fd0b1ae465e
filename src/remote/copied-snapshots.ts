// Copies snapshots from one store (the source) to a second store (the target), which may use different content ids.
// Copies each content and each directory only once. Copies a content through memory or through a spool file of the
// target, and computes its new id on the way.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { attempt, isMissing } from '../base/attempt.ts';
import { files } from '../base/files.ts';
import type { BlobId, SnapshotId } from '../base/ids.ts';
import { invariant } from '../base/invariant.ts';
import { Slices } from '../base/slices.ts';
import type { BlobHash, SnapshotWriter } from '../capture/snapshot-sink.ts';
import type { Contents } from '../store/snapshot-store.ts';
import { type Directory, isDirectory } from '../tree/tree.ts';

/** The maximum size in bytes of a content that is copied in memory. Larger contents are copied through a file. */
const inMemoryBytesMax = 8 << 20;
const copiesAtOnce = 16;
/** Contents of at most this size in bytes are copied in larger groups. Git then gets many queries in one write. */
const smallBytesMax = 1 << 16;
const smallCopiesAtOnce = 128;

interface CopyTarget {
  readonly spoolDirectory: string;
  hash(size: number): BlobHash;
  writer(signal?: AbortSignal): SnapshotWriter;
}

export class SnapshotCopier {
  readonly #from: Pick<Contents, 'read' | 'sizes'>;
  readonly #to: CopyTarget;
  /** The ids of contents in the target. The key is the id of the same content in the source. */
  readonly #blobs = new Map<BlobId, BlobId>();
  /**
   * The copies of directories. Each key is a directory of the source, and its value is the copy for the target. A
   * directory is copied once, because snapshots share directories.
   */
  #directories = new WeakMap<Directory, Directory>();
  /** The file of {@link remembering}. `#remembered` is the number of ids in the file. */
  #file: string | undefined;
  #remembered = 0;
  #copied = 0;

  constructor(from: Pick<Contents, 'read' | 'sizes'>, to: CopyTarget) {
    this.#from = from;
    this.#to = to;
  }

  /**
   * Loads a file that lists the contents which earlier copiers have copied to the target. {@link remember} appends to
   * this file.
   */
  remembering(file: string): void {
    this.#file = file;
    const text = attempt(isMissing, () => files.readFileSync(file, 'latin1')) ?? '';
    // Ignores an incomplete last line, which an interrupted write may leave.
    for (const [, from, to] of text.matchAll(/^(\S+) ([0-9a-f]{40})\n/gm))
      this.#blobs.set(from as BlobId, to as BlobId);
    this.#remembered = this.#blobs.size;
  }

  /** Appends the ids of newly copied contents to the file. */
  remember(): void {
    if (this.#file === undefined || this.#blobs.size === this.#remembered) return;
    const added = [...this.#blobs].slice(this.#remembered).map(([from, to]) => `${from} ${to}\n`);
    const fd = files.openSync(this.#file, 'a', 0o600);
    try {
      files.writeFileSync(fd, added.join(''));
    } finally {
      files.closeSync(fd);
    }
    this.#remembered = this.#blobs.size;
  }

  /**
   * Forgets all copied contents. Called when the target has lost a content. The next call of {@link copy} copies all
   * contents again.
   */
  forget(): void {
    this.#blobs.clear();
    this.#directories = new WeakMap();
    this.#remembered = 0;
    if (this.#file !== undefined) files.rmSync(this.#file, { force: true });
  }

  /** The ids of contents in the source. The key is the id of the same content in the target. */
  get origins(): ReadonlyMap<BlobId, BlobId> {
    return new Map([...this.#blobs].map(([from, to]) => [to, from]));
  }

  /** The number of contents copied so far. */
  get copied(): number {
    return this.#copied;
  }

  /** Returns the id that a content has in the target, or undefined if the content was not copied. */
  idOf(blob: BlobId): BlobId | undefined {
    return this.#blobs.get(blob);
  }

  /** Copies a tree and returns its id in the target. @throws DataCorrupt, NoSpace, AbortError */
  async copy(
    root: Directory,
    signal?: AbortSignal,
    onCopied?: (contents: number) => void,
  ): Promise<SnapshotId> {
    const [id] = await this.copyAll([root], signal, onCopied);
    invariant(id !== undefined, 'a copied tree has no id');
    return id;
  }

  /** Copies trees and returns their ids in the target. @throws DataCorrupt, NoSpace, AbortError */
  async copyAll(
    roots: readonly Directory[],
    signal?: AbortSignal,
    onCopied?: (contents: number) => void,
  ): Promise<SnapshotId[]> {
    const writer = this.#to.writer(signal);
    const [first] = roots;
    if (first !== undefined && roots.length > 1 && writer.sealAll === undefined) {
      await writer.abort();
      return [
        await this.copy(first, signal, onCopied),
        ...(await this.copyAll(roots.slice(1), signal, onCopied)),
      ];
    }
    try {
      const wanted = new Set<BlobId>();
      const seen = new Set<Directory>();
      const slices = new Slices(signal);
      const collect = async (directory: Directory): Promise<void> => {
        seen.add(directory);
        for (const node of directory.entries.values()) {
          if (slices.isDue()) await slices.pause();
          if (isDirectory(node)) {
            if (!this.#directories.has(node) && !seen.has(node)) await collect(node);
          } else if (!this.#blobs.has(node.blob)) wanted.add(node.blob);
        }
      };
      for (const root of roots) await collect(root);
      await this.#copyContents([...wanted], writer, signal, onCopied);
      const mapped: Directory[] = [];
      for (const root of roots) mapped.push(await this.#mapped(root, slices));
      return (await writer.sealAll?.(mapped)) ?? (await Promise.all(mapped.map((each) => writer.seal(each))));
    } catch (error) {
      await writer.abort();
      throw error;
    }
  }

  async #copyContents(
    blobs: BlobId[],
    writer: SnapshotWriter,
    signal: AbortSignal | undefined,
    onCopied: ((contents: number) => void) | undefined,
  ): Promise<void> {
    const sizes = await this.#from.sizes(blobs);
    const sizeOf = new Map(blobs.map((blob, i) => [blob, sizes[i] ?? -1]));
    const work = async (left: BlobId[]): Promise<void> => {
      for (let blob = left.pop(); blob !== undefined; blob = left.pop()) {
        signal?.throwIfAborted();
        this.#blobs.set(blob, await this.#copyOne(blob, sizeOf.get(blob) ?? -1, writer));
        this.#copied += 1;
        onCopied?.(this.#copied);
      }
    };
    const isSmall = (blob: BlobId): boolean => (sizeOf.get(blob) ?? -1) <= smallBytesMax;
    const [small, large] = [
      blobs.filter(isSmall).reverse(),
      blobs.filter((blob) => !isSmall(blob)).reverse(),
    ];
    await Promise.all(Array.from({ length: smallCopiesAtOnce }, () => work(small)));
    await Promise.all(Array.from({ length: copiesAtOnce }, () => work(large)));
  }

  async #copyOne(blob: BlobId, size: number, writer: SnapshotWriter): Promise<BlobId> {
    // A missing content has the size -1. The store reports the loss when the copier reads the content.
    if (size <= inMemoryBytesMax) {
      const parts: Uint8Array[] = [];
      for await (const part of this.#from.read(blob)) parts.push(part);
      const bytes = Buffer.concat(parts);
      const hash = this.#to.hash(bytes.length);
      hash.update(bytes);
      const id = hash.digest();
      await writer.addBlob(id, { kind: 'bytes', bytes });
      return id;
    }
    const file = join(this.#to.spoolDirectory, `${randomBytes(8).toString('hex')}.copy`);
    const fd = files.openSync(file, 'wx', 0o600);
    const hash = this.#to.hash(size);
    try {
      for await (const part of this.#from.read(blob)) {
        hash.update(part);
        for (let at = 0; at < part.length; ) at += files.writeSync(fd, part, at);
      }
    } finally {
      files.closeSync(fd);
    }
    const id = hash.digest();
    await writer.addBlob(id, { kind: 'spool', file, size });
    return id;
  }

  /** Returns the same tree with the content ids of the target. */
  async #mapped(directory: Directory, slices: Slices): Promise<Directory> {
    const known = this.#directories.get(directory);
    if (known !== undefined) return known;
    const entries: Directory['entries'] = new Map();
    for (const [name, node] of directory.entries) {
      if (slices.isDue()) await slices.pause();
      if (isDirectory(node)) entries.set(name, await this.#mapped(node, slices));
      else entries.set(name, { ...node, blob: this.#blobs.get(node.blob) ?? node.blob });
    }
    const { permissions } = directory;
    const mapped: Directory = { entries, permissions };
    this.#directories.set(directory, mapped);
    return mapped;
  }
}
