// Helps tests that expect an error of a certain kind from the daemon.
import { CheckpointdError } from '../../src/base/errors.ts';

/**
 * Returns the error with which a request fails. Throws if the request succeeds, or if the error is no CheckpointdError.
 */
export async function failure(request: Promise<unknown>): Promise<CheckpointdError> {
  try {
    await request;
  } catch (error) {
    if (error instanceof CheckpointdError) return error;
    throw error;
  }
  throw new Error('the request succeeded, and should not have');
}

/** True when an error is a CheckpointdError of this kind. */
export const refusedAs =
  (kind: string) =>
  (error: unknown): boolean =>
    error instanceof CheckpointdError && error.kind === kind;
