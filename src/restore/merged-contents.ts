// Merges contents for a revert and stores the results. Lets git merge three files in a private directory of the
// session. The results, and the tree that contains them, are in the store before a plan uses them.
import { join } from 'node:path';
import { files } from '../base/files.ts';
import type { BlobId, SnapshotId } from '../base/ids.ts';
import type { SnapshotWriter } from '../capture/snapshot-sink.ts';
import type { ProgressFigures } from '../checkpoints/operation.ts';
import { isBinary, type MergeLabels, mergeTexts } from '../git/diff/merge-file.ts';
import type { SnapshotStore } from '../store/snapshot-store.ts';
import type { MergedContent } from '../tree/three-way.ts';
import type { Directory } from '../tree/tree.ts';

interface MergedContentsOptions {
  /** Returns a content that an agent reported and that is perhaps not in the store. */
  readonly reported?: ((blob: BlobId) => Buffer | undefined) | undefined;
  /** Called after each merge with the number of merges so far, and with the size of all their results in bytes. */
  readonly onProgress: (done: ProgressFigures) => void;
}

export class MergedContents {
  readonly #store: SnapshotStore;
  readonly #directory: string;
  readonly #signal: AbortSignal;
  readonly #writer: SnapshotWriter;
  #isSealed = false;
  #merges = 0;
  /** The merged contents. These contents cannot be read from the store before the merged tree is stored (sealed). */
  readonly #stored = new Map<BlobId, Buffer>();

  readonly #options: MergedContentsOptions;
  #filesDone = 0;
  #bytesDone = 0;

  /** `directory` is private to the session. The first merge makes this directory, and `close` removes it. */
  constructor(store: SnapshotStore, directory: string, signal: AbortSignal, options: MergedContentsOptions) {
    this.#options = options;
    this.#store = store;
    this.#directory = directory;
    this.#signal = signal;
    this.#writer = store.writer(signal);
  }

  /**
   * Merges two versions of a content. When `base` is undefined, the common base is empty. @throws
   * DataCorrupt, GitFailed, AbortError
   */
  async merge(
    base: BlobId | undefined,
    ours: BlobId,
    theirs: BlobId,
    labels: MergeLabels,
  ): Promise<MergedContent> {
    const contents = {
      base: base === undefined ? Buffer.alloc(0) : await this.read(base),
      ours: await this.read(ours),
      theirs: await this.read(theirs),
    };
    if (Object.values(contents).some(isBinary)) return { kind: 'binary' };
    // Several merges may run at once, so each merge has its own directory.
    const directory = join(this.#directory, String((this.#merges += 1)));
    files.mkdirSync(directory, { recursive: true, mode: 0o700 });
    const { bytes, isClean } = await mergeTexts(directory, contents, labels, this.#signal);
    const blob = await this.put(bytes);
    this.#filesDone += 1;
    this.#bytesDone += bytes.length;
    const { onProgress } = this.#options;
    onProgress({ filesDone: this.#filesDone, bytesDone: this.#bytesDone, cancellable: true });
    return { kind: 'merged', blob, isClean };
  }

  /** True when a content can be read. If the content is known only from an agent's report, stores the content first. */
  async has(blob: BlobId): Promise<boolean> {
    if (this.#stored.has(blob)) return true;
    const [size = -1] = await this.#store.sizes([blob]);
    if (size >= 0) return true;
    const bytes = this.#options.reported?.(blob);
    return bytes !== undefined && (await this.put(bytes)) === blob;
  }

  async read(blob: BlobId): Promise<Buffer> {
    const stored = this.#stored.get(blob);
    if (stored !== undefined) return stored;
    const chunks: Uint8Array[] = [];
    for await (const chunk of this.#store.read(blob)) chunks.push(chunk);
    return Buffer.concat(chunks);
  }

  /** Stores a content. The content can be read only after the tree has been stored (sealed). */
  async put(bytes: Buffer): Promise<BlobId> {
    const hash = this.#store.hash(bytes.length);
    hash.update(bytes);
    const blob = hash.digest();
    await this.#writer.addBlob(blob, { kind: 'bytes', bytes });
    this.#stored.set(blob, bytes);
    return blob;
  }

  /** Stores (seals) the merged tree. After this call, no further content can be merged. */
  async seal(root: Directory): Promise<SnapshotId> {
    const snapshot = await this.#writer.seal(root);
    this.#isSealed = true;
    return snapshot;
  }

  /** Removes the private directory. Also discards the merged contents if the tree was not sealed. */
  async close(): Promise<void> {
    if (!this.#isSealed) await this.#writer.abort();
    files.rmSync(this.#directory, { recursive: true, force: true });
  }
}
