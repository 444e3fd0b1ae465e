// The context of a running operation: its cancellation, its reports of progress and later failures, and the facts for
// records. afterCommit runs the steps behind a commit point.
import { CheckpointdError, systemCode } from '../base/errors.ts';
import { InvariantViolation } from '../base/invariant.ts';
import type { CheckpointRecord } from '../store/snapshot-store.ts';

export interface OperationContext {
  readonly signal: AbortSignal;
  /** The client that made the request, compared by identity and named in events. Absent: no client did. */
  readonly client?: object;
  /**
   * The key and the operation id, which are published together with the effect. Empty for a request that is no
   * operation.
   */
  readonly stamp: Pick<CheckpointRecord, 'idempotency' | 'operation'>;
  /**
   * Notes that an interrupted restore was recovered. If the request then fails, its error does not say that nothing
   * changed.
   */
  noteRecovered(): void;
  progress(phase: string): (done: ProgressFigures) => void;
  /** Warns the client of a part that failed although the request succeeded. `cause` is only for the log. */
  warn(warning: string, cause?: unknown): void;
}

export interface ProgressFigures {
  readonly filesDone: number;
  readonly filesTotal?: number;
  readonly bytesDone: number;
  readonly bytesTotal?: number;
  /** True while a cancel has an effect. Absent: unchanged. */
  readonly cancellable?: boolean;
}

// Steps after a commit point. The effect is final by then, so no step here may fail the request. An error
// would say that nothing was done, and the client would repeat the request.

/**
 * Runs one step after the commit. A failure becomes the warning `lost` with its reason, and the result is
 * `undefined`.
 * @throws only InvariantViolation: the session then accepts no more changes, and the process ends
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

/** Hides the text of a foreign error from the client: it may quote file contents or the environment. */
function reasonOf(error: unknown): string {
  if (error instanceof CheckpointdError) return error.message;
  if (error instanceof Error && error.name === 'AbortError') return 'it was cancelled.';
  const code = systemCode(error);
  return code === undefined
    ? 'checkpointd has a defect; its log has the details.'
    : `the system refused (${code}).`;
}
