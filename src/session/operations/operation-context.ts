// What a running operation carries: how it is cancelled, how it tells its progress and what went wrong after its
// commit, and what it stamps into records.
import type { CheckpointRecord } from '../../store/snapshot-store.ts';

export interface OperationContext {
  readonly signal: AbortSignal;
  /** Who asked, compared by identity; events tell it. Absent: nobody did. */
  readonly client?: object;
  /** Facts that make the effect and its key one: they are published together. Empty for what is no operation. */
  readonly stamp: Pick<CheckpointRecord, 'idempotency' | 'operation'>;
  /** Notes that an interrupted restore was recovered: should the request fail, it does not say that nothing changed. */
  noteRecovered(): void;
  progress(phase: string): (done: ProgressFigures) => void;
  /** Tells the client of something that did not succeed although the request did; `cause` is for the log alone. */
  warn(warning: string, cause?: unknown): void;
}

export interface ProgressFigures {
  readonly filesDone: number;
  readonly filesTotal?: number;
  readonly bytesDone: number;
  readonly bytesTotal?: number;
  /** Whether a cancel still has an effect. Absent: as before. */
  readonly cancellable?: boolean;
}
