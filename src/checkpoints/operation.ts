// The context of a running operation: how it is cancelled, how it reports progress and later failures, and the facts
// that it stamps into records. afterCommit runs the steps behind a commit point.
import { CheckpointdError, systemCode } from '../base/errors.ts';
import { InvariantViolation } from '../base/invariant.ts';
import type { CheckpointRecord } from '../store/snapshot-store.ts';

export interface OperationContext {
  readonly signal: AbortSignal;
  /** Who asked, compared by identity; events tell it. Absent: no client did. */
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
  /** True when a cancel still has an effect. Absent: as before. */
  readonly cancellable?: boolean;
}

// Steps after a commit point. The effect is final by then, so no step here may fail the request: an error would say
// that nothing was done, and the client would repeat the request.

/**
 * Runs one step after the commit. A failure becomes a warning, `lost` with its reason, and the answer is `undefined`.
 * @throws InvariantViolation alone: the session takes no more changes then, and the process ends
 */
export async function afterCommit<T>(
  context: Pick<OperationContext, 'warn'>,
  lost: string,
  step: () => T | Promise<T>,
): Promise<T | undefined> {
  try {
    return await step();
  } catch (error) {
    if (error instanceof InvariantViolation) throw error;
    context.warn(`${lost}: ${reasonOf(error)}`, error);
    return undefined;
  }
}

/** No text of a foreign error is shown to a client: it may quote file contents or the environment. */
function reasonOf(error: unknown): string {
  if (error instanceof CheckpointdError) return error.message;
  if (error instanceof Error && error.name === 'AbortError') return 'it was cancelled.';
  const code = systemCode(error);
  return code === undefined
    ? 'checkpointd has a defect; its log has the details.'
    : `the system refused (${code}).`;
}
