// operation/get: the fate of a mutation, for a client whose connection died before the answer.
import { given } from '../../base/given.ts';
import { codeOf } from '../answers/error-code.ts';
import { defineCommand } from '../command.ts';

export const command = defineCommand('operation/get', ({ session, params }) => {
  const fate = session.parts.operations.find(params.operation ?? params.idempotencyKey ?? '');
  if (fate === undefined) return { state: 'unknown' };
  const { state, operation, method, result, checkpoint, error } = fate;
  return {
    state,
    operation,
    method,
    ...given({ result, checkpoint }),
    ...given({ error: error && { code: codeOf(error.kind), ...error } }),
  };
});
