// A SnapshotStore in memory. The store uses git's ids for contents and trees, so that tests of captures and restores
// can compare the ids with git's. The file memory-strategy.ts makes a strategy from this store.
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join as joinPath } from 'node:path';
import { CheckpointdError } from '../../../src/base/errors.ts';
import type { BlobId, CheckpointId, SnapshotId } from '../../../src/base/ids.ts';
import type { SnapshotWriter } from '../../../src/capture/snapshot-sink.ts';
import type {
  GitTrees,
  Publication,
  SnapshotStore,
  StoredCheckpoint,
  StoreUsage,
} from '../../../src/store/snapshot-store.ts';
import { type Directory, type Entry, isDirectory, type TreeChange } from '../../../src/tree/tree.ts';
import { rootPath, type TreePath } from '../../../src/tree/tree-path.ts';
import { writeGitTrees } from './git-trees.ts';
import { frozen, gitHash, sealTree, walk } from './memory-tree.ts';

/** The contents of a store. To simulate a reopening, a test makes a second store with the same contents. */
export class MemoryContents {
  readonly blobs = new Map<BlobId, Buffer>();
  readonly trees = new Map<SnapshotId, Directory>();
  stored: StoredCheckpoint[] = [];
}

/** The number of unpublished snapshots that a cleanup keeps. */
const unpublishedMax = 8;

const chunkMax = 8 << 20;

export class MemoryStore implements SnapshotStore {
  readonly strategy = 'memory';
  readonly spoolDirectory: string;
  readonly blobs: Map<BlobId, Buffer>;
  readonly trees: Map<SnapshotId, Directory>;
  /** The number of calls of each kind to the writers, for tests that count the cost. */
  readonly counts = { blobs: 0, trees: 0, aborted: 0 };
  /** The error with which the next `addBlob` fails, for tests with failures. */
  failNextBlob: Error | undefined;
  readonly #contents: MemoryContents;
  #unpublished: SnapshotId[] = [];
  readonly #beingWritten = new Map<SnapshotWriter, Set<BlobId>>();

  constructor(
    contents = new MemoryContents(),
    spoolDirectory = mkdtempSync(joinPath(tmpdir(), 'ckpt-spool-')),
  ) {
    this.#contents = contents;
    this.blobs = contents.blobs;
    this.trees = contents.trees;
    this.spoolDirectory = spoolDirectory;
  }

  get #stored(): StoredCheckpoint[] {
    return this.#contents.stored;
  }

  set #stored(stored: StoredCheckpoint[]) {
    this.#contents.stored = stored;
  }

  hash(size: number): { update(bytes: Uint8Array): void; digest(): BlobId } {
    return gitHash('blob', size);
  }

  writer(signal?: AbortSignal): SnapshotWriter {
    const added = new Set<BlobId>();
    const writer: SnapshotWriter = {
      addBlob: async (id, content) => {
        const failure = this.failNextBlob;
        this.failNextBlob = undefined;
        const bytes = content.kind === 'bytes' ? Buffer.from(content.bytes) : readFileSync(content.file);
        if (content.kind === 'spool') rmSync(content.file);
        if (failure !== undefined) throw failure;
        const hash = this.hash(bytes.length);
        hash.update(bytes);
        if (hash.digest() !== id) throw new Error('the bytes are not those of the id');
        this.blobs.set(id, bytes);
        added.add(id);
        this.counts.blobs += 1;
      },
      seal: async (live) => {
        signal?.throwIfAborted();
        const made = { count: 0 };
        const tree = sealTree(live, made);
        const root = frozen(live);
        this.counts.trees += made.count;
        const modes: string[] = [];
        for (const [path, node] of walk(root, rootPath)) {
          if (!isDirectory(node) && !this.blobs.has(node.blob))
            throw new Error(`blob of ${path} was never added`);
          if (node.permissions !== undefined) modes.push(`${path}\0${node.permissions.toString(8)}`);
        }
        const id = (
          modes.length === 0
            ? tree
            : createHash('sha1').update(tree).update(modes.sort().join('\n'), 'latin1').digest('hex')
        ) as SnapshotId;
        if (!this.trees.has(id)) this.trees.set(id, root);
        this.#unpublished = [...this.#unpublished, id].slice(-unpublishedMax);
        this.#beingWritten.delete(writer);
        return id;
      },
      abort: async () => {
        this.counts.aborted += 1;
        this.#beingWritten.delete(writer);
      },
    };
    this.#beingWritten.set(writer, added);
    return writer;
  }

  async publish(publication: Publication): Promise<{ commit?: string }> {
    const { tag, record } = publication;
    this.#stored = this.#stored.map((one) => (tag !== undefined && one.tag === tag ? withoutTag(one) : one));
    this.#unpublished = this.#unpublished.filter((id) => id !== record.snapshot);
    this.#stored.push({
      record,
      ...(tag === undefined ? {} : { tag }),
      ...(publication.name === undefined ? {} : { name: publication.name }),
    });
    return {};
  }

  async checkpoints(): Promise<StoredCheckpoint[]> {
    return [...this.#stored].sort((a, b) => a.record.seq - b.record.seq);
  }

  damaged(): [] {
    return [];
  }

  async rename(id: CheckpointId, name: string | undefined): Promise<void> {
    this.#stored = this.#stored.map((one) =>
      one.record.id !== id
        ? one
        : {
            record: one.record,
            ...(one.tag === undefined ? {} : { tag: one.tag }),
            ...(name === undefined ? {} : { name }),
          },
    );
  }

  async remove(ids: readonly CheckpointId[]): Promise<void> {
    this.#stored = this.#stored.filter((one) => !ids.includes(one.record.id));
  }

  async entries(snapshot: SnapshotId, under: TreePath = rootPath): Promise<Entry[]> {
    const all: Entry[] = [];
    for (const [path, node] of walk(await this.directory(snapshot), rootPath)) {
      const isBelow = under === rootPath || path === under || path.startsWith(`${under}/`);
      if (isBelow && !isDirectory(node)) all.push({ path, ...node });
    }
    return all.sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  async directory(snapshot: SnapshotId): Promise<Directory> {
    const root = this.trees.get(snapshot);
    if (root === undefined) throw new CheckpointdError('StoreCorrupt', `no snapshot ${snapshot}`);
    return root;
  }

  async hasDirectories(ids: readonly string[]): Promise<boolean> {
    const there = new Set<string | undefined>();
    for (const root of this.trees.values())
      for (const [, node] of [[rootPath, root] as const, ...walk(root, rootPath)])
        if (isDirectory(node)) there.add(node.sealed);
    return ids.every((id) => there.has(id));
  }

  async entry(snapshot: SnapshotId, path: TreePath): Promise<Entry | undefined> {
    return (await this.entries(snapshot)).find((entry) => entry.path === path);
  }

  async directoryPermissions(snapshot: SnapshotId): Promise<ReadonlyMap<TreePath, number>> {
    const all = new Map<TreePath, number>();
    for (const [path, node] of walk(await this.directory(snapshot), rootPath)) {
      if (isDirectory(node) && node.permissions !== undefined) all.set(path, node.permissions);
    }
    return all;
  }

  async changes(from: SnapshotId, to: SnapshotId): Promise<TreeChange[]> {
    const before = new Map((await this.entries(from)).map((entry) => [entry.path, entry]));
    const after = new Map((await this.entries(to)).map((entry) => [entry.path, entry]));
    const changes: TreeChange[] = [];
    for (const path of [...new Set([...before.keys(), ...after.keys()])].sort()) {
      const a = before.get(path);
      const b = after.get(path);
      if (a?.blob === b?.blob && a?.mode === b?.mode && a?.permissions === b?.permissions) continue;
      changes.push({
        path,
        ...(a === undefined ? {} : { before: a }),
        ...(b === undefined ? {} : { after: b }),
      });
    }
    return changes;
  }

  async sizes(blobs: readonly BlobId[]): Promise<number[]> {
    return blobs.map((blob) => this.blobs.get(blob)?.length ?? -1);
  }

  async *read(blob: BlobId, range?: { offset: number; length: number }): AsyncGenerator<Uint8Array> {
    const bytes = this.blobs.get(blob);
    if (bytes === undefined) throw new CheckpointdError('DataCorrupt', `no blob ${blob}`);
    const end = range === undefined ? bytes.length : Math.min(bytes.length, range.offset + range.length);
    for (let at = range?.offset ?? 0; at < end; at += chunkMax)
      yield bytes.subarray(at, Math.min(end, at + chunkMax));
  }

  async lostDirectories(): Promise<[]> {
    return [];
  }

  async gitTrees(from: SnapshotId | undefined, to: SnapshotId): Promise<GitTrees> {
    const gitDir = mkdtempSync(joinPath(this.spoolDirectory, 'git-'));
    const before = from === undefined ? { entries: new Map() } : await this.directory(from);
    const trees = [before, await this.directory(to)];
    const [fromId = '', toId = ''] = writeGitTrees(gitDir, trees, this.blobs);
    const dispose = async (): Promise<void> => rmSync(gitDir, { recursive: true, force: true });
    return { gitDir, from: fromId, to: toId, dispose };
  }

  async sweep(): Promise<{ bytesFreed: number; blobsFreed: number }> {
    const before = await this.usage();
    const snapshots = new Set([...this.#stored.map(({ record }) => record.snapshot), ...this.#unpublished]);
    const needed = new Set([...this.#beingWritten.values()].flatMap((added) => [...added]));
    for (const [id, root] of this.trees) {
      if (!snapshots.has(id)) this.trees.delete(id);
      else for (const [, node] of walk(root, rootPath)) if (!isDirectory(node)) needed.add(node.blob);
    }
    for (const blob of this.blobs.keys()) if (!needed.has(blob)) this.blobs.delete(blob);
    const after = await this.usage();
    return { bytesFreed: before.bytes - after.bytes, blobsFreed: before.blobs - after.blobs };
  }

  async verify(): Promise<[]> {
    return [];
  }

  async sync(): Promise<void> {}

  async usage(): Promise<StoreUsage> {
    let bytes = 0;
    for (const blob of this.blobs.values()) bytes += blob.length;
    return { bytes, blobs: this.blobs.size, checkpoints: this.#stored.length };
  }

  async close(): Promise<void> {
    rmSync(this.spoolDirectory, { recursive: true, force: true });
  }

  kill(): void {
    rmSync(this.spoolDirectory, { recursive: true, force: true });
  }

  async destroy(): Promise<void> {
    this.#stored = [];
  }
}

function withoutTag({ record, name }: StoredCheckpoint): StoredCheckpoint {
  return name === undefined ? { record } : { record, name };
}
