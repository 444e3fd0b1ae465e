// What every mutation has in common: it runs once per idempotencyKey, tells its progress, tells listeners when it
// failed, and answers with its operation's id. And operation/get, which tells the fate of one.

import type * as Wire from '../../protocol/types.ts';
import type { OperationContext } from '../../session/operations/operation-context.ts';
import type { Remains } from '../../session/operations/operation-records.ts';
import type { Session } from '../../session/session.ts';
import type { Sessions } from '../../session/sessions.ts';
import type { Handlers, RequestContext } from '../dispatch.ts';
import { codeOf } from '../error-code.ts';

interface Keyed {
  readonly idempotencyKey?: string | null;
}

/** Runs a mutation of a session; `rebuild` makes the answer again from the checkpoint that a lost answer published. */
export async function mutate<R extends object>(
  session: Session,
  method: string,
  params: Keyed,
  context: RequestContext,
  work: (operation: OperationContext) => Promise<R>,
  rebuild: (checkpoint: string, effect?: unknown) => Promise<R> = () => Promise.resolve({} as R),
  options: { readonly isLoggedWithEffect?: boolean } = {},
): Promise<R & { readonly replayed?: boolean; readonly operation?: string }> {
  const key = params.idempotencyKey ?? undefined;
  const request = { method, params, ...options, ...(key === undefined ? {} : { key }) };
  try {
    return await session.parts.operations.run(
      request,
      async (operation, stamp) => ({
        ...(await work({ ...readContext(context), operation, stamp })),
        operation,
      }),
      ({ checkpoint, effect }: Remains) => rebuild(checkpoint ?? '', effect),
    );
  } catch (error) {
    session.parts.events.failed(session, method, error);
    throw error;
  }
}

/** The context of something that changes nothing and so needs no fate. */
export function readContext(context: RequestContext): OperationContext {
  return {
    signal: context.signal,
    operation: '' as OperationContext['operation'],
    stamp: {},
    progress: (phase) => (done) => context.progress.report({ phase, ...done }),
  };
}

export function operationHandlers(sessions: Sessions): Pick<Handlers, 'operation/get'> {
  return {
    'operation/get': async (params): Promise<Wire.OperationGetResult> => {
      const session = sessions.get(params.session);
      const name = params.operation ?? params.idempotencyKey ?? '';
      const fate = session.parts.operations.find(name);
      if (fate === undefined) return { state: 'unknown' };
      const { state, operation, method, result, checkpoint } = fate;
      return {
        state,
        operation,
        method,
        ...(result === undefined ? {} : { result }),
        ...(checkpoint === undefined ? {} : { checkpoint }),
        ...(fate.error === undefined ? {} : { error: { code: codeOf(fate.error.kind), ...fate.error } }),
      };
    },
  };
}
