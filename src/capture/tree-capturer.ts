// The capture: looks at the whole work tree, or where that is proven to be enough at what may have changed (fast/), reads
// it and hands it to the store. It never writes to the work tree and publishes nothing.
import { CheckpointdError } from '../base/errors.ts';
import { given } from '../base/given.ts';
import type { BlobId, SnapshotId } from '../base/ids.ts';
import type { Directory } from '../tree/directory.ts';
import type { TreePath } from '../tree/tree-path.ts';
import type { Changes } from '../watch/change-log.ts';
import { discard } from '../work-tree/stable-read.ts';
import type { Capture, CaptureCounts, CaptureRequest, Capturer, FullCaptureReason } from './capturer.ts';
import { IdleScans } from './fast/idle-scans.ts';
import type { BlobSink } from './file-reading.ts';
import type { Listings } from './listings.ts';
import { accessListsFound } from './permissions.ts';
import type { ScannedTree } from './scanned-tree.ts';
import type { SkippedPath, SnapshotWriter, StableContent } from './snapshot-sink.ts';
import { TreeScanner, type TreeScannerOptions } from './tree-scanner.ts';

export interface TreeCapturerOptions extends TreeScannerOptions {
  /** Called when a capture begins to look: what changes from now on belongs to the next one. */
  readonly onScan?: (kind: ScanKind) => StartedScan;
  /** What captures are going to build on, so that a look before the first of them may build on it too. */
  readonly head?: () => SnapshotId | undefined;
  /** For tests: how long after a capture everything is looked at. */
  readonly idleMs?: number;
}

/** What a capture is going to look at. */
export interface ScanKind {
  /** It looks at every file, and takes none over unseen. */
  readonly isWhole: boolean;
  /** And it takes what the rules say, and nothing else. */
  readonly isPlain: boolean;
  /** It makes a snapshot. */
  readonly isStored: boolean;
}

export interface StartedScan {
  /** What may have changed since the last capture that succeeded. */
  readonly changes: Changes;
  /** Called with what the capture saw, when it has succeeded. */
  succeeded(seen: ScannedTree): void;
}

const rootsMax = 4;

/** Takes contents and keeps none. */
const discarding: BlobSink = {
  add: (_blob, content) => {
    discard(content);
    return undefined;
  },
};

/** Contents on their way into the store: many at once, bounded by count and bytes; the first failure is kept. */
class Backlog implements BlobSink {
  readonly #writer: SnapshotWriter;
  #pending: Promise<unknown>[] = [];
  #bytes = 0;
  #failure: { readonly error: unknown } | undefined;

  constructor(writer: SnapshotWriter) {
    this.#writer = writer;
  }

  add(blob: BlobId, content: StableContent): Promise<void> | undefined {
    const adding = this.#writer.addBlob(blob, content).catch((error: unknown) => {
      this.#failure ??= { error };
    });
    this.#pending.push(adding);
    this.#bytes += content.kind === 'bytes' ? content.bytes.length : content.size;
    return this.#pending.length >= 256 || this.#bytes >= 1 << 24 ? this.drained() : undefined;
  }

  async drained(): Promise<void> {
    const pending = this.#pending;
    this.#pending = [];
    this.#bytes = 0;
    await Promise.all(pending);
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}

/** Captures one work tree into one store. Captures may run at the same time; they share only finished scans. */
export class TreeCapturer implements Capturer {
  readonly #options: TreeCapturerOptions;
  readonly #scanner: TreeScanner;
  readonly #idle: IdleScans;
  readonly #roots = new Map<SnapshotId, Directory>();
  /** What each capture saw, for as long as somebody holds it. */
  readonly #seen = new WeakMap<Capture, Listings>();
  /** What the last plain capture made. */
  #last: Directory | undefined;
  #fast = 0;
  #tellHeld: () => void = () => undefined;
  readonly #whenHeld = new Promise<void>((resolve) => (this.#tellHeld = resolve));
  readonly #cold = new Map<FullCaptureReason, number>();

  constructor(options: TreeCapturerOptions) {
    this.#options = options;
    this.#scanner = new TreeScanner(options);
    this.#idle = new IdleScans(
      (signal) => this.#lookAround(signal),
      (error) => options.log.info(`A full scan was given up: ${String(error)}`),
      options.idleMs,
    );
  }

  /**
   * Stores the present state of the work tree.
   *
   * @throws WorkTreeMissing, NotADirectory, WorkTreeUnreadable for the root; the store's errors; AbortError. After a
   * failure nothing of the capture is left.
   */
  async capture(request: CaptureRequest = {}): Promise<Capture> {
    await this.#idle.untilFirst(request.signal);
    this.#idle.captureBegins();
    try {
      return await this.#capture(request);
    } finally {
      this.#idle.captureEnds();
      const when = this.#scanner.wanted;
      if (when !== undefined) this.#idle.after(when === 'now');
      if (when !== 'now') this.#tellHeld();
    }
  }

  async #capture(request: CaptureRequest): Promise<Capture> {
    const started = performance.now();
    const { store, log, onScan: onLook } = this.#options;
    const { previous, since, ...how } = request;
    const kept = await this.#rootOf(previous);
    const writer = store.writer(request.signal);
    try {
      const sink = new Backlog(writer);
      const isWhole = since === undefined;
      const isPlain = isWhole && request.alsoInclude === undefined;
      const look = onLook?.({ isWhole, isPlain, isStored: true });
      const before = since && { listings: this.#seen.get(since.capture), touched: since.touched };
      const { seen, reason, accept } = await this.#scanner.scan({
        ...how,
        kept,
        sink,
        ...given({ since: before }),
        changes: look?.changes,
      });
      await sink.drained();
      request.signal?.throwIfAborted();
      const snapshot = await writer.seal(seen.root);
      await accept();
      this.#remember(snapshot, seen.root);
      if (isPlain) this.#last = seen.root;
      const ms = performance.now() - started;
      const why = reason ?? 'what changed';
      log.debug(`captured ${seen.files} files, read ${seen.read}, in ${ms.toFixed(0)} ms (${why})`);
      if (seen.ownerOnly.length > 0) log.warn(accessListsFound(seen.ownerOnly));
      const { root, skipped, unknown, torn } = seen;
      const path = reason === undefined ? 'fast' : 'cold';
      const capture: Capture = { snapshot, root, skipped, unknown, torn, path, ...given({ reason }), ms };
      this.#seen.set(capture, seen.directories);
      this.#count(reason);
      look?.succeeded(seen);
      return capture;
    } catch (error) {
      await writer.abort();
      throw error;
    }
  }

  /** Whether a capture now would differ from a snapshot; stores nothing. @throws as {@link capture} */
  async isChanged(
    previous: SnapshotId,
    signal?: AbortSignal,
    skippedThen: readonly SkippedPath[] = [],
  ): Promise<boolean | 'unsure'> {
    await this.#idle.untilFirst(signal);
    const kept = await this.#rootOf(previous);
    const { seen, accept } = await this.#scanner.scan({ kept, sink: undefined, ...given({ signal }) });
    if (seen.isWhole) await accept();
    if (seen.isWhole && seen.root === kept) return false;
    // One that stopped early has met a file that is new, or was skipped then.
    return skippedThen.length > 0 || (seen.isWhole && seen.skipped.length > 0) ? 'unsure' : true;
  }

  ignoredBy(): Promise<string | undefined> {
    return this.#scanner.ignoredBy();
  }

  isLeftOut(path: TreePath): boolean {
    return this.#scanner.isLeftOut(path);
  }

  leftOutDirectories(): TreePath[] {
    return this.#scanner.leftOutDirectories();
  }

  get isHeld(): boolean {
    return this.#scanner.isHeld;
  }

  get counts(): CaptureCounts {
    return { fast: this.#fast, cold: this.#cold };
  }

  whenHeld(): Promise<void> {
    return this.#whenHeld;
  }

  scanSoon(): void {
    if (this.#scanner.wanted === 'now') this.#idle.after(true);
  }

  distrust(): void {
    this.#scanner.distrust();
    this.#idle.after(false);
  }

  rest(): Promise<void> {
    return this.#idle.rest();
  }

  /** Ends the engines, and the scan that runs. */
  async close(isOver?: 'deleted'): Promise<void> {
    await this.#idle.close();
    try {
      if (isOver === undefined) await this.#scanner.remember();
    } finally {
      await this.#scanner.close();
    }
  }

  /** Ends the engines at once, for a dying process. */
  kill(): void {
    this.#idle.interrupt();
    this.#scanner.kill();
  }

  /** Looks at everything and stores nothing: what comes after may look at less, and what nobody told is found. */
  async #lookAround(signal: AbortSignal): Promise<void> {
    if (this.#options.held?.()?.isReady !== true) return;
    const look = this.#options.onScan?.({ isWhole: true, isPlain: true, isStored: false });
    const { seen, accept } = await this.#scanner.scan({
      kept: this.#last ?? (await this.#rootOf(this.#options.head?.())),
      sink: discarding,
      isWhole: true,
      isInBackground: true,
      signal,
    });
    await accept();
    look?.succeeded(seen);
    this.#tellHeld();
    await this.#scanner.remember(signal, true);
  }

  #count(reason: FullCaptureReason | undefined): void {
    if (reason === undefined) this.#fast += 1;
    else this.#cold.set(reason, (this.#cold.get(reason) ?? 0) + 1);
  }

  async #rootOf(snapshot: SnapshotId | undefined): Promise<Directory | undefined> {
    const { store, log } = this.#options;
    // What is known to be damaged is not carried over: every file is read and handed to the store again.
    if (snapshot === undefined || store.isDoubtful?.()) return undefined;
    try {
      const root = this.#roots.get(snapshot) ?? (await store.directory(snapshot));
      this.#remember(snapshot, root);
      return root;
    } catch (error) {
      if (!(error instanceof CheckpointdError) || error.kind !== 'StoreCorrupt') throw error;
      log.warn(`every file is read again: ${error.message}`);
      return undefined;
    }
  }

  #remember(snapshot: SnapshotId, root: Directory): void {
    this.#roots.delete(snapshot);
    this.#roots.set(snapshot, root);
    for (const oldest of this.#roots.keys()) {
      if (this.#roots.size <= rootsMax) break;
      this.#roots.delete(oldest);
    }
  }
}
