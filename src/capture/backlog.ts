// Blobs on their way into the store: many at once, bounded by count and bytes; the first failure is kept.
import type { BlobId } from '../base/ids.ts';
import type { BlobSink } from './file-reading.ts';
import type { SnapshotWriter, StableContent } from './snapshot-sink.ts';

/** What one capture hands to its writer. */
export class Backlog implements BlobSink {
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
