// Runs a request only once for each key. If a client repeats the key, returns the stored answer. Used for requests that
// do not wait in a session's queue.
import type { OperationContext } from '../checkpoints/operation.ts';
import type { OperationRecords } from '../session/operations.ts';
import type { Call } from './command.ts';
import { keepAnswer, withWarnings } from './execute.ts';

/** Runs the work only once for each key. `operations` remembers the keys. */
export async function once<R extends object>(
  operations: OperationRecords,
  method: string,
  { params, context, warnings }: Call<{ readonly idempotencyKey?: string | undefined }>,
  work: (stamp: OperationContext['stamp']) => Promise<R>,
): Promise<R & { readonly replayed?: boolean }> {
  const key = params.idempotencyKey;
  if (key == null) return work({});
  return operations.run(
    { method, params, key },
    async (stamp) => {
      const answer = await work(stamp);
      await keepAnswer(operations, { ...context, stamp }, answer);
      return withWarnings(answer, warnings);
    },
    () => work({}),
  );
}
