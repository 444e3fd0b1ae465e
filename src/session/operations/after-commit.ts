// What comes after a commit point. The effect stands by then, so nothing here may fail the request: an error would say
// that nothing was done, and the client would do it again. It decides no order; that is the executor's and the jobs'.
import { CheckpointdError, systemCode } from '../../base/errors.ts';
import { InvariantViolation } from '../../base/invariant.ts';
import type { OperationContext } from './operation-context.ts';

/**
 * Runs one step after the commit. A failure becomes a warning, `lost` with its reason, and the answer is `undefined`.
 *
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
    ? 'a defect in checkpointd; its log has the details.'
    : `the system refused (${code}).`;
}
