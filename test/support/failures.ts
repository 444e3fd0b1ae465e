// Errors of the daemon that tests expect, identified by their kind.
import { CheckpointdError } from '../../src/base/errors.ts';

/** Returns the expected failure of a request. Throws when the request succeeds, or fails with another kind of error. */
export async function failure(request: Promise<unknown>): Promise<CheckpointdError> {
  try {
    await request;
  } catch (error) {
    if (error instanceof CheckpointdError) return error;
    throw error;
  }
  throw new Error('the request succeeded, and should not have');
}

/** True when an error is an expected failure of this kind. */
export const refusedAs =
  (kind: string) =>
  (error: unknown): boolean =>
    error instanceof CheckpointdError && error.kind === kind;
