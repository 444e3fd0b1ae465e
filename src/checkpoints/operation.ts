// The context of a running operation: its cancellation, progress and warnings, and the data for its records. {@link
// afterCommit} runs the steps that follow a commit point.
import { CheckpointdError, systemCode } from '../base/errors.ts';
import { InvariantViolation } from '../base/invariant.ts';
import type { CheckpointRecord } from '../store/snapshot-store.ts';

export interface OperationContext {
  readonly signal: AbortSignal;
  /**
   * The client that made the request. Clients are compared by identity, and an event names the client. Absent when the
   * operation was not requested by a client.
   */
  readonly client?: object;
  /**
   * The client's key and the operation id. Key and id are published together with the effect. Empty for a request that
   * is not an operation.
   */
  readonly stamp: Pick<CheckpointRecord, 'idempotency' | 'operation'>;
  /**
   * Records that the request first recovered an interrupted restore. If the request fails after the recovery, its error
   * must not say that nothing changed.
   */
  onRecovered(): void;
  progress(phase: string): (done: ProgressFigures) => void;
  /** Warns the client that a part of a successful request failed. Only the log contains `cause`. */
  warn(warning: string, cause?: unknown): void;
}

export interface ProgressFigures {
  readonly filesDone: number;
  readonly filesTotal?: number;
  readonly bytesDone: number;
  /**
   * True while the client can still cancel the operation. When absent, the value from the previous report is still
   * valid.
   */
  readonly cancellable?: boolean;
}

// Runs steps after a commit point. The effect of the request is already final, so the request must not fail when one of
// these steps fails. After an error, the client would assume that nothing was done, and would repeat the request.

/**
 * Runs one of the steps that follow the commit. If the step fails, returns undefined and sends the client a warning.
 * The warning consists of the text in `lost` and the reason. @throws only InvariantViolation. After an
 * InvariantViolation, the session accepts no more changes, and the process ends
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

/**
 * Returns the reason for a failure as a text for the client. Hides the error texts of other programs, because they may
 * quote file contents or the environment.
 */
function reasonOf(error: unknown): string {
  if (error instanceof CheckpointdError) return error.message;
  if (error instanceof Error && error.name === 'AbortError') return 'the request was cancelled.';
  const code = systemCode(error);
  return code === undefined
    ? 'checkpointd has a defect; its log has the details.'
    : `the system refused a call (${code}).`;
}
