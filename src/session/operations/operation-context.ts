// What a running operation carries: how it is cancelled, how it tells its progress, and what it stamps into records.
import type { OperationId } from '../../base/ids.ts';
import type { CheckpointRecord } from '../../store/snapshot-store.ts';

/** How a running operation speaks: its cancel, its progress, and what it stamps into the records it publishes. */
export interface OperationContext {
  readonly signal: AbortSignal;
  readonly operation: OperationId;
  /** Facts that make the effect and its key one: they are published together. */
  readonly stamp: Pick<CheckpointRecord, 'idempotency' | 'operation'>;
  progress(phase: string): (done: ProgressFigures) => void;
}

export interface ProgressFigures {
  readonly filesDone: number;
  readonly filesTotal?: number;
  readonly bytesDone: number;
  readonly bytesTotal?: number;
}
